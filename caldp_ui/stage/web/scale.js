/* The legend: the colour scale as a strip between its ends, and what lines mean; never on data. */

import {el, say} from "./dom.js";

const colour = (ramp, part) => {
    const level = 1 + Math.round(part * (ramp.length / 3 - 2));
    return `rgb(${ramp.subarray(3 * level, 3 * level + 3).join()})`;
};

export class Legend {
    constructor() {
        this.title = el("span");
        this.low = el("span");
        this.high = el("span");
        this.strip = el("i", {className: "strip"});
        this.scale = el("span", {className: "scale"}, this.title, this.low, this.strip, this.high);
        this.keys = el("span", {className: "keys"});
        this.node = el("div", {className: "legend"}, this.scale, this.keys);
    }

    draw({ticks}, ramp) {
        const stops = Array.from({length: 17}, (_, i) => colour(ramp, i / 16));
        this.strip.style.background = `linear-gradient(to right, ${stops.join()})`;
        say(this.low, ticks[0][1]);
        say(this.high, ticks.at(-1)[1]);
    }

    write(text) { say(this.title, text); }

    /** What lines and tints on the maps mean, as pairs of a mark and its words. */
    explain(marks) {
        this.keys.replaceChildren(...marks.map(([mark, words]) =>
            el("span", {}, el("i", {className: mark}), words)));
    }
}

/** The same strip on a canvas, for a saved picture; x, y: its left end and its middle. */
export function drawScale(context, {ticks}, ramp, title, x, y, {size, ink, font}) {
    context.font = `${size}px ${font}`;
    context.textAlign = "left";
    context.textBaseline = "middle";
    let at = x;
    const word = text => {
        context.fillStyle = ink;
        context.fillText(text, at, y);
        at += context.measureText(text).width + 0.6 * size;
    };
    word(title);
    word(ticks[0][1]);
    const wide = 9 * size;
    for (let i = 0; i < 256; i++) {
        context.fillStyle = colour(ramp, i / 255);
        context.fillRect(at + i / 256 * wide, y - 0.35 * size, wide / 256 + 1, 0.7 * size);
    }
    at += wide + 0.6 * size;
    word(ticks.at(-1)[1]);
}
