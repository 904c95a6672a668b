/* The board by keyboard: a cell cursor that reads numbers and draws, and the view. */

/** @import {Stage} from "./stage.js" */

const FAST_STEPS = 10, ZOOM = 1.5, PAN_PX = 60;

/** What a screen reader says about the keys. */
export const KEYS_HELP = "Arrow keys move the cursor from cell to cell, with Control ten cells. "
    + "Plus and minus zoom, Shift with arrows moves the maps, 0 shows the whole map. With a "
    + "tool in hand, Space or Enter starts and ends a box or a stroke and takes a block; where a "
    + "page asks for a place, they take the cell. "
    + "Escape gives up.";
/** @type {Record<string, [north: number, east: number]>} */
const ARROWS = {ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};

export class Keys {
    /** @param {Stage} stage */
    constructor(stage) {
        this.stage = stage;
        const {board} = stage.looks;
        board.addEventListener("keydown", event => this.press(event));
        board.addEventListener("focus", () => this.focus());
        board.addEventListener("blur", () => { stage.isSpeaking = false; });
    }

    /** A keyboard user finds a cursor; a click brings its own. */
    focus() {
        if (this.stage.looks.board.matches(":focus-visible") && this.stage.cursor < 0) {
            this.stage.point(this.middle(), true);
        }
    }

    middle() {
        const {grid, view} = this.stage;
        return grid.cellAt(view.lat, view.lon);
    }

    /** @param {KeyboardEvent} event */
    press(event) {
        if (event.altKey || event.metaKey) return;
        if (event.target !== this.stage.looks.board) return;
        if (!this.handle(event)) return;
        event.preventDefault();
        event.stopPropagation();
    }

    /** @param {KeyboardEvent} event */
    handle(event) {
        const {stage} = this, {view, tools} = stage, arrow = ARROWS[event.key];
        if (arrow && event.shiftKey) stage.drag(-arrow[1] * PAN_PX, arrow[0] * PAN_PX);
        else if (arrow) this.step(arrow, event.ctrlKey ? FAST_STEPS : 1);
        else if (event.key === "+" || event.key === "=") this.zoom(ZOOM);
        else if (event.key === "-" || event.key === "_") this.zoom(1 / ZOOM);
        else if (event.key === "0") view.fitHome();
        else if (event.key === "Escape") return this.giveUp();
        else if (![" ", "Enter"].includes(event.key)) return false;
        else if (tools.isDrawing) this.take();
        else if (tools.takesClicks) this.click();
        else return false;
        return true;
    }

    /** @param {number} factor */
    zoom(factor) {
        const {stage} = this;
        const center = stage.cursor >= 0 ? stage.grid.middle(stage.cursor) : stage.view;
        stage.view.zoomAt(factor, center.lat, center.lon);
    }

    /** @param {number[]} arrow
        @param {number} distance */
    step([north, east], distance) {
        const {stage} = this;
        const from = stage.cursor < 0 ? this.middle() : stage.cursor;
        const to = stage.grid.step(from, north * distance, east * distance);
        stage.point(to, true);
        this.follow(to);
        if (stage.tools.isBusy) stage.tools.extend(to, 0);
        else stage.tools.hover(to);
    }

    /** The view comes along with a cursor that leaves it.
        @param {number} cell */
    follow(cell) {
        const {stage} = this, {lat, lon} = stage.grid.middle(cell);
        const {canvas} = stage.looks.panes.get(stage.looks.visibleIds()[0]);
        const {x, y} = stage.view.projection(canvas.width, canvas.height);
        const inside = x(lon) > 0 && x(lon) < canvas.width && y(lat) > 0 && y(lat) < canvas.height;
        if (!inside) stage.view.set({lat, lon});
    }

    take() {
        const {stage} = this, {tools} = stage;
        if (stage.cursor < 0) stage.point(this.middle(), true);
        const isStart = !tools.isBusy && tools.tool !== "blocks";
        if (!tools.isBusy) tools.begin(stage.cursor, 0);
        if (!isStart) tools.finish();
        stage.readout.announce(isStart ? "Started here. Move, then press Space again."
            : `${tools.chosenAction?.label ?? ""}: done.`);
    }

    click() {
        const {stage} = this, {tools} = stage;
        if (stage.cursor < 0) stage.point(this.middle(), true);
        tools.click(stage.cursor);
        stage.readout.announce(`${tools.chosenAction.label}: done.`);
    }

    giveUp() {
        const {stage} = this, {tools} = stage;
        if (tools.isBusy) tools.cancel();
        else if (tools.isDrawing) tools.take("look");
        else return false;
        return true;
    }
}
