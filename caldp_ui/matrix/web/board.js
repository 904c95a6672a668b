/* Two tables beside each other: E, whose entries are fields to type into, and what the channel
   leaks. The entry that is pointed at or has the focus is lit in both and told in words below. */

import {el, say} from "./dom.js";
import {Picture, hub, whenGone} from "./hub.js";
import {Teller} from "./teller.js";

const instances = new WeakMap();
const UPRIGHT_FROM = 66, UPRIGHT_ON_PHONE_FROM = 42;
const STEPS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};

/** `told`: what is seen, as a text; `heard`: how far the page has heard what was typed. */
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
    constructor(root, edit) {
        super(told => this.paint(JSON.parse(told)));
        Object.assign(this, {root, edit});
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

    paint(data) {
        const form = JSON.stringify(data.names);
        this.data = data;
        if (form !== this.form) this.build(data);
        this.form = form;
        this.root.setAttribute("aria-label", data.label);
        data.names.forEach((_, x) => data.names.forEach((_, z) => this.fill(x, z)));
        this.light(this.lit && this.cells[this.lit[0]]?.[this.lit[1]] ? this.lit : null);
    }

    build({names, words}) {
        this.cells = names.map(() => []);
        this.lit = this.focused = null;
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
        this.root.style.setProperty("--k", names.length);
        const longest = Math.max(...names.join(" ").split(" ").map(word => word.length));
        this.root.style.setProperty("--letters", longest);
        // Names of columns stand upright where the longest word has no room across.
        this.root.classList.toggle("upright", longest * names.length > UPRIGHT_FROM);
        this.root.classList.toggle("upright-on-phone", longest * names.length > UPRIGHT_ON_PHONE_FROM);
        this.tables.replaceChildren(table("limit"), table("leak"));
        this.mirror.replaceChildren(this.both, words.both);
        this.tables.querySelector("caption").append(this.mirror);
    }

    cell(kind, x, z, names) {
        const pair = this.cells[x][z] ??= {};
        const made = el("td", {"data-x": x, "data-z": z});
        pair[kind] = {cell: made};
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
            pair[kind].text = el("span", {});
            pair[kind].mark = el("small", {});
            made.append(pair[kind].text, pair[kind].mark);
        }
        return made;
    }

    fill(x, z) {
        const {limit, leak} = this.data, pair = this.cells[x][z];
        const said = limit[x][z], done = leak[x][z];
        const paint = (cell, [ground, ink]) => {
            cell.style.background = ground;
            cell.style.color = ink;
        };
        if (x !== z) paint(pair.limit.cell, said.colours);
        if (x !== z) paint(pair.leak.cell, done.colours);
        pair.limit.cell.classList.toggle("loose", said.follows !== "");
        pair.leak.cell.dataset.mark = done.mark;
        if (pair.field) {
            pair.said = said.text;
            if (!pair.waits) pair.field.value = said.text;
            say(pair.follows, said.follows);
        } else {
            say(pair.limit.text, said.text);
            say(pair.limit.mark, said.follows);
        }
        say(pair.leak.text, done.text);
        say(pair.leak.mark, {kept: "✓", broken: "✗", open: ""}[done.mark] ?? "");
    }

    send(x, z, text) {
        this.teller.tell("act", {x, other: z, text, both: this.both.checked});
        this.cells[x][z].waits = this.teller.serial;
    }

    /** The page has heard of the entries that wait no longer: theirs now say what it says. */
    answer(heard) {
        this.teller.confirm(heard);
        for (const pair of this.cells.flat()) {
            if (!pair.waits || this.teller.waits(pair.waits)) continue;
            pair.waits = null;
            pair.field.value = pair.said;
        }
    }

    point(target) {
        const cell = target.closest?.("td[data-x]");
        if (cell) this.light([Number(cell.dataset.x), Number(cell.dataset.z)]);
    }

    focus(target) {
        const cell = target.closest?.("td[data-x]");
        if (!cell) return;
        this.tables.querySelectorAll("input").forEach(each => { each.tabIndex = -1; });
        target.tabIndex = 0;
        this.focused = [Number(cell.dataset.x), Number(cell.dataset.z)];
        this.light(this.focused);
    }

    light(pair) {
        this.tables.querySelectorAll(".lit").forEach(each => each.classList.remove("lit"));
        this.lit = pair;
        if (!pair) return say(this.readout, this.data.words.hint);
        const [x, z] = pair, {limit, leak} = this.cells[x][z];
        limit.cell.classList.add("lit");
        leak.cell.classList.add("lit");
        say(this.readout, `${this.data.limit[x][z].told} ${this.data.leak[x][z].told}`.trim());
    }

    /** Arrow keys go to the next entry; left and right only past the ends of what is typed. */
    move(event) {
        const step = STEPS[event.key], cell = event.target.closest?.("td[data-x]");
        if (!step || !cell || event.target.tagName !== "INPUT") return;
        const {selectionStart, selectionEnd, value} = event.target;
        const whole = selectionEnd - selectionStart === value.length;
        const end = event.key === "ArrowLeft" ? selectionEnd === 0 : selectionStart === value.length;
        if (step[1] && !whole && !end) return;
        event.preventDefault();
        let [x, z] = [Number(cell.dataset.x), Number(cell.dataset.z)];
        do { x += step[0]; z += step[1]; } while (this.cells[x]?.[z] && x === z);
        this.cells[x]?.[z]?.field?.focus();
    }
}
