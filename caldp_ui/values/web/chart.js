/* Answers as rows: the truth as a bar, estimates as points with their ranges, and a box that
   marks the answer as sensitive. Rows live as long as their answer, so that nothing blinks. */

import {readParcel, Store, VALUES} from "../../stage/web/codec.js";
import {el, setText} from "../../stage/web/dom.js";
import {FilmPlayer} from "../../stage/web/film.js";
import {Teller} from "../../stage/web/teller.js";
import {at, COMMON, FOLDED_FROM, found, listed} from "./items.js";
import {Row} from "./row.js";
import {naming, scale} from "./scale.js";
import {numbers, runs} from "./text.js";

/** @import {FilmHead} from "../../stage/web/film.js"
    @import {Found, Item, Listed} from "./items.js"
    @typedef {{parcels: Map<unknown, Uint8Array>, come?: (bytes: Uint8Array, feed: unknown) => void,
        gone?: (feed: unknown) => void}} Hub */

const ROW_LEAST = 19, ROW_TOUCH = 28, ROW_MOST = 40;
const ABOVE = 262, AROUND_ON_PHONE = 450, BOARD_LEAST = 380, WIDE = 760, NARROW = 500;
/** @type {WeakMap<Mount, Chart>} */
const instances = new WeakMap();
/** Films come by a component of their own (feed.js), before the chart or after it.
    @type {Hub} */
const hub = /** @type {any} */ (globalThis)[Symbol.for("caldp.answers")] ??= {parcels: new Map()};

/** @param {Component<Message.Answers>} component */
export default function mount({data, parentElement: parent, setTriggerValue}) {
    let chart = instances.get(parent);
    if (!chart) instances.set(parent, chart = new Chart(parent.querySelector(".chart")));
    chart.teller.emit = setTriggerValue;
    chart.take(data);
    const there = chart;
    hub.come = (bytes, feed) => there.bring(bytes, feed);
    hub.gone = feed => there.letGo(feed);
    if (!chart.brought.size) hub.parcels.forEach(hub.come);
    return () => setTimeout(() => { if (!parent.host?.isConnected) there.end(); });
}

class Chart {
    /** @type {Message.Answers} From the first message on. */
    data;
    /** @type {Listed | null} What a film's step lists. */
    frame = null;
    /** @type {Set<number>} Answers that are ticked. */
    marked = new Set();
    /** @type {Set<number>} Those of a film's step. */
    filmed = new Set();
    /** @type {number[]} Answers that are found by a search. */
    matches = [];
    /** @type {Row[]} From top to bottom. */
    list = [];
    /** @type {HTMLElement[]} */
    axes = [];
    /** @type {number[]} Shares. */
    ticks = [];
    /** The share at the right end. */
    top = 1;
    /** @type {string | undefined} */
    order;
    /** @type {Element | null} The row that is pointed at. */
    pointed = null;
    /** What is pointed at, in words; a film's player looks for it, too. */
    readout = el("p", {className: "readout"});
    search = el("input", {type: "search", placeholder: "Search", "aria-label": "Search answers"});
    found = el("span", {className: "found", role: "status"});
    board = el("div", {className: "board", role: "group", "aria-label":
        "Answers; ticked ones are sensitive. Arrow keys go from answer to answer."});
    /** @type {HTMLElement} Of the legend. */ pinned;
    /** @type {HTMLButtonElement} */ undo;
    /** @type {HTMLButtonElement} */ redo;
    /** @type {HTMLButtonElement} */ all;
    /** @type {HTMLButtonElement} */ none;
    /** @type {HTMLButtonElement[]} */ views;

    /** @param {HTMLElement} root */
    constructor(root) {
        this.root = root;
        this.rows = /** @type {Known<number | string, Row>} */ (new Map());
        /** @type {Set<string>} Groups that are unfolded. */
        this.open = new Set();
        this.view = "groups";
        this.query = "";
        /** @type {Map<unknown, FilmHead | undefined>} */
        this.brought = new Map();
        this.teller = new Teller();
        this.film = new FilmPlayer(this);
        this.build();
        this.resized = new ResizeObserver(() => this.draw());
        this.resized.observe(root);
    }

    end() {
        this.resized.disconnect();
        this.film.destroy();
        this.teller.leave();
    }

    /** A film: what the player needs of a stage is the chart itself.
        @param {Uint8Array} bytes
        @param {unknown} feed */
    bring(bytes, feed) {
        const {head, blobs} = readParcel(bytes), store = new Store();
        for (const [name, packed] of blobs) store.hold(name, packed);
        this.brought.set(feed, head.film);
        if (head.film) this.film.receive(head.film, store);
    }

    /** @param {unknown} feed */
    letGo(feed) {
        const film = this.brought.get(feed);
        this.brought.delete(feed);
        if (film) this.film.remove(film.id, film.turn);
    }

    /** The player shows another step, or none. */
    updateTexts() {
        const {data, film} = this;
        this.frame = null;
        if (film.step) {
            /** @type {(name: string) => number[]} */
            const read = name => Array.from(film.codesOf(name) ?? [], code => VALUES[code]);
            /** @type {(name: string) => Message.Columns} */
            const three = name => [read(name), read(`${name}-low`), read(`${name}-high`)];
            const inGroups = {plain: three("plain-groups"), ours: three("ours-groups")};
            /** @type {(name: "plain" | "ours", g: number) => Found} */
            const of = (name, g) => at(inGroups[name], g);
            this.frame = {...data, plain: three("plain"), ours: three("ours"), pinned: null,
                groups: data.groups.map(({name, members, truth}, g) =>
                    ({name, members, truth, plain: of("plain", g), ours: of("ours", g)}))};
            this.filmed = new Set(read("marked").flatMap((mark, x) => mark ? [x] : []));
        }
        this.draw();
    }

    paint() {}

    /** What is listed: a film's step, or what came from the server. */
    get shown() { return this.frame ?? this.data; }

    get searching() { return this.query.trim() !== ""; }

    build() {
        const legend = el("div", {className: "legend"});
        legend.innerHTML = `<span class="true"><i class="truth"></i>truth</span>
            <span class="plain"><i class="range plain"></i><i class="point plain"></i>plain LDP</span>
            <span class="ours"><i class="range ours"></i><i class="point ours"></i>this protection</span>
            <span class="pinned" hidden><i class="range pinned"></i><i class="point pinned"></i>pinned</span>
            <span class="sensitive"><i class="truth"></i>sensitive</span>
            <span class="bare"><i class="truth"></i>not protected</span>`;
        this.pinned = /** @type {HTMLElement} */ (legend.querySelector(".pinned"));
        this.search.addEventListener("input", () => { this.query = this.search.value; this.draw(); });
        /** @type {(words: string, sign: string, told: () => void) => HTMLButtonElement} */
        const act = (words, sign, told) => el("button", {type: "button", title: words,
            "aria-label": words, onclick: told}, sign);
        this.undo = act("Undo", "↶", () => this.teller.tell("act", {step: "undo"}));
        this.redo = act("Redo", "↷", () => this.teller.tell("act", {step: "redo"}));
        this.views = ["groups", "common"].map(view => el("button", {type: "button",
            onclick: () => { this.view = view; this.draw(); }}));
        this.all = el("button", {type: "button", onclick: () => this.mark(this.matches, true)}, "Mark");
        this.none = el("button", {type: "button", onclick: () => this.mark(this.matches, false)},
            "Unmark");
        const bar = el("div", {className: "bar"}, legend, el("span", {className: "views"},
            ...this.views), this.search, this.found, this.all, this.none, this.undo, this.redo);
        this.root.append(bar, this.film.node, this.board, this.readout);
        this.board.addEventListener("keydown", event => this.rove(event));
        this.board.addEventListener("focusin", event => this.stop(event.target));
        for (const event of ["pointerover", "focusin"]) {
            this.board.addEventListener(event, ({target}) =>
                this.read(/** @type {Element} */ (target).closest(".row")));
        }
        this.board.addEventListener("pointerleave", () => this.read(null));
    }

    /** @param {Message.Answers} data */
    take(data) {
        const another = this.data?.names.join() !== data.names.join();
        if (another) {
            this.open.clear();
            this.rows.clear();
            this.view = data.groups.length ? "groups" : "common";
            this.query = this.search.value = "";
        }
        this.data = data;
        this.teller.confirm(data.heard);
        // Until the page has heard the last tick, quick ones before it must not vanish.
        if (another || !this.teller.has(() => true)) this.marked = new Set(numbers(data.marked));
        const {style} = this.root;
        for (const [name, colour] of Object.entries(data.colours)) {
            style.setProperty(`--${name}`, colour);
        }
        this.undo.disabled = !data.undo;
        this.redo.disabled = !data.redo;
        this.pinned.hidden = !data.pinned;
        this.film.leave();
        this.frame = null;
        this.film.update();
        this.draw();
    }

    /** @param {number[]} members
        @param {boolean} on */
    mark(members, on) {
        this.film.leave();
        this.frame = null;
        for (const x of members) {
            if (on) this.marked.add(x);
            else this.marked.delete(x);
        }
        this.teller.tell("act", {marked: runs([...this.marked].sort((a, b) => a - b))});
        this.draw();
    }

    /** @param {string} id */
    unfold(id) {
        if (!this.open.delete(id)) this.open.add(id);
        this.draw();
    }

    draw() {
        if (!this.data || !this.root.clientWidth) return;
        const items = listed(this.shown, this), wide = this.root.clientWidth;
        this.matches = this.searching ? found(this.shown, this.query) : [];
        const columns = items.length > 18 && wide >= WIDE ? (items.length > 72 ? 3 : 2) : 1;
        const each = Math.ceil(items.length / columns);
        const least = matchMedia("(pointer: coarse)").matches ? ROW_TOUCH : ROW_LEAST;
        const around = wide < NARROW ? AROUND_ON_PHONE : ABOVE;
        const room = Math.max(BOARD_LEAST, innerHeight - around);
        const height = Math.min(ROW_MOST, Math.max(least, Math.floor(room / (each + 1))));
        const longest = Math.max(...items.filter(i => !i.heading).map(i => i.label.length), 13);
        const {style} = this.board;
        style.setProperty("--row", `${height}px`);
        style.setProperty("--names", `${Math.min(17, 0.5 * longest + 2.2)}rem`);
        style.setProperty("--columns", String(columns));
        this.board.classList.toggle("low", height < 32);
        if (!this.frame) this.measure(items, wide / columns);
        const {top} = this;
        for (const item of items) {
            if (!this.rows.has(item.id)) this.rows.set(item.id, new Row(this, item.id));
        }
        const names = naming(items, top), marked = this.frame ? this.filmed : this.marked;
        const alone = new Set(numbers(this.data.alone));
        /** @type {(x: number) => boolean} */
        const bare = x => !marked.has(x) || alone.has(x), {words} = this.data;
        items.forEach((item, at) => {
            const named = Object.keys(names).filter(which => names[which] === at);
            this.rows.get(item.id).show(item, top, {marked, named, bare, words});
        });
        this.arrange(items, columns, each);
        this.controls();
    }

    /** The scale, which stays through a film.
        @param {Item[]} items
        @param {number} width */
    measure(items, width) {
        const {top, step} = scale(items, width);
        this.top = top;
        this.ticks = Array.from({length: Math.floor(top / step) + 1}, (_, i) => i * step);
        this.board.style.setProperty("--step", String(step / top));
    }

    /** Put rows where they belong; only if that changes, as moving takes the focus away.
        @param {Item[]} items
        @param {number} columns
        @param {number} each */
    arrange(items, columns, each) {
        const order = `${columns} ${items.map(({id}) => id).join()}`;
        if (order !== this.order) {
            this.order = order;
            const {activeElement} = /** @type {ShadowRoot} */ (this.root.getRootNode());
            const held = activeElement instanceof HTMLElement ? activeElement.dataset.id : undefined;
            this.axes = [];
            const made = Array.from({length: columns}, (_, c) => {
                const axis = el("div", {className: "axis", "aria-hidden": "true"});
                this.axes.push(axis);
                return el("div", {className: "column"}, axis, ...items.slice(c * each, (c + 1) * each)
                    .map(({id}) => this.rows.get(id).node));
            });
            this.board.replaceChildren(...made);
            this.list = items.map(({id}) => this.rows.get(id));
            const kept = this.list.find(row => String(row.id) === held) ?? this.list[0];
            this.stop(kept?.box);
            if (held !== undefined && kept) kept.box.focus();
        }
        for (const axis of this.axes) {
            axis.replaceChildren(el("div", {className: "ticks"}, ...this.ticks.map(tick => {
                const made = el("span", {}, `${Number((100 * tick).toPrecision(3))} %`);
                made.style.left = `${100 * tick / this.top}%`;
                return made;
            })));
        }
    }

    controls() {
        const {names, groups, words} = this.data, folds = names.length >= FOLDED_FROM;
        const {searching} = this;
        this.views.forEach((button, i) => {
            button.hidden = !folds || !groups.length || searching;
            setText(button, [words.groups, words.common][i]);
            button.setAttribute("aria-pressed", String(this.view === ["groups", "common"][i]));
        });
        this.search.hidden = names.length < 12;
        this.all.hidden = this.none.hidden = !searching || !this.matches.length;
        setText(this.found, searching ? `${this.matches.length} found` : "");
        if (!this.pointed) this.read(null);
    }

    /** @param {Element | null} node */
    read(node) {
        this.pointed = node;
        const row = node && this.list.find(each => each.node === node);
        setText(this.readout, row ? row.box.getAttribute("aria-label") ?? "" : this.hint());
    }

    hint() {
        const {names, words} = this.data, common = names.length >= FOLDED_FROM
            && this.view === "common" && !this.searching;
        return common ? `${COMMON} of ${names.length.toLocaleString("en")} are shown; search for `
            + `the others. ${words.hint}` : words.hint;
    }

    /** One row is a stop of the tab key.
        @param {EventTarget | null | undefined} target */
    stop(target) {
        if (!(target instanceof HTMLElement) || !target.dataset.id) return;
        for (const row of this.list) {
            row.box.tabIndex = row.box === target ? 0 : -1;
            if (row.fold) row.fold.tabIndex = row.box.tabIndex;
        }
    }

    /** @param {KeyboardEvent} event */
    rove(event) {
        const {target, key} = event;
        const at = this.list.findIndex(({node}) => node.contains(/** @type {Node} */ (target)));
        /** @type {Record<string, number>} */
        const ways = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.list.length - 1};
        const to = ways[key];
        if (at < 0 || to === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        this.list[Math.min(this.list.length - 1, Math.max(0, to))].box.focus();
    }
}
