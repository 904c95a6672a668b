/* Buttons among the controls of the page that play a film, each beside what it runs along; for
   stages that leave their controls to the page. */

import {button, clamp, say} from "./dom.js";

/** @import {FilmPlayer} from "./film.js" */

const RESTS_MS = 700;

export class PlayButtons {
    /** @param {FilmPlayer} player */
    constructor(player) {
        this.player = player;
        /** @type {Map<string, HTMLButtonElement>} */
        this.made = new Map();
    }

    /** A button for each film that says where; put back where a run of the page has dropped it. */
    update() {
        const {offered, stage} = this.player;
        const apart = stage.root.dataset.arrangement !== "row";
        for (const [id, made] of this.made) {
            if (apart && offered.some(film => film.id === id)) continue;
            takeOut(made);
            this.made.delete(id);
        }
        if (!apart) return;
        for (const {id, play} of offered) {
            if (!play) continue;
            const around = /** @type {HTMLElement | null} */ (document.querySelector(play));
            if (!around) continue;
            const made = this.made.get(id) ?? this.make(id);
            if (around.lastElementChild !== made) around.append(made);
            around.dataset.plays = "";  // for the style: a ":has" costs every change of the page
            this.write(made, id);
        }
    }

    /** @param {string} id */
    make(id) {
        const made = button("play", "Play", () => this.press(id), true);
        made.className = "stage-play";
        this.made.set(id, made);
        return made;
    }

    /** @param {string} id */
    press(id) {
        const {player} = this;
        if (player.film?.id !== id) player.choose(id);
        player.toggle();
        this.made.get(id)?.focus();
    }

    /** @param {HTMLButtonElement} made
        @param {string} id */
    write(made, id) {
        const {player} = this, runs = Boolean(player.timer) && player.film?.id === id;
        const words = `${runs ? "Stop" : "Play"}: ${player.films.get(id).label}`;
        made.classList.toggle("runs", runs);
        made.setAttribute("aria-label", words);
        made.title = words;
        say(/** @type {Element} */ (made.querySelector("span")), runs ? "Stop" : "Play");
    }

    leave() {
        this.made.forEach(takeOut);
        this.made.clear();
    }
}

/** @param {HTMLButtonElement} made */
function takeOut(made) {
    delete made.parentElement?.dataset.plays;
    made.remove();
}

/** A step up or down the film that runs along a slider; the page follows once the keys rest.
    @param {FilmPlayer} player
    @param {number} by */
export function nudge(player, by) {
    const film = player.offered.find(({dial}) => dial);
    if (!film) return;
    if (player.film !== film) player.choose(film.id);
    player.stop();
    const index = clamp(player.place.index + by, 0, film.steps.length - 1);
    player.show({film: film.id, index});
    clearTimeout(player.rests);
    player.rests = setTimeout(() => player.settle(), RESTS_MS);
}
