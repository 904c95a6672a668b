/* Two tables beside each other: E, whose entries are fields to type into, and what the channel
   leaks. The entry that is pointed at or has the focus is lit in both and described in words below. */

import {el, setText} from "./dom.js";
import {Picture, hub, whenGone} from "./hub.js";
import {Outbox} from "./outbox.js";

/** @typedef {{cell: HTMLElement, text: HTMLElement, mark: HTMLElement}} Side
    @typedef {{
        limit: Side, leak: Side, field?: HTMLInputElement, follows?: HTMLElement, serverText: string,
        waits: number | null,
    }} Pair An entry of both tables, and the serial under which what was typed waits to be heard.
    @typedef {"limit" | "leak"} Kind
    @typedef {[x: number, z: number]} Place */

/** @type {WeakMap<Mount, Board>} */
const instances = new WeakMap();
const UPRIGHT_FROM = 66, UPRIGHT_ON_PHONE_FROM = 42;
/** @type {Record<string, [down: number, right: number]>} */
const STEPS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};

/** `content`: what is seen, as a text; `receipt`: how far the page has heard what was typed.
    @param {Component<{key: string, content: string, edit: boolean,
        receipt: Message.Receipt}>} component */
export default function mount({data, parentElement: parent, setTriggerValue}) {
    const {key, content, edit, receipt} = data;
    const board = instances.get(parent) ?? new Board(parent.querySelector(".board"), edit);
    instances.set(parent, board);
    hub.set(key, board);
    board.outbox.emit = setTriggerValue;
    board.take(content);
    board.answer(receipt);
    return whenGone(parent, () => {
        board.outbox.leave();
        if (hub.get(key) === board) hub.delete(key);
    });
}

class Board extends Picture {
    /** @type {Message.Matrix} */
    data;
    /** @type {string | undefined} The names that the tables are of. */
    namesKey;
    /** @type {Pair[][]} */
    cells = [];
    /** @type {Place | null} */
    highlight = null;
    /** @type {Place | null} */
    focusPlace = null;

    /** @param {HTMLElement} root
        @param {boolean} edit */
    constructor(root, edit) {
        super(content => this.paint(JSON.parse(content)));
        this.root = root;
        this.edit = edit;
        root.lang = "en";  // for hyphens
        root.setAttribute("role", "group");
        this.outbox = new Outbox();
        this.symmetricBox = el("input", {type: "checkbox"});
        this.symmetricLabel = el("label", {className: "mirror", hidden: !edit}, this.symmetricBox);
        this.tables = el("div", {className: "tables"});
        this.readout = el("p", {className: "readout", role: "status"});
        root.append(this.tables, this.readout);
        this.tables.addEventListener("pointerover", event => this.point(event.target));
        this.tables.addEventListener("pointerleave", () => this.light(this.focusPlace));
        this.tables.addEventListener("focusin", event => this.focus(event.target));
        this.tables.addEventListener("keydown", event => this.move(event));
    }

    /** @param {Message.Matrix} data */
    paint(data) {
        const namesKey = JSON.stringify(data.names);
        this.data = data;
        if (namesKey !== this.namesKey) this.build(data);
        this.namesKey = namesKey;
        this.root.setAttribute("aria-label", data.label);
        data.names.forEach((_, x) => data.names.forEach((_, z) => this.fill(x, z)));
        const {highlight} = this;
        this.light(highlight && this.cells[highlight[0]]?.[highlight[1]] ? highlight : null);
    }

    /** @param {Message.Matrix} data */
    build({names, words}) {
        this.cells = names.map(() => []);
        this.highlight = this.focusPlace = null;
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
        this.symmetricLabel.replaceChildren(this.symmetricBox, words.both);
        this.tables.querySelector("caption")?.append(this.symmetricLabel);
    }

    /** @param {Kind} kind
        @param {number} x
        @param {number} z
        @param {string[]} names */
    cell(kind, x, z, names) {
        const element = el("td", {"data-x": x, "data-z": z});
        const side = {cell: element, text: el("span"), mark: el("small")};
        const pair = this.cells[x][z] ??= {limit: side, leak: side, serverText: "", waits: null};
        pair[kind] = side;
        if (x === z) element.className = "own";
        if (kind === "limit" && this.edit && x !== z) {
            const field = pair.field = el("input", {type: "text", inputMode: "decimal",
                size: 1, tabIndex: -1, "aria-label": `${names[x]} against ${names[z]}`});
            field.addEventListener("change", () => this.send(x, z, field.value));
            field.addEventListener("focus", () => field.select());
            if (x === 0 && z === 1) field.tabIndex = 0;
            pair.follows = el("small", {});
            element.append(field, pair.follows);
        } else {
            element.append(side.text, side.mark);
        }
        return element;
    }

    /** @param {number} x
        @param {number} z */
    fill(x, z) {
        const {limit, leak} = this.data, pair = this.cells[x][z];
        const limitEntry = limit[x][z], leakEntry = leak[x][z];
        /** @type {(cell: HTMLElement, colours: [ground: string, ink: string]) => void} */
        const paint = (cell, [ground, ink]) => {
            cell.style.background = ground;
            cell.style.color = ink;
        };
        if (x !== z) paint(pair.limit.cell, limitEntry.colours);
        if (x !== z) paint(pair.leak.cell, leakEntry.colours);
        pair.limit.cell.classList.toggle("loose", limitEntry.follows !== "");
        pair.leak.cell.dataset.mark = leakEntry.mark;
        if (pair.field && pair.follows) {
            pair.serverText = limitEntry.text;
            if (!pair.waits) pair.field.value = limitEntry.text;
            setText(pair.follows, limitEntry.follows);
        } else {
            setText(pair.limit.text, limitEntry.text);
            setText(pair.limit.mark, limitEntry.follows);
        }
        setText(pair.leak.text, leakEntry.text);
        setText(pair.leak.mark, {kept: "✓", broken: "✗", open: "", "": ""}[leakEntry.mark]);
    }

    /** @param {number} x
        @param {number} z
        @param {string} text */
    send(x, z, text) {
        this.outbox.add("act", {x, other: z, text, symmetric: this.symmetricBox.checked});
        this.cells[x][z].waits = this.outbox.serial;
    }

    /** The page has heard of the entries that wait no longer: theirs now say what it says.
        @param {Message.Receipt} receipt */
    answer(receipt) {
        this.outbox.confirm(receipt);
        for (const pair of this.cells.flat()) {
            if (!pair.waits || this.outbox.isPending(pair.waits)) continue;
            pair.waits = null;
            if (pair.field) pair.field.value = pair.serverText;
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
        this.focusPlace = place;
        this.light(this.focusPlace);
    }

    /** @param {Place | null} place */
    light(place) {
        this.tables.querySelectorAll(".lit").forEach(each => each.classList.remove("lit"));
        this.highlight = place;
        if (!place) return setText(this.readout, this.data.words[this.edit ? "hint" : "still"]);
        const [x, z] = place, {limit, leak} = this.cells[x][z];
        limit.cell.classList.add("lit");
        leak.cell.classList.add("lit");
        setText(this.readout, `${this.data.limit[x][z].description} ${this.data.leak[x][z].description}`.trim());
    }

    /** Arrow keys go to the next entry; left and right only past the ends of what is typed.
        @param {KeyboardEvent} event */
    move(event) {
        const step = STEPS[event.key], place = placeOf(event.target);
        if (!step || !place || !(event.target instanceof HTMLInputElement)) return;
        const {selectionStart, selectionEnd, value} = event.target;
        const isAllSelected = (selectionEnd ?? 0) - (selectionStart ?? 0) === value.length;
        const isAtEnd = event.key === "ArrowLeft" ? selectionEnd === 0 : selectionStart === value.length;
        if (step[1] && !isAllSelected && !isAtEnd) return;
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
