/* Tools in hand: box, brush, blocks. They know cells, and nothing of mice, fingers and keys.
   What comes of it is chosen by an action, whose words come from Python. Without a tool in hand a
   click does nothing, unless an action is offered for "look". */

import {boxPath, cellsPath} from "./ink.js";
import {runsOf} from "./grid.js";

/** @import {Stage} from "./stage.js"
    @import {Span} from "./grid.js"
    @import {Draft} from "./ink.js"
    @typedef {{span?: Span, cells?: Set<number>, block?: number, path?: Draft}} Selection */

export const TOOLS = [["look", "Look"], ["box", "Box"], ["brush", "Brush"], ["blocks", "Blocks"]];
const BRUSH_PX = 7, DRAFT_MS = 4000;

export class Tools {
    /** @type {string | null} The id of the chosen one. */
    action = null;
    /** @type {Selection | null} What is drawn, until Python's answer is there. */
    draft = null;
    startCell = -1;
    lastCell = -1;
    /** @type {number | undefined} */
    timer;

    /** @param {Stage} stage */
    constructor(stage) {
        this.stage = stage;
        this.tool = "look";
        this.isBusy = false;
    }

    get isDrawing() { return this.tool !== "look"; }

    /** Whether a click without a tool in hand does something. */
    get takesClicks() { return !this.isDrawing && this.actions.length > 0; }

    /** Actions that the tool in hand may be used for. */
    get actions() { return this.stage.data.actions.filter(({effects}) => this.tool in effects); }

    get chosenAction() {
        return this.actions.find(({id}) => id === this.action) ?? this.actions[0];
    }

    /** The sentence on what will happen. */
    get sentence() { return this.chosenAction?.effects[this.tool] ?? this.stage.data.hint; }

    /** @param {string} tool */
    isOffered(tool) {
        const {actions, ground} = this.stage.data;
        if (tool === "look") return true;
        return actions.some(({effects}) => tool in effects) && (tool !== "blocks" || ground.labels);
    }

    /** @param {string} tool */
    take(tool) {
        this.tool = tool;
        this.cancel();
        if (this.isDrawing) this.stage.film.stop();
        this.stage.toolbar.update();
    }

    /** @param {string} action */
    choose(action) {
        this.action = action;
        this.stage.toolbar.update();
    }

    /** The hand is over a cell, not pressing: blocks light up.
        @param {number} cell */
    hover(cell) {
        if (this.isBusy || this.tool !== "blocks") return;
        const {labels} = this.stage, block = cell < 0 || !labels ? null : labels[cell];
        if (this.draft?.block === block) return;
        this.draft = block === null ? null : {block};
        this.stage.requestPaint();
    }

    /** @param {number} cell
        @param {number} scale */
    begin(cell, scale) {
        if (cell < 0) return;
        this.isBusy = true;
        this.startCell = cell;
        if (this.tool === "box") this.draft = {span: this.stage.grid.span(cell, cell)};
        if (this.tool === "brush") this.draft = {cells: new Set()};
        if (this.tool === "blocks") this.draft = {block: this.stage.labels?.[cell]};
        if (this.tool === "brush") this.paint(cell, cell, scale);
        this.lastCell = cell;
        this.stage.requestPaint();
    }

    /** @param {number} cell
        @param {number} scale */
    extend(cell, scale) {
        if (!this.isBusy || cell < 0) return;
        if (this.tool === "box") this.draft = {span: this.stage.grid.span(this.startCell, cell)};
        if (this.tool === "brush") this.paint(this.lastCell, cell, scale);
        this.lastCell = cell;
        this.stage.requestPaint();
    }

    /** All cells that a brush of a finger's width touches on the way.
        @param {number} from
        @param {number} to
        @param {number} scale */
    paint(from, to, scale) {
        const {grid} = this.stage, cells = new Set(this.draft?.cells);
        const reach = scale ? Math.max(0, BRUSH_PX / (scale * grid.cell) - 0.5) : 0;
        const [r0, c0, r1, c1] = [grid.row(from), grid.column(from), grid.row(to), grid.column(to)];
        const steps = Math.max(Math.abs(r1 - r0), Math.abs(c1 - c0), 1), whole = Math.ceil(reach);
        for (let i = 0; i <= steps; i++) {
            const row = Math.round(r0 + (r1 - r0) * i / steps);
            const column = Math.round(c0 + (c1 - c0) * i / steps);
            for (let up = -whole; up <= whole; up++) {
                for (let right = -whole; right <= whole; right++) {
                    if (Math.hypot(up, right * grid.longitudeScale) > reach + 0.01) continue;
                    const [r, c] = [row + up, column + right];
                    const inside = r >= 0 && r < grid.rows && c >= 0 && c < grid.columns;
                    if (inside) cells.add(r * grid.columns + c);
                }
            }
        }
        this.draft = {cells};
    }

    /** A click on a cell with no tool in hand.
        @param {number} cell */
    click(cell) {
        if (cell < 0 || !this.takesClicks) return;
        this.stage.film.stop();
        this.draft = {cells: new Set([cell])};
        this.isBusy = true;
        this.finish();
    }

    /** Hand the result to Python; what was drawn stays until Python's answer is there. */
    finish() {
        if (!this.isBusy) return;
        this.isBusy = false;
        const {draft, stage, tool} = this, action = this.chosenAction;
        if (!draft || !action) return this.cancel();
        /** @type {Record<string, unknown>} */
        const result = {tool, action: action.id};
        if (draft.span) result.box = stage.grid.box(draft.span);
        if (draft.cells) result.cells = runsOf(draft.cells);
        if (draft.block !== undefined) result.block = draft.block;
        stage.outbox.add("act", result);
        stage.toolbar.update();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.settle(), DRAFT_MS);
    }

    /** New data are there: what was drawn is now in them. */
    settle() {
        clearTimeout(this.timer);
        if (!this.isBusy) this.draft = null;
        this.stage.requestPaint();
    }

    cancel() {
        this.isBusy = false;
        this.draft = null;
        this.stage.requestPaint();
    }

    /** {fill, edge}: the draft as paths in degrees. */
    path() {
        const {draft, stage} = this, {grid, labels} = stage;
        if (!draft) return null;
        if (draft.span && !draft.path) {
            const box = boxPath(grid.box(draft.span));
            draft.path = {fill: box, edge: box};
        }
        const {cells, block} = draft;
        /** @type {(cell: number) => boolean} */
        const inside = cells ? cell => cells.has(cell) : cell => labels?.[cell] === block;
        draft.path ??= {fill: cellsPath(grid, inside), edge: grid.setBorders(inside)[1]};
        return draft.path;
    }
}
