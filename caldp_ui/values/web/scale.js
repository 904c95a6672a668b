/* Where the chart's scale ends, its ticks, and the rows in which each kind of mark is named. */

/** @import {Item} from "./items.js"
    @import {Which} from "./row.js" */

/** @type {Which[]} */
const KINDS = ["plain", "ours", "pinned"];

/** The share at the right end, and the step from tick to tick; ranges may reach beyond the end,
    estimates and truth may not.
    @param {Item[]} items
    @param {number} width Pixels of a column. */
export function scale(items, width) {
    const shown = items.filter(item => item.bars);
    const every = shown.flatMap(item => KINDS.flatMap(which => item[which] ? [item[which]] : []));
    const points = [...shown.map(i => i.truth), ...every.map(([estimate]) => estimate)];
    const ends = every.map(([, , high]) => high);
    const most = Math.max(...points, 1e-9);
    const top = 1.04 * Math.max(most, Math.min(Math.max(...ends, 0), 1.6 * most));
    const rough = top / (width < 460 ? 3 : 5);
    const power = 10 ** Math.floor(Math.log10(rough));
    return {top, step: ([1, 2, 5].find(part => part * power >= rough) ?? 10) * power};
}

/** The row in which each kind of mark is named, where there is room: no two in one row.
    @param {Item[]} items
    @param {number} top */
export function naming(items, top) {
    /** @type {Record<string, number>} */
    const names = {};
    /** @type {(item: Item) => number} */
    const end = item => Math.max(0, ...KINDS.map(which => item[which]?.[2] ?? 0), item.truth);
    /** @type {(which: string, fits: (item: Item) => unknown) => void} */
    const place = (which, fits) => {
        const taken = Object.values(names);
        const at = items.findIndex((item, i) => item.bars && !taken.includes(i) && fits(item));
        if (at >= 0) names[which] = at;
    };
    for (const which of KINDS) {
        place(which, item => item[which] && end(item) < 0.66 * top);
    }
    /** @type {(item: Item) => number} */
    const starts = item => Math.min(...KINDS.flatMap(which => item[which] ? [item[which][1]] : []));
    place("truth", item => item.truth > 0.25 * top && starts(item) > 0.15 * top);
    return names;
}
