/* How maps are coloured: dark or light, by the reader's choice, which is in the link; and what the
   scene's scale makes of it. All stages of a page are of one style. */

import {TOP, VALUES} from "./codec.js";
import {readQuery, writeQuery} from "./view.js";

/** @import {Stage} from "./stage.js"
    @typedef {Message.MapStyle & {ramps: Record<string, Uint8Array>}} Style */

const STYLE_KEY = "map", DARK = "dark", LIGHT = "light";
/** @type {Set<() => void>} */
const watchers = new Set();

/** Colour by code, as the pixels of an ImageData want it; 0, nobody, is left to the land.
    @param {Message.Scale} scale
    @param {Uint8Array} ramp */
export function colourTable({low, high}, ramp) {
    const levels = ramp.length / 3 - 1;
    return Uint32Array.from({length: TOP + 1}, (_, code) => {
        if (!code) return 0;
        const place = Math.log(VALUES[code] / low) / Math.log(high / low);
        const level = 1 + Math.round(Math.min(1, Math.max(0, place)) * (levels - 1));
        const [red, green, blue] = ramp.subarray(3 * level, 3 * level + 3);
        return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
    });
}

export class MapStyles {
    /** @type {Message.Scale | undefined} Once there is a scene. */
    scale;
    /** @type {string | undefined} */
    choice;

    /** @param {Stage} stage
        @param {Record<"dark" | "light", Style>} styles */
    constructor(stage, styles) {
        this.stage = stage;
        this.styles = styles;
        this.tables = /** @type {Known<string, Uint32Array>} */ (new Map());
        this.onChange = () => this.apply();
        watchers.add(this.onChange);
    }

    get name() { return readQuery(STYLE_KEY) === LIGHT ? LIGHT : DARK; }

    /** Colours of land, lines and names, and the ramp of amounts. */
    get style() { return this.styles[this.name]; }

    /** Colours by code on the scene's scale: of "amounts", of who can be read, of the others.
        @param {string} name */
    table(name) {
        const scale = /** @type {Message.Scale} */ (this.scale);
        const key = [this.name, name, scale.low, scale.high].join();
        const ramp = this.style.ramps[name];
        if (!this.tables.has(key)) this.tables.set(key, colourTable(scale, ramp));
        return this.tables.get(key);
    }

    /** Two tables for a picture, of the cells outside and inside of the open ones.
        @param {"amounts" | "open"} colours */
    pair(colours) {
        return colours === "open" ? [this.table("safe"), this.table("open")]
            : [this.table("amounts"), this.table("amounts")];
    }

    toggle() {
        this.choice = this.name === LIGHT ? DARK : LIGHT;
        this.remember();
        watchers.forEach(apply => apply());
    }

    remember() {
        const choice = this.choice === LIGHT ? LIGHT : null;
        writeQuery(this.stage.data.page, {[STYLE_KEY]: choice});
    }

    /** Pages may have dropped the key from the link; what was chosen here goes into it again.
        @param {Message.Scale} scale */
    settle(scale) {
        this.scale = scale;
        if (this.choice) this.remember();
        this.choice ??= this.name;
        this.apply();
    }

    apply() {
        const {stage} = this;
        if (!stage.looks || !this.scale) return;
        this.choice = this.name;
        stage.root.dataset.map = this.name;
        stage.root.style.setProperty("--sea", this.style.sea);
        stage.legend.draw(this.scale, this.style.ramps.amounts);
        stage.layer.forget();
        stage.toolbar.update();
        stage.requestPaint();
    }

    leave() { watchers.delete(this.onChange); }
}
