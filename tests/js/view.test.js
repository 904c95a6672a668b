import assert from "node:assert/strict";
import test, {mock} from "node:test";

import {Grid} from "../../caldp_ui/stage/web/grid.js";
import {View, readQuery, viewOf, writeQuery} from "../../caldp_ui/stage/web/view.js";
import {SMALL, at, numbers} from "./page.js";

const GRID = new Grid(SMALL);
const near = (found, right, name = "") =>
    assert.ok(Math.abs(found - right) < 1e-9, `${name} ${found}, not ${right}`);

mock.timers.enable({apis: ["setTimeout"]});
test.beforeEach(() => at("/maps"));

test("a view begins at home, or where the link says", () => {
    const home = new View(GRID, "/maps");
    assert.deepEqual([home.lat, home.lon, home.zoom, home.isAtHome], [12, 22.5, 1, true]);
    const wide = new Grid({...SMALL, rows: 40, columns: 50, home: [10, 50, 20, 70]});
    at("/maps?view=30.5,40.25,2");
    const linked = new View(wide, "/maps");
    assert.deepEqual([linked.lat, linked.lon, linked.zoom, linked.isAtHome], [30.5, 40.25, 2, false]);
    for (const bad of ["a,b,c", "30,40", "30,40,0", "30,40,-1", "30,40,Infinity", ""]) {
        at(`/maps?view=${bad}`);
        assert.ok(new View(wide, "/maps").isAtHome, bad);
    }
});

test("no view leaves what is within reach, nor comes nearer than six cells", () => {
    const grid = new Grid({...SMALL, rows: 40, columns: 50, home: [20, 40, 30, 60]});
    const view = new View(grid, "/maps"), number = numbers(1);
    for (let i = 0; i < 300; i++) {
        view.set({lat: 200 * number() - 100, lon: 400 * number() - 200, zoom: 20 * number()});
        assert.ok(view.zoom >= 0.8 && view.zoom <= 20 / 6 + 1e-9, `zoom ${view.zoom}`);
        const up = 10 / view.zoom, across = 15 / view.zoom;
        if (2 * up <= 40) {
            assert.ok(view.lat - up >= 10 - 1e-9 && view.lat + up <= 50 + 1e-9, `${view.lat}`);
        }
        assert.ok(view.lon - across >= 20 - 1e-9 && view.lon + across <= 70 + 1e-9, `${view.lon}`);
    }
    view.set({lat: -90, lon: -180, zoom: 2});
    near(view.lat, 10 + 10 / 2);
    near(view.lon, 20 + 15 / 2);
    view.set({lat: 90, lon: 180});
    near(view.lat, 50 - 10 / 2);
    near(view.lon, 70 - 15 / 2);
});

test("what is wider than the map stays in its middle", () => {
    const view = new View(GRID, "/maps");
    view.set({lat: 13.9, lon: 24.9, zoom: 0.8});
    assert.deepEqual([view.lat, view.lon], [12, 22.5]);
});

test("pixels and degrees lead to each other, and the matrix says the same", () => {
    const view = new View(new Grid({...SMALL, rows: 40, columns: 50, home: [20, 40, 30, 60]}), "/maps");
    view.set({lat: 31, lon: 41, zoom: 2});
    const projection = view.projection(600, 500), number = numbers(2);
    near(projection.x(41), 300);
    near(projection.y(31), 250);
    assert.ok(projection.y(32) < 250 && projection.x(42) > 300, "north is up, east is right");
    for (let i = 0; i < 20; i++) {
        const [lat, lon] = [10 + 40 * number(), 20 + 50 * number()];
        near(projection.lat(projection.y(lat)), lat);
        near(projection.lon(projection.x(lon)), lon);
        const [a, b, c, d, e, f] = projection.matrix;
        near(a * lon + c * lat + e, projection.x(lon), "matrix");
        near(b * lon + d * lat + f, projection.y(lat), "matrix");
    }
    const home = view.home, whole = new View(view.grid, "/maps").projection(600, 500);
    assert.ok(home.wide * whole.scale <= 600 + 1e-9 && home.high * whole.scale <= 500 + 1e-9);
});

test("zooming keeps the place under the hand where it is on screen", () => {
    const view = new View(new Grid({...SMALL, rows: 40, columns: 50, home: [20, 40, 30, 60]}), "/maps");
    view.set({lat: 30, lon: 45, zoom: 1.5});
    const before = view.projection(600, 500);
    view.zoomAt(1.2, 32, 47);
    const after = view.projection(600, 500);
    near(view.zoom, 1.8);
    near(after.x(47), before.x(47));
    near(after.y(32), before.y(32));
});

test("a box is shown whole, with air around it", () => {
    const view = new View(new Grid({...SMALL, rows: 40, columns: 50, home: [10, 50, 20, 70]}), "/maps");
    view.show([28, 32, 38, 50]);
    near(view.lat, 30);
    near(view.lon, 44);
    const projection = view.projection(600, 600 * view.home.high / view.home.wide);
    assert.ok(projection.x(38) >= 0 && projection.x(50) <= 600);
    near((projection.x(50) - projection.x(38)) / 600, 0.8, "of the width");
});

test("a view goes into the link once the hand rests, unless the page has been left", () => {
    const grid = new Grid({...SMALL, rows: 40, columns: 50, home: [10, 50, 20, 70]});
    at("/maps?look=swipe");
    const view = new View(grid, "/maps");
    view.set({lat: 30.123, lon: 44, zoom: 2});
    assert.equal(readQuery("view"), null);
    mock.timers.tick(300);
    assert.equal(location.search, "?look=swipe&view=30.12,44.00,2.00");
    view.fitHome();
    mock.timers.tick(300);
    assert.equal(location.search, "?look=swipe", "at home a link needs none");
    view.set({zoom: 3});
    at("/values");
    mock.timers.tick(300);
    assert.equal(location.search, "");
});

test("keys of the link are changed alone", () => {
    at("/maps?a=1&b=2#c");
    writeQuery("/maps", {b: null, d: "3"});
    assert.equal(location.search + location.hash, "?a=1&d=3#c");
    writeQuery("/other", {a: null});
    assert.equal(readQuery("a"), "1");
});

test("stages of one grid on a page share a view, until the last one leaves", () => {
    const moves = [], here = () => moves.push("here"), there = () => moves.push("there");
    const view = viewOf(GRID, "/maps", here);
    assert.equal(viewOf(new Grid(SMALL), "/maps", there), view);
    assert.notEqual(viewOf(GRID, "/values", () => {}), view);
    view.set({zoom: 1});
    assert.deepEqual(moves, ["here", "there"]);
    view.leave(here);
    assert.equal(viewOf(GRID, "/maps", there), view);
    view.leave(there);
    assert.notEqual(viewOf(GRID, "/maps", there), view);
});
