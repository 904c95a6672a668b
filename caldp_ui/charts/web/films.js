/* Films of charts, drawings and words: the page at each step of one of its sliders. While the user
   moves it they are shown at once; what the server then says is the same. Never another setting's
   picture: a film is used only where all else is as the server last said. */

import {Follower} from "./follower.js";
import {hub, whenGone} from "./hub.js";

/** @typedef {Message.ChartFilm & {text: string}} Film */

/** @extends {Follower<Film>} */
class ChartFilms extends Follower {
    /** @type {Record<string, Message.SliderState | undefined>} What the server said of each slider. */
    page = {};
    /** @type {unknown} The component by which the page says where it is. */
    owner;

    /** What the page's sliders were at in the server's last run, and what all else was.
        @param {Record<string, Message.SliderState>} page
        @param {unknown} [owner] */
    take(page, owner) {
        this.page = page;
        this.owner = owner;
        if (this.position && !this.dials.isHeld(this.position.film)) this.preview(null);
        this.dials.catchUp();
    }

    /** @param {Film} film */
    receive(film) {
        this.add(film);
        this.dials.catchUp();
    }

    /** @param {Film} film */
    remove(film) {
        if (this.films.get(film.id) !== film) return;
        this.drop(film.id);
        if (this.position?.film === film.id) this.preview(null);
    }

    /** @param {string} id
        @param {string | null | undefined} reading */
    follow(id, reading) {
        if (!this.position || this.position.film === id) super.follow(id, reading);
    }

    /** @param {Film} film
        @param {number} index */
    isAhead(film, index) {
        const sliderState = this.page[film.id];
        return film.settings === sliderState?.settings
            && film.steps[index].reading !== sliderState.reading;
    }

    /** @param {import("./follower.js").Position | null} position */
    preview(position) {
        this.moveTo(position);
        const {step} = this;
        if (!step) hub.forEach(picture => picture.play(null));
        else for (const [key, content] of Object.entries(step.pictures)) hub.get(key)?.play(content);
    }
}

/** @type {ChartFilms} */
const films = /** @type {any} */ (globalThis)[Symbol.for("caldp.films")] ??= new ChartFilms();
/** @type {WeakMap<Mount, Film>} */
const filmsByMount = new WeakMap();

/** Either what the page is at, or one film as bytes; the same bytes again are not news.
    @param {Component<Uint8Array | [{page: Record<string, Message.SliderState>}]>} component */
export default function mount({data, parentElement: parent}) {
    if (Array.isArray(data)) {
        films.take(data[0].page, parent);
        return whenGone(parent, () => { if (films.owner === parent) films.take({}); });
    }
    const text = new TextDecoder().decode(data);
    if (filmsByMount.get(parent)?.text !== text) {
        const film = {...JSON.parse(text), text};
        filmsByMount.set(parent, film);
        films.receive(film);
    }
    return whenGone(parent, () => {
        const film = filmsByMount.get(parent);
        if (film) films.remove(film);
    });
}
