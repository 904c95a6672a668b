/* Charts, drawings and words of a part at each step of its sliders. A slider moves from what the
   page showed; another one that is moved begins there, too. */

import {el, say} from "./dom.js";
import {build} from "./elsewhere.js";
import {hub} from "./hub.js";
import {plot} from "./plot.js";

class Board {
    constructor({id, first, dials}) {
        Object.assign(this, {id, first, step: first});
        this.part = document.getElementById(id);
        this.hosts = [...this.part.querySelectorAll("[data-key]")];
        this.dials = dials.map((dial, i) => this.dial(dial, `${id}-dial-${i}`));
        new ResizeObserver(() => this.draw()).observe(this.part);
        this.show(first);
    }

    dial({title, at, steps}, id) {
        const slider = el("input", {type: "range", min: 0, max: steps.length - 1, step: 1, id});
        const reading = el("output", {}), name = el("label", {htmlFor: id}, title);
        const dial = {slider, reading, steps, at};
        slider.addEventListener("input", () => this.move(dial));
        this.part.querySelector(".dials").append(el("div", {}, name, slider, reading));
        this.put(dial, at);
        return dial;
    }

    put({slider, reading, steps}, at) {
        slider.value = at;
        slider.setAttribute("aria-valuetext", steps[at].reading);
        say(reading, steps[at].reading);
    }

    move(dial) {
        for (const each of this.dials) this.put(each, each === dial ? Number(dial.slider.value) : each.at);
        this.show(dial.steps[dial.slider.value]);
    }

    show(step) {
        this.step = step;
        for (const [number, tree] of Object.entries(step.words)) {
            this.part.querySelector(`[data-words="${number}"]`).replaceChildren(build(tree));
        }
        this.draw();
    }

    draw() {
        for (const host of this.hosts) {
            const told = this.step.pictures[host.dataset.key], own = hub.get(host.dataset.key);
            if (own) own.play(told);
            else if (told.startsWith("<")) host.innerHTML = told;
            else host.replaceChildren(plot(JSON.parse(told), host.clientWidth, `${this.id}-${host.dataset.key}`));
        }
    }
}

for (const part of JSON.parse(document.getElementById("parts").textContent)) {
    if (part.kind === "board") new Board(part);
}
