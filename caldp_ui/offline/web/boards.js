/* Charts, drawings and words of a part at each step of its sliders. A slider moves from what the
   page showed; another one that is moved begins there, too. */

import {jsonOf} from "./bytes.js";
import {el, setText} from "./dom.js";
import {build} from "./replacements.js";
import {Picture, hub} from "./hub.js";
import {Chart} from "./figure.js";

/** @typedef {{reading: string, words: Record<string, Message.Tree>, pictures: Record<string, string>}} Step
    @typedef {{title: string, at: number, steps: Step[]}} SliderData `at`: where the page had it.
    @typedef {{slider: HTMLInputElement, reading: HTMLElement, steps: Step[], at: number}} Dial */

const darkTheme = matchMedia("(prefers-color-scheme: dark)");
const BY_THEME = /light-dark\(((?:[^(),]|\([^()]*\))*),((?:[^(),]|\([^()]*\))*)\)/g;

/** A chart's text in the colours of the device's theme: Plotly takes no colours that CSS chooses.
    @param {string} content */
const inTheme = content => content.replace(BY_THEME, darkTheme.matches ? "$2" : "$1");

/** What draws a chart or a drawing in its place; `first`: its text before any slider has moved.
    @param {HTMLElement} host
    @param {string} first */
function pictureIn(host, first) {
    if (first.startsWith("<")) return new Picture(content => { host.innerHTML = content; });
    const place = el("div", {className: "chart", role: "figure"});
    host.append(place);
    const chart = new Chart(place);
    chart.use(/** @type {any} */ (globalThis).Plotly);
    return chart;
}

class Board {
    /** @param {{id: string, first: Step, dials: SliderData[]}} part */
    constructor({id, first, dials}) {
        this.id = id;
        this.step = first;
        this.part = /** @type {HTMLElement} */ (document.getElementById(id));
        /** @type {HTMLElement[]} */
        this.hosts = Array.from(this.part.querySelectorAll("[data-key]"));
        /** @type {Map<HTMLElement, Picture>} */
        this.pictures = new Map();
        for (const host of this.hosts) {
            const {key = ""} = host.dataset;
            // A page's own picture has put itself into the hub; stations share their charts' keys.
            this.pictures.set(host, hub.get(key) ?? pictureIn(host, first.pictures[key]));
        }
        this.dials = dials.map((dial, i) => this.addDial(dial, `${id}-dial-${i}`));
        darkTheme.addEventListener("change", () => this.redraw());
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

    /** Draw all in the colours of another theme. */
    redraw() {
        for (const picture of this.pictures.values()) picture.drawnContent = null;
        this.draw();
    }

    draw() {
        for (const [host, picture] of this.pictures) {
            const content = this.step.pictures[host.dataset.key ?? ""];
            picture.play(picture instanceof Chart ? inTheme(content) : content);
        }
    }
}

for (const part of jsonOf("parts")) {
    if (part.kind === "board") new Board(part);
}
