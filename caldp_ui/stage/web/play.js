/* Buttons among the controls of the page that play a film, each beside what it runs along; for
   stages that leave their controls to the page. */

import {button, clamp, setText} from "./dom.js";

/** @import {FilmPlayer} from "./film.js" */

const RESTS_MS = 700;

export class PlayButtons {
    /** @param {FilmPlayer} player */
    constructor(player) {
        this.player = player;
        /** @type {Map<string, HTMLButtonElement>} */
        this.buttons = new Map();
    }

    /** A button for each film that says where; put back where a run of the page has dropped it. */
    update() {
        const {playableFilms, stage} = this.player;
        const hasOwnControls = stage.root.dataset.arrangement !== "row";
        for (const [id, element] of this.buttons) {
            if (hasOwnControls && playableFilms.some(film => film.id === id)) continue;
            removeButton(element);
            this.buttons.delete(id);
        }
        if (!hasOwnControls) return;
        for (const {id, play} of playableFilms) {
            if (!play) continue;
            const container = /** @type {HTMLElement | null} */ (document.querySelector(play));
            if (!container) continue;
            const element = this.buttons.get(id) ?? this.make(id);
            if (container.lastElementChild !== element) container.append(element);
            container.dataset.plays = "";  // for the style: a ":has" costs every change of the page
            this.write(element, id);
        }
    }

    /** @param {string} id */
    make(id) {
        const element = button("play", "Play", () => this.press(id), true);
        element.className = "stage-play";
        this.buttons.set(id, element);
        return element;
    }

    /** @param {string} id */
    press(id) {
        const {player} = this;
        if (player.film?.id !== id) player.choose(id);
        player.toggle();
        this.buttons.get(id)?.focus();
    }

    /** @param {HTMLButtonElement} element
        @param {string} id */
    write(element, id) {
        const {player} = this, isPlaying = Boolean(player.timer) && player.film?.id === id;
        const words = `${isPlaying ? "Stop" : "Play"}: ${player.films.get(id).label}`;
        element.classList.toggle("runs", isPlaying);
        element.setAttribute("aria-label", words);
        element.title = words;
        const text = /** @type {Element} */ (element.querySelector("span"));
        setText(text, isPlaying ? "Stop" : "Play");
    }

    leave() {
        this.buttons.forEach(removeButton);
        this.buttons.clear();
    }
}

/** @param {HTMLButtonElement} element */
function removeButton(element) {
    delete element.parentElement?.dataset.plays;
    element.remove();
}

/** A step up or down the film that runs along a slider; the page follows once the keys rest.
    @param {FilmPlayer} player
    @param {number} by */
export function nudge(player, by) {
    const film = player.playableFilms.find(({dial}) => dial);
    if (!film) return;
    if (player.film !== film) player.choose(film.id);
    player.stop();
    const index = clamp(player.currentStep.index + by, 0, film.steps.length - 1);
    player.show({film: film.id, index});
    clearTimeout(player.restTimer);
    player.restTimer = setTimeout(() => player.settle(), RESTS_MS);
}
