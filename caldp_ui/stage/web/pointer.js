/* Mouse, pen and wheel on the board. Dragging moves the view, or draws if a tool is in hand. */

const WHEEL = 0.0016, CLICK_PX = 4, REST_MS = 250;

export class Pointer {
    constructor(stage) {
        this.stage = stage;
        const {board} = stage.looks, on = (name, does, options) =>
            board.addEventListener(name, does.bind(this), options);
        on("pointerdown", this.down);
        on("pointermove", this.move);
        on("pointerup", this.up);
        on("pointercancel", this.cancel);
        on("pointerleave", this.leave);
        on("dblclick", this.twice);
        on("wheel", this.wheel, {passive: false});
        this.scrolled = () => { this.scrolledAt = performance.now(); };
        document.addEventListener("scroll", this.scrolled, {capture: true, passive: true});
    }

    destroy() { document.removeEventListener("scroll", this.scrolled, {capture: true}); }

    place(event) {
        const place = this.stage.looks.placeAt(event.clientX, event.clientY);
        if (place) this.stage.over = place.id;
        return place;
    }

    down(event) {
        if (event.pointerType === "touch" || event.button !== 0) return;
        const place = this.place(event);
        if (!place) return;
        this.start = {x: event.clientX, y: event.clientY, moved: false};
        this.last = {x: event.clientX, y: event.clientY};
        this.stage.looks.board.setPointerCapture(event.pointerId);
        if (this.stage.tools.drawing) this.stage.tools.begin(place.cell, place.scale);
    }

    move(event) {
        if (event.pointerType === "touch") return;
        const {stage} = this, place = this.place(event);
        const held = this.start && stage.looks.board.hasPointerCapture(event.pointerId);
        if (held) this.drag(event, place);
        else if (place) stage.tools.hover(place.cell);
        if (place && !(held && !stage.tools.drawing)) stage.point(place.cell, false);
        if (!place && !held) stage.point(-1, false);
    }

    drag(event, place) {
        const {stage, start, last} = this, {x, y} = last;
        start.moved ||= Math.hypot(event.clientX - start.x, event.clientY - start.y) >= CLICK_PX;
        this.last = {x: event.clientX, y: event.clientY};
        if (stage.tools.drawing) {
            if (place) stage.tools.extend(place.cell, place.scale);
        } else if (start.moved) {
            stage.looks.board.classList.add("held");
            stage.drag(event.clientX - x, event.clientY - y);
        }
    }

    up(event) {
        if (event.pointerType === "touch" || !this.start) return;
        const {tools} = this.stage, {moved} = this.start;
        this.release();
        if (!tools.drawing) {
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

    leave(event) {
        if (event.pointerType === "touch" || this.start) return;
        this.stage.tools.hover(-1);
        this.stage.point(-1, false);
    }

    twice(event) {
        const place = this.place(event);
        if (place && !this.stage.tools.drawing) {
            this.stage.view.zoomAt(event.shiftKey ? 0.5 : 2, place.lat, place.lon);
        }
    }

    /** The wheel zooms, unless it is already scrolling the page past the maps. */
    wheel(event) {
        const place = this.place(event), {view} = this.stage;
        const passing = performance.now() - (this.scrolledAt ?? -Infinity) < REST_MS;
        if (!place || passing) return;
        if (event.deltaY > 0 && view.zoom <= 1 && !event.ctrlKey) return;
        event.preventDefault();
        const turned = event.deltaY * (event.deltaMode ? 16 : 1) * (event.ctrlKey ? 6 : 1);
        view.zoomAt(Math.exp(-turned * WHEEL), place.lat, place.lon);
    }
}
