/* Small helpers: elements (texts are never read as HTML), icons as outlines, numbers as people
   read them. */

/** @type {Record<string, string>} */
const ICONS = {
    side: "M3 6h8v12H3zM13 6h8v12h-8z",
    swipe: "M3 6h18v12H3zM12 3v18",
    error: "M12 3v10M7 8h10M7 19h10",
    present: "M3 4h18v12H3zM12 16v4M8 20h8",
    look: "M12 3v6M12 15v6M3 12h6M15 12h6",
    box: "M4 8V4h4M11 4h2M16 4h4v4M20 11v2M20 16v4h-4M13 20h-2M8 20H4v-4M4 13v-2",
    brush: "M4 20c4 1 6-1 6-4l-2-2c-3 0-4 2-4 6zM9.500 14.500L19 4l1 1-9.500 10.500",
    blocks: "M4 4h16v16H4zM4 12h16M12 4v16",
    undo: "M8 5L4 9l4 4M4 9h10a5 5 0 0 1 0 10h-3",
    redo: "M16 5l4 4-4 4M20 9H10a5 5 0 0 0 0 10h3",
    plus: "M12 5v14M5 12h14",
    minus: "M5 12h14",
    fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
    move: "M12 3v18M3 12h18M9 6l3-3 3 3M9 18l3 3 3-3M6 9l-3 3 3 3M18 9l3 3-3 3",
    lines: "M3 16c3-7 6 3 9-2s5-9 9-5M3 21c5-4 10 1 18-6",
    save: "M12 4v11M7 11l5 5 5-5M4 20h16",
    lock: "M6 11h12v9H6zM9 11V7a3 3 0 0 1 6 0v4",
    play: "M8 5l11 7-11 7z",
    stop: "M7 7h10v10H7z",
    tools: "M4 7h10M18 7h2M4 17h2M10 17h10M14 4.500v5M10 14.500v5",
    style: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
    close: "M5 5l14 14M19 5L5 19",
};
const SVG = "http://www.w3.org/2000/svg";

/** An element; properties by name, attributes by `aria-…`, `data-…` and `role`.
    @template {keyof HTMLElementTagNameMap} Tag
    @param {Tag} tag
    @param {Record<string, unknown>} properties
    @param {...(Node | string)} children
    @returns {HTMLElementTagNameMap[Tag]} */
export function el(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (/^(aria|data)-|^(role|for|list)$/.test(name)) element.setAttribute(name, String(value));
        else Object.assign(element, {[name]: value});
    }
    element.append(...children);
    return element;
}

/** An outline drawing for a button.
    @param {string} name */
export function icon(name) {
    const drawing = document.createElementNS(SVG, "svg");
    const path = document.createElementNS(SVG, "path");
    drawing.setAttribute("viewBox", "0 0 24 24");
    drawing.setAttribute("aria-hidden", "true");
    path.setAttribute("d", ICONS[name]);
    drawing.append(path);
    return drawing;
}

/** A button with an icon; the words are seen where there is room, and heard always.
    @param {string} name
    @param {string} words
    @param {() => void} onclick */
export function button(name, words, onclick, isCompact = false) {
    const text = el("span", {className: isCompact ? "hides" : ""}, words);
    const element = el("button", {type: "button", onclick, title: words, "aria-label": words});
    element.append(icon(name), text);
    return element;
}

/** Change a text only if it differs: screen readers and layout notice every write.
    @param {Node} element
    @param {string} text */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/** @type {[size: number, word: string][]} */
const SIZES = [[1e15, "quadrillion"], [1e12, "trillion"], [1e9, "billion"], [1e6, "million"]];

/** A number of people: whole below a thousand, three digits above, as the codes carry no more.
    @param {number} number */
export function people(number) {
    const digits = Number(number.toPrecision(3));
    for (const [size, word] of SIZES) {
        if (Math.abs(digits) >= size) return `${Number((digits / size).toPrecision(3))} ${word}`;
    }
    const whole = Math.abs(number) < 999.5 ? Math.round(number) : digits;
    return (whole + 0).toLocaleString("en");
}

/** A number as it is written, and what is counted: "1 person", "1,024 people".
    @param {string} text
    @param {string} one
    @param {string} many */
export function counted(text, one, many) { return `${text} ${text === "1" ? one : many}`; }

/** A place in degrees, with decimals that tell middles of cells apart: "40.7° N, 74.0° W".
    @param {number} latitude
    @param {number} longitude
    @param {number} cell */
export function degrees(latitude, longitude, cell) {
    const eastward = longitude > 180 ? longitude - 360 : longitude;  // maps go on across 180°
    const north = latitude >= 0 ? "N" : "S", east = eastward >= 0 ? "E" : "W";
    const [up, across] = [latitude, eastward].map(
        angle => Math.abs(angle).toFixed(cell < 0.02 ? 3 : cell < 0.2 ? 2 : 1));
    return `${up}° ${north}, ${across}° ${east}`;
}

/** @type {(value: number, low: number, high: number) => number} */
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
