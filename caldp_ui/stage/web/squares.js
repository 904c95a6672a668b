/* Where a picture's numbers are averages over more than one cell: squares of cells, a veil over
   them or their borders, and how many cells share a number. */

import {cellsPath, contextOf, toPixels} from "./ink.js";

/** @import {Grid} from "./grid.js"
    @import {Context} from "./ink.js"
    @import {Projection} from "./view.js" */

const DASH = 2, DOTS = 4;  // CSS pixels
const VEIL = 0.1, VEIL_LEVELS = 5;  // part of a cell that the veil covers, for each level

/** @type {WeakMap<Uint8Array, Squares>} Those of a film's steps come again and again. */
const squaresCache = new WeakMap();

/** The squares of a picture, made once.
    @param {Uint8Array} levels
    @param {Uint32Array | null} labels
    @param {Grid} grid */
export function squaresIn(levels, labels, grid) {
    const cached = squaresCache.get(levels);
    if (cached && cached.labels === labels && cached.grid.name === grid.name) return cached;
    const squares = new Squares(levels, labels, grid);
    squaresCache.set(levels, squares);
    return squares;
}

/** Dots left out of cells, the larger the more share a number: its colour stays as it is. */
export class Veil {
    /** `levels`: as of `Squares`.
        @param {Uint8Array} levels
        @param {Grid} grid */
    constructor(levels, grid) {
        /** @type {[level: number, path: Path2D][]} */
        this.areas = [];
        for (let level = 1; level <= VEIL_LEVELS; level++) {
            const path = cellsPath(grid, cell => Math.min(levels[cell], VEIL_LEVELS) === level);
            this.areas.push([level, path]);
        }
    }

    /** Into cells that are drawn alone, with nothing below them.
        @param {Context} context
        @param {Projection} projection
        @param {number} ratio */
    draw(context, projection, ratio) {
        const pitch = Math.round(DOTS * ratio);
        context.save();
        context.globalCompositeOperation = "destination-out";
        for (const [level, path] of this.areas) {
            const tile = new OffscreenCanvas(pitch, pitch), pen = contextOf(tile);
            const radius = Math.sqrt(VEIL * level / (2 * Math.PI)) * pitch;
            for (const middle of [pitch / 4, 3 * pitch / 4]) {
                pen.beginPath();
                pen.arc(middle, middle, radius, 0, 2 * Math.PI);
                pen.fill();
            }
            context.fillStyle = context.createPattern(tile, "repeat") ?? "transparent";
            context.fill(toPixels(path, projection));
        }
        context.restore();
    }
}

/** @type {WeakMap<Uint8Array, Veil>} */
const veils = new WeakMap();

/** The veil over a picture, made once.
    @param {Uint8Array} levels
    @param {Grid} grid */
export function veilIn(levels, grid) {
    const veil = veils.get(levels) ?? new Veil(levels, grid);
    veils.set(levels, veil);
    return veil;
}

export class Squares {
    /** @type {Path2D | undefined} */
    path;

    /** `levels`: (k,) j where a number is the average of a square of 2^j × 2^j cells, which ends at
        the borders of `labels`, (k,) blocks; 0 for cells with a number of their own.
        @param {Uint8Array} levels
        @param {Uint32Array | null} labels
        @param {Grid} grid */
    constructor(levels, labels, grid) {
        this.labels = labels;
        this.grid = grid;
        /** Which square, whatever the block; 0 for none. */
        this.square = new Int32Array(levels.length);
        const {rows, columns} = grid;
        for (let row = 0, cell = 0; row < rows; row++) {
            for (let column = 0; column < columns; column++, cell++) {
                const level = levels[cell];
                if (level) this.square[cell] = 1
                    + (level * rows + (row >> level)) * columns + (column >> level);
            }
        }
    }

    /** Between cells of one block: lines of their own tell where blocks end. */
    get borders() {
        const {labels, square} = this;
        /** @type {(one: number, other: number) => boolean} */
        const differ = (one, other) => one >= 0 && other >= 0 && square[one] !== square[other]
            && (!labels || labels[one] === labels[other]);
        return this.path ??= this.grid.borders(differ)[1];
    }

    /** Cells that share the number of this one, itself among them.
        @param {number} cell */
    sharedCount(cell) {
        const {labels, square} = this;
        if (!square[cell]) return 1;
        return square.reduce((number, each, i) => number
            + Number(each === square[cell] && (!labels || labels[i] === labels[cell])), 0);
    }

    /** Thin dashes: seen, but below all other lines. Dashed by what they are filled with, in a
        third of the time of a dashed pen.
        @param {Context} context
        @param {Projection} projection
        @param {Message.MapStyle} style
        @param {number} ratio */
    draw(context, projection, {name}, ratio) {
        const dash = Math.max(1, Math.round(DASH * ratio));
        const tile = new OffscreenCanvas(2 * dash, 2 * dash);
        const pen = contextOf(tile);
        pen.fillStyle = name;
        pen.fillRect(0, 0, dash, dash);
        pen.fillRect(dash, dash, dash, dash);
        context.save();
        context.globalAlpha = 0.28;
        context.strokeStyle = context.createPattern(tile, "repeat") ?? name;
        context.lineWidth = 0.7 * ratio;
        context.stroke(toPixels(this.borders, projection));
        context.restore();
    }
}
