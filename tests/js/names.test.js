import assert from "node:assert/strict";
import test from "node:test";

import {counted, degrees, people} from "../../caldp_ui/stage/web/dom.js";
import {Grid} from "../../caldp_ui/stage/web/grid.js";
import {drawNames, nearestCity} from "../../caldp_ui/stage/web/names.js";
import {View} from "../../caldp_ui/stage/web/view.js";
import {SMALL, at, numbers} from "./page.js";
import {beside} from "./python.js";

beside("nearest", "the nearest city is the one that Python finds", ({cities, places}) => {
    for (const [lat, lon, name, km] of places) {
        const found = nearestCity(cities, lat, lon);
        assert.equal(found.name, name);
        assert.ok(Math.abs(found.km - km) <= 0.05 * km + 0.1, `${name}: ${found.km}, ${km}`);
    }
    assert.equal(nearestCity([], 40, -75), null);
});

/** The names that are written on a map of 500 × 400 pixels, with their boxes; `ratio`: pixels of
    the device in one of these. */
function written(cities, kept = [], [wide, high] = [500, 400], ratio = 1) {
    at("/maps");
    const written = [];
    const context = {
        measureText: text => ({width: 7 * ratio * text.length}), setLineDash() {}, strokeText() {},
        beginPath() {}, arc() {}, stroke() {}, fill() {},
        fillText: (name, left, y) => written.push({name,
            box: [left, left + 7 * ratio * name.length, y - 6 * ratio, y + 6 * ratio]}),
    };
    const grid = new Grid({...SMALL, rows: 40, columns: 50, home: [10, 50, 20, 70]});
    const styles = {style: {sea: "", name: ""}};
    const projection = new View(grid, "/maps").projection(wide * ratio, high * ratio);
    drawNames(context, projection, {cities, styles, font: "serif"}, ratio, kept);
    return written;
}

const apart = ([left, right, top, bottom], [l, r, t, b]) =>
    right <= l || r <= left || bottom <= t || b <= top;

const number = numbers(4);
const CITIES = Array.from({length: 200},
    (_, i) => [`City ${i}`, "", 10 + 40 * number(), 20 + 50 * number()]);

test("a fine screen has the same names at the same places", () => {
    const one = written(CITIES, [[0, 120, 300, 400]]);
    const fine = written(CITIES, [[0, 120, 300, 400]], [500, 400], 2);
    assert.deepEqual(fine.map(({name}) => name), one.map(({name}) => name));
    fine.forEach(({box}, i) => box.forEach((edge, side) => {
        assert.ok(Math.abs(edge / 2 - one[i].box[side]) < 1e-9);
    }));
});

test("a larger map has more names, a small one still some", () => {
    const count = size => written(CITIES, [], size).length;
    assert.deepEqual([[200, 160], [500, 360], [900, 800]].map(count), [4, 9, 11]);
});

test("no name is over another, nor where it may not be, nor beyond the map", () => {
    const kept = [[0, 120, 300, 400]], found = written(CITIES, kept);
    assert.ok(found.length >= 4 && found.length <= 11, `${found.length}`);
    found.forEach(({name, box}, i) => {
        assert.ok(box[0] >= 0 && box[1] <= 500 && box[2] >= 0 && box[3] <= 400, name);
        for (const other of [...kept, ...found.slice(0, i).map(each => each.box)]) {
            assert.ok(apart(box, other), name);
        }
    });
});

test("the largest city comes first, and one beside it is left out", () => {
    const found = written([["Large", "", 30, 45], ["Suburb", "", 30.5, 45.5], ["Far", "", 20, 30]]);
    assert.deepEqual(found.map(({name}) => name), ["Large", "Far"]);
});

test("a name goes to the left of its dot where the right is not free", () => {
    const dot = 250;
    const [right] = written([["Middle", "", 30, 45]]);
    assert.ok(right.box[0] > dot);
    const [left] = written([["Middle", "", 30, 45]], [[dot + 8, dot + 20, 190, 210]]);
    assert.ok(left.box[1] < dot);
});

test("one thing is counted in the singular", () => {
    const texts = [0, 1, 2, 1024].map(n => counted(people(n), "person", "people"));
    assert.deepEqual(texts, ["0 people", "1 person", "2 people", "1,020 people"]);
});

test("people are told whole below a thousand, and in three digits above", () => {
    const right = [[0, "0"], [-0.2, "0"], [0.4, "0"], [0.5, "1"], [999.4, "999"], [999.6, "1,000"],
        [1234, "1,230"], [999_600, "1 million"], [1_234_567, "1.23 million"], [2e9, "2 billion"],
        [5.5e12, "5.5 trillion"], [1e15, "1 quadrillion"], [-1234, "-1,230"]];
    for (const [number, text] of right) assert.equal(people(number), text, String(number));
});

test("degrees name their half of the world, as exactly as cells are apart", () => {
    assert.equal(degrees(40.7128, -74.006, 0.5), "40.7° N, 74.0° W");
    assert.equal(degrees(48.137, 11.575, 0.01), "48.137° N, 11.575° E");
    assert.equal(degrees(-33.8688, 151.2093, 0.1), "33.87° S, 151.21° E");
    assert.equal(degrees(51.5, 0.01, 0.01), "51.500° N, 0.010° E");
    assert.equal(degrees(-16.8, 180.4, 0.1), "16.80° S, 179.60° W");
});
