/* Charts, drawings and words of a part at each step of its sliders. A slider moves from what the
   page showed; another one that is moved begins there, too. */

import {jsonOf} from "./bytes.js";
import {el, setText} from "./dom.js";
import {build} from "./replacements.js";
import {hub} from "./hub.js";
import {plot} from "./plot.js";

/** @typedef {{reading: string, words: Record<string, Message.Tree>, pictures: Record<string, string>}} Step
    @typedef {{title: string, at: number, steps: Step[]}} SliderData `at`: where the page had it.
    @typedef {{slider: HTMLInputElement, reading: HTMLElement, steps: Step[], at: number}} Dial */

class Board {
    /** @param {{id: string, first: Step, dials: SliderData[]}} part */
    constructor({id, first, dials}) {
        this.id = id;
        this.step = first;
        this.part = /** @type {HTMLElement} */ (document.getElementById(id));
        /** @type {HTMLElement[]} */
        this.hosts = Array.from(this.part.querySelectorAll("[data-key]"));
        this.dials = dials.map((dial, i) => this.addDial(dial, `${id}-dial-${i}`));
        new ResizeObserver(() => this.draw()).observe(this.part);
        this.show(first);
    }

    /** @param {SliderData} slider
        @param {string} id
        @returns {Dial} */
    addDial({title, at, steps}, id) {
        const slider = el("input", {type: "range", min: 0, max: steps.length - 1, step: 1, id});
        const reading = el("output", {}), name = el("label", {htmlFor: id}, title);
        const dial = {slider, reading, steps, at};
        slider.addEventListener("input", () => this.move(dial));
        this.part.querySelector(".dials")?.append(el("div", {}, name, slider, reading));
        this.setDial(dial, at);
        return dial;
    }

    /** @param {Dial} dial
        @param {number} at */
    setDial({slider, reading, steps}, at) {
        slider.value = String(at);
        slider.setAttribute("aria-valuetext", steps[at].reading);
        setText(reading, steps[at].reading);
    }

    /** @param {Dial} dial */
    move(dial) {
        const index = Number(dial.slider.value);
        for (const each of this.dials) this.setDial(each, each === dial ? index : each.at);
        this.show(dial.steps[index]);
    }

    /** @param {Step} step */
    show(step) {
        this.step = step;
        for (const [number, tree] of Object.entries(step.words)) {
            this.part.querySelector(`[data-words="${number}"]`)?.replaceChildren(build(tree));
        }
        this.draw();
    }

    draw() {
        for (const host of this.hosts) {
            const {key = ""} = host.dataset, content = this.step.pictures[key], own = hub.get(key);
            if (own) own.play(content);
            else if (content.startsWith("<")) host.innerHTML = content;
            else host.replaceChildren(plot(JSON.parse(content), host.clientWidth, `${this.id}-${key}`));
        }
    }
}

for (const part of jsonOf("parts")) {
    if (part.kind === "board") new Board(part);
}
