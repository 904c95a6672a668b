/* Answers as rows: the truth as a bar, estimates as points with their ranges, and a box that
   marks the answer as sensitive. Rows live as long as their answer, so that nothing blinks. */

import {readParcel, Store, VALUES} from "../../stage/web/codec.js";
import {el, setText} from "../../stage/web/dom.js";
import {FilmPlayer} from "../../stage/web/film.js";
import {Outbox} from "../../stage/web/outbox.js";
import {rangeAt, COMMON, FOLDED_FROM, searchAnswers, listItems} from "./items.js";
import {Row} from "./row.js";
import {markRows, scale} from "./scale.js";
import {parseRuns, formatRuns} from "./text.js";

/** @import {FilmHead} from "../../stage/web/film.js"
    @import {Estimate, Item, ListData} from "./items.js"
    @typedef {{parcels: Map<unknown, Uint8Array>, onFilm?: (bytes: Uint8Array, feed: unknown) => void,
        onRemoval?: (feed: unknown) => void}} Hub */

const ROW_MIN = 19, ROW_TOUCH = 28, ROW_MAX = 40;
const OTHER_HEIGHT = 262, OTHER_HEIGHT_ON_PHONE = 450, BOARD_MIN = 380, WIDE = 760, NARROW = 500;
/** @type {WeakMap<Mount, Chart>} */
const instances = new WeakMap();
/** Films come by a component of their own (feed.js), before the chart or after it.
    @type {Hub} */
const hub = /** @type {any} */ (globalThis)[Symbol.for("caldp.answers")] ??= {parcels: new Map()};

/** @param {Component<Message.Answers>} component */
export default function mount({data, parentElement: parent, setTriggerValue}) {
    let chart = instances.get(parent);
    if (!chart) instances.set(parent, chart = new Chart(parent.querySelector(".chart")));
    chart.outbox.emit = setTriggerValue;
    chart.take(data);
    const current = chart;
    hub.onFilm = (bytes, feed) => current.addFilm(bytes, feed);
    hub.onRemoval = feed => current.removeFilm(feed);
    if (!chart.filmsByFeed.size) hub.parcels.forEach(hub.onFilm);
    return () => setTimeout(() => { if (!parent.host?.isConnected) current.end(); });
}

class Chart {
    /** @type {Message.Answers} From the first message on. */
    data;
    /** @type {ListData | null} What a film's step lists. */
    frame = null;
    /** @type {Set<number>} Answers that are ticked. */
    marks = new Set();
    /** @type {Set<number>} Those of a film's step. */
    frameMarks = new Set();
    /** @type {number[]} Answers that are found by a search. */
    matches = [];
    /** @type {Row[]} From top to bottom. */
    visibleRows = [];
    /** @type {HTMLElement[]} */
    axes = [];
    /** @type {number[]} Shares. */
    ticks = [];
    /** The share at the right end. */
    top = 1;
    /** @type {string | undefined} */
    orderKey;
    /** @type {Element | null} The row that is pointed at. */
    pointedRow = null;
    /** What is pointed at, in words; a film's player looks for it, too. */
    readout = el("p", {className: "readout"});
    search = el("input", {type: "search", placeholder: "Search", "aria-label": "Search answers"});
    matchCount = el("span", {className: "found", role: "status"});
    board = el("div", {className: "board", role: "group", "aria-label":
        "Answers; ticked ones are sensitive. Arrow keys go from answer to answer."});
    /** @type {HTMLElement} Of the legend. */ pinned;
    /** @type {HTMLButtonElement} */ undo;
    /** @type {HTMLButtonElement} */ redo;
    /** @type {HTMLButtonElement} */ markAll;
    /** @type {HTMLButtonElement} */ unmarkAll;
    /** @type {HTMLButtonElement[]} */ views;

    /** @param {HTMLElement} root */
    constructor(root) {
        this.root = root;
        this.rows = /** @type {Known<number | string, Row>} */ (new Map());
        /** @type {Set<string>} Groups that are unfolded. */
        this.unfolded = new Set();
        this.view = "groups";
        this.query = "";
        /** @type {Map<unknown, FilmHead | undefined>} */
        this.filmsByFeed = new Map();
        this.outbox = new Outbox();
        this.film = new FilmPlayer(this);
        this.build();
        this.resizeObserver = new ResizeObserver(() => this.draw());
        this.resizeObserver.observe(root);
    }

    end() {
        this.resizeObserver.disconnect();
        this.film.destroy();
        this.outbox.leave();
    }

    /** A film: what the player needs of a stage is the chart itself.
        @param {Uint8Array} bytes
        @param {unknown} feed */
    addFilm(bytes, feed) {
        const {head, blobs} = readParcel(bytes), store = new Store();
        for (const [name, packed] of blobs) store.hold(name, packed);
        this.filmsByFeed.set(feed, head.film);
        if (head.film) this.film.receive(head.film, store);
    }

    /** @param {unknown} feed */
    removeFilm(feed) {
        const film = this.filmsByFeed.get(feed);
        this.filmsByFeed.delete(feed);
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
            const columnsOf = name => [read(name), read(`${name}-low`), read(`${name}-high`)];
            const inGroups = {plain: columnsOf("plain-groups"), ours: columnsOf("ours-groups")};
            /** @type {(name: "plain" | "ours", g: number) => Estimate} */
            const rangeOf = (name, g) => rangeAt(inGroups[name], g);
            this.frame = {...data, n: film.step.people || data.n, pinned: null,
                plain: columnsOf("plain"), ours: columnsOf("ours"),
                groups: data.groups.map(({name, members, truth}, g) =>
                    ({name, members, truth, plain: rangeOf("plain", g),
                        ours: rangeOf("ours", g)}))};
            this.frameMarks = new Set(read("sensitive").flatMap((mark, x) => mark ? [x] : []));
        }
        this.draw();
    }

    paint() {}

    /** What is listed: a film's step, or what came from the server. */
    get current() { return this.frame ?? this.data; }

    get isSearching() { return this.query.trim() !== ""; }

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
        /** @type {(words: string, sign: string, onClick: () => void) => HTMLButtonElement} */
        const actionButton = (words, sign, onClick) => el("button", {type: "button", title: words,
            "aria-label": words, onclick: onClick}, sign);
        this.undo = actionButton("Undo", "↶", () => this.outbox.add("act", {step: "undo"}));
        this.redo = actionButton("Redo", "↷", () => this.outbox.add("act", {step: "redo"}));
        this.views = ["groups", "common"].map(view => el("button", {type: "button",
            onclick: () => { this.view = view; this.draw(); }}));
        this.markAll = el("button", {type: "button", onclick: () => this.mark(this.matches, true)}, "Mark");
        this.unmarkAll = el("button",
            {type: "button", onclick: () => this.mark(this.matches, false)}, "Unmark");
        const bar = el("div", {className: "bar"}, legend, el("span", {className: "views"},
            ...this.views), this.search, this.matchCount, this.markAll, this.unmarkAll, this.undo,
        this.redo);
        this.root.append(bar, this.film.node, this.board, this.readout);
        this.board.addEventListener("keydown", event => this.moveFocus(event));
        this.board.addEventListener("focusin", event => this.setTabStop(event.target));
        for (const event of ["pointerover", "focusin"]) {
            this.board.addEventListener(event, ({target}) =>
                this.read(/** @type {Element} */ (target).closest(".row")));
        }
        this.board.addEventListener("pointerleave", () => this.read(null));
    }

    /** @param {Message.Answers} data */
    take(data) {
        const isOtherQuestion = this.data?.names.join() !== data.names.join();
        if (isOtherQuestion) {
            this.unfolded.clear();
            this.rows.clear();
            this.view = data.groups.length ? "groups" : "common";
            this.query = this.search.value = "";
        }
        this.data = data;
        this.outbox.confirm(data.receipt);
        // Until the page has heard the last tick, quick ones before it must not vanish.
        if (isOtherQuestion || !this.outbox.hasAct(() => true)) {
            this.marks = new Set(parseRuns(data.sensitive));
        }
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
            if (on) this.marks.add(x);
            else this.marks.delete(x);
        }
        this.outbox.add("act", {sensitive: formatRuns([...this.marks].sort((a, b) => a - b))});
        this.draw();
    }

    /** @param {string} id */
    unfold(id) {
        if (!this.unfolded.delete(id)) this.unfolded.add(id);
        this.draw();
    }

    draw() {
        if (!this.data || !this.root.clientWidth) return;
        const items = listItems(this.current, this), width = this.root.clientWidth;
        this.matches = this.isSearching ? searchAnswers(this.current, this.query) : [];
        const columns = items.length > 18 && width >= WIDE ? (items.length > 72 ? 3 : 2) : 1;
        const rowsPerColumn = Math.ceil(items.length / columns);
        const heightMin = matchMedia("(pointer: coarse)").matches ? ROW_TOUCH : ROW_MIN;
        const otherHeight = width < NARROW ? OTHER_HEIGHT_ON_PHONE : OTHER_HEIGHT;
        const room = Math.max(BOARD_MIN, innerHeight - otherHeight);
        const rowHeight = Math.floor(room / (rowsPerColumn + 1));
        const height = Math.min(ROW_MAX, Math.max(heightMin, rowHeight));
        const longest = Math.max(...items.filter(i => !i.heading).map(i => i.label.length), 13);
        const {style} = this.board;
        style.setProperty("--row", `${height}px`);
        style.setProperty("--names", `${Math.min(17, 0.5 * longest + 2.2)}rem`);
        style.setProperty("--columns", String(columns));
        this.board.classList.toggle("low", height < 32);
        if (!this.frame) this.measure(items, width / columns);
        const {top} = this;
        for (const item of items) {
            if (!this.rows.has(item.id)) this.rows.set(item.id, new Row(this, item.id));
        }
        const rowOf = markRows(items, top), marks = this.frame ? this.frameMarks : this.marks;
        const singles = new Set(parseRuns(this.data.singles));
        /** @type {(x: number) => boolean} */
        const bare = x => !marks.has(x) || singles.has(x), {words} = this.data;
        items.forEach((item, at) => {
            const names = Object.keys(rowOf).filter(which => rowOf[which] === at);
            this.rows.get(item.id).show(item, top, {marks, names, bare, words});
        });
        this.arrange(items, columns, rowsPerColumn);
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
        @param {number} rowsPerColumn */
    arrange(items, columns, rowsPerColumn) {
        const orderKey = `${columns} ${items.map(({id}) => id).join()}`;
        if (orderKey !== this.orderKey) {
            this.orderKey = orderKey;
            const {activeElement} = /** @type {ShadowRoot} */ (this.root.getRootNode());
            const focusId = activeElement instanceof HTMLElement ? activeElement.dataset.id : undefined;
            this.axes = [];
            const elements = Array.from({length: columns}, (_, c) => {
                const axis = el("div", {className: "axis", "aria-hidden": "true"});
                this.axes.push(axis);
                const [first, end] = [c * rowsPerColumn, (c + 1) * rowsPerColumn];
                return el("div", {className: "column"}, axis,
                    ...items.slice(first, end).map(({id}) => this.rows.get(id).node));
            });
            this.board.replaceChildren(...elements);
            this.visibleRows = items.map(({id}) => this.rows.get(id));
            const rows = this.visibleRows;
            const row = rows.find(({id}) => String(id) === focusId) ?? rows[0];
            this.setTabStop(row?.box);
            if (focusId !== undefined && row) row.box.focus();
        }
        for (const axis of this.axes) {
            axis.replaceChildren(el("div", {className: "ticks"}, ...this.ticks.map(tick => {
                const label = el("span", {}, `${Number((100 * tick).toPrecision(3))} %`);
                label.style.left = `${100 * tick / this.top}%`;
                return label;
            })));
        }
    }

    controls() {
        const {names, groups, words} = this.data, folds = names.length >= FOLDED_FROM;
        const {isSearching} = this;
        this.views.forEach((button, i) => {
            button.hidden = !folds || !groups.length || isSearching;
            setText(button, [words.groups, words.common][i]);
            button.setAttribute("aria-pressed", String(this.view === ["groups", "common"][i]));
        });
        this.search.hidden = names.length < 12;
        this.markAll.hidden = this.unmarkAll.hidden = !isSearching || !this.matches.length;
        setText(this.matchCount, isSearching ? `${this.matches.length} found` : "");
        this.read(this.pointedRow);  // what is said of it may be another thing by now
    }

    /** @param {Element | null} node */
    read(node) {
        this.pointedRow = node;
        const row = node && this.visibleRows.find(each => each.node === node);
        setText(this.readout, row ? row.box.getAttribute("aria-label") ?? "" : this.hint());
    }

    hint() {
        const {names, words} = this.data, common = names.length >= FOLDED_FROM
            && this.view === "common" && !this.isSearching;
        return common ? `${COMMON} of ${names.length.toLocaleString("en")} are shown; search for `
            + `the others. ${words.hint}` : words.hint;
    }

    /** One row is a stop of the tab key.
        @param {EventTarget | null | undefined} target */
    setTabStop(target) {
        if (!(target instanceof HTMLElement) || !target.dataset.id) return;
        for (const row of this.visibleRows) {
            row.box.tabIndex = row.box === target ? 0 : -1;
            if (row.fold) row.fold.tabIndex = row.box.tabIndex;
        }
    }

    /** @param {KeyboardEvent} event */
    moveFocus(event) {
        const {target, key} = event, last = this.visibleRows.length - 1;
        const at = this.visibleRows.findIndex(
            ({node}) => node.contains(/** @type {Node} */ (target)));
        /** @type {Record<string, number>} */
        const targets = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last};
        const row = targets[key];
        if (at < 0 || row === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        this.visibleRows[Math.min(last, Math.max(0, row))].box.focus();
    }
}
