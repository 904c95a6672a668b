/* A row: a box to tick, a name, the truth as a bar, and estimates as points with their ranges. */

import {el, say} from "../../stage/web/dom.js";

/** A row of an answer (`id` its number) or of a group (`g` and its number). */
export class Row {
    constructor(chart, id) {
        this.id = id;
        this.box = el("input", {type: "checkbox", tabIndex: -1, "data-id": id});
        this.tag = el("b", {className: "tag"});
        this.text = el("span", {className: "text"});
        this.name = el("span", {className: "name"}, this.tag, this.text);
        this.truth = el("i", {className: "truth"});
        this.marks = ["plain", "ours", "pinned"].map(which => ({
            which,
            range: el("i", {className: `range ${which}`}),
            point: el("i", {className: `point ${which}`}),
        }));
        const drawn = this.marks.flatMap(({range, point}) => [range, point]);
        this.plot = el("span", {className: "plot", "aria-hidden": "true"}, this.truth, ...drawn);
        this.node = el("label", {className: "row"}, this.box, this.name, this.plot);
        this.box.addEventListener("change", () => chart.mark(this.members, this.box.checked));
        if (typeof id === "string") this.fold = this.folder(chart);
    }

    folder(chart) {
        const fold = el("button", {type: "button", className: "fold", tabIndex: -1});
        fold.addEventListener("click", event => {
            event.preventDefault();
            chart.unfold(this.id);
        });
        this.name.prepend(fold);
        return fold;
    }

    /** `item`: name, numbers, members and looks; `top`: the share at the right end. */
    show(item, top, marked) {
        this.members = item.members;
        const on = item.members.filter(x => marked.has(x)).length;
        this.box.checked = on === item.members.length;
        this.box.indeterminate = on > 0 && on < item.members.length;
        this.box.setAttribute("aria-label", item.told(on));
        this.node.title = item.name;
        this.node.classList.toggle("heading", item.heading);
        this.node.classList.toggle("inner", item.inner);
        this.node.dataset.marked = on === 0 ? "none" : this.box.indeterminate ? "some" : "all";
        say(this.text, item.label);
        say(this.tag, item.tag ?? "");
        if (this.fold) {
            this.fold.hidden = !item.foldable;
            say(this.fold, item.open ? "▾" : "▸");
            this.fold.setAttribute("aria-expanded", String(item.open));
            this.fold.setAttribute("aria-label", `${item.open ? "Fold" : "Unfold"} ${item.name}`);
        }
        this.place(item, top);
    }

    place(item, top) {
        const {truth, bars} = item;
        const at = share => `${(100 * Math.min(1, Math.max(0, share / top))).toFixed(2)}%`;
        this.plot.classList.toggle("bare", !bars);
        this.truth.style.width = at(truth);
        this.plot.classList.toggle("three", Boolean(item.pinned));
        for (const {which, range, point} of this.marks) {
            const found = item[which];
            range.hidden = point.hidden = !found || !bars;
            if (!found) continue;
            const [estimate, low, high] = found;
            range.style.left = at(low);
            range.style.right = `calc(100% - ${at(high)})`;
            range.classList.toggle("cut", high > top);
            point.style.left = at(estimate);
        }
    }
}
