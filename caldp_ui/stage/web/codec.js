/* What Python's records.py wrote: parcels of deflated blobs, log codes of shares, lines, labels. */

export const TOP = 0x7fff;
const SMALLEST = 1e-12, SIGN = 0x8000;

/** Share by 16-bit code: 0 is nobody, 1 … 32767 are 1e-12 … 1, with bit 15 below zero. */
export const VALUES = Float64Array.from({length: 0x10000}, (_, code) => {
    const size = code & TOP;
    const share = size ? SMALLEST ** (1 - (size - 1) / (TOP - 1)) : 0;
    return code & SIGN ? -share : share;
});

/** The code of a share ≥ 0.
    @param {number} share
    @returns {number} */
export function codeOf(share) {
    if (!(share >= SMALLEST)) return 0;
    const place = 1 - Math.log(share / SMALLEST) / Math.log(SMALLEST) * (TOP - 1);
    return Math.min(TOP, Math.max(1, Math.round(place)));
}

/** (k,) codes of how far two (k,) pictures are apart, each cell up or down.
    @param {Uint16Array} one
    @param {Uint16Array} other
    @returns {Uint16Array} */
export function differenceCodes(one, other) {
    return one.map((code, cell) =>
        code === other[cell] ? 0 : codeOf(Math.abs(VALUES[code] - VALUES[other[cell]])));
}

/** A parcel's JSON head and its blobs, still deflated, by name.
    @param {Uint8Array} bytes
    @returns {{head: Message.Head, blobs: Map<string, Uint8Array>}} */
export function readParcel(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const body = 4 + view.getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, body)));
    const blobs = new Map();
    let at = body;
    for (const [name, size] of head.blobs) {
        blobs.set(name, bytes.subarray(at, at + size));
        at += size;
    }
    return {head, blobs};
}

/** Written straight into the stream: a Blob would go by way of the browser's own process.
    @param {Uint8Array<ArrayBuffer>} bytes */
async function inflate(bytes) {
    const {writable, readable} = new DecompressionStream("deflate");
    const writer = writable.getWriter();
    writer.write(bytes);
    writer.close();
    const parts = [];
    let size = 0;
    for (const reader = readable.getReader();;) {
        const {done, value} = await reader.read();
        if (done) break;
        parts.push(value);
        size += value.length;
    }
    const whole = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
        whole.set(part, at);
        at += part.length;
    }
    return whole.buffer;
}

/** What is known of a blob; `ready` is fulfilled by `resolve`, once its bytes are there.
    @typedef {{holders: number, packed: Uint8Array | null, raw: Promise<ArrayBuffer> | null,
        ready: Promise<void>, resolve: () => void}} Entry */

/** Blobs by name, in whatever order they are brought and asked for. */
export class Store {
    constructor() {
        /** @type {Map<string, Entry>} */
        this.entries = new Map();
    }

    /** @param {string} name
        @returns {Entry} */
    entry(name) {
        const known = this.entries.get(name);
        if (known) return known;
        let resolve = () => {};
        const ready = /** @type {Promise<void>} */ (new Promise(done => { resolve = done; }));
        const entry = {holders: 0, packed: null, raw: null, ready, resolve};
        this.entries.set(name, entry);
        return entry;
    }

    /** One more parcel has it.
        @param {string} name
        @param {Uint8Array} packed */
    hold(name, packed) {
        const entry = this.entry(name);
        entry.holders += 1;
        entry.packed ??= packed;
        entry.resolve();
    }

    /** A parcel that had it is gone.
        @param {string} name */
    drop(name) {
        const entry = this.entries.get(name);
        if (entry && --entry.holders <= 0) this.entries.delete(name);
    }

    /** The inflated bytes, as an ArrayBuffer, once they are there; null without a name.
        @param {Message.Blob} name
        @returns {Promise<ArrayBuffer | null>} */
    async get(name) {
        if (!name) return null;
        const entry = this.entry(name);
        await entry.ready;
        return entry.raw ??= inflate(/** @type {Uint8Array<ArrayBuffer>} */ (entry.packed));
    }
}

/** (k,) codes of a picture.
    @type {(raw: ArrayBuffer | null) => Uint16Array | null} */
export const readCodes = raw => {
    if (!raw) return null;
    const [number] = new Uint32Array(raw, 0, 1);
    const listed = new Uint16Array(raw, 4, number), low = new Uint8Array(raw, 4 + 2 * number);
    const high = number > 256 ? low.length / 2 : 0;
    const codes = new Uint16Array(high || low.length);
    for (let cell = 0; cell < codes.length; cell++) {
        codes[cell] = listed[low[cell] + (high && low[high + cell] << 8)];
    }
    return codes;
};

/** (k,) number of each cell's block.
    @type {(raw: ArrayBuffer | null) => Uint32Array | null} */
export const readLabels = raw => raw && new Uint32Array(raw);

/** (k,) how far cells were pooled.
    @type {(raw: ArrayBuffer | null) => Uint8Array | null} */
export const readLevels = raw => raw && new Uint8Array(raw);

/** Rows of texts and numbers.
    @type {(raw: ArrayBuffer | null) => any[]} */
export const readRows = raw => raw ? JSON.parse(new TextDecoder().decode(raw)) : [];

/** (k,) 1 for the cells of a set.
    @param {ArrayBuffer | null} raw
    @param {number} k
    @returns {Uint8Array | null} */
export function readMask(raw, k) {
    if (!raw) return null;
    const bits = new Uint8Array(raw);
    return Uint8Array.from({length: k}, (_, cell) => bits[cell >> 3] >> (cell & 7) & 1);
}

/** Lines in degrees as one path: x is longitude, y is latitude; any may be rings.
    @param {ArrayBuffer | null} raw
    @returns {Path2D} */
export function readLines(raw) {
    const path = new Path2D();
    if (!raw) return path;
    const numbers = new Int32Array(raw);
    let isDrawing = false;
    for (let i = 0; i < numbers.length; i += 2) {
        const isGap = numbers[i] === -(2 ** 31);
        if (!isGap) path[isDrawing ? "lineTo" : "moveTo"](numbers[i] / 1000, numbers[i + 1] / 1000);
        isDrawing = !isGap;
    }
    return path;
}
