/* Where the chart's scale ends, its ticks, and the rows in which each kind of mark is named. */

/** @import {Item} from "./items.js"
    @import {Kind} from "./row.js" */

/** @type {Kind[]} */
const KINDS = ["plain", "ours", "pinned"];

/** The share at the right end, and the step from tick to tick; ranges may reach beyond the end,
    estimates and truth may not.
    @param {Item[]} items
    @param {number} width Pixels of a column. */
export function scale(items, width) {
    const barItems = items.filter(item => item.bars);
    const estimates = barItems.flatMap(
        item => KINDS.flatMap(which => item[which] ? [item[which]] : []));
    const points = [...barItems.map(i => i.truth), ...estimates.map(([estimate]) => estimate)];
    const ends = estimates.map(([, , high]) => high);
    const pointMax = Math.max(...points, 1e-9);
    const top = 1.04 * Math.max(pointMax, Math.min(Math.max(...ends, 0), 1.6 * pointMax));
    const roughStep = top / (width < 460 ? 3 : 5);
    const power = 10 ** Math.floor(Math.log10(roughStep));
    return {top, step: ([1, 2, 5].find(part => part * power >= roughStep) ?? 10) * power};
}

/** The row in which each kind of mark is named, where there is room: no two in one row.
    @param {Item[]} items
    @param {number} top */
export function markRows(items, top) {
    /** @type {Record<string, number>} */
    const names = {};
    /** @type {(item: Item) => number} */
    const highEnd = item => Math.max(0, ...KINDS.map(which => item[which]?.[2] ?? 0), item.truth);
    /** @type {(which: string, fits: (item: Item) => unknown) => void} */
    const place = (which, fits) => {
        const usedRows = Object.values(names);
        const at = items.findIndex((item, i) => item.bars && !usedRows.includes(i) && fits(item));
        if (at >= 0) names[which] = at;
    };
    for (const which of KINDS) {
        place(which, item => item[which] && highEnd(item) < 0.66 * top);
    }
    /** @type {(item: Item) => number} */
    const lowEnd = item => Math.min(...KINDS.flatMap(which => item[which] ? [item[which][1]] : []));
    place("truth", item => item.truth > 0.25 * top && lowEnd(item) > 0.15 * top);
    return names;
}
