/* The exhibit's colours as the style sheet has them, for canvases, which know no variables. */

/** @typedef {[red: number, green: number, blue: number]} Rgb */

/** How many of the palest levels blend into the land: a share of one in a million is not yet a
    colour of its own, or a wash of noise would hide the difference that is the point. */
const PALE_LEVELS = 12;

export class Colours {
    /** @type {Map<string, string>} */
    known = new Map();
    /** @type {string | undefined} The theme in which they were read. */
    theme;

    /** @param {HTMLElement} host
        @param {Message.Exhibit["ramps"]} ramps */
    constructor(host, ramps) {
        this.host = host;
        this.ramps = ramps;
        this.probe = document.createElement("span");
        this.probe.hidden = true;
        host.append(this.probe);
        this.refresh();
    }

    /** Read the theme; returns whether it is another one than before. */
    refresh() {
        // By the ground: where nobody has set a theme, the browser's own decides.
        const theme = this.read("page");
        if (theme === this.theme) return false;
        this.theme = theme;
        this.known.clear();
        return true;
    }

    /** A colour of the style sheet by the name of its variable.
        @param {string} name */
    of(name) {
        let colour = this.known.get(name);
        if (colour === undefined) this.known.set(name, colour = this.read(name));
        return colour;
    }

    /** @param {string} name */
    read(name) {
        this.probe.style.color = `var(--${name})`;
        return getComputedStyle(this.probe).color;
    }

    get isDark() {
        const [red, green, blue] = numbersOf(this.of("page"));
        return red + green + blue < 384;
    }

    get font() { return getComputedStyle(this.host).fontFamily; }

    /** The levels of a map as colours, from "nobody" on: that is the land. */
    levels() {
        const land = numbersOf(this.of("land"));
        const ramp = this.isDark ? this.ramps.dark : this.ramps.light;
        return [land, ...ramp.map((colour, i) => mix(land, numbersOf(colour), (i + 2) / PALE_LEVELS))];
    }
}

/** @param {Rgb} under
    @param {Rgb} over
    @param {number} share of the colour above
    @returns {Rgb} */
function mix(under, over, share) {
    const part = Math.min(1, share);
    /** @type {(i: 0 | 1 | 2) => number} */
    const channel = i => Math.round(over[i] * part + under[i] * (1 - part));
    return [channel(0), channel(1), channel(2)];
}

/** The numbers of "rgb(1, 2, 3)", which is how browsers write any colour.
    @param {string} colour
    @returns {Rgb} */
export function numbersOf(colour) {
    const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
    return [red, green, blue];
}

/** A colour as a pixel of four bytes, opaque.
    @param {Rgb} colour */
export const pixelOf = ([red, green, blue]) => (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
