/* Films that follow sliders of the page while the user moves them, before the server has answered.
   What is shown of a step, maps or charts, and whether a film is of this very page, others say. */

import {Dials} from "./dial.js";
import {Replacements} from "./replacements.js";

/** @typedef {{film: string, index: number}} Position The step of a film that is shown.
    @typedef {{reading: string, replacements: Record<string, Message.Tree>}} Step */

/** @template {{id: string, dial: string, steps: Step[]}} F */
export class Follower {
    /** @type {Position | null} The step that is shown; null for what the server said last. */
    position = null;

    constructor() {
        this.films = /** @type {Known<string, F>} */ (new Map());
        this.dials = new Dials((id, reading) => this.follow(id, reading));
        this.replacements = new Replacements();
    }

    /** @returns {F["steps"][number] | null | undefined} */
    get step() {
        const {position} = this;
        return position && this.films.get(position.film)?.steps[position.index];
    }

    /** Whether the film is of this page, which is at another step of it.
        @param {F} _film
        @param {number} _index
        @returns {boolean} */
    isAhead(_film, _index) { return false; }

    /** A hand leads to a step, or back to what the server said.
        @param {Position | null} position */
    preview(position) { this.moveTo(position); }

    /** @param {F} film */
    add(film) {
        this.films.set(film.id, film);
        this.dials.watch(film);
    }

    /** @param {string} id */
    drop(id) {
        this.films.delete(id);
        this.dials.forget(id);
    }

    /** The page's slider says this: show that step, or what the server said if none is that.
        @param {string} id
        @param {string | null | undefined} reading */
    follow(id, reading) {
        const film = this.films.get(id);
        const index = film.steps.findIndex(step => step.reading === reading);
        const isAhead = index >= 0 && this.isAhead(film, index);
        if (isAhead || this.position?.film === id) this.preview(isAhead ? {film: id, index} : null);
    }

    /** Be at a step of a film, or at what the server said.
        @param {Position | null} position */
    moveTo(position) {
        this.position = position;
        if (this.step) this.replacements.put(this.step.replacements);
        else this.replacements.remove();
    }

    destroy() {
        this.dials.leave();
        this.replacements.remove();
    }
}
