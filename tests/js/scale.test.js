import assert from "node:assert/strict";
import test from "node:test";

import {TOP, codeOf} from "../../caldp_ui/stage/web/codec.js";
import {Legend, drawScale} from "../../caldp_ui/stage/web/scale.js";
import {MapStyles, colourTable} from "../../caldp_ui/stage/web/styles.js";
import {at} from "./page.js";

const SCALE = {low: 1e-6, high: 1e-2, ticks: [[1e-6, "1 in a million"], [1e-2, "1 in 100"]]};
/** Levels of one colour each: red says which. */
const RAMP = Uint8Array.from({length: 3 * 12}, (_, i) => i % 3 ? 7 * (i % 3) : Math.floor(i / 3));
const level = pixel => pixel & 0xff;

test("colours go evenly with the logarithm, and are held at both ends", () => {
    const table = colourTable(SCALE, RAMP);
    assert.equal(table.length, TOP + 1);
    assert.equal(table[0], 0, "nobody is left to the land");
    const of = share => level(table[codeOf(share)]);
    assert.deepEqual([1e-9, 1e-6, 1e-4, 1e-2, 1].map(of), [1, 1, 6, 11, 11]);
    for (let code = 2; code <= TOP; code++) assert.ok(level(table[code]) >= level(table[code - 1]));
    assert.equal(table[1] >>> 24, 255, "opaque");
    assert.deepEqual([table[1] >> 8 & 0xff, table[1] >> 16 & 0xff], [7, 14], "green, then blue");
});

test("the legend's strip shows the same colours between its ends", () => {
    const drawn = [], words = [];
    const context = {
        fillText: (text, x) => words.push([text, x]), measureText: text => ({width: text.length}),
        fillRect(x, y, width, high) { drawn.push([context.fillStyle, x, x + width, y, y + high]); },
    };
    drawScale(context, SCALE, RAMP, "share:", 10, 50, {size: 10, ink: "ink", font: "serif"});
    assert.deepEqual(words, [["share:", 10], ["1 in a million", 22], ["1 in 100", 138]]);
    assert.equal(drawn[0][0], "rgb(1,7,14)");
    assert.equal(drawn.at(-1)[0], "rgb(11,7,14)");
    assert.equal(drawn[0][1], 42, "behind its word");
    assert.ok(drawn.at(-1)[2] > 132 && drawn.at(-1)[2] < 138, "nine letters wide");
    assert.deepEqual(drawn[0].slice(3), [46.5, 53.5], "around its middle");
    drawn.slice(1).forEach(([, from], i) => { assert.ok(from <= drawn[i][2], "no gap"); });
});

test("the legend names the ends of the scale and the colours between them", () => {
    const legend = new Legend();
    legend.draw({...SCALE, ticks: [SCALE.ticks[0], [1e-4, "middle"], SCALE.ticks[1]]}, RAMP);
    assert.deepEqual([legend.low, legend.high].map(({textContent}) => textContent),
        ["1 in a million", "1 in 100"]);
    const colours = legend.strip.style.background.match(/rgb\(\d+/g);
    assert.deepEqual([colours.length, colours[0], colours[8], colours[16]],
        [17, "rgb(1", "rgb(6", "rgb(11"]);
    legend.explain([["box", "your box"]]);
    assert.equal(legend.keys.children[0].children[1], "your box");
    for (const marks of [["box"], ["blocks"]]) {
        legend.leaveOut(marks);
        assert.equal(legend.keys.children[0].style.visibility, marks[0] === "box" ? "hidden" : "");
    }
});

/** The styles of a stage that counts what it draws. */
function styles() {
    const style = sea => ({sea, ramps: {amounts: RAMP, open: RAMP, safe: RAMP}});
    const stage = {
        data: {page: "/maps"}, looks: {}, root: {dataset: {}, style: {setProperty() {}}},
        legend: {draw() {}}, layer: {forget() {}}, toolbar: {update() {}}, requestPaint() {},
    };
    return new MapStyles(stage, {dark: style("black"), light: style("white")});
}

test("the reader's style is in the link, and all stages follow", () => {
    at("/maps");
    const [one, other] = [styles(), styles()];
    for (const each of [one, other]) each.settle(SCALE);
    assert.equal(one.style.sea, "black");
    one.toggle();
    assert.equal(location.search, "?map=light");
    assert.equal(other.stage.root.dataset.map, "light");
    at("/maps");
    one.settle(SCALE);
    assert.equal(location.search, "?map=light", "a page may drop it from the link");
    one.toggle();
    assert.equal(location.search, "");
    other.leave();
    one.toggle();
    assert.equal(other.stage.root.dataset.map, "dark");
    one.toggle();
    one.leave();
});

test("tables are made once for each scale, style and colours", () => {
    at("/maps");
    const made = styles();
    made.settle(SCALE);
    const [out, open] = made.pair("open");
    assert.notEqual(out, open);
    assert.equal(made.pair("amounts")[0], made.pair("amounts")[1]);
    const before = made.table("amounts");
    made.settle({...SCALE, high: 1e-3});
    assert.notEqual(made.table("amounts"), before);
    made.settle(SCALE);
    assert.equal(made.table("amounts"), before);
    made.leave();
});

test("a line of the legend switches between a veil and the squares of averages", () => {
    const legend = new Legend();
    let painted = 0;
    const marks = [["blocks", "borders"], ["pooled", "dotted: no finer detail", "dashed: no finer detail"]];
    const explain = () => legend.explain(marks, () => { painted += 1; });
    explain();
    const [, button] = legend.keys.children, [sign, words] = button.children;
    assert.deepEqual([button.tag, sign.className, words.textContent],
        ["button", "pooled", "dotted: no finer detail"]);
    button.onclick();
    assert.ok(legend.isOutlined);
    assert.deepEqual([painted, sign.className, words.textContent], [1, "squares", "dashed: no finer detail"]);
    explain();
    assert.equal(legend.keys.children[1], button, "it keeps the focus");
    button.onclick();
    assert.deepEqual([legend.isOutlined, words.textContent], [false, "dotted: no finer detail"]);
});
