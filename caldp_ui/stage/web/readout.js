/* The numbers of all pictures at one cell, for eyes and for screen readers. */

import {VALUES} from "./codec.js";
import {degrees, el, people, say} from "./dom.js";
import {nearest} from "./names.js";

const NEAR_KM = 15, SAID_EVERY_MS = 700, OF_95 = 1.96;

export class Readout {
    constructor(stage) {
        this.stage = stage;
        this.place = el("span", {className: "place"});
        this.numbers = el("dl");
        this.keys = el("div", {className: "keys"});
        // Said by the captions, too: large here while there is nothing else to read.
        this.facts = el("div", {className: "facts", "aria-hidden": "true"});
        this.node = el("div", {className: "readout"},
            this.facts, this.place, this.numbers, this.keys);
        this.status = el("div", {className: "status", role: "status", "aria-live": "polite"});
        this.rows = new Map();
    }

    /** One row a picture; the key of what lies on the maps. */
    update({pictures, words}) {
        this.rows.clear();
        this.numbers.replaceChildren(...pictures.map(({id, title}) => {
            const value = el("dd", {}, "–");
            this.rows.set(id, value);
            return el("div", {}, el("dt", {}, title), value);
        }));
        const {ink} = this.stage;
        const there = {sensitive: ink.border, tint: ink.tint, blocks: ink.blocks, box: ink.box};
        const marks = Object.keys(there).filter(mark => there[mark]);
        this.keys.replaceChildren(...marks.map(mark =>
            el("span", {}, el("i", {className: mark}), words[mark] ?? words.sensitive)));
        this.show();
    }

    /** Number of people that a picture has in a cell, and how sure that is. */
    told(id, cell) {
        const {stage} = this, {people: n} = stage.data;
        const share = VALUES[stage.codesOf(id)[cell]];
        const spread = stage.film.plays(id) ? null : stage.pictures.get(id).errors;
        const text = people(share * n);
        if (!spread) return text;
        const off = OF_95 * VALUES[spread[cell]];
        const [low, high] = [share - off, share + off].map(edge => people(Math.max(0, edge * n)));
        return `${text} (likely ${low} to ${high})`;
    }

    where(cell) {
        const {grid, cities, names, labels} = this.stage, {lat, lon} = grid.middle(cell);
        const city = nearest(cities, lat, lon);
        const near = city && (city.km < NEAR_KM ? `${city.name}, ${city.region}`
            : `${Math.round(city.km)} km from ${city.name}, ${city.region}`);
        return [near, degrees(lat, lon), labels && names[labels[cell]]].filter(Boolean).join(" · ");
    }

    show() {
        const {stage} = this, {cursor} = stage;
        this.node.classList.toggle("empty", cursor < 0);
        say(this.place, cursor < 0 ? stage.data.unpointed : this.where(cursor));
        for (const [id, value] of this.rows) say(value, cursor < 0 ? "–" : this.told(id, cursor));
        this.facts.replaceChildren(...stage.data.pictures.map(meta => stage.film.words(meta))
            .filter(({fact}) => fact).map(factOf));
        if (stage.speaks && cursor >= 0) this.announce(this.sentence());
    }

    sentence() {
        const {stage} = this;
        const numbers = stage.data.pictures.map(
            ({id, title}) => `${title}: ${this.told(id, stage.cursor)}`);
        return `${this.where(stage.cursor)}. ${numbers.join(". ")}.`;
    }

    /** Into the live region, at most so often that one can listen. */
    announce(text) {
        this.next = text;
        this.timer ??= setTimeout(() => {
            this.timer = undefined;
            say(this.status, this.next);
        }, SAID_EVERY_MS);
    }
}

/** A picture's number, its words and its title, as wide as the number's letters allow. */
function factOf({title, fact: [number, text]}) {
    const large = el("strong", {}, number);
    large.style.setProperty("--letters", Math.max(3, number.length));
    return el("p", {}, large, el("span", {}, text, el("b", {}, title)));
}
