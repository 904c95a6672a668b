/* The projector's picture: a bar with its range for each answer, how the range tightened, and all
   that the server knows. Rows live as long as their answer, so that bars move and nothing blinks. */

import {counted, el, setText} from "./dom.js";
import {Picture, hub, whenGone} from "./hub.js";

/** @typedef {{
        range: HTMLElement, bar: HTMLElement, sent: HTMLElement, truth: HTMLElement,
        number: HTMLElement, span: HTMLElement, past: SVGSVGElement, node: HTMLElement,
    }} Row */

/** @type {"http://www.w3.org/2000/svg"} */
const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const HISTORY_WIDTH = 100, HISTORY_HEIGHT = 30, MANY_ANSWERS = 6, LONG_NAME = 40;
/** @type {WeakMap<Mount, Board>} */
const instances = new WeakMap();

/** @param {Component<{key: string, content: string}>} component */
export default function mount({data: {key, content}, parentElement: parent}) {
    const board = instances.get(parent) ?? new Board(parent.querySelector(".board"));
    instances.set(parent, board);
    hub.set(key, board);
    board.take(content);
    return whenGone(parent, () => { if (hub.get(key) === board) hub.delete(key); });
}

class Board extends Picture {
    /** @type {string | undefined} The question that the rows are of. */
    questionKey;
    /** @type {Row[]} */
    rowParts = [];
    /** @type {number[]} The reports that have chips. */
    chipReports = [];

    /** @param {HTMLElement} root */
    constructor(root) {
        super(content => this.paint(JSON.parse(content)));
        this.root = root;
        this.rows = el("div", {className: "rows", role: "list"});
        this.legend = el("p", {className: "legend"});
        this.known = el("h2", {});
        // It scrolls, so that the keyboard must reach it.
        this.chips = el("ol", {className: "chips", tabIndex: 0,
            "aria-label": "All reports, the newest first"});
        this.note = el("p", {className: "note"});
        root.append(this.rows, this.legend, el("section", {}, this.known, this.chips, this.note));
    }

    /** @param {Message.Poll} data */
    paint(data) {
        this.root.classList.toggle("ahead", this.step !== null);
        const rows = data.answers.map(({name, sensitive}) => [name, sensitive]);
        const questionKey = JSON.stringify([data.mark, rows, data.people, data.words.legend]);
        this.root.classList.toggle("doubted", data.doubted);
        if (questionKey !== this.questionKey) this.build(data);
        this.questionKey = questionKey;
        data.answers.forEach((answer, x) => this.fill(this.rowParts[x], answer, data, x));
        setText(this.known, data.words.known);
        setText(this.note, data.words.note);
        this.updateChips(data);
    }

    /** @param {Message.Poll} data */
    build({answers, words, people}) {
        this.root.style.setProperty("--answers", String(answers.length));
        this.root.classList.toggle("many", answers.length > MANY_ANSWERS);
        this.root.classList.toggle("long", answers.some(({name}) => name.length > LONG_NAME));
        this.rowParts = answers.map(({name, sensitive}) => {
            const parts = {
                range: el("i", {className: "range"}),
                bar: el("i", {className: "bar"}),
                sent: el("i", {className: "sent"}),
                truth: el("i", {className: "truth"}),
                number: el("b", {}),
                span: el("small", {}),
                past: document.createElementNS(SVG_NAMESPACE, "svg"),
                node: el("div", {className: "row", role: "listitem"}),
            };
            parts.past.setAttribute("viewBox", `0 0 ${HISTORY_WIDTH} ${HISTORY_HEIGHT}`);
            parts.past.setAttribute("preserveAspectRatio", "none");
            parts.past.setAttribute("aria-hidden", "true");
            const plot = el("span", {className: "plot", "aria-hidden": "true"}, parts.sent,
                parts.bar, parts.range, parts.truth);
            parts.node.append(el("span", {className: "name"}, name), plot,
                el("span", {className: "readout"}, parts.number, parts.span), parts.past);
            parts.node.classList.toggle("hidden", sensitive);
            return parts;
        });
        const ticks = ["0", counted(String(people), "person", "people")].map(at => el("span", {}, at));
        const axis = el("div", {className: "axis", "aria-hidden": "true"}, ...ticks);
        this.rows.replaceChildren(...this.rowParts.map(({node}) => node), axis);
        this.legend.replaceChildren(...words.legend.map(([kind, text]) =>
            el("span", {className: kind}, el("i", {}), text)));
        this.chipReports = [];
        this.chips.replaceChildren();
    }

    /** @param {Row} parts
        @param {Message.Answer} answer
        @param {Message.Poll} data
        @param {number} x */
    fill(parts, {name, estimate, low, high, sent, truth, right}, {n, people, steps, words}, x) {
        parts.node.classList.toggle("right", right);
        /** @type {(share: number) => string} */
        const at = share => `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;
        parts.bar.style.width = at(estimate ?? 0);
        parts.sent.style.width = at(n ? sent / n : 0);
        parts.range.style.left = at(low);
        parts.range.style.right = `calc(100% - ${at(high)})`;
        parts.truth.hidden = truth === null;
        if (truth !== null) parts.truth.style.left = at(truth);
        /** @type {(share: number) => string} */
        const inPeople = share => Math.round(people * share).toLocaleString("en");
        const [least, most] = [inPeople(low), inPeople(high)];
        const span = least === most ? `of ${inPeople(1)}` : `${least} to ${most} of ${inPeople(1)}`;
        setText(parts.number, estimate === null ? "?" : inPeople(estimate));
        setText(parts.span, span);
        const label = estimate === null ? words.nothing : `${name}${right ? ", the right answer" : ""}: estimate ${inPeople(estimate)}, `
            + `range ${span}; it is named by ${sent} of ${counted(String(n), "report", "reports")}`;
        parts.node.setAttribute("aria-label", label);
        this.drawHistory(parts.past, steps.map(step => [step.n, ...step.ranges[x]]));
    }

    /** The range after each number of reports, left the first one, right all of them.
        @param {SVGSVGElement} svg
        @param {[n: number, low: number, high: number][]} points */
    drawHistory(svg, points) {
        const logMax = Math.log(Math.max(2, points.at(-1)?.[0] ?? 2));
        /** @type {(n: number) => string} */
        const across = n => (HISTORY_WIDTH * Math.log(n) / logMax).toFixed(1);
        /** @type {(share: number) => string} */
        const up = share => (HISTORY_HEIGHT * (1 - share)).toFixed(1);
        const top = points.map(([n, , high]) => `${across(n)},${up(high)}`);
        const bottom = points.map(([n, low]) => `${across(n)},${up(low)}`).reverse();
        const band = document.createElementNS(SVG_NAMESPACE, "polygon");
        band.setAttribute("points", points.length > 1 ? [...top, ...bottom].join(" ")
            : `0,0 ${HISTORY_WIDTH},0 ${HISTORY_WIDTH},${HISTORY_HEIGHT} 0,${HISTORY_HEIGHT}`);
        svg.replaceChildren(...(points.length ? [band] : []));
    }

    /** One chip a report, the newest first; only new ones are made, and come up unless ahead.
        @param {Message.Poll} data */
    updateChips({reports, answers}) {
        const isContinuation = this.chipReports.every((y, i) => reports[i] === y);
        if (!isContinuation) { this.chipReports = []; this.chips.replaceChildren(); }
        const chips = reports.slice(this.chipReports.length).map(y => {
            const chip = el("li", {}, answers[y].name);
            chip.classList.toggle("hidden", answers[y].sensitive);
            chip.classList.toggle("new", this.step === null);
            return chip;
        });
        this.chips.prepend(...chips.reverse());
        this.chipReports = reports;
    }
}
