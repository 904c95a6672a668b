/* What the exhibit draws: a map for each ε and each size of block, the truth, and how many reports
   come from each cell. Rows of the grid count from the south, columns from the west. */

import {readPng} from "./png.js";

/** Edges of a block in rows and columns of the grid.
    @typedef {{south: number, north: number, west: number, east: number}} Block
    @typedef {{lat: number, lon: number}} Place */

const DUST = 1e-6;

export class Atlas {
    /** @param {Message.Exhibit} data
        @param {Uint8Array[][]} frames by ε and size, as they are drawn: north on top
        @param {Uint8Array} truth
        @param {Uint32Array} counts */
    constructor(data, frames, truth, counts) {
        this.data = data;
        this.frames = frames;
        this.truth = truth;
        this.counts = counts;
    }

    /** How many sizes there are, the largest block first. */
    get sizes() { return this.data.sizes.length; }

    /** The block of a size in which a place is; beyond the map that of the nearest cell.
        @param {number} size
        @param {Place} place
        @returns {Block} */
    blockOf(size, {lat, lon}) {
        const {rows, columns} = this.data.sizes[size], {grid} = this.data;
        const row = Math.floor((lat - grid.north) / grid.cell + grid.rows + DUST);
        const column = Math.floor((lon - grid.west) / grid.cell + grid.first + DUST);
        const [south, north] = between(rows, row), [west, east] = between(columns, column);
        return {south, north, west, east};
    }

    /** How many reports come from a block.
        @param {Block} block */
    reportsOf({south, north, west, east}) {
        const {grid} = this.data;
        let sum = 0;
        for (let row = south; row < north; row++) {
            const start = (grid.rows - 1 - row) * grid.columns - grid.first;
            const first = Math.max(west, grid.first), last = Math.min(east, grid.first + grid.columns);
            for (let column = first; column < last; column++) sum += this.counts[start + column];
        }
        return sum;
    }

    /** Where a size is on the axis, from 0 for the whole map to 1 for the smallest block: the
        logarithm of its side.
        @param {number} size */
    along(size) {
        const sides = this.data.sizes.map(({rows, columns}) =>
            Math.log((rows.length - 1) * (columns.length - 1)));
        return sides[size] / sides[sides.length - 1];
    }

    /** The expected share of people in the wrong cell, between two sizes by a straight line.
        @param {number} epsilon
        @param {number} position */
    expectedAt(epsilon, position) {
        const errors = this.data.errors[epsilon];
        const size = Math.max(0, Math.min(this.sizes - 2, Math.floor(position))), part = position - size;
        return errors[size].expected * (1 - part) + errors[size + 1].expected * part;
    }

    /** Where a position between two sizes is on the axis.
        @param {number} position */
    alongAt(position) {
        const size = Math.max(0, Math.min(this.sizes - 2, Math.floor(position))), part = position - size;
        return this.along(size) * (1 - part) + this.along(size + 1) * part;
    }

    /** The position between two sizes that is there on the axis.
        @param {number} along */
    positionAt(along) {
        let size = 0;
        while (size < this.sizes - 2 && this.along(size + 1) <= along) size += 1;
        const part = (along - this.along(size)) / (this.along(size + 1) - this.along(size));
        return Math.max(0, Math.min(this.sizes - 1, size + part));
    }
}

/** The two edges between which a row or column lies.
    @param {number[]} edges
    @param {number} place
    @returns {[number, number]} */
function between(edges, place) {
    let first = 0;
    while (first < edges.length - 2 && edges[first + 1] <= place) first += 1;
    return [edges[first], edges[first + 1]];
}

/** Cells of a block.
    @param {Block} block */
export const cellsOf = ({south, north, west, east}) => (north - south) * (east - west);

/** @param {Message.Exhibit} data
    @returns {Promise<Atlas>} */
export async function readAtlas(data) {
    const {rows, columns} = data.grid, cells = rows * columns;
    const sheets = await Promise.all(data.sheets.map(readPng));
    const frames = sheets.map(sheet =>
        data.sizes.map((_, size) => sheet.data.subarray(size * cells, (size + 1) * cells)));
    const [truth, coloured] = await Promise.all([data.truth, data.counts].map(readPng));
    const counts = new Uint32Array(cells);
    for (let i = 0; i < cells; i++) {
        const [red, green, blue] = coloured.data.subarray(3 * i, 3 * i + 3);
        counts[i] = red << 16 | green << 8 | blue;
    }
    return new Atlas(data, frames, truth.data, counts);
}
