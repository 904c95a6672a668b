/* Where a picture's numbers are averages over more than one cell: squares of cells, whose borders
   are drawn, and how many cells share a number. */

import {moved} from "./ink.js";

/** @import {Grid} from "./grid.js"
    @import {Context} from "./ink.js"
    @import {Projection} from "./view.js" */

export class Squares {
    /** `tiles`: (k,) number of each cell's square, 0 for cells with a number of their own.
        @param {Uint32Array} tiles
        @param {Grid} grid */
    constructor(tiles, grid) {
        this.tiles = tiles;
        const [, borders] = grid.blockBorders(tiles);
        this.borders = borders;
        /** @type {Known<number, number>} */
        this.sizes = new Map();
        for (const tile of tiles) this.sizes.set(tile, (this.sizes.get(tile) ?? 0) + 1);
    }

    /** Cells that share the number of this one, itself among them.
        @param {number} cell */
    shared(cell) { return this.tiles[cell] ? this.sizes.get(this.tiles[cell]) : 1; }

    /** Thin lines: seen, but below all others.
        @param {Context} context
        @param {Projection} projection
        @param {Message.MapStyle} style
        @param {number} ratio */
    draw(context, projection, {name}, ratio) {
        context.save();
        context.globalAlpha = 0.28;
        context.strokeStyle = name;
        context.lineWidth = 0.7 * ratio;
        context.setLineDash([2 * ratio, 2 * ratio]);
        context.stroke(moved(this.borders, projection));
        context.restore();
    }
}
