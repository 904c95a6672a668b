/* What is drawn over the cells, at the screen's own resolution: coasts and states, borders of
   blocks, the sensitive set, the marked box; and what the user is about to do. */

import {ownLines} from "./lines.js";

/** @import {Grid} from "./grid.js"
    @import {Projection} from "./view.js"
    @typedef {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} Context
    @typedef {{fill: Path2D, edge: Path2D}} Draft */

const EDGES_MAX = 1500;  // of a border that still reads as one
const TINT = 0x66b87aff;  // alpha, blue, green, red

/** Paths in degrees, made once for each change of the ground. */
export class Ink {
    constructor() {
        this.outline = new Path2D();
        /** @type {Path2D | null} */
        this.land = null;
        /** @type {Path2D | null} */
        this.box = null;
        /** @type {Path2D | null} */
        this.blocks = null;
        /** @type {Path2D | null} */
        this.border = null;
        /** @type {Path2D | null} */
        this.far = null;
        /** @type {OffscreenCanvas | null} */
        this.tint = null;
        /** @type {Path2D | null} */
        this.open = null;
        /** @type {Uint8Array | null} */
        this.isOpen = null;
        this.share = 1;
    }

    /** @param {Uint32Array | null} labels
        @param {Grid} grid */
    setBlocks(labels, grid) {
        this.blocks = null;
        if (!labels) return;
        const [count, path] = grid.blockBorders(labels);
        if (!count) return;
        this.blocks = path;
        this.share = 1 / Math.sqrt(new Set(labels).size);
    }

    /** A border around the set, or a tint where it is scattered; nothing for all and for none.
        @param {Uint8Array | null} mask
        @param {Grid} grid */
    setSensitive(mask, grid) {
        this.border = this.tint = null;
        if (!mask) return;
        const size = mask.reduce((sum, one) => sum + one, 0);
        if (size === 0 || size === grid.k) return;
        const [count, path] = grid.setBorders(cell => mask[cell]);
        if (count <= EDGES_MAX) this.border = path;
        else this.tint = tintRaster(mask, grid);
    }

    /** A second border, in the colour of what can be read; nothing around all of the map.
        @param {Uint8Array | null} mask
        @param {Grid} grid */
    setFar(mask, grid) {
        this.far = mask?.includes(0) ? grid.setBorders(cell => mask[cell])[1] : null;
    }

    /** Cells whose people can be read: hatched, so that what is there stays to be seen.
        @param {Uint8Array | null} mask
        @param {Grid} grid */
    setOpen(mask, grid) {
        this.isOpen = mask;
        this.open = mask && cellsPath(grid, cell => mask[cell]);
    }

    /** @param {Context} context
        @param {Path2D} open
        @param {(path: Path2D) => Path2D} project
        @param {string} colour
        @param {number} ratio */
    hatch(context, open, project, colour, ratio) {
        const size = Math.round(9 * ratio), tile = new OffscreenCanvas(size, size);
        const pen = contextOf(tile);
        pen.strokeStyle = colour;
        pen.lineWidth = 1.1 * ratio;
        for (const shift of [-size, 0, size]) {
            pen.moveTo(shift - 1, size + 1);
            pen.lineTo(shift + size + 1, -1);
        }
        pen.stroke();
        context.save();
        if (this.land) context.clip(project(this.land), "evenodd");
        context.globalAlpha = 0.6;
        context.fillStyle = context.createPattern(tile, "repeat") ?? "transparent";
        context.fill(project(open));
        context.restore();
    }

    /** Sea and land under the cells; without coasts all of it is land.
        @param {Context} context
        @param {Projection} projection
        @param {Message.MapStyle} style */
    drawLand(context, projection, {sea, land}) {
        const {width, height} = projection;
        context.fillStyle = this.land ? sea : land;
        context.fillRect(0, 0, width, height);
        if (!this.land) return;
        context.fillStyle = land;
        context.fill(toPixels(this.land, projection), "evenodd");
    }

    /** Lines of one picture; `ratio`: device pixels in a CSS pixel.
        @param {Context} context
        @param {Projection} projection
        @param {string[]} marks
        @param {Message.MapStyle} style
        @param {number} ratio */
    draw(context, projection, marks, style, ratio) {
        /** @type {(path: Path2D | null, colour: string, width: number, dash?: number[]) => void} */
        const stroke = (path, colour, width, dash = []) => {
            if (!path) return;
            const pixels = toPixels(path, projection);
            context.setLineDash(dash.map(length => length * ratio));
            context.strokeStyle = colour;
            context.lineWidth = width * ratio;
            context.stroke(pixels);
        };
        if (marks.includes("open") && this.open) {
            this.hatch(context, this.open, path => toPixels(path, projection), style.open, ratio);
        }
        context.lineJoin = context.lineCap = "round";
        stroke(this.outline, style.faint, 0.8);
        stroke(ownLines(), style.faint, 1.2);
        if (marks.includes("blocks") && this.blocks) {
            // Many small blocks as strong lines would hide what is in them.
            const pitch = projection.scale / ratio * this.share * 40;
            context.globalAlpha = Math.min(1, Math.max(0.35, pitch / 60));
            stroke(this.blocks, style.ink, pitch > 24 ? 1.2 : 0.6);
            context.globalAlpha = 1;
        }
        if (marks.includes("sensitive")) {
            stroke(this.far, style.shade, 4);  // below both: seen on dark and on bright cells
            stroke(this.far, style.open, 2);
            stroke(this.border, style.shade, 4);
            stroke(this.border, style.sensitive, 2);
        }
        stroke(this.box, style.shade, 3);
        stroke(this.box, style.region, 1.6, [4, 4]);
    }
}

/** What draws on a canvas.
    @type {(canvas: HTMLCanvasElement | OffscreenCanvas) => Context} */
export const contextOf = canvas => /** @type {Context} */ (canvas.getContext("2d"));

/** A path in degrees as one in pixels.
    @param {Path2D} path
    @param {Projection} projection */
export function toPixels(path, {matrix}) {
    const pixels = new Path2D();
    pixels.addPath(path, new DOMMatrix(matrix));
    return pixels;
}

/** A set of cells as a picture of one pixel a cell.
    @param {Uint8Array} mask
    @param {Grid} grid */
function tintRaster(mask, grid) {
    const image = new ImageData(grid.columns, grid.rows);
    const pixels = new Uint32Array(image.data.buffer);
    for (let cell = 0; cell < grid.k; cell++) {
        const row = grid.rows - 1 - grid.row(cell);
        if (mask[cell]) pixels[row * grid.columns + grid.column(cell)] = TINT;
    }
    return rasterFrom(image);
}

/** An image as something that can be drawn enlarged.
    @param {ImageData} image */
export function rasterFrom(image, canvas = new OffscreenCanvas(image.width, image.height)) {
    contextOf(canvas).putImageData(image, 0, 0);
    return canvas;
}

/** The cells of a set as rectangles, one a run in each row.
    @param {Grid} grid
    @param {(cell: number) => unknown} inside */
export function cellsPath(grid, inside) {
    const path = new Path2D();
    for (let row = 0; row < grid.rows; row++) {
        let from = -1;
        for (let column = 0; column <= grid.columns; column++) {
            const has = column < grid.columns && inside(row * grid.columns + column);
            if (has && from < 0) from = column;
            if (!has && from >= 0) {
                path.rect(grid.west + from * grid.cell, grid.south + row * grid.cell,
                    (column - from) * grid.cell, grid.cell);
                from = -1;
            }
        }
    }
    return path;
}

/** A box in degrees as a path.
    @param {Message.Box} box */
export function boxPath([south, north, west, east]) {
    const path = new Path2D();
    path.rect(west, south, east - west, north - south);
    return path;
}

/** Cross hairs through a cell, open around it so that it can be seen.
    @param {Context} context
    @param {Projection} projection
    @param {Grid} grid
    @param {number} cell
    @param {Message.MapStyle} style
    @param {number} ratio */
export function drawCursor(context, projection, grid, cell, {hand, shade}, ratio) {
    const {lat, lon} = grid.middle(cell);
    const x = Math.round(projection.x(lon)) + 0.5, y = Math.round(projection.y(lat)) + 0.5;
    const half = Math.max(5 * ratio, grid.cell * projection.scale / 2 + 1.5 * ratio);
    const lines = new Path2D();
    for (const [a, b] of [[0, x - half], [x + half, projection.width]]) {
        lines.moveTo(a, y);
        lines.lineTo(b, y);
    }
    for (const [a, b] of [[0, y - half], [y + half, projection.height]]) {
        lines.moveTo(x, a);
        lines.lineTo(x, b);
    }
    const ring = new Path2D();
    ring.rect(x - half, y - half, 2 * half, 2 * half);
    context.setLineDash([]);
    context.lineWidth = ratio;
    context.globalAlpha = 0.45;
    context.strokeStyle = hand;
    context.stroke(lines);
    context.globalAlpha = 1;
    context.lineWidth = 3.2 * ratio;
    context.strokeStyle = shade;
    context.stroke(ring);
    context.lineWidth = 1.4 * ratio;
    context.strokeStyle = hand;
    context.stroke(ring);
}

/** What the user is about to take: filled lightly, with a firm edge.
    @param {Context} context
    @param {Projection} projection
    @param {Draft} draft
    @param {Message.MapStyle} style
    @param {number} ratio */
export function drawDraft(context, projection, {fill, edge}, {hand, shade}, ratio) {
    /** @type {(path: Path2D) => Path2D} */
    const project = path => toPixels(path, projection);
    context.setLineDash([]);
    context.globalAlpha = 0.2;
    context.fillStyle = hand;
    context.fill(project(fill));
    context.globalAlpha = 1;
    const line = project(edge);
    /** @type {[width: number, colour: string][]} */
    const lines = [[3.5, shade], [1.8, hand]];
    for (const [width, colour] of lines) {
        context.lineWidth = width * ratio;
        context.strokeStyle = colour;
        context.stroke(line);
    }
}
