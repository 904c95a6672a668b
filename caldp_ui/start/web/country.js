/* One map of the exhibit: land, cells, borders and names of cities. It is drawn at once; a new picture
   fades over the one before. */

import {pixelOf} from "./colours.js";

/** Where the grid's picture lies on a canvas, in its own pixels.
    @typedef {{left: number, top: number, wide: number, high: number, ratio: number}} Frame
    @typedef {(context: CanvasRenderingContext2D, frame: Frame) => void} Layer */

const FADE_MS = 250, BEGINS_AT = 0.4, RATIO_MAX = 2, LINES_MAX = 60, NAME_PX = 13;
const MIDDLE = Math.cos(38 * Math.PI / 180);
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether the reader wants no motion. */
export const isCalm = () => calm.matches;

/** @param {HTMLCanvasElement} canvas */
const contextOf = canvas => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

/** @param {number} width
    @param {number} height
    @returns {[HTMLCanvasElement, CanvasRenderingContext2D]} */
export function sheetOf(width, height) {
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    return [canvas, contextOf(canvas)];
}

/** The largest frame of the grid in a canvas, in its middle.
    @param {Message.Exhibit["grid"]} grid
    @param {number} width
    @param {number} height
    @param {number} ratio
    @returns {Frame} */
export function frameIn({rows, columns}, width, height, ratio) {
    const cell = Math.min(width / (columns * MIDDLE), height / rows);
    const wide = cell * columns * MIDDLE, high = cell * rows;
    return {left: (width - wide) / 2, top: (height - high) / 2, wide, high, ratio};
}

/** From the grid to a canvas: edges of columns and rows, and degrees. */
export class Projection {
    /** @param {Message.Exhibit["grid"]} grid
        @param {Frame} frame */
    constructor(grid, frame) {
        this.grid = grid;
        this.frame = frame;
    }

    /** @param {number} column */
    column(column) {
        const {grid, frame} = this;
        return frame.left + (column - grid.first) / grid.columns * frame.wide;
    }

    /** @param {number} row */
    row(row) {
        const {grid, frame} = this;
        return frame.top + (grid.rows - row) / grid.rows * frame.high;
    }

    /** @param {number} lon */
    x(lon) { return this.column((lon - this.grid.west) / this.grid.cell + this.grid.first); }

    /** @param {number} lat */
    y(lat) { return this.row((lat - this.grid.north) / this.grid.cell + this.grid.rows); }

    /** The place at a point of the canvas.
        @param {number} x
        @param {number} y */
    place(x, y) {
        const {grid, frame} = this;
        return {
            lon: grid.west + (x - frame.left) / frame.wide * grid.columns * grid.cell,
            lat: grid.north - (y - frame.top) / frame.high * grid.rows * grid.cell,
        };
    }

    /** Lines of hundredths of a degree, each point as its steps from the one before.
        @param {number[][]} lines
        @param {boolean} isClosed */
    path(lines, isClosed) {
        const path = new Path2D();
        for (const line of lines) {
            let lon = 0, lat = 0;
            for (let i = 0; i < line.length; i += 2) {
                lon += line[i];
                lat += line[i + 1];
                const point = /** @type {const} */ ([this.x(lon / 100), this.y(lat / 100)]);
                if (i) path.lineTo(...point);
                else path.moveTo(...point);
            }
            if (isClosed) path.closePath();
        }
        return path;
    }
}

/** The cells of a map as a picture of one pixel a cell.
    @param {Uint8Array} codes
    @param {Message.Exhibit["grid"]} grid
    @param {import("./colours.js").Rgb[]} levels
    @returns {HTMLCanvasElement} */
export function pictureOf(codes, {rows, columns}, levels) {
    const [canvas, context] = sheetOf(columns, rows);
    paintCells(context, codes, levels);
    return canvas;
}

/** @param {CanvasRenderingContext2D} context
    @param {Uint8Array} codes
    @param {import("./colours.js").Rgb[]} levels */
function paintCells(context, codes, levels) {
    const {width, height} = context.canvas, image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer), colours = levels.map(pixelOf);
    colours[0] = 0;  // nobody: the land or the sea below is seen
    for (let i = 0; i < pixels.length; i++) pixels[i] = colours[codes[i]];
    context.putImageData(image, 0, 0);
}

export class Country {
    /** @type {Uint8Array | null} The cells that are shown. */
    codes = null;
    /** @type {Layer | null} Over the cells, below borders and names. */
    below = null;
    /** @type {Layer | null} Over all else. */
    above = null;
    /** @type {(() => void) | null} Called once the next picture is drawn. */
    onDrawn = null;
    /** When the picture began to fade in; 0 where none does. */
    fadesFrom = 0;
    isAwaited = false;
    /** @type {HTMLCanvasElement} Sea and land. */
    ground;
    /** @type {HTMLCanvasElement} Borders and names. */
    borders;
    /** @type {Projection} */
    projection;

    /** @param {HTMLElement} host with a canvas that fills it
        @param {Message.Exhibit} data
        @param {import("./colours.js").Colours} colours
        @param {number} rank of the least city that is named where there is room */
    constructor(host, data, colours, rank) {
        this.host = host;
        this.data = data;
        this.colours = colours;
        this.rank = rank;
        this.canvas = /** @type {HTMLCanvasElement} */ (host.querySelector("canvas"));
        this.context = contextOf(this.canvas);
        const {rows, columns} = data.grid;
        const [cells, cellContext] = sheetOf(columns, rows);
        const [before, beforeContext] = sheetOf(columns, rows);
        this.cells = cells;
        this.cellContext = cellContext;
        this.before = before;
        this.beforeContext = beforeContext;
        this.levels = colours.levels();
        this.resizeObserver = new ResizeObserver(() => this.resize());
        this.resizeObserver.observe(host);
        this.resize();
    }

    end() { this.resizeObserver.disconnect(); }

    resize() {
        const {width, height} = this.host.getBoundingClientRect();
        const ratio = Math.min(devicePixelRatio || 1, RATIO_MAX);
        const wide = Math.round(width * ratio), high = Math.round(height * ratio);
        if (!wide || !high || (this.ground && wide === this.canvas.width && high === this.canvas.height)) return;
        this.canvas.width = wide;
        this.canvas.height = high;
        this.projection = new Projection(this.data.grid, frameIn(this.data.grid, wide, high, ratio));
        this.recolour();
    }

    /** Draw all anew: in another theme, or another size. */
    recolour() {
        if (!this.projection) return;
        this.levels = this.colours.levels();
        this.ground = this.drawGround();
        this.borders = this.drawBorders();
        if (this.codes) paintCells(this.cellContext, this.codes, this.levels);
        this.draw(1);
    }

    drawGround() {
        const {width, height} = this.canvas, [canvas, context] = sheetOf(width, height);
        context.fillStyle = this.colours.of("sea");
        context.fillRect(0, 0, width, height);
        context.fillStyle = this.colours.of("land");
        context.fill(this.projection.path(this.data.land, true));
        return canvas;
    }

    drawBorders() {
        const {width, height} = this.canvas, [canvas, context] = sheetOf(width, height);
        const {ratio} = this.projection.frame;
        context.strokeStyle = this.colours.of("coast");
        context.lineWidth = 0.8 * ratio;
        context.lineJoin = "round";
        context.stroke(this.projection.path(this.data.borders, false));
        this.drawNames(context, ratio);
        return canvas;
    }

    /** Names of cities, fewer on a small map, none over another.
        @param {CanvasRenderingContext2D} context
        @param {number} ratio */
    drawNames(context, ratio) {
        const wide = this.canvas.width / ratio;
        const isSmall = wide < 420, isLarge = wide > 800;
        const rank = this.rank + Number(isLarge) - Number(isSmall);
        context.font = `600 ${NAME_PX * ratio}px ${this.colours.font}`;
        context.lineJoin = "round";
        /** @type {[from: number, to: number, y: number][]} */
        const taken = [];
        for (const [name, lat, lon, cityRank] of this.data.cities) {
            if (cityRank > rank) continue;
            const x = this.projection.x(lon), y = this.projection.y(lat);
            context.fillStyle = this.colours.of("ink");
            context.beginPath();
            context.arc(x, y, 2.2 * ratio, 0, 7);
            context.fill();
            const length = context.measureText(name).width, gap = 6 * ratio;
            const isAtEdge = x + length + gap > this.canvas.width;
            const from = isAtEdge ? x - length - gap : x + gap, to = from + length;
            if (taken.some(other => from < other[1] && to > other[0]
                && Math.abs(y - other[2]) < 16 * ratio)) continue;
            taken.push([from - gap, to + gap, y]);
            context.strokeStyle = this.colours.of("halo");
            context.lineWidth = 3.5 * ratio;
            context.strokeText(name, from, y + 4.5 * ratio);
            context.fillText(name, from, y + 4.5 * ratio);
        }
    }

    /** Show other cells; they fade in, unless the reader wants no motion.
        @param {Uint8Array} codes */
    show(codes) {
        if (codes === this.codes) return;
        this.fadesFrom = 0;
        if (this.codes && !isCalm()) {
            this.beforeContext.clearRect(0, 0, this.before.width, this.before.height);
            this.beforeContext.drawImage(this.cells, 0, 0);
            this.fadesFrom = performance.now();
        }
        this.codes = codes;
        paintCells(this.cellContext, codes, this.levels);
        this.drawSoon();
    }

    drawSoon() {
        if (this.isAwaited) return;
        this.isAwaited = true;
        requestAnimationFrame(() => {
            this.isAwaited = false;
            const part = this.fadesFrom ? (performance.now() - this.fadesFrom) / FADE_MS : 1;
            // From the first frame on the new picture is seen, though not yet alone.
            this.draw(Math.min(1, BEGINS_AT + (1 - BEGINS_AT) * part));
            if (part < 1) this.drawSoon();
            else this.fadesFrom = 0;
        });
    }

    /** @param {number} share of the new picture over the one before */
    draw(share) {
        const {context, projection} = this;
        if (!this.ground) return;
        const {left, top, wide, high} = projection.frame;
        context.imageSmoothingEnabled = false;
        context.globalAlpha = 1;
        context.drawImage(this.ground, 0, 0);
        if (this.codes && share < 1) {
            context.drawImage(this.before, left, top, wide, high);
            context.globalAlpha = share;
            context.drawImage(this.ground, 0, 0);
        }
        if (this.codes) context.drawImage(this.cells, left, top, wide, high);
        context.globalAlpha = 1;
        this.below?.(context, projection.frame);
        context.drawImage(this.borders, 0, 0);
        this.above?.(context, projection.frame);
        const {onDrawn} = this;
        this.onDrawn = null;
        onDrawn?.();
    }

    /** Lines between the blocks of a size, unless they are so many that they would hide the map.
        @param {CanvasRenderingContext2D} context
        @param {Message.ExhibitSize} size */
    strokeBlocks(context, {rows, columns}) {
        if (rows.length > LINES_MAX) return;
        const {projection} = this, {left, top, wide, high, ratio} = projection.frame;
        context.strokeStyle = this.colours.of("grid");
        context.lineWidth = 0.7 * ratio;
        context.beginPath();
        for (const row of rows) {
            const y = Math.round(projection.row(row)) + 0.5;
            context.moveTo(left, y);
            context.lineTo(left + wide, y);
        }
        for (const column of columns) {
            const x = Math.round(projection.column(column)) + 0.5;
            if (x < left || x > left + wide) continue;
            context.moveTo(x, top);
            context.lineTo(x, top + high);
        }
        context.stroke();
    }
}
