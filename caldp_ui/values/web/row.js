/* A row: a box to tick, a name, the truth as a bar, and estimates as points with their ranges. */

import {el, setText} from "../../stage/web/dom.js";

/** @import {Item} from "./items.js"
    @typedef {"plain" | "ours" | "pinned"} Kind
    @typedef {{mark: (members: number[], on: boolean) => void, unfold: (id: string) => void}} Listing */

/** @type {Record<Kind, string>} */
const NAMES = {plain: "plain LDP", ours: "this protection", pinned: "pinned"};

/** A row of an answer (`id` its number) or of a group (`g` and its number). */
export class Row {
    /** @type {number[]} The answers that it marks. */
    members = [];
    /** @type {HTMLButtonElement | undefined} */
    fold;

    /** @param {Listing} chart
        @param {number | string} id */
    constructor(chart, id) {
        this.id = id;
        this.box = el("input", {type: "checkbox", tabIndex: -1, "data-id": id});
        this.tag = el("b", {className: "tag"});
        this.text = el("span", {className: "text"});
        this.open = el("small", {className: "open"});
        this.name = el("span", {className: "name"}, this.tag, el("span", {className: "both"}, this.text, this.open));
        this.truth = el("i", {className: "truth"});
        /** @type {Kind[]} */
        const kinds = ["plain", "ours", "pinned"];
        this.marks = kinds.map(which => ({
            which,
            range: el("i", {className: `range ${which}`}),
            point: el("i", {className: `point ${which}`}),
            named: el("i", {className: `named ${which}`}, NAMES[which]),
        }));
        this.named = el("i", {className: "named truth-name"}, "truth");
        const elements = [...this.marks.flatMap(({range, point, named}) => [range, point, named]),
            this.named];
        this.plot = el("span", {className: "plot", "aria-hidden": "true"}, this.truth, ...elements);
        this.node = el("label", {className: "row"}, this.box, this.name, this.plot);
        this.box.addEventListener("change", () => chart.mark(this.members, this.box.checked));
        if (typeof id === "string") this.fold = this.folder(chart, id);
    }

    /** @param {Listing} chart
        @param {string} id */
    folder(chart, id) {
        const fold = el("button", {type: "button", className: "fold", tabIndex: -1});
        fold.addEventListener("click", event => {
            event.preventDefault();
            chart.unfold(id);
        });
        this.name.prepend(fold);
        return fold;
    }

    /** `item`: name, numbers, members and looks; `top`: the share at the right end; `names`: which
        of its marks are named here; `bare`: whether an answer is not protected.
        @param {Item} item
        @param {number} top
        @param {{marks: Set<number>, names: string[], bare: (x: number) => boolean,
            words: Message.Words}} state */
    show(item, top, {marks, names, bare, words}) {
        this.members = item.members;
        const on = item.members.filter(x => marks.has(x)).length;
        this.box.checked = on === item.members.length;
        this.box.indeterminate = on > 0 && on < item.members.length;
        this.box.setAttribute("aria-label", item.describe(on));
        this.node.title = item.name;
        this.node.classList.toggle("heading", item.heading);
        this.node.classList.toggle("inner", item.inner);
        this.node.dataset.marked = on === 0 ? "none" : this.box.indeterminate ? "some" : "all";
        const open = item.members.every(bare);
        this.node.classList.toggle("bare", open);
        setText(this.open, open && !item.heading ? words.open : "");
        const {name, label, heading} = item;
        setText(this.text, open && heading ? `${name} · ${words.open}${label.slice(name.length)}` : label);
        setText(this.tag, item.tag ?? "");
        if (this.fold) {
            this.fold.hidden = !item.foldable;
            setText(this.fold, item.open ? "▾" : "▸");
            this.fold.setAttribute("aria-expanded", String(item.open));
            this.fold.setAttribute("aria-label", `${item.open ? "Fold" : "Unfold"} ${item.name}`);
        }
        this.place(item, top, names);
    }

    /** @param {Item} item
        @param {number} top
        @param {string[]} names */
    place(item, top, names) {
        const {truth, bars} = item;
        /** @type {(share: number) => string} */
        const at = share => `${(100 * Math.min(1, Math.max(0, share / top))).toFixed(2)}%`;
        this.plot.classList.toggle("bare", !bars);
        this.truth.style.width = at(truth);
        this.plot.classList.toggle("three", Boolean(item.pinned));
        this.named.hidden = !names.includes("truth");
        for (const {which, range, point, named} of this.marks) {
            const values = item[which];
            range.hidden = point.hidden = !values || !bars;
            named.hidden = !values || !names.includes(which);
            if (!values) continue;
            const [estimate, low, high] = values;
            range.style.left = at(low);
            range.style.right = `calc(100% - ${at(high)})`;
            range.classList.toggle("cut", high > top);
            point.style.left = at(estimate);
            named.style.left = at(high);
        }
    }
}
