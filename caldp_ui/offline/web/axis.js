/* Where numbers are along an axis, and which of them are written. */

/** @typedef {number | string | null} Value
    @typedef {{
        type?: string, range?: number[], rangemode?: string, tickvals?: number[], ticktext?: string[],
        [more: string]: any,
    }} AxisLayout An axis of a figure. */

const STEPS = 5, ROOM = 0.05;

/** @type {(number: number) => string} */
const formatNumber = number => Number(number.toPrecision(6)).toLocaleString("en");

export class Axis {
    /** `layout`: an axis of a figure; `values`: what is drawn along it; `from`, `to`: its pixels.
        @param {AxisLayout} layout
        @param {Value[]} values
        @param {number} from
        @param {number} to */
    constructor(layout, values, from, to) {
        this.layout = layout;
        this.from = from;
        this.to = to;
        this.isLog = layout.type === "log";
        this.range = layout.range ?? this.rangeOf(values);
    }

    /** The range of all values, with a little room.
        @param {Value[]} values
        @returns {number[]} */
    rangeOf(values) {
        const levels = values.map(value => this.level(value)).filter(Number.isFinite);
        if (!levels.length) return [0, 1];
        const isFromZero = this.layout.rangemode === "tozero" && !this.isLog;
        const low = Math.min(...levels, ...isFromZero ? [0] : []), high = Math.max(...levels);
        const room = ROOM * (high - low || 1);
        return [isFromZero ? low : low - room, high + room];
    }

    /** @param {Value} value
        @returns {number} */
    level(value) {
        if (value === null) return NaN;
        return this.isLog ? Math.log10(Number(value)) : Number(value);
    }

    /** @param {Value} value */
    at(value) {
        const [low, high] = this.range;
        return this.from + (this.level(value) - low) / (high - low) * (this.to - this.from);
    }

    get pixels() { return {low: Math.min(this.from, this.to), high: Math.max(this.from, this.to)}; }

    /** Have a unit as many pixels as on another axis; both shrink to their middles.
        @param {Axis} other */
    shareUnit(other) {
        /** @type {(axis: Axis) => number} */
        const pixelsPerUnit = ({from, to, range}) => Math.abs((to - from) / (range[1] - range[0]));
        const unitPixels = Math.min(pixelsPerUnit(this), pixelsPerUnit(other));
        for (const axis of [this, other]) {
            const part = unitPixels / pixelsPerUnit(axis), middle = (axis.from + axis.to) / 2;
            axis.from = middle + part * (axis.from - middle);
            axis.to = middle + part * (axis.to - middle);
        }
    }

    /** The numbers that are written, with their pixels; only those within the range. */
    get ticks() {
        const {ticktext, tickvals} = this.layout;
        const values = tickvals ?? (this.isLog ? this.decadeTicks : this.evenTicks);
        const [low, high] = this.range, slack = 1e-6 * (high - low);
        return values
            .map((value, i) => ({level: this.level(value), at: this.at(value),
                text: ticktext?.[i] ?? formatNumber(value)}))
            .filter(({level}) => low - slack <= level && level <= high + slack);
    }

    get decadeTicks() {
        const [low, high] = this.range, first = Math.floor(low);
        const powers = Array.from({length: Math.ceil(high) - first + 1}, (_, i) => 10 ** (first + i));
        return high - low < 2 ? powers.flatMap(power => [power, 2 * power, 5 * power]) : powers;
    }

    get evenTicks() {
        const [low, high] = this.range, roughStep = (high - low) / STEPS;
        const power = 10 ** Math.floor(Math.log10(roughStep));
        const step = ([1, 2, 5].find(part => part * power >= roughStep) ?? 10) * power;
        const first = Math.ceil(low / step);
        return Array.from({length: Math.floor(high / step) - first + 1}, (_, i) => step * (first + i));
    }
}
