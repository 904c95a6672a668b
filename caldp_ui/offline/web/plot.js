/* Figures as SVG, of what the pages' charts are made of: lines, areas, marks and words on linear and
   log axes. The library that draws them on the pages is too large for a file. */

import {Axis} from "./axis.js";
import {fitFigure} from "./narrow.js";

/** @typedef {any} Trace Of a Plotly figure, as are layouts and lines.
    @typedef {any} Layout
    @typedef {any} Line
    @typedef {number[]} Place x and y in pixels.
    @typedef {{left: number, right: number, top: number, bottom: number}} Box
    @typedef {{anchor?: string, size?: number, color?: string, lift?: number}} Look */

const NAMES = "http://www.w3.org/2000/svg";
const SIZE = 12, ROW = 20, LINE = 1.2, ABOVE = 28, EM = 0.55;
/** @type {Record<string, number[] | undefined>} */
const DASHES = {dot: [1, 1], dash: [3, 3], longdash: [5, 5], dashdot: [3, 1, 1, 1]};
/** @type {Record<string, (r: number) => string>} */
const MARKS = {
    circle: r => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`,
    square: r => `M${-r},${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
    diamond: r => `M0,${-1.3 * r}L${1.3 * r},0L0,${1.3 * r}L${-1.3 * r},0z`,
    cross: r => `M${-r / 3},${-r}h${r / 1.5}v${r / 1.5}h${r / 1.5}v${r / 1.5}h${-r / 1.5}v${r / 1.5}h${-r / 1.5}v${-r / 1.5}h${-r / 1.5}v${-r / 1.5}h${r / 1.5}z`,
    x: r => `M${-r},${-r}L${r},${r}M${-r},${r}L${r},${-r}`,
    star: r => starPath(5, r, 0.45),
    hexagon: r => starPath(6, r, 0.866),
    "triangle-up": r => `M0,${-r}L${r},${r}H${-r}z`,
    "triangle-down": r => `M0,${r}L${r},${-r}H${-r}z`,
    "triangle-left": r => `M${-r},0L${r},${-r}V${r}z`,
    "triangle-right": r => `M${r},0L${-r},${-r}V${r}z`,
};

/** Where words stand beside a mark: which of their ends is there, and to which side it is away.
    @type {Record<string, {anchor: string, part: number}>} */
const SIDES = {
    left: {anchor: "end", part: -1},
    right: {anchor: "start", part: 1},
    center: {anchor: "middle", part: 0},
};
/** The same up and down; `lift`: how many of their lines are above, `below`: sizes down.
    @type {Record<string, {down: number, lift: number, below: number}>} */
const LEVELS = {
    top: {down: -1, lift: 1, below: 0},
    middle: {down: 0, lift: 0.5, below: 0.35},
    bottom: {down: 1, lift: 0, below: 0.8},
};

/** A star of `rays` rays; `inner`: how far in it goes between them.
    @param {number} rays
    @param {number} r
    @param {number} inner */
function starPath(rays, r, inner) {
    /** @type {(i: number) => string} */
    const corner = i => {
        const turn = Math.PI * i / rays, radius = i % 2 ? inner * r : r;
        return `${radius * Math.sin(turn)},${-radius * Math.cos(turn)}`;
    };
    return `M${Array.from({length: 2 * rays}, (_, i) => corner(i)).join("L")}z`;
}

/** An element of a drawing. Colours are styles: one style holds that of the light and dark theme.
    @template {keyof SVGElementTagNameMap} Tag
    @param {Tag} tag
    @param {Record<string, unknown>} attributes
    @param {...(Node | string)} children
    @returns {SVGElementTagNameMap[Tag]} */
function shape(tag, attributes = {}, ...children) {
    const element = document.createElementNS(NAMES, tag);
    for (const [name, value] of Object.entries(attributes)) {
        element.setAttribute(name, String(value));
    }
    element.append(...children);
    return element;
}

/** @type {(styles: Record<string, unknown>) => string} */
const css = styles => Object.entries(styles).map(([name, value]) => `${name}:${value}`).join(";");
/** @type {(value: any, i: number) => any} */
const valueAt = (value, i) => Array.isArray(value) ? value[i % value.length] : value;

/** What a line looks like.
    @param {Line} line */
function stroke({color, dash = "solid", width = 2} = {}) {
    const parts = DASHES[dash]?.map(part => part * Math.max(width, 3)).join(" ") ?? "none";
    return css({fill: "none", stroke: color, "stroke-width": width, "stroke-dasharray": parts});
}

/** Words at a place, line by line; `anchor`: which end is there; `lift`: lines above it.
    @param {string} text
    @param {Place} place
    @param {Look} look */
function words(text, [x, y], {anchor = "middle", size = SIZE, color = "currentColor", lift = 0}) {
    const lines = text.replace(/<\/?(?!br)[^>]*>/g, "").split("<br>");
    const style = css({fill: color, "font-size": `${size}px`});
    const first = y - lift * LINE * size * (lines.length - 1);
    const rows = lines.map((line, i) => shape("tspan", {x, y: first + i * LINE * size}, line));
    return shape("text", {class: "word", "text-anchor": anchor, style}, ...rows);
}

/** The letters of a title that has `pixels` of width.
    @param {{text: string, font?: Look}} title
    @param {number} pixels */
function fitTitle({text, font}, pixels) {
    const {size = 14} = font ?? {};
    return {...font, size: Math.min(size, pixels / (EM * text.length))};
}

class Plot {
    /** Where the axes cross, in pixels; once they are drawn. */
    left = 0;
    right = 0;
    top = 0;
    bottom = 0;

    /** @param {Trace[]} data
        @param {Layout} layout
        @param {number} width
        @param {string} name */
    constructor(data, layout, width, name) {
        const {l, r, t, b} = layout.margin;
        this.layout = layout;
        this.width = width;
        this.inside = `${name}-inside`;
        this.clip = `url(#${this.inside})`;
        this.traces = data.map(trace =>
            ({...trace, x: trace.x ?? [], y: trace.y ?? []}));
        const box = {left: l, right: width - r, top: t, bottom: layout.height - b};
        this.x = new Axis(layout.xaxis, this.traces.flatMap(({x}) => x), box.left, box.right);
        this.y = this.ordinate("y", box);
        this.y2 = layout.yaxis2 && this.ordinate("y2", box);
        if (layout.yaxis.scaleanchor) this.x.shareUnit(this.y);
    }

    /** An ordinate, with all that is drawn against it.
        @param {string} name
        @param {Box} box */
    ordinate(name, {top, bottom}) {
        const axis = this.layout[name.replace("y", "yaxis")], [low, high] = axis.domain ?? [0, 1];
        const values = this.traces.filter(({yaxis = "y"}) => yaxis === name).flatMap(({y}) => y);
        /** @type {(share: number) => number} */
        const at = share => bottom - share * (bottom - top);
        return new Axis(axis, values, at(low), at(high));
    }

    get ordinates() { return this.y2 ? [this.y, this.y2] : [this.y]; }

    draw() {
        const {inside} = this;
        const {low: left, high: right} = this.x.pixels;
        const top = Math.min(...this.ordinates.map(({pixels: {low}}) => low));
        const bottom = Math.max(...this.ordinates.map(({pixels: {high}}) => high));
        Object.assign(this, {left, right, top, bottom});
        const size = {x: left, y: top, width: right - left, height: bottom - top};
        return [
            shape("defs", {}, shape("clipPath", {id: inside}, shape("rect", size))),
            ...this.ordinates.flatMap(axis => this.drawOrdinate(axis)), ...this.drawAbscissa(),
            ...this.traces.flatMap(trace => this.trace(trace)),
            ...(this.layout.shapes ?? []).map((/** @type {Line} */ line) => this.line(line)),
            ...this.legend(),
        ];
    }

    /** Numbers of an ordinate with their lines, and its title.
        @param {Axis} axis */
    drawOrdinate(axis) {
        const {layout: {tickfont, title, side}, pixels: {low, high}} = axis, isRight = side === "right";
        const anchor = isRight ? "start" : "end", x = isRight ? this.right + 8 : this.left - 8;
        const ticks = axis.ticks.flatMap(({at, text}) => [
            shape("path", {d: `M${this.left},${at}H${this.right}`, class: "grid"}),
            words(text, [x, at + 4], {anchor, ...tickfont}),
        ]);
        if (!title?.text) return ticks;
        const {layout} = this, {l, r} = layout.margin, across = isRight ? this.right + r - 8 : this.left - l;
        const font = fitTitle(title, layout.height - 16);
        const place = [isRight ? across : across + font.size, (low + high) / 2];
        const label = words(title.text, place, font);
        label.setAttribute("transform", `rotate(-90 ${place})`);
        return [...ticks, label];
    }

    /** Numbers of the abscissa, and its title. */
    drawAbscissa() {
        const {layout: {tickfont, title}, ticks} = this.x, {bottom, width} = this;
        const size = tickfont?.size ?? SIZE;
        const numbers = ticks.map(({at, text}) => {
            const half = EM * size * text.length / 2, place = Math.min(at, width - half);
            return words(text, [place, bottom + 8 + size], {...tickfont});
        });
        const base = shape("path", {d: `M${this.left},${bottom}H${this.right}`, class: "grid"});
        if (!title?.text) return [base, ...numbers];
        const font = fitTitle(title, width), half = EM * font.size * title.text.length / 2;
        const middle = Math.min(Math.max((this.left + this.right) / 2, half), width - half);
        const place = [middle, bottom + this.layout.margin.b - 8];
        return [base, ...numbers, words(title.text, place, font)];
    }

    /** @param {Trace} trace */
    trace(trace) {
        const axis = trace.yaxis === "y2" ? this.y2 : this.y;
        /** @type {Place[]} */
        const at = trace.x.map((/** @type {number} */ x, /** @type {number} */ i) => [this.x.at(x), axis.at(trace.y[i])]);
        const whole = shape("g", {style: css({opacity: trace.opacity ?? 1})});
        if (trace.cliponaxis !== false) whole.setAttribute("clip-path", this.clip);
        const mode = trace.mode ?? "lines";
        if (trace.fill === "toself") whole.append(this.area(trace, at));
        if (mode.includes("lines") && trace.line?.width !== 0) whole.append(this.path(trace.line, at));
        if (mode.includes("markers")) whole.append(...this.marks(trace, at));
        const names = mode.includes("text") ? this.texts(trace, at) : [];
        return [whole, ...names];
    }

    /** @param {Trace} trace
        @param {Place[]} at */
    area({fillcolor, line}, at) {
        const points = at.filter(place => place.every(Number.isFinite));
        const fill = fillcolor ?? `color-mix(in srgb, ${line.color} 50%, transparent)`;
        return shape("path", {d: `M${points.join("L")}z`, style: css({fill})});
    }

    /** A line, broken where a number is missing.
        @param {Line} line
        @param {Place[]} at */
    path(line, at) {
        let pen = "M";
        const segments = at.map(place => {
            const isThere = place.every(Number.isFinite), step = isThere ? pen + place : "";
            pen = isThere ? "L" : "M";
            return step;
        });
        return shape("path", {d: segments.join(""), style: stroke(line)});
    }

    /** @param {Trace} trace
        @param {Place[]} at */
    marks({marker = {}}, at) {
        return at.map((place, i) => {
            const color = valueAt(marker.color, i), symbol = valueAt(marker.symbol ?? "circle", i);
            const d = MARKS[symbol]((valueAt(marker.size, i) ?? 6) / 2);
            const edge = symbol === "x" ? {color, width: 2} : marker.line ?? {width: 0};
            const style = css({fill: color, stroke: edge.color ?? "none", "stroke-width": edge.width ?? 0,
                opacity: valueAt(marker.opacity ?? 1, i)});
            return place.every(Number.isFinite)
                ? shape("path", {d, transform: `translate(${place})`, style}) : "";
        });
    }

    /** @param {Trace} trace
        @param {Place[]} at */
    texts({text, textposition = "middle center", textfont = {}, marker}, at) {
        return at.map(([x, y], i) => {
            if (!valueAt(text, i) || !Number.isFinite(x + y)) return "";
            const [up, across] = valueAt(textposition, i).split(" ");
            const size = valueAt(textfont.size, i) ?? SIZE;
            const distance = (valueAt(marker?.size, i) ?? 0) / 2 + 4;
            const {anchor, part} = SIDES[across], {down, lift, below} = LEVELS[up];
            const place = [x + part * distance, y + down * distance + below * size];
            return words(valueAt(text, i), place, {anchor, size, color: valueAt(textfont.color, i), lift});
        });
    }

    /** A line from place to place, or from side to side.
        @param {Line} options */
    line({x0, x1, y0, y1, xref = "x", yref = "y", line}) {
        const ordinate = yref.startsWith("y2") ? this.y2 : this.y;
        /** @type {(x: number) => number} */
        const across = x => xref === "x" ? this.x.at(x) : this.left + x * (this.right - this.left);
        const {low, high} = ordinate.pixels;
        /** @type {(y: number) => number} */
        const up = y => /^y2?$/.test(yref) ? ordinate.at(y) : high - y * (high - low);
        const d = `M${across(x0)},${up(y0)}L${across(x1)},${up(y1)}`;
        return shape("path", {d, style: stroke(line), "clip-path": this.clip});
    }

    /** Names of lines, a row each, where there is no room beside the lines. */
    legend() {
        if (!this.layout.showlegend) return [];
        const traces = this.traces.filter(({name, showlegend}) => name && showlegend !== false);
        const above = this.layout.margin.t - ABOVE - ROW * traces.length;
        return traces.flatMap(({name, line, marker}, i) => {
            const y = above + ROW * (i + 0.5), sample = line ?? {color: marker?.color};
            return [shape("path", {d: `M${this.left},${y}h32`, style: stroke(sample)}),
                words(name, [this.left + 40, y + 4], {anchor: "start"})];
        });
    }
}

/** A figure, as pages show it, `width` pixels wide; `name`: once in the document.
    @param {{data: Trace[], layout: Layout, alt: string}} figure
    @param {number} width
    @param {string} name */
export function plot({data, layout, alt}, width, name) {
    const [traces, look] = fitFigure(data, layout, width);
    const parts = new Plot(traces, look, width, name).draw();
    const size = {viewBox: `0 0 ${width} ${look.height}`, width, height: look.height};
    return shape("svg", {...size, role: "img", "aria-label": alt, class: "plot"}, ...parts);
}
