/* The reader's side: a pin, the block in which it hides, and a magnifier where that is small. The pin
   is kept by this tab alone, until it is closed: it is in no link, no message and no card. */

import {cellsOf} from "./atlas.js";
import {isCalm} from "./country.js";

/** @import {Block, Place} from "./atlas.js"
    @import {Frame} from "./country.js" */

const KEY = "caldp.exhibit.pin", MOVE_MS = 250, LENS_FROM = 4, LENS_WORDS_PX = 13;
/** Where the pin is until the reader has put it somewhere: in Denver, the middle of an empty half. */
const EXAMPLE = {lat: 39.74, lon: -104.99};

export class Hiding {
    /** @type {Block} As it is drawn: it moves from one block to the next. */
    block = {south: 0, north: 0, west: 0, east: 0};
    /** @type {Block | null} Where it moves to. */
    target = null;

    /** @param {import("./country.js").Country} country
        @param {import("./atlas.js").Atlas} atlas
        @param {Message.ExhibitWords} words
        @param {(reports: number) => string} reportsText */
    constructor(country, atlas, words, reportsText) {
        this.country = country;
        this.atlas = atlas;
        this.words = words;
        this.reportsText = reportsText;
        this.size = 0;
        const kept = keptPin();
        /** Whether the pin is where we have put it. */
        this.isExample = kept === null;
        this.pin = kept ?? EXAMPLE;
        country.below = context => country.strokeBlocks(context, atlas.data.sizes[this.size]);
        country.above = (context, frame) => this.draw(context, frame);
    }

    /** The block in which the pin is. */
    get home() { return this.atlas.blockOf(this.size, this.pin); }

    get cells() { return cellsOf(this.home); }

    /** Put the pin somewhere on the map.
        @param {Place} place */
    put({lat, lon}) {
        const {grid} = this.atlas.data, edge = grid.cell / 2;
        const south = grid.north - grid.rows * grid.cell, east = grid.west + grid.columns * grid.cell;
        this.pin = {
            lat: Math.min(grid.north - edge, Math.max(south + edge, lat)),
            lon: Math.min(east - edge, Math.max(grid.west + edge, lon)),
        };
        this.isExample = false;
        keepPin(this.pin);
        this.move();
    }

    /** Hide in blocks of this size.
        @param {number} size */
    hideIn(size) {
        this.size = size;
        this.move();
    }

    /** Let the block move to where it is by now. */
    move() {
        const from = {...this.block}, to = this.home, start = performance.now();
        const isFirst = this.target === null;
        this.target = to;
        const step = () => {
            if (this.target !== to) return;
            const time = isCalm() || isFirst ? 1 : Math.min(1, (performance.now() - start) / MOVE_MS);
            const part = 1 - (1 - time) ** 3;
            this.block = {
                south: from.south + (to.south - from.south) * part,
                north: from.north + (to.north - from.north) * part,
                west: from.west + (to.west - from.west) * part,
                east: from.east + (to.east - from.east) * part,
            };
            this.country.draw(1);
            if (time < 1) requestAnimationFrame(step);
        };
        step();
    }

    /** Where the block may be seen of the frame, in pixels.
        @param {Frame} frame */
    rectangle(frame) {
        const {projection} = this.country, {block} = this;
        const left = Math.max(frame.left, projection.column(block.west));
        const right = Math.min(frame.left + frame.wide, projection.column(block.east));
        const top = projection.row(block.north), bottom = projection.row(block.south);
        return {left, top, wide: right - left, high: bottom - top};
    }

    /** Light where the pin may be, dimness elsewhere.
        @param {CanvasRenderingContext2D} context
        @param {Frame} frame */
    draw(context, frame) {
        const {colours, projection} = this.country;
        const {left, top, wide, high} = this.rectangle(frame), {ratio} = frame;
        context.fillStyle = colours.of("dim");
        context.beginPath();
        context.rect(0, 0, context.canvas.width, context.canvas.height);
        context.rect(left, top, wide, high);
        context.fill("evenodd");
        context.fillStyle = colours.of("ours-pale");
        context.fillRect(left, top, wide, high);
        context.strokeStyle = colours.of("ours");
        context.lineWidth = 2.5 * ratio;
        context.strokeRect(left + ratio, top + ratio, wide - 2 * ratio, high - 2 * ratio);
        const x = projection.x(this.pin.lon), y = projection.y(this.pin.lat);
        if (this.size < LENS_FROM) this.drawPin(context, x, y, ratio);
        else this.drawLens(context, frame, x, y);
    }

    /** @param {CanvasRenderingContext2D} context
        @param {number} x
        @param {number} y
        @param {number} scale */
    drawPin(context, x, y, scale) {
        const {colours} = this.country;
        context.save();
        context.translate(x, y);
        context.scale(scale, scale);
        context.beginPath();
        context.moveTo(0, 0);
        context.bezierCurveTo(-3, -7, -9, -9, -9, -16);
        context.arc(0, -16, 9, Math.PI, 0);
        context.bezierCurveTo(9, -9, 3, -7, 0, 0);
        context.fillStyle = colours.of("pin");
        context.fill();
        context.lineWidth = 1.8;
        context.strokeStyle = colours.of("page");
        context.stroke();
        context.beginPath();
        context.arc(0, -16, 3.4, 0, 7);
        context.fillStyle = colours.of("page");
        context.fill();
        context.restore();
    }

    /** The block, its cells and the pin in it, enlarged in the corner that is farther away.
        @param {CanvasRenderingContext2D} context
        @param {Frame} frame
        @param {number} x of the pin
        @param {number} y of the pin */
    drawLens(context, frame, x, y) {
        const {colours} = this.country, {ratio} = frame, {width, height} = context.canvas;
        const side = Math.min(height * 0.56, width * 0.34), margin = 10 * ratio;
        const isRight = x < width * 0.55;
        const lensLeft = isRight ? width - side - margin : margin, lensTop = height - side - margin;
        const {left, top, wide, high} = this.rectangle(frame);
        const middleX = left + wide / 2, middleY = top + high / 2;
        const zoom = Math.min(0.66 * side / wide, 0.6 * side / high);
        // Two lines from the block to its enlargement.
        const [from, to] = isRight ? [left + wide, lensLeft] : [left, lensLeft + side];
        context.strokeStyle = colours.of("ours");
        context.globalAlpha = 0.6;
        context.lineWidth = ratio;
        context.beginPath();
        context.moveTo(from, top);
        context.lineTo(to, lensTop);
        context.moveTo(from, top + high);
        context.lineTo(to, lensTop + side);
        context.stroke();
        context.globalAlpha = 1;
        context.save();
        context.beginPath();
        context.roundRect(lensLeft, lensTop, side, side, 8 * ratio);
        context.clip();
        context.fillStyle = colours.of("land");
        context.fillRect(lensLeft, lensTop, side, side);
        context.translate(lensLeft + side / 2, lensTop + side / 2);
        context.scale(zoom, zoom);
        context.translate(-middleX, -middleY);
        this.drawCells(context, {left, top, wide, high}, ratio / zoom);
        this.drawPin(context, x, y, ratio / zoom);
        context.restore();
        context.strokeStyle = colours.of("ours");
        context.lineWidth = 1.5 * ratio;
        context.beginPath();
        context.roundRect(lensLeft, lensTop, side, side, 8 * ratio);
        context.stroke();
        context.fillStyle = colours.of("ours");
        context.beginPath();
        context.arc(x, y, 3 * ratio, 0, 7);
        context.fill();
        this.drawLensWords(context, lensLeft + side / 2, lensTop, side, ratio);
    }

    /** The block in the lens, with the lines between its cells.
        @param {CanvasRenderingContext2D} context
        @param {{left: number, top: number, wide: number, high: number}} rectangle
        @param {number} unit */
    drawCells(context, {left, top, wide, high}, unit) {
        const {colours, projection} = this.country, {block} = this;
        context.fillStyle = colours.of("ours-pale");
        context.fillRect(left, top, wide, high);
        context.strokeStyle = colours.of("ours");
        context.globalAlpha = 0.55;
        context.lineWidth = 0.7 * unit;
        context.beginPath();
        for (let column = Math.ceil(block.west); column <= block.east; column++) {
            context.moveTo(projection.column(column), top);
            context.lineTo(projection.column(column), top + high);
        }
        for (let row = Math.ceil(block.south); row <= block.north; row++) {
            context.moveTo(left, projection.row(row));
            context.lineTo(left + wide, projection.row(row));
        }
        context.stroke();
        context.globalAlpha = 1;
        context.lineWidth = 2.5 * unit;
        context.strokeRect(left, top, wide, high);
    }

    /** How many reports come from the block, and how many cells it has: both are public.
        @param {CanvasRenderingContext2D} context
        @param {number} x
        @param {number} top
        @param {number} side
        @param {number} ratio */
    drawLensWords(context, x, top, side, ratio) {
        const {colours} = this.country;
        const above = this.reportsText(this.atlas.reportsOf(this.home));
        const below = this.words.lens.replace("{cells}", String(this.cells));
        context.font = `600 ${LENS_WORDS_PX * ratio}px ${colours.font}`;
        context.textAlign = "center";
        context.lineJoin = "round";
        context.lineWidth = 3 * ratio;
        context.strokeStyle = colours.of("halo");
        context.fillStyle = colours.of("ink");
        context.strokeText(above, x, top + 19 * ratio);
        context.fillText(above, x, top + 19 * ratio);
        context.strokeText(below, x, top + side - 8 * ratio);
        context.fillText(below, x, top + side - 8 * ratio);
        context.textAlign = "left";
    }
}

/** The pin of this tab; null where there is none, or where the browser keeps nothing.
    @returns {Place | null} */
function keptPin() {
    try {
        const {lat, lon} = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
        return Number.isFinite(lat) && Number.isFinite(lon) ? {lat, lon} : null;
    } catch {
        return null;
    }
}

/** @param {Place} place */
function keepPin(place) {
    try {
        sessionStorage.setItem(KEY, JSON.stringify(place));
    } catch {
        // A browser that keeps nothing has it until the page is left.
    }
}
