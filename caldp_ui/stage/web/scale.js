/* The colour scale as a thin strip inside of a picture, with words for ticks. */

import {el, say} from "./dom.js";

/** {node, write(title)}: the strip over the lower left of a picture. */
export function makeScale({low, high, ticks}, colours) {
    const stops = Array.from({length: 17}, (_, i) => {
        const level = 1 + Math.round(i / 16 * (colours.length / 3 - 2));
        return `rgb(${colours.subarray(3 * level, 3 * level + 3).join()})`;
    });
    const strip = el("div", {className: "strip"});
    strip.style.background = `linear-gradient(to right, ${stops.join()})`;
    const title = el("div", {className: "scale-title"});
    const words = ticks.map(([share, text]) => {
        const tick = el("span", {}, text);
        tick.style.setProperty("--at", Math.log(share / low) / Math.log(high / low));
        return tick;
    });
    const node = el("div", {className: "scale"}, title, strip,
        el("div", {className: "ticks"}, ...words));
    return {node, write: text => say(title, text)};
}

/** The same strip on a canvas, for a saved picture; x, y: its lower left corner. */
export function drawScale(context, {low, high, ticks}, colours, title, x, y, unit) {
    const wide = 26 * unit, high_ = 0.9 * unit, levels = colours.length / 3 - 1;
    const font = size => `${size * unit}px 'Source Sans', sans-serif`;
    context.fillStyle = "rgba(10,20,36,0.8)";
    context.fillRect(x, y - 6 * unit, wide + 2 * unit, 6 * unit);
    const left = x + unit, top = y - 3.2 * unit;
    for (let i = 0; i < 256; i++) {
        const level = 1 + Math.round(i / 255 * (levels - 1));
        context.fillStyle = `rgb(${colours.subarray(3 * level, 3 * level + 3).join()})`;
        context.fillRect(left + i / 256 * wide, top, wide / 256 + 1, high_);
    }
    context.fillStyle = "#eef2f7";
    context.textBaseline = "alphabetic";
    context.font = font(1.25);
    context.textAlign = "left";
    context.fillText(title, left, top - 0.7 * unit);
    for (const [share, text] of ticks) {
        const at = Math.log(share / low) / Math.log(high / low);
        context.textAlign = at < 0.1 ? "left" : at > 0.9 ? "right" : "center";
        context.fillText(text, left + at * wide, top + 2.4 * unit);
    }
}
