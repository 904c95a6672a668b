/* What the chart lists, and in which words: answers and groups by their view, a search, or what is
   unfolded. */

import {percent} from "./text.js";

/** @import {Which} from "./row.js"
    @typedef {Message.Range | null | undefined} Found
    @typedef {Omit<Message.Answers, "heard">} Listed What is listed: of a film, with its own estimates.
    @typedef {{view: string, open: Set<string>, query: string}} View Of many answers, groups or the
        most common; the groups that are unfolded; what is searched for.
    @typedef {{
        id: number | string, name: string, label: string, members: number[], truth: number,
        plain: Found, ours: Found, pinned: Found, bars: boolean, heading: boolean, inner: boolean,
        tag?: string, foldable?: boolean, open?: boolean, told: (on: number) => string,
    }} Item A row's answer, or a group's. */

/** From so many answers on groups are folded. */
export const FOLDED_FROM = 61;
export const COMMON = 40;
const FOUND_MOST = 120;

/** @type {(columns: Message.Columns, x: number) => Message.Range} */
export const at = ([estimate, low, high], x) => [estimate[x], low[x], high[x]];

/** Answers that a search finds, in the order of the answers; a group's name finds all of its own.
    @param {Listed} data
    @param {string} query */
export function found({names, groups}, query) {
    const wanted = query.trim().toLowerCase();
    const own = new Map(groups.flatMap(({name, members}) => members.map(x => [x, name])));
    return names.flatMap((name, x) =>
        `${name} ${own.get(x) ?? ""}`.toLowerCase().includes(wanted) ? [x] : []);
}

/** What is listed, from top to bottom.
    @param {Listed} data
    @param {View} view
    @returns {Item[]} */
export function listed(data, {view, open, query}) {
    const {names, groups, truth} = data, folds = names.length >= FOLDED_FROM;
    /** @type {(members: number[], inner?: boolean) => Item[]} */
    const answers = (members, inner = false) => members.map(x => answer(data, x, inner));
    if (query.trim()) return answers(found(data, query).slice(0, FOUND_MOST));
    const all = names.map((_, x) => x);
    if (folds && (view === "common" || !groups.length)) {
        return answers(all.sort((a, b) => truth[b] - truth[a] || a - b).slice(0, COMMON));
    }
    if (!groups.length) return answers(all);
    return groups.flatMap((each, g) => {
        const unfolded = !folds || open.has(`g${g}`);
        const row = group(data, each, {id: `g${g}`, folds, open: unfolded});
        return [row, ...unfolded ? answers(each.members, true) : []];
    });
}

/** @param {Listed} data
    @param {number} x
    @param {boolean} inner
    @returns {Item} */
function answer(data, x, inner) {
    const {names, labels, truth, plain, ours, pinned, blocks, words} = data;
    /** @type {(found: Message.Columns | null) => Found} */
    const of = found => found && at(found, x);
    /** @type {Omit<Item, "told">} */
    const made = {id: x, name: names[x], label: inner ? labels[x] : names[x], members: [x],
        truth: truth[x], plain: of(plain), ours: of(ours), pinned: of(pinned), bars: true,
        heading: false, inner, tag: blocks ? String(blocks[x] + 1) : ""};
    const told = sentence(data.n, made);
    return {...made, told: on => `${told} ${on ? words.marked : words.bare}`};
}

/** @param {Listed} data
    @param {Message.Group} group
    @param {{id: string, folds: boolean, open: boolean}} way
    @returns {Item} */
function group(data, {name, members, truth, plain, ours, pinned}, {id, folds, open}) {
    /** @type {Omit<Item, "told">} */
    const made = {id, name, members, truth, plain, ours, pinned, bars: folds, inner: false,
        heading: !folds, foldable: folds, open, label: name};
    if (!folds) {
        /** @type {[who: string, share: number | undefined][]} */
        const all = [["truth", truth], ["plain LDP", plain?.[0]], ["this protection", ours?.[0]],
            ["pinned", pinned?.[0]]];
        const told = all.flatMap(([who, share]) =>
            share === undefined ? [] : [`${who} ${percent(share)}`]);
        made.label = `${name}: ${told.join(", ")}`;
    }
    const told = sentence(data.n, made);
    return {...made, told: on => `All of ${told} ${on} of ${members.length} are sensitive.`};
}

/** @param {number} n
    @param {Pick<Item, "name" | "truth" | Which>} item */
function sentence(n, {name, truth, plain, ours, pinned}) {
    const people = Math.round(truth * n).toLocaleString("en");
    /** @type {(who: string, found: Found) => string} */
    const of = (who, found) => found
        ? `; ${who} ${percent(found[0])} (${percent(found[1])} to ${percent(found[2])})` : "";
    return `${name}: truth ${percent(truth)}, ${people} people${of("plain LDP", plain)}`
        + `${of("this protection", ours)}${of("pinned", pinned)}.`;
}
