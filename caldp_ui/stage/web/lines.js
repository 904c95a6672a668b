/* A user's own lines for orientation, such as rivers: read and kept in the browser alone. */

const LINE_KINDS = new Set(["LineString", "MultiLineString", "Polygon", "MultiPolygon"]);
const LINES_KEPT = "your lines: they stay in this browser";
const LINES_WRONG = "not read: lines or areas as GeoJSON in degrees (WGS 84) are needed";

/** Of all maps, until the page is loaded again; `words`: what the legend says of them, "" for
    nothing. */
const ownState = {path: /** @type {Path2D | null} */ (null), words: ""};

/** The lines in degrees. */
export const ownLines = () => ownState.path;

/** What the legend says of the lines. */
export const ownLinesWords = () => ownState.words;

/** Lines and borders of GeoJSON as one path in degrees; null where there are none.
    @param {string} text */
export function readGeoLines(text) {
    const path = new Path2D();
    let isEmpty = true;
    /** @param {any} part coordinates of a line, or a list of such parts */
    const draw = part => {
        if (typeof part[0]?.[0] !== "number") return part.forEach(draw);
        for (const [i, [x, y]] of part.entries()) {
            if (!(Math.abs(x) <= 180 && Math.abs(y) <= 90)) throw new RangeError("Not degrees.");
            path[i ? "lineTo" : "moveTo"](x, y);
        }
        isEmpty &&= part.length < 2;
    };
    /** @param {any} shape an object of GeoJSON */
    const walk = shape => {
        if (LINE_KINDS.has(shape?.type)) draw(shape.coordinates);
        else for (const part of shape?.features ?? shape?.geometries ?? [shape?.geometry ?? {}]) {
            if (part !== shape && Object.keys(part).length) walk(part);
        }
    };
    walk(JSON.parse(text));
    return isEmpty ? null : path;
}

/** Take the lines of a file; one without any says so, and leaves those that are there.
    @param {Blob} file */
export async function takeLines(file) {
    let path = null;
    try {
        path = readGeoLines(await file.text());
    } catch {}
    ownState.path = path ?? ownState.path;
    ownState.words = path ? LINES_KEPT : LINES_WRONG;
}
