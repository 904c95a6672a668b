/* Films: pictures, subtitles and numbers of many steps, shown as a slider moves or as time goes
   by, in the browser alone. The slider is the film's own, or one of the page. Python is told of a
   step that a person settles on. Nothing plays unless asked to, and pictures change at once. */

import {readCodes, readLevels} from "./codec.js";
import {button, el, say} from "./dom.js";
import {fits, stepOf} from "./fitting.js";
import {PlayButtons} from "./play.js";
import {wordsAt} from "./elsewhere.js";
import {Follower} from "./follower.js";

/** @import {Store} from "./codec.js"
    @import {Teller} from "./teller.js"
    @import {Shown} from "./fitting.js"
    @import {Now} from "./follower.js"
    @typedef {Message.Film & {turn?: number}} Coming
    @typedef {Coming & {codes: Map<string, Uint16Array | null>,
        levels: Map<string, Uint8Array | null>}} Film
    @typedef {{data: Shown, root: HTMLElement, readout: unknown, same?: boolean, teller: Teller,
        changed: () => void, paint: () => void}} Host What a player needs of a stage. */

const LASTS_MS = 10_000;

/** What all blobs of a film's steps hold, by their names.
    @template T
    @param {Record<string, string>[]} steps
    @param {Store} store
    @param {(raw: any) => T} read
    @returns {Promise<Map<string, T>>} */
async function named(steps, store, read) {
    const names = [...new Set(steps.flatMap(each => Object.values(each)))];
    const raw = await Promise.all(names.map(name => store.get(name)));
    return new Map(names.map((name, i) => [name, read(raw[i])]));
}

/** @extends {Follower<Film>} */
export class FilmPlayer extends Follower {
    /** @type {string | undefined} The id of the film that the reader chose. */
    chosen;
    /** @type {number | null} Of what plays. */
    timer = null;
    /** @type {number | undefined} Of keys that rest. */
    rests;
    /** @type {string | undefined} The ids that the list has. */
    listed;
    /** Whether a hand moves the film's own slider. */
    held = false;
    turn = 0;

    /** @param {Host} stage */
    constructor(stage) {
        super();
        this.stage = stage;
        /** @type {Map<string, number>} */
        this.coming = new Map();
        this.buttons = new PlayButtons(this);
        this.large = el("output", {className: "now", hidden: true});
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

    /** What can be played, in order. */
    get offered() {
        const whole = [...this.films.values()].filter(film => film.whole);
        return whole.sort((one, other) => one.place - other.place);
    }

    get film() { return this.offered.find(({id}) => id === this.chosen) ?? this.offered[0]; }

    /** A film came, or came anew: its codes are made ready before it is offered.
        @param {Coming} head
        @param {Store} store */
    async bring(head, store) {
        const turn = this.turn += 1;
        head.turn = turn;
        this.coming.set(head.id, turn);
        const codes = await named(head.steps.map(step => step.codes), store, readCodes);
        const levels = await named(head.steps.map(step => step.pooled), store, readLevels);
        if (this.coming.get(head.id) !== turn) return;
        const held = this.now?.film === head.id && this.held;
        this.add({...head, codes, levels});
        if (!held && this.now?.film === head.id && !this.timer) this.go(null);
        this.update();
        if (!this.stage.readout) return;
        this.stage.changed();
        this.dials.catchUp();
    }

    /** @param {Film} film
        @param {number} index */
    isAhead(film, index) {
        const {data, readout} = this.stage;
        return Boolean(readout) && index !== stepOf(film, data).index && fits(film, data);
    }

    /** @param {Now | null} now */
    lead(now) {
        this.held = false;
        this.stop();
        this.show(now);
    }

    /** @param {string} id
        @param {number | undefined} turn */
    remove(id, turn) {
        if (this.films.get(id)?.turn !== turn) return;
        this.drop(id);
        if (this.now?.film === id) this.leave();
        this.coming.delete(id);
        this.update();
    }

    /** @param {string} id */
    choose(id) {
        this.leave();
        this.chosen = id;
        this.update();
        this.stage.changed();
    }

    /** A scene came from Python: a film that plays goes on if it is of this scene, too. */
    meet() {
        const {film, now, stage, timer} = this;
        const goesOn = timer && now && (stage.same || fits(film, stage.data));
        if (goesOn) this.go(now);
        else this.leave();
    }

    /** The scene's own pictures are shown, unless a hand moves the film. */
    leave() {
        if (this.held) return;
        this.go(null);
        this.stop();
    }

    /** The step that the film is at, as the scene is if none is shown; `known`: it is that step. */
    get place() {
        const {film, now} = this;
        if (now?.film === film.id) return {index: now.index, known: true};
        const {index, exact} = stepOf(film, this.stage.data);
        return {index, known: exact && !now};
    }

    /** @param {string} id */
    plays(id) { return Boolean(this.step?.codes[id]); }

    /** Codes of a picture at the film's step; undefined where the scene's own are shown.
        @param {string} id */
    codesOf(id) {
        const name = this.step?.codes[id];
        return name && this.now ? this.films.get(this.now.film).codes.get(name) : undefined;
    }

    /** How far a picture's cells are pooled at the film's step.
        @param {string} id */
    levelsOf(id) {
        const name = this.step?.pooled[id];
        return name && this.now ? this.films.get(this.now.film).levels.get(name) : undefined;
    }

    /** @param {{marks: string[]}} picture */
    marksOf({marks}) {
        if (!this.step || !this.now) return marks;
        const {hides} = this.films.get(this.now.film);
        return marks.filter(mark => !hides.includes(mark));
    }

    /** @template {Message.Captioned & {labels?: Message.Label[]}} Meta
        @param {Meta} meta */
    words(meta) { return wordsAt(this.step, meta); }

    slide() {
        const index = Number(this.slider.value);
        this.held = true;
        this.stop();
        this.show({film: this.film.id, index});
    }

    /** @param {Now | null} now */
    show(now) {
        const began = performance.now();
        this.go(now);
        this.update();
        this.stage.changed();
        this.stage.paint();
        this.stage.root.dataset.stepMs = (performance.now() - began).toFixed(1);
    }

    settle() {
        this.held = false;
        const {film} = this, {index} = this.place;
        if (film.follows) {
            this.stage.teller.tell("step", {film: film.id, index, value: film.steps[index].value});
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
        const {film} = this;
        if (!film.loops || this.place.index >= film.steps.length - 1) {
            this.show({film: film.id, index: 0});
        }
        const pause = film.loops ? 1000 / film.pace : LASTS_MS / film.steps.length;
        this.timer = setInterval(() => this.tick(), pause);
        this.update();
        this.stopIcon.focus();
    }

    /** A film that has run to its end leads back to where it began, and nobody is told. */
    finish() {
        this.stop();
        this.leave();
        this.stage.changed();
    }

    tick() {
        const {film} = this, {index} = this.place, last = film.steps.length - 1;
        if (index < last) this.show({film: film.id, index: index + 1});
        else if (film.loops) this.show({film: film.id, index: 0});
        else this.finish();
    }

    stop() {
        if (this.timer) clearInterval(this.timer);
        this.timer = null;
        this.update();
    }

    update() {
        const {film} = this;
        this.node.hidden = !film;
        this.large.hidden = !this.timer;
        this.buttons.update();
        if (!film) return;
        this.play.hidden = Boolean(this.timer);
        this.stopIcon.hidden = !this.timer;
        const ids = this.offered.map(({id}) => id).join();
        if (ids !== this.listed) {
            this.listed = ids;
            this.choice.replaceChildren(...this.offered.map(({id, label}) =>
                el("option", {value: id}, label)));
        }
        this.choice.hidden = this.offered.length < 2;
        this.name.hidden = !this.choice.hidden;
        this.choice.value = film.id;
        say(this.name, film.label);
        this.slider.max = String(film.steps.length - 1);
        this.slider.setAttribute("aria-label", film.label);
        const {index, known} = this.place;
        const told = known ? film.steps[index].label : "";
        this.slider.hidden = Boolean(film.dial);
        this.slider.value = String(index);
        this.slider.setAttribute("aria-valuetext", told);
        say(this.label, told);
        say(this.large, told);
    }

    destroy() {
        if (this.timer) clearInterval(this.timer);
        super.destroy();
        this.buttons.leave();
    }
}
