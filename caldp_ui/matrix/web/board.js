/* Two tables beside each other: E, whose entries are fields to type into, and what the channel
   leaks. The entry that is pointed at or has the focus is lit in both and told in words below. */

import {el, setText} from "./dom.js";
import {Picture, hub, whenGone} from "./hub.js";
import {Teller} from "./teller.js";

/** @typedef {{cell: HTMLElement, text: HTMLElement, mark: HTMLElement}} Side
    @typedef {{
        limit: Side, leak: Side, field?: HTMLInputElement, follows?: HTMLElement, said: string,
        waits: number | null,
    }} Pair An entry of both tables, and the serial under which what was typed waits to be heard.
    @typedef {"limit" | "leak"} Kind
    @typedef {[x: number, z: number]} Place */

/** @type {WeakMap<Mount, Board>} */
const instances = new WeakMap();
const UPRIGHT_FROM = 66, UPRIGHT_ON_PHONE_FROM = 42;
/** @type {Record<string, [down: number, right: number]>} */
const STEPS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};

/** `told`: what is seen, as a text; `heard`: how far the page has heard what was typed.
    @param {Component<{key: string, told: string, edit: boolean, heard: Message.Heard}>} component */
export default function mount({data: {key, told, edit, heard}, parentElement: parent, setTriggerValue}) {
    const board = instances.get(parent) ?? new Board(parent.querySelector(".board"), edit);
    instances.set(parent, board);
    hub.set(key, board);
    board.teller.emit = setTriggerValue;
    board.take(told);
    board.answer(heard);
    return whenGone(parent, () => {
        board.teller.leave();
        if (hub.get(key) === board) hub.delete(key);
    });
}

class Board extends Picture {
    /** @type {Message.Matrix} */
    data;
    /** @type {string | undefined} The names that the tables are of. */
    form;
    /** @type {Pair[][]} */
    cells = [];
    /** @type {Place | null} */
    lit = null;
    /** @type {Place | null} */
    focused = null;

    /** @param {HTMLElement} root
        @param {boolean} edit */
    constructor(root, edit) {
        super(told => this.paint(JSON.parse(told)));
        this.root = root;
        this.edit = edit;
        root.lang = "en";  // for hyphens
        root.setAttribute("role", "group");
        this.teller = new Teller();
        this.both = el("input", {type: "checkbox"});
        this.mirror = el("label", {className: "mirror", hidden: !edit}, this.both);
        this.tables = el("div", {className: "tables"});
        this.readout = el("p", {className: "readout", role: "status"});
        root.append(this.tables, this.readout);
        this.tables.addEventListener("pointerover", event => this.point(event.target));
        this.tables.addEventListener("pointerleave", () => this.light(this.focused));
        this.tables.addEventListener("focusin", event => this.focus(event.target));
        this.tables.addEventListener("keydown", event => this.move(event));
    }

    /** @param {Message.Matrix} data */
    paint(data) {
        const form = JSON.stringify(data.names);
        this.data = data;
        if (form !== this.form) this.build(data);
        this.form = form;
        this.root.setAttribute("aria-label", data.label);
        data.names.forEach((_, x) => data.names.forEach((_, z) => this.fill(x, z)));
        this.light(this.lit && this.cells[this.lit[0]]?.[this.lit[1]] ? this.lit : null);
    }

    /** @param {Message.Matrix} data */
    build({names, words}) {
        this.cells = names.map(() => []);
        this.lit = this.focused = null;
        /** @type {(kind: Kind) => HTMLElement} */
        const table = kind => {
            const head = el("tr", {}, el("td", {className: "corner"},
                el("span", {}, `${words.row} ↓`), el("span", {}, `${words.against} →`)),
                ...names.map(name => el("th", {scope: "col", title: name}, el("span", {}, name))));
            const rows = names.map((name, x) => el("tr", {},
                el("th", {scope: "row", title: name}, el("span", {}, name)),
                ...names.map((_, z) => this.cell(kind, x, z, names))));
            const caption = el("caption", {}, words[kind]);
            return el("table", {className: kind}, caption, el("thead", {}, head),
                el("tbody", {}, ...rows));
        };
        this.root.style.setProperty("--k", String(names.length));
        const longest = Math.max(...names.join(" ").split(" ").map(word => word.length));
        this.root.style.setProperty("--letters", String(longest));
        // Names of columns stand upright where the longest word has no room across.
        this.root.classList.toggle("upright", longest * names.length > UPRIGHT_FROM);
        this.root.classList.toggle("upright-on-phone", longest * names.length > UPRIGHT_ON_PHONE_FROM);
        this.tables.replaceChildren(table("limit"), table("leak"));
        this.mirror.replaceChildren(this.both, words.both);
        this.tables.querySelector("caption")?.append(this.mirror);
    }

    /** @param {Kind} kind
        @param {number} x
        @param {number} z
        @param {string[]} names */
    cell(kind, x, z, names) {
        const made = el("td", {"data-x": x, "data-z": z});
        const side = {cell: made, text: el("span"), mark: el("small")};
        const pair = this.cells[x][z] ??= {limit: side, leak: side, said: "", waits: null};
        pair[kind] = side;
        if (x === z) made.className = "own";
        if (kind === "limit" && this.edit && x !== z) {
            const field = pair.field = el("input", {type: "text", inputMode: "decimal",
                size: 1, tabIndex: -1, "aria-label": `${names[x]} against ${names[z]}`});
            field.addEventListener("change", () => this.send(x, z, field.value));
            field.addEventListener("focus", () => field.select());
            if (x === 0 && z === 1) field.tabIndex = 0;
            pair.follows = el("small", {});
            made.append(field, pair.follows);
        } else {
            made.append(side.text, side.mark);
        }
        return made;
    }

    /** @param {number} x
        @param {number} z */
    fill(x, z) {
        const {limit, leak} = this.data, pair = this.cells[x][z];
        const said = limit[x][z], done = leak[x][z];
        /** @type {(cell: HTMLElement, colours: [ground: string, ink: string]) => void} */
        const paint = (cell, [ground, ink]) => {
            cell.style.background = ground;
            cell.style.color = ink;
        };
        if (x !== z) paint(pair.limit.cell, said.colours);
        if (x !== z) paint(pair.leak.cell, done.colours);
        pair.limit.cell.classList.toggle("loose", said.follows !== "");
        pair.leak.cell.dataset.mark = done.mark;
        if (pair.field && pair.follows) {
            pair.said = said.text;
            if (!pair.waits) pair.field.value = said.text;
            setText(pair.follows, said.follows);
        } else {
            setText(pair.limit.text, said.text);
            setText(pair.limit.mark, said.follows);
        }
        setText(pair.leak.text, done.text);
        setText(pair.leak.mark, {kept: "✓", broken: "✗", open: "", "": ""}[done.mark]);
    }

    /** @param {number} x
        @param {number} z
        @param {string} text */
    send(x, z, text) {
        this.teller.tell("act", {x, other: z, text, both: this.both.checked});
        this.cells[x][z].waits = this.teller.serial;
    }

    /** The page has heard of the entries that wait no longer: theirs now say what it says.
        @param {Message.Heard} heard */
    answer(heard) {
        this.teller.confirm(heard);
        for (const pair of this.cells.flat()) {
            if (!pair.waits || this.teller.waits(pair.waits)) continue;
            pair.waits = null;
            if (pair.field) pair.field.value = pair.said;
        }
    }

    /** @param {EventTarget | null} target */
    point(target) {
        const place = placeOf(target);
        if (place) this.light(place);
    }

    /** @param {EventTarget | null} target */
    focus(target) {
        const place = placeOf(target);
        if (!place) return;
        this.tables.querySelectorAll("input").forEach(each => { each.tabIndex = -1; });
        /** @type {HTMLElement} */ (target).tabIndex = 0;
        this.focused = place;
        this.light(this.focused);
    }

    /** @param {Place | null} pair */
    light(pair) {
        this.tables.querySelectorAll(".lit").forEach(each => each.classList.remove("lit"));
        this.lit = pair;
        if (!pair) return setText(this.readout, this.data.words[this.edit ? "hint" : "still"]);
        const [x, z] = pair, {limit, leak} = this.cells[x][z];
        limit.cell.classList.add("lit");
        leak.cell.classList.add("lit");
        setText(this.readout, `${this.data.limit[x][z].told} ${this.data.leak[x][z].told}`.trim());
    }

    /** Arrow keys go to the next entry; left and right only past the ends of what is typed.
        @param {KeyboardEvent} event */
    move(event) {
        const step = STEPS[event.key], place = placeOf(event.target);
        if (!step || !place || !(event.target instanceof HTMLInputElement)) return;
        const {selectionStart, selectionEnd, value} = event.target;
        const whole = (selectionEnd ?? 0) - (selectionStart ?? 0) === value.length;
        const end = event.key === "ArrowLeft" ? selectionEnd === 0 : selectionStart === value.length;
        if (step[1] && !whole && !end) return;
        event.preventDefault();
        let [x, z] = place;
        do { x += step[0]; z += step[1]; } while (this.cells[x]?.[z] && x === z);
        this.cells[x]?.[z]?.field?.focus();
    }
}

/** The entry of a table in which an element is.
    @param {EventTarget | null} target
    @returns {Place | null} */
function placeOf(target) {
    const cell = target instanceof Element ? target.closest("td[data-x]") : null;
    const {x, z} = cell instanceof HTMLElement ? cell.dataset : {};
    return cell && [Number(x), Number(z)];
}
