/* Films: pictures, subtitles and numbers of many steps, shown as a slider moves or as time goes
   by, in the browser alone. The slider is the film's own, or one of the page. Python is told of a
   step that a person settles on. Nothing plays unless asked to, and pictures change at once. */

import {readCodes, readLevels} from "./codec.js";
import {button, el, setText} from "./dom.js";
import {matchesScene, stepOf} from "./fitting.js";
import {PlayButtons} from "./play.js";
import {wordsAt} from "./replacements.js";
import {Follower} from "./follower.js";

/** @import {Store} from "./codec.js"
    @import {Outbox} from "./outbox.js"
    @import {SceneState} from "./fitting.js"
    @import {Position} from "./follower.js"
    @typedef {Message.Film & {turn?: number}} FilmHead
    @typedef {FilmHead & {codes: Map<string, Uint16Array | null>,
        levels: Map<string, Uint8Array | null>}} Film
    @typedef {{data: SceneState, root: HTMLElement, readout: unknown, hasSamePictures?: boolean,
        outbox: Outbox, updateTexts: () => void, paint: () => void}} Host What a player needs of a
        stage. */

const DURATION_MS = 10_000;

/** What all blobs of a film's steps hold, by their names.
    @template T
    @param {Record<string, string>[]} steps
    @param {Store} store
    @param {(raw: any) => T} read
    @returns {Promise<Map<string, T>>} */
async function loadBlobs(steps, store, read) {
    const names = [...new Set(steps.flatMap(each => Object.values(each)))];
    const raw = await Promise.all(names.map(name => store.get(name)));
    return new Map(names.map((name, i) => [name, read(raw[i])]));
}

/** @extends {Follower<Film>} */
export class FilmPlayer extends Follower {
    /** @type {string | undefined} The id of the film that the reader chose. */
    chosenId;
    /** @type {number | null} Of what plays. */
    timer = null;
    /** @type {number | undefined} Of keys that rest. */
    restTimer;
    /** @type {string | undefined} The ids that the list has. */
    listedIds;
    /** Whether the user moves the film's own slider. */
    isHeld = false;
    turn = 0;

    /** @param {Host} stage */
    constructor(stage) {
        super();
        this.stage = stage;
        /** @type {Map<string, number>} */
        this.newestTurns = new Map();
        this.buttons = new PlayButtons(this);
        this.largeText = el("span", {className: "now", hidden: true});
        this.slider = el("input", {type: "range", min: 0, step: 1});
        this.stepText = el("span", {className: "step"});
        this.nameText = el("span", {className: "film-name"});
        this.choice = el("select", {"aria-label": "What changes"});
        this.playButton = button("play", "Play", () => this.toggle());
        this.stopButton = button("stop", "Stop", () => this.toggle());
        const properties = {className: "film", role: "group", "aria-label": "Film", hidden: true};
        this.node = el("div", properties, this.playButton, this.stopButton, this.nameText,
            this.choice, this.slider, this.stepText);
        this.slider.addEventListener("input", () => this.slide());
        this.slider.addEventListener("change", () => this.settle());
        this.slider.addEventListener("pointerup", () => setTimeout(() => this.release()));
        this.slider.addEventListener("keydown", event => event.stopPropagation());
        this.choice.addEventListener("change", () => this.choose(this.choice.value));
    }

    /** What can be played, in order. */
    get playableFilms() {
        return [...this.films.values()].sort((one, other) => one.place - other.place);
    }

    get film() {
        const films = this.playableFilms;
        return films.find(({id}) => id === this.chosenId) ?? films[0];
    }

    /** A film came, or came anew: its codes are made ready before it is offered.
        @param {FilmHead} head
        @param {Store} store */
    async receive(head, store) {
        const turn = this.turn += 1;
        head.turn = turn;
        this.newestTurns.set(head.id, turn);
        const codes = await loadBlobs(head.steps.map(step => step.codes), store, readCodes);
        const levels = await loadBlobs(head.steps.map(step => step.pooled), store, readLevels);
        if (this.newestTurns.get(head.id) !== turn) return;
        const isHeld = this.position?.film === head.id && this.isHeld;
        this.add({...head, codes, levels});
        if (!isHeld && this.position?.film === head.id && !this.timer) this.moveTo(null);
        this.update();
        if (!this.stage.readout) return;
        this.stage.updateTexts();
        this.dials.catchUp();
    }

    /** @param {Film} film
        @param {number} index */
    isAhead(film, index) {
        const {data, readout} = this.stage;
        return Boolean(readout) && index !== stepOf(film, data).index && matchesScene(film, data);
    }

    /** @param {Position | null} position */
    preview(position) {
        this.isHeld = false;
        this.stop();
        this.show(position);
    }

    /** @param {string} id
        @param {number | undefined} turn */
    remove(id, turn) {
        if (this.films.get(id)?.turn !== turn) return;
        this.drop(id);
        if (this.position?.film === id) this.leave();
        this.newestTurns.delete(id);
        this.update();
    }

    /** @param {string} id */
    choose(id) {
        this.leave();
        this.chosenId = id;
        this.update();
        this.stage.updateTexts();
    }

    /** A scene came from Python: a film that plays goes on if it is of this scene, too. */
    followScene() {
        const {film, position, stage, timer} = this;
        const isContinuing = timer && position
            && (stage.hasSamePictures || matchesScene(film, stage.data));
        if (isContinuing) this.moveTo(position);
        else this.leave();
    }

    /** The scene's own pictures are shown, unless the user moves the film. */
    leave() {
        if (this.isHeld) return;
        this.moveTo(null);
        this.stop();
    }

    /** The step that the film is at, as the scene is if none is shown; `isExact`: it is that
        step. */
    get currentStep() {
        const {film, position} = this;
        if (position?.film === film.id) return {index: position.index, isExact: true};
        const {index, exact} = stepOf(film, this.stage.data);
        return {index, isExact: exact && !position};
    }

    /** @param {string} id */
    hasStepOf(id) { return Boolean(this.step?.codes[id]); }

    /** Codes of a picture at the film's step; undefined where the scene's own are shown.
        @param {string} id */
    codesOf(id) {
        const {position} = this, name = this.step?.codes[id];
        return name && position ? this.films.get(position.film).codes.get(name) : undefined;
    }

    /** How far a picture's cells are pooled at the film's step.
        @param {string} id */
    levelsOf(id) {
        const {position} = this, name = this.step?.pooled[id];
        return name && position ? this.films.get(position.film).levels.get(name) : undefined;
    }

    /** @param {{marks: string[]}} picture */
    marksOf({marks}) {
        return marks.filter(mark => !this.leftOut.includes(mark));
    }

    /** Lines that the maps leave out now; two more are drawn with those of the sensitive places. */
    get leftOut() {
        const marks = this.position ? this.films.get(this.position.film).hides : [];
        return marks.includes("sensitive") ? [...marks, "tint", "far"] : marks;
    }

    /** @template {Message.Captioned & {labels?: Message.Label[]}} Meta
        @param {Meta} meta */
    words(meta) { return wordsAt(this.step, meta); }

    slide() {
        const index = Number(this.slider.value);
        this.isHeld = true;
        this.stop();
        this.show({film: this.film.id, index});
    }

    /** @param {Position | null} position */
    show(position) {
        const startTime = performance.now();
        this.moveTo(position);
        this.update();
        this.stage.updateTexts();
        this.stage.paint();
        this.stage.root.dataset.stepMs = (performance.now() - startTime).toFixed(1);
    }

    settle() {
        this.isHeld = false;
        const {film} = this, {index} = this.currentStep;
        if (film.follows) {
            this.stage.outbox.add("step", {film: film.id, index, value: film.steps[index].value});
        }
    }

    /** A hand that came back to where it began has chosen nothing. */
    release() {
        if (!this.isHeld) return;
        this.isHeld = false;
        this.leave();
        this.stage.updateTexts();
    }

    toggle() {
        if (this.timer) {
            this.stop();
            this.settle();
            this.playButton.focus();
            return;
        }
        const {film} = this;
        if (!film.loops || this.currentStep.index >= film.steps.length - 1) {
            this.show({film: film.id, index: 0});
        }
        const pause = film.loops ? 1000 / film.pace : DURATION_MS / film.steps.length;
        this.timer = setInterval(() => this.tick(), pause);
        this.update();
        this.stopButton.focus();
    }

    /** A film that has run to its end stays there, or leads back to where it began. */
    finish() {
        this.stop();
        if (this.film.stays) {
            this.settle();
            return;
        }
        this.leave();
        this.stage.updateTexts();
    }

    tick() {
        const {film} = this, {index} = this.currentStep, last = film.steps.length - 1;
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
        this.largeText.hidden = !this.timer;
        this.buttons.update();
        if (!film) return;
        this.playButton.hidden = Boolean(this.timer);
        this.stopButton.hidden = !this.timer;
        const ids = this.playableFilms.map(({id}) => id).join();
        if (ids !== this.listedIds) {
            this.listedIds = ids;
            this.choice.replaceChildren(...this.playableFilms.map(({id, label}) =>
                el("option", {value: id}, label)));
        }
        this.choice.hidden = this.playableFilms.length < 2;
        this.nameText.hidden = !this.choice.hidden;
        this.choice.value = film.id;
        setText(this.nameText, film.label);
        this.slider.max = String(film.steps.length - 1);
        this.slider.setAttribute("aria-label", film.label);
        const {index, isExact} = this.currentStep;
        const label = isExact ? film.steps[index].label : "";
        this.slider.hidden = Boolean(film.dial);
        this.slider.value = String(index);
        this.slider.setAttribute("aria-valuetext", label);
        setText(this.stepText, label);
        setText(this.largeText, label);
    }

    destroy() {
        if (this.timer) clearInterval(this.timer);
        super.destroy();
        this.buttons.leave();
    }
}
