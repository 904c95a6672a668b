/* Pictures as rasters of one pixel a cell, and the panes that show them with their ink on top. */

import {TOP, VALUES} from "./codec.js";
import {el, say} from "./dom.js";
import {drawCursor, drawDraft, rasterFrom} from "./ink.js";
import {drawNames} from "./names.js";


const BEYOND = "rgb(5,11,21)";

/** Colour by code, as the pixels of an ImageData want it; 0, nobody, is left to the land. */
export function colourTable({low, high}, colours) {
    const levels = colours.length / 3 - 1;
    return Uint32Array.from({length: TOP + 1}, (_, code) => {
        if (!code) return 0;
        const place = Math.log(VALUES[code] / low) / Math.log(high / low);
        const level = 1 + Math.round(Math.min(1, Math.max(0, place)) * (levels - 1));
        const [red, green, blue] = colours.subarray(3 * level, 3 * level + 3);
        return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
    });
}

/** One picture of (k,) codes; its raster is made again only for other codes. */
export class Picture {
    constructor(meta) { this.meta = meta; }

    raster(codes, nobody, grid, table) {
        if (this.drawn === codes && this.drawnNobody === nobody) return this.canvas;
        this.image ??= new ImageData(grid.columns, grid.rows);
        const pixels = new Uint32Array(this.image.data.buffer);
        const {rows, columns} = grid;
        for (let row = 0; row < rows; row++) {
            let pixel = (rows - 1 - row) * columns, cell = row * columns;
            for (let end = cell + columns; cell < end; cell++, pixel++) {
                const code = codes[cell];
                pixels[pixel] = code > TOP || VALUES[code] < nobody ? 0 : table[code];
            }
        }
        this.canvas = rasterFrom(this.image, this.canvas);
        [this.drawn, this.drawnNobody] = [codes, nobody];
        return this.canvas;
    }
}

/** A line under a title; what stands behind a middle dot is left out on a phone. */
export class Subtitle {
    constructor() {
        this.first = el("span");
        this.rest = el("span", {className: "aside"});
        this.node = el("span", {className: "subtitle"}, this.first, this.rest);
    }

    write(text) {
        const [first, ...rest] = text.split(" · ");
        say(this.first, first);
        say(this.rest, rest.map(part => ` · ${part}`).join(""));
    }
}

/** A place for one picture: title, subtitle, canvas, and a number for "present". */
export class Pane {
    constructor(id) {
        this.id = id;
        this.title = el("b");
        this.subtitle = new Subtitle();
        this.canvas = el("canvas", {role: "img"});
        this.frame = el("div", {className: "frame"}, this.canvas);
        this.number = el("strong");
        this.numberText = el("span");
        this.fact = el("p", {className: "fact"}, this.number, this.numberText);
        const caption = el("figcaption", {}, this.title, this.subtitle.node);
        this.figure = el("figure", {className: "pane"}, caption, this.frame, this.fact);
    }

    write({title, subtitle, alt, fact}) {
        say(this.title, title);
        this.subtitle.write(subtitle);
        say(this.number, fact?.[0] ?? "");
        this.number.style.setProperty("--letters", Math.max(3, fact?.[0].length ?? 0));
        say(this.numberText, fact?.[1] ?? "");
        this.canvas.setAttribute("aria-label", `${title}. ${alt}`);
    }

    /** The canvas in the device's own pixels; true if it is on screen. */
    fit() {
        const {clientWidth, clientHeight} = this.frame, ratio = devicePixelRatio || 1;
        const [width, height] = [clientWidth, clientHeight].map(size => Math.round(size * ratio));
        if (!width || !height) return false;
        if (this.canvas.width !== width) this.canvas.width = width;
        if (this.canvas.height !== height) this.canvas.height = height;
        this.ratio = ratio;
        return true;
    }
}

/** Names and lines of a view are drawn once and laid over every picture of that size. */
export class InkLayer {
    constructor() { this.layers = new Map(); }

    forget() { this.layers.clear(); }

    over(projection, marks, stage, ratio) {
        const {view, ink} = stage, {width, height} = projection;
        const state = [view.lat, view.lon, view.zoom, ratio].join();
        if (state !== this.state) this.forget();
        this.state = state;
        const key = [width, height, ...marks].join();
        if (!this.layers.has(key)) {
            const canvas = new OffscreenCanvas(width, height), context = canvas.getContext("2d");
            ink.draw(context, projection, marks, ratio);
            drawNames(context, projection, stage, ratio);
            this.layers.set(key, canvas);
        }
        return this.layers.get(key);
    }
}

/** Land, cells and ink of a picture; `clip`: the part of the width, from and to, in [0, 1]. */
export function paintPicture(context, picture, projection, stage, ratio, clip = [0, 1]) {
    const {grid, night, table} = stage, {width, height} = projection;
    const [from, to] = clip.map(part => Math.round(part * width));
    context.save();
    context.beginPath();
    context.rect(from, 0, to - from, height);
    context.clip();
    const [left, right] = [projection.x(grid.west), projection.x(grid.east)];
    const [top, bottom] = [projection.y(grid.north), projection.y(grid.south)];
    context.fillStyle = BEYOND;
    context.fillRect(0, 0, width, height);
    context.fillStyle = night.land;
    context.fillRect(left, top, right - left, bottom - top);
    context.imageSmoothingEnabled = false;
    const cells = raster => context.drawImage(raster, left, top, right - left, bottom - top);
    const {id} = picture.meta, {nobody} = stage.film.words(picture.meta);
    cells(picture.raster(stage.codesOf(id), nobody, grid, table));
    const marks = stage.film.marksOf(picture.meta);
    if (marks.includes("sensitive") && stage.ink.tint) cells(stage.ink.tint);
    context.drawImage(stage.layer.over(projection, marks, stage, ratio), 0, 0);
    context.restore();
}

/** What follows the hand, over all that. */
export function paintHand(context, projection, stage, ratio) {
    const draft = stage.tools.path();
    if (draft) drawDraft(context, projection, draft, ratio);
    const lit = draft && stage.tools.tool === "blocks";
    if (stage.cursor >= 0 && !lit) {
        drawCursor(context, projection, stage.grid, stage.cursor, ratio);
    }
}
