import assert from "node:assert/strict";
import test from "node:test";

import "./page.js";
import {ownLines, ownLinesWords, readGeoLines, takeLines} from "../../caldp_ui/stage/web/lines.js";

const RIVER = {type: "LineString", coordinates: [[11.5, 48.1], [11.6, 48.2, 510], [11.7, 48.1]]};
const PARK = {type: "MultiPolygon", coordinates: [[[[1, 2], [3, 2], [1, 2]], [[1, 1], [2, 1]]]]};
const steps = path => path.steps.map(([step, x, y]) => `${step} ${x} ${y}`);
const collection = (...shapes) => JSON.stringify({type: "FeatureCollection", features: shapes.map(
    geometry => ({type: "Feature", properties: {coordinates: [[0, 0], [9, 9]]}, geometry}))});

test("lines and borders of areas are drawn, points and other things of the same name are not", () => {
    const river = ["move 11.5 48.1", "line 11.6 48.2", "line 11.7 48.1"];
    assert.deepEqual(steps(readGeoLines(JSON.stringify(RIVER))), river);
    const point = {type: "MultiPoint", coordinates: [[5, 5], [6, 6]]};
    const both = {type: "GeometryCollection", geometries: [point, RIVER]};
    assert.deepEqual(steps(readGeoLines(collection(point, both, null, PARK))), [
        ...river, "move 1 2", "line 3 2", "line 1 2", "move 1 1", "line 2 1"]);
    assert.equal(readGeoLines(collection(point)), null);
});

test("a file without lines in degrees says so, and leaves the lines that are there", async () => {
    const file = text => ({text: async () => text});
    await takeLines(file(collection(RIVER)));
    const before = ownLines();
    assert.equal(before.steps.length, 3);
    assert.equal(ownLinesWords(), "your lines: they stay in this browser");
    const metres = {type: "LineString", coordinates: [[468_000, 5_330_000], [469_000, 5_331_000]]};
    for (const text of ["no JSON", "[]", "{}", "null", collection(metres), collection()]) {
        await takeLines(file(text));
        assert.equal(ownLines(), before, text);
        assert.match(ownLinesWords(), /^not read: .* GeoJSON in degrees/, text);
    }
});
