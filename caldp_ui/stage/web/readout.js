/* The numbers of all pictures at one cell, for eyes and for screen readers: under a row of
   pictures, else beside the place that is pointed at. */

import {VALUES} from "./codec.js";
import {degrees, el, people, setText} from "./dom.js";
import {ownLinesWords} from "./lines.js";
import {nearestCity} from "./names.js";

/** @import {Stage} from "./stage.js" */

const NEAR_KM = 15, ANNOUNCE_EVERY_MS = 700, Z_95 = 1.96, BESIDE_PX = 18;

export class Readout {
    /** @type {number | undefined} */
    timer;
    nextText = "";

    /** @param {Stage} stage */
    constructor(stage) {
        this.stage = stage;
        this.place = el("span", {className: "place"});
        this.numbers = el("dl");
        this.node = el("div", {className: "readout"}, this.place, this.numbers);
        this.status = el("div", {className: "status", role: "status", "aria-live": "polite"});
        /** @type {Map<string, HTMLElement>} */
        this.rows = new Map();
    }

    /** One row a picture; the key of what lies on the maps.
        @param {Message.Scene} scene */
    update({pictures: scenePictures, words}) {
        this.rows.clear();
        const pictures = scenePictures.filter(({colours}) => colours !== "open");
        this.numbers.replaceChildren(...pictures.map(({id, title}) => {
            const value = el("dd", {}, "–");
            this.rows.set(id, value);
            return el("div", {}, el("dt", {}, title), value);
        }));
        const {ink, pictures: all} = this.stage;
        const pooled = [...all.values()].some(({levels}) => levels);
        /** @type {Record<string, unknown>} */
        const layers = {sensitive: ink.border, tint: ink.tint, blocks: ink.blocks, box: ink.box,
            open: ink.open, safe: ink.open, far: ink.far, pooled, lines: ownLinesWords()};
        const marks = Object.keys(layers).filter(mark => layers[mark]);
        this.stage.legend.explain(
            marks.map(mark => [mark,
                mark === "lines" ? ownLinesWords() : words[mark] ?? words.sensitive,
                ...mark === "pooled" ? [words.squares] : []]),
            () => this.stage.requestPaint());
        this.show();
    }

    /** Number of people that a picture has in a cell, and how sure that is.
        @param {string} id
        @param {number} cell */
    describeCell(id, cell) {
        const {stage} = this, {people: n} = stage.data;
        const share = VALUES[stage.codesOf(id)[cell]];
        const spread = stage.film.hasStepOf(id) ? null : stage.pictures.get(id).errors;
        const text = people(share * n), shared = stage.squaresOf(id)?.sharedCount(cell) ?? 1;
        const suffix = shared > 1 ? `, averaged over ${shared.toLocaleString("en")} cells` : "";
        const {certain} = stage.pictures.get(id);
        const isNoise = certain && text !== "0" && !certain[cell] && !stage.film.hasStepOf(id);
        if (!spread) return `${text}${isNoise ? " (may be noise)" : ""}${suffix}`;
        const margin = Z_95 * VALUES[spread[cell]];
        const ends = [share - margin, share + margin];
        const [low, high] = ends.map(end => people(Math.max(0, end * n)));
        return `${text} (likely ${low} to ${high}${isNoise ? "; may be noise" : ""})${suffix}`;
    }

    /** @param {number} cell */
    placeName(cell) {
        const {grid, cities, names, labels} = this.stage, {lat, lon} = grid.middle(cell);
        const city = nearestCity(cities, lat, lon);
        const title = city && [city.name, city.region].filter(Boolean).join(", ");
        const near = city && (city.km < NEAR_KM && city.region ? title
            : city.km < 1 ? `${Math.round(city.km * 10) * 100} m from ${title}`
                : `${Math.round(city.km)} km from ${title}`);
        const block = labels && names[labels[cell]];
        return [near, degrees(lat, lon, grid.cell), block].filter(Boolean).join(" · ");
    }

    show() {
        const {stage} = this, {cursor} = stage;
        this.node.classList.toggle("empty", cursor < 0);
        setText(this.place, cursor < 0 ? stage.data.prompt : this.placeName(cursor));
        for (const [id, value] of this.rows) {
            setText(value, cursor < 0 ? "–" : this.describeCell(id, cursor));
        }
        this.moveTo(cursor);
        if (stage.isSpeaking && cursor >= 0) this.announce(this.sentence());
    }

    /** Beside the place, on the picture that is pointed at, towards the side with more room.
        @param {number} cursor */
    moveTo(cursor) {
        const {stage} = this, {grid, view, looks} = stage;
        if (cursor < 0 || stage.root.dataset.arrangement === "row") return;
        const visible = looks.visibleIds();
        const id = visible.find(each => each === stage.hoveredId) ?? visible[0];
        const {frame} = looks.panes.get(id), {lat, lon} = grid.middle(cursor);
        const {x, y} = view.projection(frame.clientWidth, frame.clientHeight);
        const box = frame.getBoundingClientRect(), stageBox = stage.root.getBoundingClientRect();
        const [across, down] = [box.left - stageBox.left + x(lon), box.top - stageBox.top + y(lat)];
        const {offsetWidth, offsetHeight} = this.node;
        const left = across + BESIDE_PX + offsetWidth > stageBox.width
            ? across - BESIDE_PX - offsetWidth : across + BESIDE_PX;
        const top = Math.min(down + BESIDE_PX, stageBox.height - offsetHeight);
        this.node.style.translate = `${Math.max(0, left)}px ${Math.max(0, top)}px`;
    }

    sentence() {
        const {stage} = this;
        const numbers = [...this.rows.keys()].map(
            id => `${stage.pictures.get(id).meta.title}: ${this.describeCell(id, stage.cursor)}`);
        return `${this.placeName(stage.cursor)}. ${numbers.join(". ")}.`;
    }

    /** Into the live region, at most so often that one can listen.
        @param {string} text */
    announce(text) {
        this.nextText = text;
        this.timer ??= setTimeout(() => {
            this.timer = undefined;
            setText(this.status, this.nextText);
        }, ANNOUNCE_EVERY_MS);
    }
}
