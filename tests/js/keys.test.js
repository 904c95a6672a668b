import assert from "node:assert/strict";
import test from "node:test";

import {Grid} from "../../caldp_ui/stage/web/grid.js";
import {Keys} from "../../caldp_ui/stage/web/keys.js";
import {View} from "../../caldp_ui/stage/web/view.js";
import {SMALL, at} from "./page.js";

/** A stage that writes down what keys do to it. */
function stage(changes = {}) {
    at("/maps");
    const grid = new Grid({...SMALL, rows: 40, columns: 50, home: [10, 50, 20, 70]});
    const did = [];
    const note = name => (...values) => { did.push([name, ...values]); };
    const board = new EventTarget();
    board.matches = () => true;
    const made = {
        did, grid, cursor: -1, view: new View(grid, "/maps"),
        point(cell) { made.cursor = cell; },
        drag: note("drag"),
        readout: {announce: note("say")},
        looks: {board, visibleIds: () => ["truth"],
            panes: new Map([["truth", {canvas: {width: 500, height: 400}}]])},
        tools: {tool: "look", isDrawing: false, isBusy: false, takesClicks: false, begin: note("begin"),
            finish: note("finish"), cancel: note("cancel"), take: note("take"), click: note("click"),
            extend: note("extend"), hover: note("hover"), chosenAction: {label: "Protect"}, ...changes},
    };
    return Object.assign(made, {keys: new Keys(made)});
}

function press({keys, looks}, key, more = {}) {
    const stopped = [];
    keys.press({key, target: looks.board, preventDefault: () => stopped.push("prevented"),
        stopPropagation: () => stopped.push("stopped"), ...more});
    return stopped;
}

test("arrows go from cell to cell, with Control ten", () => {
    const there = stage();
    const from = there.grid.cellAt(there.view.lat, there.view.lon);
    assert.deepEqual(press(there, "ArrowUp"), ["prevented", "stopped"]);
    assert.equal(there.cursor, from + 50);
    press(there, "ArrowRight", {ctrlKey: true});
    assert.equal(there.cursor, from + 60);
    press(there, "ArrowDown");
    press(there, "ArrowLeft", {ctrlKey: true});
    assert.equal(there.cursor, from);
    assert.deepEqual(there.did.at(-1), ["hover", from]);
});

test("the first cell is a place like any other", () => {
    const there = stage({tool: "box", isDrawing: true});
    there.cursor = 0;
    press(there, " ");
    assert.deepEqual(there.did[0], ["begin", 0, 0]);
    there.tools.takesClicks = true;
    there.tools.isDrawing = false;
    press(there, " ");
    assert.deepEqual(there.did.at(-2), ["click", 0]);
    press(there, "ArrowRight");
    assert.equal(there.cursor, 1);
    there.looks.board.dispatchEvent(new Event("focus"));
    assert.equal(there.cursor, 1, "a focus leaves it where it is");
});

test("the view comes along with a cursor that leaves it", () => {
    const there = stage();
    there.view.set({lat: 30, lon: 45, zoom: 6});
    const before = there.view.lat;
    for (let i = 0; i < 2; i++) press(there, "ArrowUp");
    assert.equal(there.view.lat, before, "as long as it is inside it stays");
    press(there, "ArrowUp", {ctrlKey: true});
    assert.equal(there.view.lat, there.grid.middle(there.cursor).lat);
});

test("Shift with arrows moves the maps", () => {
    const there = stage();
    press(there, "ArrowRight", {shiftKey: true});
    press(there, "ArrowUp", {shiftKey: true});
    assert.deepEqual(there.did, [["drag", -60, 0], ["drag", -0, 60]]);
    assert.equal(there.cursor, -1);
});

test("plus and minus zoom where the cursor is, and 0 shows all", () => {
    const there = stage();
    press(there, "+");
    assert.ok(Math.abs(there.view.zoom - 1.5) < 1e-9);
    there.cursor = there.grid.cellAt(40.5, 60.5);
    const before = there.view.projection(500, 400);
    press(there, "=");
    assert.ok(Math.abs(there.view.zoom - 2.25) < 1e-9);
    const off = there.view.projection(500, 400).x(60.5) - before.x(60.5);
    assert.ok(Math.abs(off) < 1e-6, "what is under the cursor stays");
    press(there, "-");
    assert.ok(Math.abs(there.view.zoom - 1.5) < 1e-9);
    press(there, "0");
    assert.ok(there.view.isAtHome);
});

test("Space begins and ends a stroke, and takes a block at once", () => {
    const there = stage({tool: "box", isDrawing: true});
    press(there, " ");
    assert.deepEqual(there.did.map(([name]) => name), ["begin", "say"]);
    there.tools.isBusy = true;
    press(there, "Enter");
    assert.deepEqual(there.did.map(([name]) => name), ["begin", "say", "finish", "say"]);
    assert.equal(there.did.at(-1)[1], "Protect: done.");
    const blocks = stage({tool: "blocks", isDrawing: true});
    press(blocks, "Enter");
    assert.deepEqual(blocks.did.map(([name]) => name), ["begin", "finish", "say"]);
    const busy = stage({tool: "brush", isDrawing: true, isBusy: true});
    press(busy, "ArrowUp");
    assert.deepEqual(busy.did[0], ["extend", busy.cursor, 0]);
});

test("Space asks for a place only where a page wants one", () => {
    const there = stage({takesClicks: true});
    press(there, " ");
    assert.deepEqual(there.did[0], ["click", there.cursor]);
    assert.ok(there.cursor >= 0);
    const idle = stage();
    assert.deepEqual(press(idle, " "), [], "nothing is taken from the page");
});

test("Escape gives up what was begun, then the tool, then nothing", () => {
    const there = stage({isDrawing: true, isBusy: true});
    press(there, "Escape");
    there.tools.isBusy = false;
    press(there, "Escape");
    assert.deepEqual(there.did, [["cancel"], ["take", "look"]]);
    there.tools.isDrawing = false;
    assert.deepEqual(press(there, "Escape"), []);
});

test("keys of others are left to them", () => {
    const there = stage();
    for (const more of [{altKey: true}, {metaKey: true}, {target: {}}]) {
        assert.deepEqual(press(there, "ArrowUp", more), []);
    }
    assert.deepEqual(press(there, "q"), []);
    assert.equal(there.cursor, -1);
});

test("whoever comes by keyboard finds a cursor", () => {
    const there = stage();
    there.looks.board.dispatchEvent(new Event("focus"));
    assert.equal(there.cursor, there.grid.cellAt(there.view.lat, there.view.lon));
    const clicked = stage();
    clicked.looks.board.matches = () => false;
    clicked.looks.board.dispatchEvent(new Event("focus"));
    assert.equal(clicked.cursor, -1);
});
