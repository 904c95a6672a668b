/* The grid: which cell is where, borders between blocks, sets of cells. Row 0 is the southernmost,
   cell = row · columns + column. A `span` is {top, bottom, left, right} in whole cells, the upper
   ends not in it; `bottom` is the southern row. */

import {clamp} from "./dom.js";

/** @typedef {{top: number, bottom: number, left: number, right: number}} Span */

export class Grid {
    /** @param {Omit<Message.Ground, "box" | "outline" | "land" | "cities" | "labels" | "names"
        | "sensitive" | "open">} ground */
    constructor({south, west, cell, rows, columns, home}) {
        this.south = south;
        this.west = west;
        this.cell = cell;
        this.rows = rows;
        this.columns = columns;
        this.home = home;
        this.north = south + rows * cell;
        this.east = west + columns * cell;
        this.k = rows * columns;
        this.longitudeScale = Math.cos((south + this.north) / 2 * Math.PI / 180);
    }

    /** Equal grids look the same, wherever they were made. */
    get name() {
        return [this.south, this.west, this.cell, this.rows, this.columns].join();
    }

    /** The cell at a place, or −1 beside the map.
        @param {number} latitude
        @param {number} longitude */
    cellAt(latitude, longitude) {
        const row = Math.floor((latitude - this.south) / this.cell + 1e-9);
        const column = Math.floor((longitude - this.west) / this.cell + 1e-9);
        const inside = row >= 0 && row < this.rows && column >= 0 && column < this.columns;
        return inside ? row * this.columns + column : -1;
    }

    /** @param {number} cell */
    row(cell) { return Math.floor(cell / this.columns); }

    /** @param {number} cell */
    column(cell) { return cell % this.columns; }

    /** {lat, lon} of a cell's middle.
        @param {number} cell */
    middle(cell) {
        return {
            lat: this.south + (this.row(cell) + 0.5) * this.cell,
            lon: this.west + (this.column(cell) + 0.5) * this.cell,
        };
    }

    /** The cell so far north and east, held back at the edge.
        @param {number} cell
        @param {number} north
        @param {number} east */
    step(cell, north, east) {
        const row = clamp(this.row(cell) + north, 0, this.rows - 1);
        return row * this.columns + clamp(this.column(cell) + east, 0, this.columns - 1);
    }

    /** The span with two cells at its corners.
        @param {number} one
        @param {number} other
        @returns {Span} */
    span(one, other) {
        const rows = [one, other].map(cell => this.row(cell));
        const columns = [one, other].map(cell => this.column(cell));
        return {
            bottom: Math.min(...rows), top: Math.max(...rows) + 1,
            left: Math.min(...columns), right: Math.max(...columns) + 1,
        };
    }

    /** South, north, west and east of a span, free of binary's dust.
        @param {Span} span
        @returns {Message.Box} */
    box({bottom, top, left, right}) {
        /** @type {(from: number, cells: number) => number} */
        const edge = (from, cells) => Number((from + cells * this.cell).toFixed(9));
        return [edge(this.south, bottom), edge(this.south, top),
            edge(this.west, left), edge(this.west, right)];
    }

    /** The edges of neighbouring cells that `differ`, as runs: [count, path in degrees].
        @param {(one: number, other: number) => boolean} differ
        @returns {[count: number, path: Path2D]} */
    borders(differ) {
        const path = new Path2D(), {rows, columns, cell, south, west} = this;
        let count = 0;
        /** @type {(across: number, from: number, to: number, upright: boolean) => void} */
        const line = (across, from, to, upright) => {
            const [x, y] = [west + across * cell, south + across * cell];
            if (upright) {
                path.moveTo(x, south + from * cell);
                path.lineTo(x, south + to * cell);
            } else {
                path.moveTo(west + from * cell, y);
                path.lineTo(west + to * cell, y);
            }
            count += 1;
        };
        /** @type {(across: number, length: number, upright: boolean,
            differs: (along: number) => boolean) => void} */
        const runs = (across, length, upright, differs) => {
            let from = -1;
            for (let i = 0; i <= length; i++) {
                const edge = i < length && differs(i);
                if (edge && from < 0) from = i;
                if (!edge && from >= 0) { line(across, from, i, upright); from = -1; }
            }
        };
        for (let c = 0; c <= columns; c++) {
            runs(c, rows, true, r => differ(c > 0 ? r * columns + c - 1 : -1,
                c < columns ? r * columns + c : -1));
        }
        for (let r = 0; r <= rows; r++) {
            runs(r, columns, false, c => differ(r > 0 ? (r - 1) * columns + c : -1,
                r < rows ? r * columns + c : -1));
        }
        return [count, path];
    }

    /** Borders between blocks, inside of the map.
        @param {Uint32Array} labels */
    blockBorders(labels) {
        return this.borders((a, b) => a >= 0 && b >= 0 && labels[a] !== labels[b]);
    }

    /** The border of a set of cells, along the map's edge too.
        @param {(cell: number) => unknown} inside */
    setBorders(inside) {
        /** @type {(cell: number) => boolean} */
        const isInside = cell => cell >= 0 && Boolean(inside(cell));
        return this.borders((a, b) => isInside(a) !== isInside(b));
    }
}

/** A set of cells as "first+count,…".
    @param {Iterable<number>} cells */
export function runsOf(cells) {
    /** @type {[first: number, count: number][]} */
    const runs = [];
    for (const cell of [...cells].sort((a, b) => a - b)) {
        const last = runs.at(-1);
        if (last && last[0] + last[1] === cell) last[1] += 1;
        else runs.push([cell, 1]);
    }
    return runs.map(([first, count]) => `${first}+${count}`).join();
}
