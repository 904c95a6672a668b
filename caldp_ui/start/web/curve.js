/* The curve of error against the size of the hiding place, which is the slider: one drags along it. A
   browser's own slider lies over it, for keys and for screen readers. */

/** @typedef {{width: number, height: number, left: number, right: number, top: number, bottom: number,
        isNarrow: boolean}} Room */

const DRAWING = "http://www.w3.org/2000/svg";
/** The share at the upper end of the axis: the same for all ε, so that one sees ε move the curve. */
const TOP = 0.5;
/** Standard deviations either side that hold 90 of 100 collections. */
const BAND = 1.645;
const TICKS = [0, 0.25, 0.5];
const NARROW_PX = 560, LABEL_APART = 0.2;

/** An element of a drawing.
    @param {string} tag
    @param {Record<string, string | number>} attributes
    @param {...(Node | string)} children */
function shape(tag, attributes, ...children) {
    const element = document.createElementNS(DRAWING, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    element.append(...children);
    return element;
}

/** @param {[x: number, y: number][]} points */
const lineThrough = points =>
    `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;

export class Curve {
    /** @type {Room} */
    room = {width: 0, height: 0, left: 0, right: 0, top: 0, bottom: 0, isNarrow: false};
    epsilon = 0;
    /** Where the handle is, between two sizes while it moves. */
    position = 0;
    isDragging = false;
    /** Whether the reader has never moved anything yet: the handle then asks for it. */
    isInviting = false;

    /** @param {HTMLElement} host
        @param {import("./atlas.js").Atlas} atlas
        @param {Message.ExhibitWords} words
        @param {{move: (position: number, event: PointerEvent) => void, drop: () => void,
            step: (size: number) => void}} on */
    constructor(host, atlas, words, on) {
        this.host = host;
        this.atlas = atlas;
        this.words = words;
        this.drawing = /** @type {SVGSVGElement} */ (host.querySelector("svg"));
        this.slider = /** @type {HTMLInputElement} */ (host.querySelector("input"));
        this.slider.max = String(atlas.sizes - 1);
        this.slider.addEventListener("input", () => on.step(Number(this.slider.value)));
        const surface = this.drawing;
        surface.addEventListener("pointerdown", event => {
            if (event.button) return;
            this.isDragging = true;
            surface.setPointerCapture(event.pointerId);
            this.slider.focus({preventScroll: true});
            on.move(this.positionAt(event.clientX), event);
            event.preventDefault();
        });
        surface.addEventListener("pointermove", event => {
            if (this.isDragging) on.move(this.positionAt(event.clientX), event);
        });
        const drop = () => {
            if (!this.isDragging) return;
            this.isDragging = false;
            on.drop();
        };
        surface.addEventListener("pointerup", drop);
        surface.addEventListener("pointercancel", drop);
        this.resizeObserver = new ResizeObserver(() => this.draw());
        this.resizeObserver.observe(host);
    }

    end() { this.resizeObserver.disconnect(); }

    /** @param {number} clientX */
    positionAt(clientX) {
        const {left, right} = this.room, from = this.drawing.getBoundingClientRect().left;
        const along = (clientX - from - left) / (right - left);
        return this.atlas.positionAt(Math.max(0, Math.min(1, along)));
    }

    /** @param {number} along */
    x(along) { return this.room.left + along * (this.room.right - this.room.left); }

    /** @param {number} share */
    y(share) {
        const {top, bottom} = this.room;
        return bottom - Math.min(1, share / TOP) * (bottom - top);
    }

    /** Show the handle at a position of the curve of one ε.
        @param {number} epsilon
        @param {number} position
        @param {boolean} isInviting */
    show(epsilon, position, isInviting) {
        Object.assign(this, {epsilon, position, isInviting});
        this.draw();
    }

    measure() {
        const {width, height} = this.host.getBoundingClientRect(), isNarrow = width < NARROW_PX;
        this.room = {
            width, height, isNarrow,
            left: isNarrow ? 34 : 52,
            right: width - (isNarrow ? 26 : 58),
            top: isNarrow ? 34 : 40,
            bottom: height - 46,
        };
        return width > 0;
    }

    draw() {
        if (!this.measure()) return;
        const {room, atlas} = this, size = Math.round(this.position);
        this.drawing.setAttribute("viewBox", `0 0 ${room.width} ${room.height}`);
        this.drawing.replaceChildren(
            ...this.axis(), ...this.otherLines(), ...this.band(), ...this.stops(size),
            ...this.plainLabel(size), ...this.handle(size));
        const name = atlas.data.names[size], wrong = atlas.data.wrong[this.epsilon][size];
        this.slider.value = String(size);
        this.slider.setAttribute("aria-valuetext",
            this.words.slider.replace("{block}", name).replace("{wrong}", wrong));
    }

    axis() {
        const {room, words} = this;
        const lines = TICKS.map(tick => shape("line", {
            class: "rule", x1: room.left, x2: room.right, y1: this.y(tick), y2: this.y(tick)}));
        const labels = TICKS.map(tick => shape("text", {
            x: room.left - 8, y: this.y(tick) + 5, "text-anchor": "end"}, String(Math.round(100 * tick))));
        const title = shape("text", {class: "title", x: room.isNarrow ? 0 : room.left - 24, y: 16},
            words.axis);
        const below = shape("text", {x: room.width / 2, y: room.bottom + 41, "text-anchor": "middle"},
            room.isNarrow ? words.less : words.sides);
        return [...lines, ...labels, title, below];
    }

    /** The curves of the other ε, faint. */
    otherLines() {
        const {atlas, room} = this, {data} = atlas, along = 0.6 * atlas.along(1);
        return data.epsilons.flatMap((epsilon, e) => {
            if (e === this.epsilon) return [];
            const line = shape("path", {class: "other", d: lineThrough(this.points(e, 0))});
            if (room.isNarrow) return [line];
            const y = this.y(atlas.expectedAt(e, atlas.positionAt(along))) - 5;
            return [line, shape("text", {class: "name", x: this.x(along), y}, `ε = ${epsilonText(epsilon)}`)];
        });
    }

    /** The points of a curve, some deviations above or below what is expected.
        @param {number} e
        @param {number} deviations
        @returns {[number, number][]} */
    points(e, deviations) {
        return this.atlas.data.errors[e].map(({expected, deviation}, size) =>
            [this.x(this.atlas.along(size)), this.y(expected + deviations * deviation)]);
    }

    band() {
        const e = this.epsilon, outline = [...this.points(e, BAND), ...this.points(e, -BAND).reverse()];
        return [
            shape("path", {class: "band", d: `${lineThrough(outline)}Z`}),
            shape("path", {class: "line", d: lineThrough(this.points(e, 0))}),
        ];
    }

    /** A dot for each size, and the names of those that have room: the ends and where one is.
        @param {number} size */
    stops(size) {
        const {atlas, room} = this, {names} = atlas.data, last = atlas.sizes - 1;
        return this.points(this.epsilon, 0).flatMap(([x, y], stop) => {
            const dot = shape("circle", {class: stop ? "stop" : "stop plain", cx: x, cy: y, r: 5.5});
            const isFree = Math.abs(atlas.along(stop) - atlas.along(size)) > (room.isNarrow ? 0.4 : LABEL_APART);
            if (stop !== size && !((stop === 0 || stop === last) && isFree)) return [dot];
            const anchor = room.isNarrow ? endAnchor(stop, last) : "middle";
            const at = room.isNarrow ? edgeOf(stop, last, x, room.width) : x;
            const kind = stop === size ? "here" : "";
            return [dot, shape("text", {class: kind, x: at, y: room.bottom + 20, "text-anchor": anchor}, names[stop])];
        });
    }

    /** What plain LDP pays stays in sight, at the left end.
        @param {number} size */
    plainLabel(size) {
        if (size === 0) return [];
        const {atlas} = this, [[x, y]] = this.points(this.epsilon, 0);
        const text = `${atlas.data.numbers[this.epsilon][0]} · ${this.words.plain}`;
        return [shape("text", {class: "plain", x: x + 9, y: y - 8}, text)];
    }

    /** @param {number} size */
    handle(size) {
        const {atlas, room, words} = this, {numbers} = atlas.data;
        const x = this.x(atlas.alongAt(this.position));
        const y = this.y(atlas.expectedAt(this.epsilon, this.position));
        const isPlain = size === 0, isAtEnd = x > room.right - 70;
        const anchor = isPlain ? "start" : isAtEnd ? "end" : "middle";
        const number = numbers[this.epsilon][size] + (isPlain ? ` · ${words.plain}` : "");
        const pulse = this.isInviting ? [shape("circle", {class: "pulse", cx: x, cy: y, r: 17})] : [];
        const call = isPlain ? {x: x + 22, y: y + 22} : {x: Math.min(x + 22, room.width - 62), y: y - 24};
        const invitation = this.isInviting ? [shape("text", {class: "here", ...call}, words.drag)] : [];
        return [
            shape("line", {class: "drop", x1: x, x2: x, y1: y + 16, y2: room.bottom}),
            ...pulse,
            shape("circle", {class: "ring", cx: x, cy: y, r: 15}),
            shape("path", {class: "arrows", d: `M${x - 3} ${y - 4}l-4 4l4 4M${x + 3} ${y - 4}l4 4l-4 4`}),
            shape("text", {class: isPlain ? "now plain" : "now", "text-anchor": anchor,
                x: x + (isPlain ? 22 : isAtEnd ? 10 : 0), y: y - (isPlain ? 10 : 22)}, number),
            ...invitation,
        ];
    }
}

/** @param {number} epsilon */
export const epsilonText = epsilon => epsilon === 0.5 ? "½" : String(epsilon);

/** @param {number} stop
    @param {number} last */
function endAnchor(stop, last) {
    if (stop === 0) return "start";
    return stop === last ? "end" : "middle";
}

/** @param {number} stop
    @param {number} last
    @param {number} x
    @param {number} width */
function edgeOf(stop, last, x, width) {
    if (stop === 0) return 0;
    return stop === last ? width : x;
}
