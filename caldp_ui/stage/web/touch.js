/* Fingers on the board. One scrolls the page, unless a drawing tool or "move" is in hand; two zoom
   and move; a tap reads the numbers, and is a click where a page asks for one. */

/** @import {Stage} from "./stage.js"
    @typedef {{x: number, y: number, distance: number}} Pair
    @typedef {{x: number, y: number, time: number}} Tap */

const TAP_PX = 10, TAP_MS = 500;

export class Fingers {
    /** @type {{x: number, y: number} | null} */
    last = null;
    /** @type {Tap | null} */
    tap = null;
    /** @type {Pair | null} */
    pair = null;
    isDrag = false;

    /** @param {Stage} stage */
    constructor(stage) {
        this.stage = stage;
        const {board} = stage.looks, active = {passive: false};
        board.addEventListener("touchstart", event => this.start(event), active);
        board.addEventListener("touchmove", event => this.move(event), active);
        board.addEventListener("touchend", event => this.end(event), active);
        board.addEventListener("touchcancel", () => this.cancel(), active);
    }

    /** @param {Touch} touch */
    at(touch) { return this.stage.looks.placeAt(touch.clientX, touch.clientY); }

    /** @param {TouchEvent} event */
    start(event) {
        if (/** @type {Element} */ (event.target).closest(".divider")) return;
        const {tools} = this.stage, [one] = event.touches;
        if (event.touches.length === 2) {
            preventScroll(event);
            tools.cancel();
            this.tap = null;
            this.pair = this.measure(event.touches);
            return;
        }
        const place = this.at(one);
        if (!place) return;
        this.last = {x: one.clientX, y: one.clientY};
        this.tap = {...this.last, time: event.timeStamp};
        if (tools.isDrawing) {
            preventScroll(event);
            tools.begin(place.cell, place.scale);
        } else if (this.stage.isMoving) preventScroll(event);
    }

    /** @param {TouchList} touches
        @returns {Pair} */
    measure([one, other]) {
        return {
            x: (one.clientX + other.clientX) / 2, y: (one.clientY + other.clientY) / 2,
            distance: Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY),
        };
    }

    /** @param {TouchEvent} event */
    move(event) {
        const {stage} = this, [one] = event.touches;
        if (event.touches.length === 2 && this.pair) {
            preventScroll(event);
            this.pinch(this.pair, this.measure(event.touches));
            return;
        }
        const {tap} = this;
        if (tap && Math.hypot(one.clientX - tap.x, one.clientY - tap.y) > TAP_PX) this.tap = null;
        if (stage.tools.isDrawing && stage.tools.isBusy) {
            preventScroll(event);
            const place = this.at(one);
            if (place) stage.tools.extend(place.cell, place.scale);
            this.isDrag ||= !this.tap;
        } else if (stage.isMoving && this.last) {
            preventScroll(event);
            stage.drag(one.clientX - this.last.x, one.clientY - this.last.y);
        }
        this.last = {x: one.clientX, y: one.clientY};
    }

    /** @param {Pair} pair
        @param {Pair} now */
    pinch(pair, now) {
        const {stage} = this, place = stage.looks.placeAt(now.x, now.y);
        stage.drag(now.x - pair.x, now.y - pair.y);
        if (place && pair.distance) {
            stage.view.zoomAt(now.distance / pair.distance, place.lat, place.lon);
        }
        this.pair = now;
    }

    /** @param {TouchEvent} event */
    end(event) {
        const {tools} = this.stage;
        if (event.touches.length < 2) this.pair = null;
        if (event.touches.length) return;
        if (tools.isBusy) {
            preventScroll(event);
            if (tools.tool === "box" && !this.isDrag) tools.cancel();
            else tools.finish();
        } else if (this.tap && event.timeStamp - this.tap.time < TAP_MS) this.read(event, this.tap);
        this.tap = this.last = null;
        this.isDrag = false;
    }

    /** @param {TouchEvent} event
        @param {Tap} tap */
    read(event, tap) {
        const place = this.stage.looks.placeAt(tap.x, tap.y);
        if (!place) return;
        preventScroll(event);
        this.stage.hoveredId = place.id;
        this.stage.point(place.cell, true);
        this.stage.tools.click(place.cell);
    }

    cancel() {
        this.tap = this.pair = this.last = null;
        this.stage.tools.cancel();
    }
}

/** Keep the page from scrolling, unless it already does and can't be stopped.
    @param {Event} event */
function preventScroll(event) {
    if (event.cancelable) event.preventDefault();
}
