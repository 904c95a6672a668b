/* Pictures whose numbers are data, read without a canvas: browsers that protect their users change
   what a page reads back from one. Of PNG this is what Python writes for us: eight bits, a palette or
   red, green and blue, not interlaced. */

/** `data`: one number a pixel of a palette, else three.
    @typedef {{width: number, height: number, channels: 1 | 3, data: Uint8Array}} Pixels */

const SIGNATURE_BYTES = 8, CHUNK_HEAD_BYTES = 8, CHECKSUM_BYTES = 4, COLOURED = 2, PALETTE = 3;

/** @param {string} text of a PNG in base64
    @returns {Promise<Pixels>} */
export async function readPng(text) {
    const file = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
    const view = new DataView(file.buffer);
    let width = 0, height = 0, kind = 0;
    /** @type {Uint8Array<ArrayBuffer>[]} */
    const packed = [];
    for (let start = SIGNATURE_BYTES; start < file.length;) {
        const size = view.getUint32(start), body = start + CHUNK_HEAD_BYTES;
        const name = String.fromCharCode(...file.subarray(start + 4, body));
        if (name === "IHDR") {
            width = view.getUint32(body);
            height = view.getUint32(body + 4);
            kind = file[body + 9];
        } else if (name === "IDAT") packed.push(file.slice(body, body + size));
        start = body + size + CHECKSUM_BYTES;
    }
    if (kind !== COLOURED && kind !== PALETTE) throw new Error(`a PNG of kind ${kind} is not ours`);
    const channels = kind === COLOURED ? 3 : 1;
    const stream = new Blob(packed).stream().pipeThrough(new DecompressionStream("deflate"));
    const lines = new Uint8Array(await new Response(stream).arrayBuffer());
    return {width, height, channels, data: unfilter(lines, width * channels, height, channels)};
}

/** The numbers of the lines, each of which is written as differences that its first byte names
    (PNG, third edition, section 9).
    @param {Uint8Array} lines
    @param {number} wide bytes a line
    @param {number} high
    @param {number} step bytes from a pixel to the next one
    @returns {Uint8Array} */
function unfilter(lines, wide, high, step) {
    const data = new Uint8Array(wide * high);
    for (let y = 0; y < high; y++) {
        const filter = lines[y * (wide + 1)], from = y * (wide + 1) + 1, to = y * wide;
        for (let x = 0; x < wide; x++) {
            const left = x >= step ? data[to + x - step] : 0;
            const above = y ? data[to + x - wide] : 0;
            const corner = x >= step && y ? data[to + x - wide - step] : 0;
            data[to + x] = lines[from + x] + predicted(filter, left, above, corner);
        }
    }
    return data;
}

/** @param {number} filter
    @param {number} left
    @param {number} above
    @param {number} corner */
function predicted(filter, left, above, corner) {
    if (filter === 0) return 0;
    if (filter === 1) return left;
    if (filter === 2) return above;
    if (filter === 3) return (left + above) >> 1;
    const guess = left + above - corner;
    const [a, b, c] = [left, above, corner].map(value => Math.abs(guess - value));
    if (a <= b && a <= c) return left;
    return b <= c ? above : corner;
}
