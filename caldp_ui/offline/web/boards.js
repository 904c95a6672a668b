/* Charts, drawings and words of a part at each step of its sliders. A slider moves from what the
   page showed; another one that is moved begins there, too. */

import {jsonOf} from "./bytes.js";
import {el, setText} from "./dom.js";
import {build} from "./elsewhere.js";
import {hub} from "./hub.js";
import {plot} from "./plot.js";

/** @typedef {{reading: string, words: Record<string, Message.Tree>, pictures: Record<string, string>}} Step
    @typedef {{title: string, at: number, steps: Step[]}} Told A slider: where the page had it.
    @typedef {{slider: HTMLInputElement, reading: HTMLElement, steps: Step[], at: number}} Dial */

class Board {
    /** @param {{id: string, first: Step, dials: Told[]}} part */
    constructor({id, first, dials}) {
        this.id = id;
        this.step = first;
        this.part = /** @type {HTMLElement} */ (document.getElementById(id));
        /** @type {HTMLElement[]} */
        this.hosts = Array.from(this.part.querySelectorAll("[data-key]"));
        this.dials = dials.map((dial, i) => this.dial(dial, `${id}-dial-${i}`));
        new ResizeObserver(() => this.draw()).observe(this.part);
        this.show(first);
    }

    /** @param {Told} told
        @param {string} id
        @returns {Dial} */
    dial({title, at, steps}, id) {
        const slider = el("input", {type: "range", min: 0, max: steps.length - 1, step: 1, id});
        const reading = el("output", {}), name = el("label", {htmlFor: id}, title);
        const dial = {slider, reading, steps, at};
        slider.addEventListener("input", () => this.move(dial));
        this.part.querySelector(".dials")?.append(el("div", {}, name, slider, reading));
        this.put(dial, at);
        return dial;
    }

    /** @param {Dial} dial
        @param {number} at */
    put({slider, reading, steps}, at) {
        slider.value = String(at);
        slider.setAttribute("aria-valuetext", steps[at].reading);
        setText(reading, steps[at].reading);
    }

    /** @param {Dial} dial */
    move(dial) {
        for (const each of this.dials) this.put(each, each === dial ? Number(dial.slider.value) : each.at);
        this.show(dial.steps[Number(dial.slider.value)]);
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
            const {key = ""} = host.dataset, told = this.step.pictures[key], own = hub.get(key);
            if (own) own.play(told);
            else if (told.startsWith("<")) host.innerHTML = told;
            else host.replaceChildren(plot(JSON.parse(told), host.clientWidth, `${this.id}-${key}`));
        }
    }
}

for (const part of jsonOf("parts")) {
    if (part.kind === "board") new Board(part);
}
