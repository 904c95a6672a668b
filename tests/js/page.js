/* What modules look for of a page, where there is none: an address, paths that remember their lines,
   and elements that remember what they were given. */

/** A path as its own list of steps. */
export class Path {
    constructor() { this.steps = []; }
    moveTo(x, y) { this.steps.push(["move", x, y]); }
    lineTo(x, y) { this.steps.push(["line", x, y]); }
    rect(x, y, width, height) { this.steps.push(["rect", x, y, width, height]); }
}
globalThis.Path2D = Path;

/** An address that is written and read. */
export function at(address) {
    const url = new URL(address, "http://caldp");
    globalThis.location = url;
    globalThis.history = {
        state: null,
        replaceState(_state, _title, to) { globalThis.location = new URL(to, "http://caldp"); },
    };
}
at("/maps");

globalThis.MutationObserver = class {
    observe() {}
    disconnect() {}
};

class Element extends EventTarget {
    constructor(tag) {
        super();
        Object.assign(this, {tag, attributes: {}, children: [], dataset: {}, style: {}, textContent: ""});
        this.classList = {toggle() {}, add() {}};
    }
    setAttribute(name, value) { this.attributes[name] = value; }
    append(...children) { this.children.push(...children); }
    replaceChildren(...children) { this.children = children; }
    before(other) { this.replacement = other; }
    remove() { this.removed = true; }
    focus() { document.focused = this; }
    querySelector() { return this.children.at(-1); }
}
globalThis.document = {
    createElement: tag => new Element(tag),
    createElementNS: (_, tag) => new Element(tag),
    querySelector: () => null,
};

/** Like `at` a number of the grid of 4 rows and 5 columns of a degree, southwest at 10 N 20 E. */
export const SMALL = {south: 10, west: 20, cell: 1, rows: 4, columns: 5, home: [10, 14, 20, 25]};

/** Numbers in [0, 1) that are the same in every run. */
export function numbers(seed) {
    let state = seed;
    return () => {
        state = (state * 1103515245 + 12345) % 2147483648;
        return state / 2147483648;
    };
}
