import assert from "node:assert/strict";
import test from "node:test";

import {COMMON, searchAnswers, listItems} from "../../caldp_ui/values/web/items.js";
import {markRows, scale} from "../../caldp_ui/values/web/scale.js";

/** `k` answers, the last the most common; in groups of two where asked. */
function answers(k, grouped) {
    const names = Array.from({length: k}, (_, x) => `answer ${x}`);
    const truth = names.map((_, x) => 2 * (x + 1) / (k * (k + 1)));
    const columns = off => [truth.map(p => p + off), truth.map(p => p + off - 0.01),
        truth.map(p => p + off + 0.01)];
    const pairs = Array.from({length: k / 2}, (_, g) => [2 * g, 2 * g + 1]);
    const of = ([a, b], off) => [truth[a] + truth[b] + off, 0, 1];
    const groups = pairs.map((members, g) => ({name: `group ${g}`, members,
        truth: truth[members[0]] + truth[members[1]], plain: of(members, 0.02), ours: of(members, 0)}));
    return {n: 1000, names, labels: names.map((_, x) => `inner ${x}`), truth, blocks: null,
        plain: columns(0.02), ours: columns(0), pinned: null, groups: grouped ? groups : [],
        words: {marked: "is sensitive.", bare: "is not."}};
}
const look = (more = {}) => ({view: "groups", unfolded: new Set(), query: "", ...more});
const ids = items => items.map(({id}) => id);

test("few answers are listed as they come, each with its numbers in words", () => {
    const items = listItems(answers(4, false), look());
    assert.deepEqual(ids(items), [0, 1, 2, 3]);
    assert.deepEqual(items[3].ours, [0.4, 0.4 - 0.01, 0.4 + 0.01]);
    assert.equal(items[3].describe(1), "answer 3: truth 40 %, 400 people; plain LDP 42 % (41 % to 43 %); "
        + "this protection 40 % (39 % to 41 %). is sensitive.");
    assert.match(items[3].describe(0), /is not\.$/);
});

test("groups are headings above their answers", () => {
    const items = listItems(answers(4, true), look());
    assert.deepEqual(ids(items), ["g0", 0, 1, "g1", 2, 3]);
    assert.equal(items[0].label, "group 0: truth 30 %, plain LDP 32 %, this protection 30 %");
    assert.ok(items[0].heading && !items[0].bars && items[1].inner && items[1].label === "inner 0");
    assert.match(items[0].describe(1), /^All of group 0: .* 1 of 2 are sensitive\.$/);
});

test("groups of many answers are folded until one unfolds them", () => {
    const many = answers(62, true);
    assert.deepEqual(ids(listItems(many, look())), Array.from({length: 31}, (_, g) => `g${g}`));
    const open = listItems(many, look({unfolded: new Set(["g1"])}));
    assert.deepEqual(ids(open).slice(0, 5), ["g0", "g1", 2, 3, "g2"]);
    assert.ok(open[1].open && open[1].bars && !open[0].open);
});

test("of many answers the most common come first", () => {
    for (const [grouped, view] of [[true, "common"], [false, "groups"]]) {
        const items = listItems(answers(100, grouped), look({view}));
        assert.deepEqual(ids(items), Array.from({length: COMMON}, (_, i) => 99 - i));
    }
});

test("a search finds answers by their names and their groups', unfolds them, and lists at most 120", () => {
    const many = answers(400, true);
    assert.deepEqual(searchAnswers(many, " ANSWER 17 "), [17, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179]);
    assert.deepEqual(searchAnswers(many, "group 199"), [398, 399]);
    assert.deepEqual(ids(listItems(many, look({query: "group 199"}))), [398, 399]);
    assert.equal(searchAnswers(many, "answer").length, 400);
    assert.equal(listItems(many, look({query: "answer"})).length, 120);
    assert.deepEqual(listItems(many, look({query: "nobody"})), []);
});

test("the scale holds every estimate, and ranges up to 1.6 times as far", () => {
    const of = high => listItems({...answers(2, false), ours: [[0.3, 0.5], [0.2, 0.4], [0.4, high]]}, look());
    assert.ok(Math.abs(scale(of(0.6), 900).top - 1.04 * 0.6868) < 0.03);
    assert.ok(Math.abs(scale(of(9), 900).top - 1.04 * 1.6 * (2 / 3 + 0.02)) < 1e-9);
    for (const [width, most] of [[300, 3], [900, 5]]) {
        const {top, step} = scale(of(0.6), width);
        assert.ok(top / step <= most && top / step >= most / 2.5);
        assert.match(step.toExponential(0), /^[125]e/);
    }
});

test("each kind of mark is named in a row of its own, where there is room", () => {
    const items = listItems(answers(10, false), look()), {top} = scale(items, 900);
    const names = markRows(items, top), rows = Object.values(names);
    assert.deepEqual(Object.keys(names), ["plain", "ours", "truth"]);
    assert.equal(new Set(rows).size, rows.length);
    for (const which of ["plain", "ours"]) assert.ok(items[names[which]][which][2] < 0.66 * top);
    assert.deepEqual(markRows([], 1), {});
});
