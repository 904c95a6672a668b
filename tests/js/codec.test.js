import assert from "node:assert/strict";
import test from "node:test";

import * as codec from "../../caldp_ui/stage/web/codec.js";
import {Path, numbers} from "./page.js";
import {beside} from "./python.js";

const unpacked = text => new Uint8Array(Buffer.from(text, "base64"));

/** The bytes of the only blob of a parcel, as the browser gets them. */
async function inflated(text) {
    const {blobs} = codec.readParcel(unpacked(text)), store = new codec.Store();
    for (const [name, packed] of blobs) store.hold(name, packed);
    return store.get([...blobs.keys()][0]);
}

beside("codes", "a code is read as the share that Python reads", ({codes, values}) => {
    assert.ok(codes.length > 1000);
    codes.forEach((code, i) => {
        const off = Math.abs(codec.VALUES[code] - values[i]);
        assert.ok(off <= 1e-12 * Math.abs(values[i]), `${code}: ${codec.VALUES[code]}, ${values[i]}`);
    });
});

beside("codes", "a share has the code that Python gives it", ({codes, shares}) => {
    shares.forEach((share, i) => {
        if (share >= 0) assert.equal(codec.codeOf(share), codes[i], String(share));
    });
});

beside("blobs", "codes, labels, sets, rows and lines come back", async blobs => {
    for (const {parcel, is} of [blobs.codes, blobs["many-codes"]]) {
        assert.deepEqual([...codec.readCodes(await inflated(parcel))], is);
    }
    assert.deepEqual([...codec.readLabels(await inflated(blobs.labels.parcel))], blobs.labels.is);
    assert.deepEqual([...codec.readLevels(await inflated(blobs.levels.parcel))], blobs.levels.is);
    const set = codec.readMask(await inflated(blobs.mask.parcel), blobs.mask.is.length);
    assert.deepEqual([...set], blobs.mask.is);
    assert.deepEqual(codec.readRows(await inflated(blobs.rows.parcel)), blobs.rows.is);
    const path = codec.readLines(await inflated(blobs.lines.parcel));
    assert.deepEqual(path.steps, blobs.lines.is);
});

test("a code of every share that it stands for is itself", () => {
    for (let code = 0; code <= codec.TOP; code++) assert.equal(codec.codeOf(codec.VALUES[code]), code);
    assert.equal(codec.codeOf(7), codec.TOP);
    assert.equal(codec.codeOf(Number.NaN), 0);
});

test("pictures are apart by what their shares differ", () => {
    const number = numbers(3);
    const drawn = () => Uint16Array.from({length: 500}, () => 0x10000 * number());
    const [one, other] = [drawn(), drawn()];
    other.set(one.subarray(0, 50));
    codec.differenceCodes(one, other).forEach((code, cell) => {
        const off = Math.abs(codec.VALUES[one[cell]] - codec.VALUES[other[cell]]);
        const least = off < 1e-12 ? 0 : Math.min(1, off);
        assert.ok(Math.abs(codec.VALUES[code] - least) <= 4.3e-4 * least, `${cell}`);
        if (cell < 50) assert.equal(code, 0);
    });
});

test("a blob that is asked for comes once somebody brings it, and stays while somebody has it", async () => {
    const store = new codec.Store();
    const packed = new Uint8Array(await new Response(new Blob(["caldp"]).stream()
        .pipeThrough(new CompressionStream("deflate"))).arrayBuffer());
    const early = store.get("name");
    store.hold("name", packed);
    assert.equal(Buffer.from(await early).toString(), "caldp");
    store.hold("name", packed);
    store.drop("name");
    assert.ok(store.entries.has("name"), "one parcel still has it");
    assert.equal(await store.get("name"), await early, "it is inflated once");
    store.drop("name");
    assert.ok(!store.entries.has("name"));
    assert.equal(await store.get(null), null);
});

test("what was not sent is empty", () => {
    assert.equal(codec.readCodes(null), null);
    assert.equal(codec.readLabels(null), null);
    assert.equal(codec.readMask(null, 4), null);
    assert.deepEqual(codec.readRows(null), []);
    assert.deepEqual(codec.readLines(null), new Path());
});
