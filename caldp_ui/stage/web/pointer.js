/* Mouse, pen and wheel on the board. Dragging moves the view, or draws if a tool is in hand. */

/** @import {Stage} from "./stage.js"
    @typedef {ReturnType<Stage["looks"]["placeAt"]>} Place */

const WHEEL = 0.0016, CLICK_PX = 4, REST_MS = 250;

export class Pointer {
    /** @type {{x: number, y: number, moved: boolean} | null} Where the pointer was pressed. */
    start = null;
    last = {x: 0, y: 0};
    lastScrollTime = -Infinity;

    /** @param {Stage} stage */
    constructor(stage) {
        this.stage = stage;
        const {board} = stage.looks;
        board.addEventListener("pointerdown", event => this.down(event));
        board.addEventListener("pointermove", event => this.move(event));
        board.addEventListener("pointerup", event => this.up(event));
        board.addEventListener("pointercancel", () => this.cancel());
        board.addEventListener("pointerleave", event => this.leave(event));
        board.addEventListener("dblclick", event => this.doubleClick(event));
        board.addEventListener("wheel", event => this.wheel(event), {passive: false});
        this.onScroll = () => { this.lastScrollTime = performance.now(); };
        document.addEventListener("scroll", this.onScroll, {capture: true, passive: true});
    }

    destroy() { document.removeEventListener("scroll", this.onScroll, {capture: true}); }

    /** @param {MouseEvent} event */
    place(event) {
        const place = this.stage.looks.placeAt(event.clientX, event.clientY);
        if (place) this.stage.hoveredId = place.id;
        return place;
    }

    /** @param {PointerEvent} event */
    down(event) {
        if (event.pointerType === "touch" || event.button !== 0) return;
        const place = this.place(event);
        if (!place) return;
        this.start = {x: event.clientX, y: event.clientY, moved: false};
        this.last = {x: event.clientX, y: event.clientY};
        this.stage.looks.board.setPointerCapture(event.pointerId);
        if (this.stage.tools.isDrawing) this.stage.tools.begin(place.cell, place.scale);
    }

    /** @param {PointerEvent} event */
    move(event) {
        if (event.pointerType === "touch") return;
        const {stage} = this, place = this.place(event);
        const isHeld = this.start && stage.looks.board.hasPointerCapture(event.pointerId);
        if (isHeld && this.start) this.drag(event, place, this.start);
        else if (place) stage.tools.hover(place.cell);
        if (place && !(isHeld && !stage.tools.isDrawing)) stage.point(place.cell, false);
        if (!place && !isHeld) stage.point(-1, false);
    }

    /** @param {PointerEvent} event
        @param {Place} place
        @param {{x: number, y: number, moved: boolean}} start */
    drag(event, place, start) {
        const {stage} = this, {x, y} = this.last;
        start.moved ||= Math.hypot(event.clientX - start.x, event.clientY - start.y) >= CLICK_PX;
        this.last = {x: event.clientX, y: event.clientY};
        if (stage.tools.isDrawing) {
            if (place) stage.tools.extend(place.cell, place.scale);
        } else if (start.moved) {
            stage.looks.board.classList.add("held");
            stage.drag(event.clientX - x, event.clientY - y);
        }
    }

    /** @param {PointerEvent} event */
    up(event) {
        if (event.pointerType === "touch" || !this.start) return;
        const {tools} = this.stage, {moved} = this.start;
        this.release();
        if (!tools.isDrawing) {
            if (!moved) tools.click(this.place(event)?.cell ?? -1);
            return;
        }
        // A box wants a drag: a click alone must not change what is protected.
        if (tools.tool === "box" && !moved) tools.cancel();
        else tools.finish();
    }

    cancel() {
        this.release();
        this.stage.tools.cancel();
    }

    release() {
        this.start = null;
        this.stage.looks.board.classList.remove("held");
    }

    /** @param {PointerEvent} event */
    leave(event) {
        if (event.pointerType === "touch" || this.start) return;
        this.stage.tools.hover(-1);
        this.stage.point(-1, false);
    }

    /** @param {MouseEvent} event */
    doubleClick(event) {
        const place = this.place(event);
        if (place && !this.stage.tools.isDrawing) {
            this.stage.view.zoomAt(event.shiftKey ? 0.5 : 2, place.lat, place.lon);
        }
    }

    /** The wheel zooms, unless it is already scrolling the page past the maps.
        @param {WheelEvent} event */
    wheel(event) {
        const place = this.place(event), {view} = this.stage;
        const isScrolling = performance.now() - this.lastScrollTime < REST_MS;
        if (!place || isScrolling) return;
        if (event.deltaY > 0 && view.zoom <= 1 && !event.ctrlKey) return;
        event.preventDefault();
        const distance = event.deltaY * (event.deltaMode ? 16 : 1) * (event.ctrlKey ? 6 : 1);
        view.zoomAt(Math.exp(-distance * WHEEL), place.lat, place.lon);
    }
}
