/* The legend: the colour scale as a strip between its ends, and what lines mean; never on data. */

import {el, setText} from "./dom.js";

/** @import {Context} from "./ink.js" */

/** @type {(ramp: Uint8Array, part: number) => string} */
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
        /** Whether squares of averages have borders instead of a veil. */
        this.isOutlined = false;
        /** @type {string | undefined} */
        this.marksKey = undefined;
        this.node = el("div", {className: "legend"}, this.scale, this.keys);
    }

    /** @param {Message.Scale} scale
        @param {Uint8Array} ramp */
    draw({ticks}, ramp) {
        const stops = Array.from({length: 17}, (_, i) => colour(ramp, i / 16));
        this.strip.style.background = `linear-gradient(to right, ${stops.join()})`;
        setText(this.low, ticks[0][1]);
        setText(this.high, ticks[ticks.length - 1][1]);
    }

    /** @param {string} text */
    write(text) { setText(this.title, text); }

    /** What lines and tints on the maps mean, as pairs of a mark and its words; a mark with `other`
        words is a switch between both.
        @param {string[][]} marks
        @param {() => void} onSwitch */
    explain(marks, onSwitch) {
        const key = JSON.stringify(marks);
        if (key === this.marksKey) return;
        this.marksKey = key;
        this.keys.replaceChildren(...marks.map(([mark, words, other]) => other
            ? this.switchOf(words, other, onSwitch)
            : el("span", {}, el("i", {className: mark}), words)));
    }

    /** Hide the words of lines that the maps leave out; their room stays.
        @param {string[]} marks */
    leaveOut(marks) {
        for (const key of /** @type {HTMLElement[]} */ (Array.from(this.keys.children))) {
            key.style.visibility = marks.includes(key.children[0].className) ? "hidden" : "";
        }
    }

    /** @param {string} veiled
        @param {string} outlined
        @param {() => void} onSwitch */
    switchOf(veiled, outlined, onSwitch) {
        const sign = el("i"), words = el("span");
        const show = () => {
            sign.className = this.isOutlined ? "squares" : "pooled";
            setText(words, this.isOutlined ? outlined : veiled);
        };
        show();
        return el("button", {type: "button", title: "Dots or squares", onclick: () => {
            this.isOutlined = !this.isOutlined;
            show();
            onSwitch();
        }}, sign, words);
    }
}

/** The same strip on a canvas, for a saved picture; x, y: its left end and its middle.
    @param {Context} context
    @param {Message.Scale} scale
    @param {Uint8Array} ramp
    @param {string} title
    @param {number} x
    @param {number} y
    @param {{size: number, ink: string, font: string}} look */
export function drawScale(context, {ticks}, ramp, title, x, y, {size, ink, font}) {
    context.font = `${size}px ${font}`;
    context.textAlign = "left";
    context.textBaseline = "middle";
    let at = x;
    /** @param {string} text */
    const word = text => {
        context.fillStyle = ink;
        context.fillText(text, at, y);
        at += context.measureText(text).width + 0.6 * size;
    };
    word(title);
    word(ticks[0][1]);
    const stripWidth = 9 * size;
    for (let i = 0; i < 256; i++) {
        context.fillStyle = colour(ramp, i / 255);
        const x = at + i / 256 * stripWidth;
        context.fillRect(x, y - 0.35 * size, stripWidth / 256 + 1, 0.7 * size);
    }
    at += stripWidth + 0.6 * size;
    word(ticks[ticks.length - 1][1]);
}
