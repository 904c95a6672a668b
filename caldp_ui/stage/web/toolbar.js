/* Two bars of buttons: the views before the maps; tools, undo, zoom, style and picture behind them,
   with what the tool in hand will do. Each bar is one stop of the tab key: arrows go from button to
   button. */

import {button, el, setText} from "./dom.js";
import {saveImage, shared} from "./image.js";
import {takeLines} from "./lines.js";
import {LOOKS} from "./looks.js";
import {TOOLS} from "./tools.js";

/** @import {Stage} from "./stage.js"
    @import {Tools} from "./tools.js" */

/** Degrees: cells from this size on have coasts and borders for orientation. */
const LINES_BELOW = 0.05;

export class Toolbar {
    /** Whether the tools are unfolded on a narrow screen. */
    open = false;
    /** @type {string | undefined} The actions that have chips. */
    chipsKey;

    /** @param {Stage} stage */
    constructor(stage) {
        this.stage = stage;
        const {tools, looks} = stage;
        /** @type {(label: string, name: string, ...buttons: Element[]) => HTMLElement} */
        const group = (label, name, ...buttons) =>
            el("div", {role: "group", "aria-label": label, className: `group ${name}`}, ...buttons);
        /** @type {(entries: string[][], does: (id: string) => void) =>
            Known<string, HTMLButtonElement>} */
        const each = (entries, onPress) => /** @type {any} */ (new Map(entries.map(([id, words]) =>
            [id, button(id, words, () => onPress(id), true)])));
        this.looks = each(LOOKS, look => looks.choose(look));
        this.tools = each(TOOLS, tool => tools.take(tool));
        this.undo = button("undo", "Undo", () => this.act("undo"), true);
        this.redo = button("redo", "Redo", () => this.act("redo"), true);
        this.move = button("move", "Move the maps with one finger", () => this.toggleMove(), true);
        this.move.classList.add("by-finger");
        this.more = button("tools", "Tools", () => this.unfold(), true);
        this.more.classList.add("more");
        this.style = button("style", "Light maps", () => stage.styles.toggle(), true);
        this.zoom = group("Zoom", "zoom",
            button("plus", "Zoom in", () => stage.view.zoomAt(1.5), true),
            button("minus", "Zoom out", () => stage.view.zoomAt(1 / 1.5), true),
            button("fit", "Show the whole map", () => stage.view.fitHome(), true),
            this.style, this.move);
        this.save = button("save", "Picture", () => this.keep(), true);
        this.save.title = "Save what you see as a picture";
        this.file = el("input", {type: "file", accept: ".json,.geojson", hidden: true,
            onchange: () => this.addLines()});
        this.lines = button("lines", "Your lines", () => this.file.click(), true);
        this.lines.title = "Your own lines for orientation, such as rivers: GeoJSON. They stay in "
            + "this browser, and in pictures that you save.";
        this.internal = button("lock", "Internal picture, with the truth",
            () => this.keep(true), true);
        this.views = el("div", {role: "toolbar", className: "views", "aria-label": "View"},
            group("View", "looks words", ...this.looks.values()), this.more, looks.leaveButton);
        this.node = el("div", {role: "toolbar", className: "bar", "aria-label": "Tools"},
            el("div", {className: "drawing"},
                group("Tool", "tools words", ...this.tools.values()),
                group("Changes", "changes", this.undo, this.redo),
                group("Keep", "keep", this.lines, this.save, this.internal), this.file),
            this.zoom);
        this.actions = group("What it is for", "actions");
        this.sentence = el("span", {className: "sentence"});
        this.hint = el("div", {className: "hint"}, this.actions, this.sentence);
        for (const part of [this.views, this.node, this.actions]) {
            part.addEventListener("keydown", event => moveFocus(part, event));
            part.addEventListener("focusin", event => setTabStop(part, event.target));
        }
    }

    /** @param {"undo" | "redo"} action */
    act(action) {
        this.stage.outbox.add("act", {tool: action, action});
        this.update();
    }

    /** @param {string} selector */
    part(selector) { return /** @type {HTMLElement} */ (this.node.querySelector(selector)); }

    /** The lines below a picture are of the page's own step: a film that plays goes back to it. */
    keep(isInternal = false) {
        if (this.stage.film.timer) this.stage.film.finish();
        saveImage(this.stage, isInternal);
    }

    /** Lines of the chosen file on all maps; the legend says so. */
    async addLines() {
        const [file] = this.file.files ?? [], {stage} = this;
        if (!file) return;
        await takeLines(file);
        this.file.value = "";
        stage.readout.update(stage.data);
        stage.layer.forget();
        stage.requestPaint();
    }

    /** On a narrow screen the tools are folded up; a user of one sees them all. */
    unfold() {
        this.open = !this.open;
        if (!this.open) this.stage.tools.take("look");
        else this.update();
    }

    toggleMove() {
        this.stage.isMoving = !this.stage.isMoving;
        this.update();
    }

    focusLook() { this.looks.get(this.stage.looks.look).focus(); }

    update() {
        const {tools, looks, data, isMoving, root} = this.stage;
        for (const [look, element] of this.looks) {
            setPressed(element, look === looks.look);
            element.hidden = look === "error" && !data.differences.length;
        }
        for (const [tool, element] of this.tools) {
            setPressed(element, tool === tools.tool);
            element.hidden = !tools.isOffered(tool);
        }
        this.internal.hidden = !data.image.heldBack;
        this.lines.hidden = this.stage.grid.cell >= LINES_BELOW;
        this.save.hidden = Boolean(data.image.heldBack) && !shared(this.stage).length;
        const edits = data.actions.length > 0;
        this.part(".tools").hidden = data.actions.every(
            ({effects}) => Object.keys(effects).every(tool => tool === "look"));
        this.part(".changes").hidden = !edits;
        // What is on its way to Python can be taken back before the answer is there.
        const {outbox} = this.stage;
        this.undo.disabled = !data.undo && !outbox.hasAct(({tool}) => tool !== "undo");
        this.redo.disabled = !data.redo && !outbox.hasAct(({tool}) => tool === "undo");
        setPressed(this.move, isMoving);
        const other = this.stage.styles.name === "light" ? "Dark maps" : "Light maps";
        this.style.title = other;
        this.style.setAttribute("aria-label", other);
        // The style shows and hides by it, and stops of the tab key are among what is shown.
        root.dataset.tool = tools.tool;
        this.updateChips(tools);
        setText(this.sentence, tools.sentence);
        this.open ||= tools.isDrawing;
        this.more.setAttribute("aria-expanded", String(this.open));
        root.classList.toggle("open", this.open);
        root.classList.toggle("moving", isMoving);
        for (const part of [this.views, this.node]) setTabStop(part, this.stage.host.activeElement);
    }

    /** One chip an action; kept as long as the same ones are offered, with the focus on them.
        @param {Tools} tools */
    updateChips(tools) {
        const key = tools.actions.map(({id, label}) => `${id} ${label}`).join("\n");
        if (key !== this.chipsKey) {
            this.chipsKey = key;
            this.actions.replaceChildren(...tools.actions.map(({id, label}) => {
                const chip = el("button", {type: "button", onclick: () => tools.choose(id)}, label);
                chip.dataset.action = id;
                return chip;
            }));
        }
        for (const chip of /** @type {Iterable<HTMLElement>} */ (this.actions.children)) {
            setPressed(chip, chip.dataset.action === tools.chosenAction?.id);
        }
        this.actions.hidden = !tools.isDrawing || !tools.actions.length;
        setTabStop(this.actions, this.stage.host.activeElement);
    }
}

/** @type {(made: Element, is: boolean) => void} */
const setPressed = (element, is) => element.setAttribute("aria-pressed", String(is));

/** @type {(part: Element) => HTMLButtonElement[]} */
const usableButtons = part => [...part.querySelectorAll("button")].filter(
    one => !one.disabled && !one.closest("[hidden]") && one.offsetParent !== null);

/** One button of a part is a stop of the tab key: the focused, or the chosen, or the first.
    @param {Element} part
    @param {EventTarget | null} focused */
function setTabStop(part, focused) {
    const all = [...part.querySelectorAll("button")], free = usableButtons(part);
    const current = all.find(one => one.tabIndex === 0 && one !== focused && free.includes(one));
    const stop = free.find(one => one === focused)
        ?? current ?? free.find(one => one.getAttribute("aria-pressed") === "true") ?? free[0];
    for (const one of all) one.tabIndex = one === stop ? 0 : -1;
}

/** A button alone leaves the keys to who else hears them: arrows go along ε while presenting.
    @param {Element} part
    @param {KeyboardEvent} event */
function moveFocus(part, event) {
    const free = usableButtons(part);
    const at = free.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    /** @type {Record<string, number>} */
    const targets = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: free.length - 1};
    const target = targets[event.key];
    if (at < 0 || target === undefined || free.length < 2) return;
    event.preventDefault();
    event.stopPropagation();
    free[(target + free.length) % free.length].focus();
}
