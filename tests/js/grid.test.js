import assert from "node:assert/strict";
import test from "node:test";

import {Grid, runsOf} from "../../caldp_ui/stage/web/grid.js";
import {SMALL, numbers} from "./page.js";
import {beside} from "./python.js";

const GRID = new Grid(SMALL);

beside("grid", "a place lies in the cell that Python says", ({ground, places}) => {
    const grid = new Grid(ground);
    assert.ok(new Set(places.map(([, , cell]) => cell)).size > 50);
    for (const [latitude, longitude, cell] of places) {
        assert.equal(grid.cellAt(latitude, longitude), cell, `${latitude} ${longitude}`);
    }
});

beside("grid", "a drawn box is whole cells, in decimals without dust", ({ground, boxes}) => {
    const grid = new Grid(ground);
    for (const [one, other, box] of boxes) assert.deepEqual(grid.box(grid.span(one, other)), box);
});

test("a cell's middle lies in it, and beside the map there is none", () => {
    for (let cell = 0; cell < GRID.k; cell++) {
        const {lat, lon} = GRID.middle(cell);
        assert.equal(GRID.cellAt(lat, lon), cell);
        assert.equal(GRID.row(cell) * 5 + GRID.column(cell), cell);
    }
    for (const [lat, lon] of [[9.9, 22], [14.1, 22], [12, 19.9], [12, 25.1]]) {
        assert.equal(GRID.cellAt(lat, lon), -1);
    }
});

test("a grid knows its far edges, and how narrow a degree of longitude is in its middle", () => {
    assert.deepEqual([GRID.north, GRID.east, GRID.k], [14, 25, 20]);
    assert.ok(Math.abs(GRID.longitudeScale - Math.cos(12 / 180 * Math.PI)) < 1e-12);
});

test("a step is held back at each edge", () => {
    assert.equal(GRID.step(6, 1, 0), 11);
    assert.equal(GRID.step(6, 0, 1), 7);
    assert.equal(GRID.step(6, -9, 0), 1);
    assert.equal(GRID.step(6, 9, 0), 16);
    assert.equal(GRID.step(6, 0, -9), 5);
    assert.equal(GRID.step(6, 0, 9), 9);
});

test("the border of a set goes around it once, in runs", () => {
    const [count, path] = GRID.setBorders(cell => cell === 6 || cell === 7);
    assert.equal(count, 4, "two cells beside each other have four sides");
    const sides = [];
    for (let i = 0; i < path.steps.length; i += 2) sides.push([path.steps[i], path.steps[i + 1]]);
    const right = [
        [["move", 21, 11], ["line", 21, 12]], [["move", 23, 11], ["line", 23, 12]],
        [["move", 21, 11], ["line", 23, 11]], [["move", 21, 12], ["line", 23, 12]],
    ];
    assert.deepEqual(sides, right);
    assert.equal(GRID.setBorders(() => true)[0], 4, "along the map's edge, too");
    assert.equal(GRID.setBorders(cell => cell === 0 || cell === 2)[0], 8, "a new run where one has ended");
    assert.equal(GRID.setBorders(() => false)[0], 0);
});

test("borders between blocks are inside of the map", () => {
    const labels = Uint32Array.from({length: GRID.k}, (_, cell) => GRID.row(cell) < 2 ? 0 : 1);
    const [count, path] = GRID.blockBorders(labels);
    assert.equal(count, 1);
    assert.deepEqual(path.steps, [["move", 20, 12], ["line", 25, 12]]);
    assert.equal(GRID.blockBorders(new Uint32Array(GRID.k))[0], 0);
});

beside("runs", "sets of cells are written as Python reads them", sets => {
    for (const {cells, text} of sets) assert.equal(runsOf(new Set(cells)), text);
});

test("any order of cells is the same set", () => {
    const number = numbers(7), cells = Array.from({length: 30}, () => Math.floor(50 * number()));
    const sorted = [...new Set(cells)].sort((a, b) => a - b);
    assert.equal(runsOf(new Set(cells)), runsOf(sorted));
});

test("equal grids have one name, others another", () => {
    const name = changes => new Grid({...SMALL, ...changes}).name;
    assert.equal(name({}), GRID.name);
    for (const key of ["south", "west", "cell", "rows", "columns"]) {
        assert.notEqual(name({[key]: SMALL[key] + 1}), GRID.name, key);
    }
});
