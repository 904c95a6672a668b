/* What the chart lists, and in which words: answers and groups by their view, a search, or what is
   unfolded. */

import {counted} from "../../stage/web/dom.js";
import {percent} from "./text.js";

/** @import {Kind} from "./row.js"
    @typedef {Message.Range | null | undefined} Estimate
    @typedef {Omit<Message.Answers, "receipt">} ListData What is listed: of a film, with its own
        estimates.
    @typedef {{view: string, unfolded: Set<string>, query: string}} View Of many answers, groups or the
        most common; the groups that are unfolded; what is searched for.
    @typedef {{
        id: number | string, name: string, label: string, members: number[], truth: number,
        plain: Estimate, ours: Estimate, pinned: Estimate, bars: boolean, heading: boolean,
        inner: boolean, tag?: string, foldable?: boolean, open?: boolean,
        describe: (on: number) => string,
    }} Item A row's answer, or a group's. */

/** From this number of answers on groups are folded. */
export const FOLDED_FROM = 61;
export const COMMON = 40;
const MATCHES_MAX = 120;

/** @type {(columns: Message.Columns, x: number) => Message.Range} */
export const rangeAt = ([estimate, low, high], x) => [estimate[x], low[x], high[x]];

/** Answers that a search finds, in the order of the answers; a group's name finds all of its own.
    @param {ListData} data
    @param {string} query */
export function searchAnswers({names, groups}, query) {
    const text = query.trim().toLowerCase();
    const groupOf = new Map(groups.flatMap(({name, members}) => members.map(x => [x, name])));
    return names.flatMap((name, x) =>
        `${name} ${groupOf.get(x) ?? ""}`.toLowerCase().includes(text) ? [x] : []);
}

/** What is listed, from top to bottom.
    @param {ListData} data
    @param {View} view
    @returns {Item[]} */
export function listItems(data, {view, unfolded, query}) {
    const {names, groups, truth} = data, folds = names.length >= FOLDED_FROM;
    /** @type {(members: number[], inner?: boolean) => Item[]} */
    const answers = (members, inner = false) => members.map(x => answer(data, x, inner));
    if (query.trim()) return answers(searchAnswers(data, query).slice(0, MATCHES_MAX));
    const all = names.map((_, x) => x);
    if (folds && (view === "common" || !groups.length)) {
        return answers(all.sort((a, b) => truth[b] - truth[a] || a - b).slice(0, COMMON));
    }
    if (!groups.length) return answers(all);
    return groups.flatMap((each, g) => {
        const isUnfolded = !folds || unfolded.has(`g${g}`);
        const row = group(data, each, {id: `g${g}`, folds, open: isUnfolded});
        return [row, ...isUnfolded ? answers(each.members, true) : []];
    });
}

/** @param {ListData} data
    @param {number} x
    @param {boolean} inner
    @returns {Item} */
function answer(data, x, inner) {
    const {names, labels, truth, plain, ours, pinned, blocks, words} = data;
    /** @type {(columns: Message.Columns | null) => Estimate} */
    const estimateOf = columns => columns && rangeAt(columns, x);
    /** @type {Omit<Item, "describe">} */
    const item = {id: x, name: names[x], label: inner ? labels[x] : names[x], members: [x],
        truth: truth[x], plain: estimateOf(plain), ours: estimateOf(ours),
        pinned: estimateOf(pinned), bars: true, heading: false, inner,
        tag: blocks ? String(blocks[x] + 1) : ""};
    const text = sentence(data.n, item);
    return {...item, describe: on => `${text} ${on ? words.marked : words.bare}`};
}

/** @param {ListData} data
    @param {Message.Group} group
    @param {{id: string, folds: boolean, open: boolean}} view
    @returns {Item} */
function group(data, {name, members, truth, plain, ours, pinned}, {id, folds, open}) {
    /** @type {Omit<Item, "describe">} */
    const item = {id, name, members, truth, plain, ours, pinned, bars: folds, inner: false,
        heading: !folds, foldable: folds, open, label: name};
    if (!folds) {
        /** @type {[who: string, share: number | undefined][]} */
        const all = [["truth", truth], ["plain LDP", plain?.[0]], ["this protection", ours?.[0]],
            ["pinned", pinned?.[0]]];
        const shares = all.flatMap(([who, share]) =>
            share === undefined ? [] : [`${who} ${percent(share)}`]);
        item.label = `${name}: ${shares.join(", ")}`;
    }
    const text = sentence(data.n, item);
    return {...item, describe: on => `All of ${text} ${on} of ${members.length} are sensitive.`};
}

/** @param {number} n
    @param {Pick<Item, "name" | "truth" | Kind>} item */
function sentence(n, {name, truth, plain, ours, pinned}) {
    const people = Math.round(truth * n).toLocaleString("en");
    /** @type {(who: string, range: Estimate) => string} */
    const estimateText = (who, range) => range
        ? `; ${who} ${percent(range[0])} (${percent(range[1])} to ${percent(range[2])})` : "";
    return `${name}: truth ${percent(truth)}, ${counted(people, "person", "people")}`
        + `${estimateText("plain LDP", plain)}${estimateText("this protection", ours)}${estimateText("pinned", pinned)}.`;
}
