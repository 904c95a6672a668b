/* Before and after: one map, two pictures, and a divider that pointer or arrow keys move. */

import {clamp, el, setText} from "./dom.js";
import {contextOf} from "./ink.js";
import {Pane, paintHand, paintPicture} from "./panes.js";

/** @import {Caption} from "./panes.js"
    @import {Stage} from "./stage.js" */

const NUDGE = 0.02, FREE_PX = 12;

export class Swipe extends Pane {
    /** @type {string[] | undefined} */
    names;

    /** @param {Stage} stage */
    constructor(stage) {
        super("swipe");
        this.stage = stage;
        this.at = 0.5;
        this.figure.classList.add("swipe");
        this.tags = ["before", "after"].map(side => el("span", {className: `label ${side}`}));
        this.frame.append(...this.tags);
        this.handle = el("div", {
            className: "divider", role: "slider", tabIndex: 0, "aria-label": "Divider",
            "aria-valuemin": 0, "aria-valuemax": 100, "aria-orientation": "horizontal",
        });
        this.handle.append(el("span", {className: "grip"}, "‹ ›"));
        this.frame.append(this.handle);
        this.handle.addEventListener("pointerdown", event => this.hold(event));
        this.handle.addEventListener("pointermove", event => this.drag(event));
        this.handle.addEventListener("keydown", event => this.press(event));
        this.set(0.5);
    }

    /** @param {number} at */
    set(at) {
        this.at = clamp(at, 0, 1);
        const percent = Math.round(100 * this.at);
        this.frame.style.setProperty("--at", String(this.at));
        this.handle.setAttribute("aria-valuenow", String(percent));
        const [left, right] = this.names ?? ["", ""];
        this.handle.setAttribute("aria-valuetext",
            `${percent} % of the width is ${left}, the rest ${right}`);
        this.stage.requestPaint();
    }

    /** @param {PointerEvent} event */
    hold(event) {
        event.stopPropagation();
        this.handle.setPointerCapture(event.pointerId);
        this.handle.focus({preventScroll: true});
    }

    /** @param {PointerEvent} event */
    drag(event) {
        event.stopPropagation();
        if (!this.handle.hasPointerCapture(event.pointerId)) return;
        const {left, width} = this.frame.getBoundingClientRect();
        this.set((event.clientX - left) / width);
    }

    /** @param {KeyboardEvent} event */
    press(event) {
        /** @type {Record<string, number>} */
        const targets = {
            ArrowLeft: this.at - NUDGE, ArrowDown: this.at - NUDGE, ArrowRight: this.at + NUDGE,
            ArrowUp: this.at + NUDGE, Home: 0, End: 1,
        };
        const target = targets[event.key];
        if (target === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        this.set(target);
    }

    /** Both pictures' words: the left one's first.
        @param {Caption} left
        @param {Caption} right */
    writePair(left, right) {
        const alt = `On the left: ${left.alt} On the right, ${right.title}: ${right.alt}`;
        this.write({...left, alt, labels: []});
        [left, right].forEach(({title, fact}, i) =>
            setText(this.tags[i], fact ? `${title}: ${fact[0]}` : title));
        this.names = [left.title, right.title];
        this.set(this.at);
    }

    /** Names keep off the divider and its labels, or go to the other side of their dots. */
    get reserved() {
        const {clientWidth, clientHeight} = this.frame, middle = this.at * clientWidth;
        return [[middle - FREE_PX, middle + FREE_PX, 0, clientHeight],
            ...this.boxes([...this.tags, ...this.overlays])];
    }

    paint() {
        const {stage} = this, [left, right] = stage.data.swipe.map(id => stage.pictures.get(id));
        const context = contextOf(this.canvas), {width, height} = this.canvas;
        const projection = stage.view.projection(width, height);
        const {reserved} = this;
        paintPicture(context, left, projection, stage, this.ratio, reserved, [0, this.at]);
        paintPicture(context, right, projection, stage, this.ratio, reserved, [this.at, 1]);
        paintHand(context, projection, stage, this.ratio);
    }
}
