/* Before and after: one map, two pictures, and a divider that a hand or the arrow keys move. */

import {clamp, el} from "./dom.js";
import {Pane, Subtitle, paintHand, paintPicture} from "./panes.js";

const NUDGE = 0.02;

export class Swipe extends Pane {
    constructor(stage) {
        super("swipe");
        this.stage = stage;
        this.at = 0.5;
        this.figure.classList.add("swipe");
        this.other = el("span", {className: "other"});
        this.title.parentElement.append(this.other);
        this.otherTitle = el("b");
        this.otherSubtitle = new Subtitle();
        this.other.append(this.otherTitle, this.otherSubtitle.node);
        this.handle = el("div", {
            className: "divider", role: "slider", tabIndex: 0, "aria-label": "Divider",
            "aria-valuemin": 0, "aria-valuemax": 100, "aria-orientation": "horizontal",
        });
        const grip = el("span", {className: "grip"});
        grip.append("‹ ›");
        this.handle.append(grip);
        this.frame.append(this.handle);
        this.handle.addEventListener("pointerdown", event => this.hold(event));
        this.handle.addEventListener("pointermove", event => this.drag(event));
        this.handle.addEventListener("keydown", event => this.press(event));
        this.set(0.5);
    }

    set(at) {
        this.at = clamp(at, 0, 1);
        const percent = Math.round(100 * this.at);
        this.handle.style.left = `${100 * this.at}%`;
        this.handle.setAttribute("aria-valuenow", percent);
        const [left, right] = this.names ?? ["", ""];
        this.handle.setAttribute("aria-valuetext",
            `${percent} % of the width is ${left}, the rest ${right}`);
        this.stage.dirty();
    }

    hold(event) {
        event.stopPropagation();
        this.handle.setPointerCapture(event.pointerId);
        this.handle.focus({preventScroll: true});
    }

    drag(event) {
        event.stopPropagation();
        if (!this.handle.hasPointerCapture(event.pointerId)) return;
        const {left, width} = this.frame.getBoundingClientRect();
        this.set((event.clientX - left) / width);
    }

    press(event) {
        const to = {
            ArrowLeft: this.at - NUDGE, ArrowDown: this.at - NUDGE, ArrowRight: this.at + NUDGE,
            ArrowUp: this.at + NUDGE, Home: 0, End: 1,
        }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        this.set(to);
    }

    /** Both pictures' words: the left one's first. */
    writePair(left, right) {
        const alt = `On the left: ${left.alt} On the right, ${right.title}: ${right.alt}`;
        this.write({...left, alt});
        this.otherTitle.textContent = right.title;
        this.otherSubtitle.write(right.subtitle);
        this.names = [left.title, right.title];
        this.set(this.at);
    }

    paint() {
        const {stage} = this, [left, right] = stage.data.swipe.map(id => stage.pictures.get(id));
        const context = this.canvas.getContext("2d"), {width, height} = this.canvas;
        const projection = stage.view.projection(width, height);
        paintPicture(context, left, projection, stage, this.ratio, [0, this.at]);
        paintPicture(context, right, projection, stage, this.ratio, [this.at, 1]);
        paintHand(context, projection, stage, this.ratio);
    }
}
