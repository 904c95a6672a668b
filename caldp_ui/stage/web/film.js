/* Films: pictures, subtitles and numbers of many steps, shown as a slider moves or as time goes by,
   in the browser alone. Python is told of the step that a person settles on. Nothing plays unless
   it is asked to, and pictures change at once: nothing is left to calm for those who want less
   motion. */

import {readCodes} from "./codec.js";
import {button, el, say} from "./dom.js";

export class FilmPlayer {
    constructor(stage) {
        this.stage = stage;
        this.films = new Map();
        this.coming = new Map();
        this.now = null;
        this.slider = el("input", {type: "range", min: 0, step: 1});
        this.label = el("output", {className: "step"});
        this.name = el("span", {className: "film-name"});
        this.choice = el("select", {"aria-label": "What changes"});
        this.play = button("play", "Play", () => this.toggle());
        this.stopIcon = button("stop", "Stop", () => this.toggle());
        const whole = {className: "film", role: "group", "aria-label": "Film", hidden: true};
        this.node = el("div", whole, this.play, this.stopIcon, this.name, this.choice,
            this.slider, this.label);
        this.slider.addEventListener("input", () => this.slide());
        this.slider.addEventListener("change", () => this.settle());
        this.slider.addEventListener("pointerup", () => setTimeout(() => this.letGo()));
        this.slider.addEventListener("keydown", event => event.stopPropagation());
        this.choice.addEventListener("change", () => this.choose(this.choice.value));
    }

    /** All films in Python's order, whichever came first. */
    get offered() { return [...this.films.values()].sort((one, other) => one.place - other.place); }

    /** The film that the person chose, or else the first. */
    get film() { return this.films.get(this.chosen) ?? this.offered[0]; }

    /** A film came, or came anew: its codes are made ready before it is offered. */
    async bring(head, store) {
        const names = [...new Set(head.steps.flatMap(({codes}) => Object.values(codes)))];
        const turn = this.turn = (this.turn ?? 0) + 1;
        head.turn = turn;
        this.coming.set(head.id, turn);
        const codes = new Map(await Promise.all(
            names.map(async name => [name, readCodes(await store.get(name))])));
        if (this.coming.get(head.id) !== turn) return;
        const held = this.now?.film === head.id && this.held;
        this.films.set(head.id, {...head, codes});
        if (!held && this.now?.film === head.id && !this.timer) this.now = null;
        this.update();
        if (this.stage.readout) this.stage.changed();
    }

    remove(id, turn) {
        if (this.films.get(id)?.turn !== turn) return;
        this.films.delete(id);
        if (this.now?.film === id) this.leave();
        this.coming.delete(id);
        this.update();
    }

    choose(id) {
        this.leave();
        this.chosen = id;
        this.update();
        this.stage.changed();
    }

    /** New pictures came from Python: they are what is shown, unless a hand moves the film. */
    leave() {
        if (this.held) return;
        this.now = null;
        this.stop();
    }

    /** The step whose value is nearest to the scene's own, and whether it is that very step. */
    get scenes() {
        const {film} = this, value = this.stage.data?.at[film.id];
        if (value === undefined) return {index: 0, exact: false};
        const off = film.steps.map(step => Math.abs(step.value - value));
        const index = off.indexOf(Math.min(...off));
        return {index, exact: off[index] <= 1e-9 * Math.abs(value)};
    }

    get index() { return this.now?.index ?? this.scenes.index; }

    get step() { return this.now && this.films.get(this.now.film)?.steps[this.now.index]; }

    plays(id) { return Boolean(this.step?.codes[id]); }

    /** Codes of a picture at the film's step; undefined where the scene's own are shown. */
    codesOf(id) {
        const name = this.step?.codes[id];
        return name && this.films.get(this.now.film).codes.get(name);
    }

    /** The lines of a picture: none that would be another step's. */
    marksOf({marks}) {
        if (!this.step) return marks;
        const {hides} = this.films.get(this.now.film);
        return marks.filter(mark => !hides.includes(mark));
    }

    words(meta) {
        const {step} = this;
        return {...meta, subtitle: step?.subtitles[meta.id] ?? meta.subtitle,
            fact: step?.facts[meta.id] ?? meta.fact};
    }

    slide() {
        const index = Number(this.slider.value);
        this.held = true;
        this.stop();
        this.show(index);
    }

    show(index) {
        const began = performance.now();
        this.now = {film: this.film.id, index};
        this.update();
        this.stage.changed();
        this.stage.paint();
        this.stage.root.dataset.stepMs = (performance.now() - began).toFixed(1);
    }

    /** The person rests on a step: Python follows. */
    settle() {
        this.held = false;
        const {film, index} = this;
        if (film?.follows) {
            this.stage.emit("step", {film: film.id, index, value: film.steps[index].value});
        }
    }

    /** A hand that came back to where it began has chosen nothing. */
    letGo() {
        if (!this.held) return;
        this.held = false;
        this.leave();
        this.stage.changed();
    }

    toggle() {
        if (this.timer) {
            this.stop();
            this.settle();
            this.play.focus();
            return;
        }
        const {film} = this, last = film.steps.length - 1;
        if (this.index >= last) this.show(0);
        this.timer = setInterval(() => this.tick(), 1000 / film.pace);
        this.update();
        this.stopIcon.focus();
    }

    tick() {
        const {film} = this, last = film.steps.length - 1;
        if (this.index < last) this.show(this.index + 1);
        else if (film.loops) this.show(0);
        else {
            this.stop();
            this.settle();
        }
    }

    stop() {
        clearInterval(this.timer);
        this.timer = null;
        this.update();
    }

    update() {
        const {film} = this;
        this.node.hidden = !film;
        if (!film) return;
        this.play.hidden = Boolean(this.timer);
        this.stopIcon.hidden = !this.timer;
        const ids = this.offered.map(({id}) => id).join();
        if (ids !== this.listed) {
            this.listed = ids;
            this.choice.replaceChildren(...this.offered.map(({id, label}) =>
                el("option", {value: id}, label)));
        }
        this.choice.hidden = this.films.size < 2;
        this.name.hidden = this.films.size > 1;
        this.choice.value = film.id;
        say(this.name, film.label);
        this.slider.max = film.steps.length - 1;
        this.slider.setAttribute("aria-label", film.label);
        const known = this.now || this.scenes.exact;
        const told = known ? film.steps[this.index].label : "";
        this.slider.value = this.index;
        this.slider.setAttribute("aria-valuetext", told);
        say(this.label, told);
    }

    destroy() { clearInterval(this.timer); }
}
