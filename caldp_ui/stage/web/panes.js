/* Pictures as rasters of one pixel a cell, and the panes that show them with their ink on top. */

import {TOP, VALUES} from "./codec.js";
import {el, setText} from "./dom.js";
import {contextOf, drawCursor, drawDraft, rasterFrom} from "./ink.js";
import {drawNames} from "./names.js";
import {veilIn} from "./squares.js";

/** @import {Grid} from "./grid.js"
    @import {Edges} from "./names.js"
    @import {Context} from "./ink.js"
    @import {Stage} from "./stage.js"
    @import {Projection} from "./view.js"
    @typedef {Message.Picture | Message.Difference} Meta
    @typedef {Pick<Message.Captioned, "title" | "subtitle" | "alt" | "fact" | "notes">
        & {labels?: Message.Label[], invitation?: string}} Caption */

const LAYERS = 12;
const NUMBER_LETTERS = 8;  // letters of a number that a phone has no room for in one line

/** One picture of (k,) codes; its raster is made again only for other codes. */
export class Picture {
    /** @type {ImageData | undefined} */
    image;
    /** @type {OffscreenCanvas | undefined} */
    canvas;
    /** @type {unknown[] | undefined} What the canvas has been drawn of. */
    rasterKey;
    /** @type {Uint16Array | null | undefined} Of a difference the film and its ends tell them. */
    codes;
    /** @type {Uint16Array | null | undefined} */
    errors;
    /** @type {Uint16Array[] | undefined} */
    ends;
    /** @type {Uint16Array | undefined} */
    difference;
    /** @type {Uint8Array | null | undefined} How far its cells are pooled; a film's have others. */
    levels;
    /** @type {Uint8Array | null | undefined} 1 where somebody surely is. */
    certain;

    /** @param {Meta} meta */
    constructor(meta) { this.meta = meta; }

    /** `tables`: colours outside and inside of the `open` cells, of which there may be none.
        @param {Uint16Array} codes
        @param {number} nobody
        @param {Grid} grid
        @param {Uint32Array[]} tables
        @param {Uint8Array | null} open */
    raster(codes, nobody, grid, tables, open) {
        const key = [codes, nobody, tables[1], open];
        if (this.canvas && key.every((each, i) => each === this.rasterKey?.[i])) return this.canvas;
        this.image ??= new ImageData(grid.columns, grid.rows);
        const pixels = new Uint32Array(this.image.data.buffer);
        const {rows, columns} = grid;
        for (let row = 0; row < rows; row++) {
            let pixel = (rows - 1 - row) * columns, cell = row * columns;
            for (let end = cell + columns; cell < end; cell++, pixel++) {
                const code = codes[cell];
                pixels[pixel] = code > TOP || VALUES[code] < nobody ? 0
                    : tables[open ? open[cell] : 0][code];
            }
        }
        this.canvas = rasterFrom(this.image, this.canvas);
        this.rasterKey = key;
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

    /** @param {string} text */
    write(text) {
        const [first, ...rest] = text.split(" · ");
        setText(this.first, first);
        setText(this.rest, rest.map(part => ` · ${part}`).join(""));
    }
}

/** A place for one picture: a title with its number, a line below, the canvas and its notes. */
export class Pane {
    /** @type {string | undefined} */
    labelsKey;
    /** @type {Message.Label[]} */
    labels = [];
    /** @type {HTMLElement[]} What floats over it. */
    overlays = [];
    /** @type {HTMLElement | undefined} */
    turns;
    ratio = 1;

    /** @param {string} id */
    constructor(id) {
        this.id = id;
        this.title = el("b");
        this.subtitle = new Subtitle();
        this.canvas = el("canvas", {role: "img"});
        this.notes = ["left", "right"].map(side => el("span", {className: `note ${side}`}));
        this.chips = el("div", {className: "chips"});
        this.frame = el("div", {className: "frame"}, this.canvas, ...this.notes, this.chips);
        this.number = el("strong");
        this.unit = el("span", {className: "unit"});
        this.caption = el("figcaption", {},
            el("span", {className: "name"}, this.title, this.number, this.unit),
            this.subtitle.node);
        this.figure = el("figure", {className: "pane"}, this.caption, this.frame);
    }

    /** @param {Caption} caption */
    write({title, subtitle, alt, fact, notes: [left, right], invitation, labels = []}) {
        const key = JSON.stringify(labels);
        if (key !== this.labelsKey) {
            this.labelsKey = key;
            this.labels = labels;
            this.chips.classList.toggle("point", labels.some(({at}) => at));
            this.chips.replaceChildren(...labels.map(label => el("div",
                {className: `chip ${label.kind}${label.at ? " placed" : ""}`},
                el("b", {}, label.title), el("span", {}, label.text))));
        }
        setText(this.title, title);
        this.subtitle.write(subtitle);
        setText(this.number, fact?.[0] ?? "");
        // A long one may wrap on a phone.
        this.number.classList.toggle("long", (fact?.[0].length ?? 0) > NUMBER_LETTERS);
        setText(this.unit, fact?.[1] ?? "");
        this.figure.classList.toggle("numbered", Boolean(fact));
        const notes = [left, [right, invitation].filter(Boolean).join(" · ")];
        this.notes.forEach((note, i) => setText(note, notes[i]));
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

    /** Labels that point to a place stand below it, as far inside of the frame as they fit.
        @param {Projection} projection */
    placeLabels(projection) {
        const {clientWidth, clientHeight} = this.frame;
        this.labels.forEach(({at}, i) => {
            if (!at) return;
            const chip = /** @type {HTMLElement} */ (this.chips.children[i]), [lat, lon] = at;
            const [x, y] = [projection.x(lon) / this.ratio, projection.y(lat) / this.ratio];
            chip.hidden = x < 0 || y < 0 || x > clientWidth || y > clientHeight;
            const left = Math.min(x + 8, clientWidth - chip.offsetWidth - 4);
            const top = Math.min(y + 12, clientHeight - chip.offsetHeight - 4);
            chip.style.translate = `${left}px ${top}px`;
        });
    }

    /** Where no names are written, in CSS pixels: under notes, and under what floats over it. */
    get reserved() {
        return this.boxes([...this.notes, ...this.chips.children, ...this.overlays]);
    }

    /** Where elements are over the frame: [left, right, top, bottom] in CSS pixels.
        @param {Element[]} elements
        @returns {Edges[]} */
    boxes(elements) {
        const {left, top} = this.frame.getBoundingClientRect();
        return elements.map(each => each.getBoundingClientRect()).filter(box => box.width).map(
            box => [box.left - left, box.right - left, box.top - top, box.bottom - top]);
    }
}

/** Names and lines of a view are drawn once and laid over every picture of that size. */
export class InkLayer {
    /** @type {string | undefined} The view that the layers are of. */
    state;

    constructor() {
        /** @type {Known<string, OffscreenCanvas>} */
        this.layers = new Map();
    }

    forget() { this.layers.clear(); }

    /** `kept`: boxes without names.
        @param {Projection} projection
        @param {string[]} marks
        @param {Stage} stage
        @param {number} ratio
        @param {Edges[]} reserved */
    linesLayer(projection, marks, stage, ratio, reserved) {
        const {view, ink, styles} = stage, {width, height} = projection;
        const state = [view.lat, view.lon, view.zoom, ratio].join();
        if (state !== this.state) this.forget();
        this.state = state;
        const key = [width, height, ...marks, "names", ...reserved.flat().map(Math.round)].join();
        return this.layerOf(key, width, height, context => {
            ink.draw(context, projection, marks, styles.style, ratio);
            drawNames(context, projection, stage, ratio, reserved);
        });
    }

    /** Sea and land under the cells of every picture of that size.
        @param {Projection} projection
        @param {Stage} stage */
    landLayer(projection, stage) {
        const {view, ink, styles} = stage, {width, height} = projection;
        const key = ["land", width, height, view.lat, view.lon, view.zoom].join();
        return this.layerOf(key, width, height,
            context => ink.drawLand(context, projection, styles.style));
    }

    /** @param {string} key
        @param {number} width
        @param {number} height
        @param {(context: Context) => void} draw */
    layerOf(key, width, height, draw) {
        if (!this.layers.has(key)) {
            if (this.layers.size > LAYERS) this.layers.clear();
            const canvas = new OffscreenCanvas(width, height);
            draw(contextOf(canvas));
            this.layers.set(key, canvas);
        }
        return this.layers.get(key);
    }
}

/** Land, cells and ink of a picture; `kept`: boxes without names, [left, right, top, bottom] in CSS
    pixels; `clip`: the part of the width, from and to, in [0, 1].
    @param {Context} context
    @param {Picture} picture
    @param {Projection} projection
    @param {Stage} stage
    @param {number} ratio
    @param {Edges[]} reserved */
export function paintPicture(context, picture, projection, stage, ratio, reserved, clip = [0, 1]) {
    const {grid, layer} = stage, {width, height} = projection;
    const [from, to] = clip.map(part => Math.round(part * width));
    const marks = stage.film.marksOf(picture.meta);
    const lines = layer.linesLayer(projection, marks, stage, ratio, reserved);
    context.save();
    context.beginPath();
    context.rect(from, 0, to - from, height);
    context.clip();
    const [left, right] = [projection.x(grid.west), projection.x(grid.east)];
    const [top, bottom] = [projection.y(grid.north), projection.y(grid.south)];
    context.drawImage(layer.landLayer(projection, stage), 0, 0);
    context.imageSmoothingEnabled = false;
    /** @type {(raster: CanvasImageSource) => void} */
    const cells = raster => context.drawImage(raster, left, top, right - left, bottom - top);
    const {id} = picture.meta, {nobody} = stage.film.words(picture.meta);
    const tables = stage.styles.pair("colours" in picture.meta ? picture.meta.colours : "amounts");
    const raster = picture.raster(stage.codesOf(id), nobody, grid, tables, stage.ink.isOpen);
    const levels = stage.levelsOf(id);
    if (levels && !stage.legend.isOutlined) {
        const alone = new OffscreenCanvas(width, height), pen = contextOf(alone);
        pen.imageSmoothingEnabled = false;
        pen.drawImage(raster, left, top, right - left, bottom - top);
        veilIn(levels, grid).draw(pen, projection, ratio);
        context.drawImage(alone, 0, 0);
    } else {
        cells(raster);
    }
    const isTinted = marks.includes("sensitive") && !marks.includes("open");
    if (isTinted && stage.ink.tint) cells(stage.ink.tint);
    if (stage.legend.isOutlined) {
        stage.squaresOf(id)?.draw(context, projection, stage.styles.style, ratio);
    }
    context.drawImage(lines, 0, 0);
    context.restore();
}

/** What follows the pointer, over all that.
    @param {Context} context
    @param {Projection} projection
    @param {Stage} stage
    @param {number} ratio */
export function paintHand(context, projection, stage, ratio) {
    const draft = stage.tools.path();
    const {style} = stage.styles;
    if (draft) drawDraft(context, projection, draft, style, ratio);
    const isBlock = draft && stage.tools.tool === "blocks";
    if (stage.cursor >= 0 && !isBlock) {
        drawCursor(context, projection, stage.grid, stage.cursor, style, ratio);
    }
}
