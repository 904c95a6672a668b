/* The one view of all pictures of a grid: its middle in degrees and a zoom, 1 where "home" fits.
   It outlives changes of data, is shared by all stages of the page, and lives in the link. It ends
   with its page's last stage: another page of the same map has a view of its own. */

import {clamp} from "./dom.js";

/** @import {Grid} from "./grid.js"
    @typedef {{lat?: number, lon?: number, zoom?: number}} Aim
    @typedef {ReturnType<View["projection"]>} Projection */

const VIEW_KEY = "view", PATIENCE_MS = 300, CLOSEST_CELLS = 6;
const views = /** @type {Known<string, View>} */ (new Map());

/** Change keys of the address, and leave all others and the history alone. Data of a page may come
    when the reader has gone back from it already: the address is then another page's.
    @param {string} page
    @param {Record<string, string | null>} changes */
export function writeQuery(page, changes) {
    if (location.pathname !== page) return;
    const url = new URL(location.href);
    for (const [key, value] of Object.entries(changes)) {
        if (value === null) url.searchParams.delete(key);
        else url.searchParams.set(key, value);
    }
    // Degrees and commas stay readable in a link that people share.
    const query = url.search.replaceAll("%2C", ",");
    const address = `${url.pathname}${query}${url.hash}`;
    if (address !== location.pathname + location.search + location.hash) {
        history.replaceState(history.state, "", address);
    }
}

/** @type {(key: string) => string | null} */
export const readQuery = key => new URLSearchParams(location.search).get(key);

export class View {
    /** @type {number} */ lat;
    /** @type {number} */ lon;
    /** @type {number} */ zoom;
    /** @type {number | undefined} */ timer;

    /** @param {Grid} grid
        @param {string} page */
    constructor(grid, page) {
        this.grid = grid;
        this.page = page;
        /** @type {Set<() => void>} */
        this.watchers = new Set();
        this.fitHome();
        const [lat, lon, zoom] = (readQuery(VIEW_KEY) ?? "").split(",").map(Number);
        if (zoom > 0 && [lat, lon, zoom].every(Number.isFinite)) this.set({lat, lon, zoom});
    }

    get home() {
        const [south, north, west, east] = this.grid.home;
        return {lat: (south + north) / 2, lon: (west + east) / 2,
            high: north - south, wide: (east - west) * this.grid.longitudeScale};
    }

    /** The largest zoom; a map of fewer cells is at least shown whole. */
    get zoomMax() { return Math.max(1, this.home.high / (CLOSEST_CELLS * this.grid.cell)); }

    fitHome() {
        const {lat, lon} = this.home;
        this.set({lat, lon, zoom: 1});
    }

    get isAtHome() {
        const {lat, lon} = this.home;
        const differences = [this.zoom - 1, this.lat - lat, this.lon - lon];
        return differences.every(difference => Math.abs(difference) < 1e-3);
    }

    /** Go there, as far as the map and the zoom reach.
        @param {Aim} aim */
    set({lat = this.lat, lon = this.lon, zoom = this.zoom}) {
        const {grid, home} = this;
        this.zoom = clamp(zoom, 0.8, this.zoomMax);
        /** @type {(value: number, low: number, high: number, half: number) => number} */
        const clampMiddle = (value, low, high, half) =>
            low + half > high - half ? (low + high) / 2 : clamp(value, low + half, high - half);
        // What is shown at first is within reach, even where it is wider than the map.
        const [south, north, west, east] = grid.home, [up, across] = [home.high, home.wide];
        this.lat = clampMiddle(lat, Math.min(grid.south, south), Math.max(grid.north, north),
            up / 2 / this.zoom);
        this.lon = clampMiddle(lon, Math.min(grid.west, west), Math.max(grid.east, east),
            across / grid.longitudeScale / 2 / this.zoom);
        for (const watcher of this.watchers) watcher();
        this.remember();
    }

    /** Zoom by a factor; what is at this place stays where it is on screen.
        @param {number} factor
        @param {number} lat
        @param {number} lon */
    zoomAt(factor, lat = this.lat, lon = this.lon) {
        const oldZoom = this.zoom;
        const zoom = clamp(oldZoom * factor, 0.8, this.zoomMax);
        const ratio = oldZoom / zoom;
        this.set({zoom, lat: lat + (this.lat - lat) * ratio, lon: lon + (this.lon - lon) * ratio});
    }

    /** Show a box with some air around it.
        @param {Message.Box} box */
    show([south, north, west, east]) {
        const {home, grid} = this;
        const zoom = 0.8 * Math.min(home.high / (north - south),
            home.wide / ((east - west) * grid.longitudeScale));
        this.set({lat: (south + north) / 2, lon: (west + east) / 2, zoom});
    }

    /** Into the link, once the user rests, unless the page has been left; at home it needs none. */
    remember() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            writeQuery(this.page, {[VIEW_KEY]: this.linkText()});
        }, PATIENCE_MS);
    }

    /** @param {() => void} watcher */
    leave(watcher) {
        this.watchers.delete(watcher);
        if (this.watchers.size) return;
        clearTimeout(this.timer);
        const name = `${this.page} ${this.grid.name}`;
        if (views.get(name) === this) views.delete(name);
    }

    linkText() {
        const {lat, lon, zoom} = this;
        return this.isAtHome ? null : [lat.toFixed(2), lon.toFixed(2), zoom.toFixed(2)].join();
    }

    /** From degrees to pixels of a picture of that size, and back.
        @param {number} width
        @param {number} height */
    projection(width, height) {
        const {home, grid, zoom, lat, lon} = this;
        const scale = zoom * Math.min(width / home.wide, height / home.high);
        const across = scale * grid.longitudeScale;
        return {
            scale, width, height,
            matrix: [across, 0, 0, -scale, width / 2 - lon * across, height / 2 + lat * scale],
            x: (/** @type {number} */ longitude) => width / 2 + (longitude - lon) * across,
            y: (/** @type {number} */ latitude) => height / 2 - (latitude - lat) * scale,
            lon: (/** @type {number} */ x) => lon + (x - width / 2) / across,
            lat: (/** @type {number} */ y) => lat - (y - height / 2) / scale,
        };
    }
}

/** The view of the page's stages of this grid; `watcher`: called as it moves, until it leaves.
    @param {Grid} grid
    @param {string} page
    @param {() => void} watcher
    @returns {View} */
export function viewOf(grid, page, watcher) {
    const name = `${page} ${grid.name}`;
    if (!views.has(name)) views.set(name, new View(grid, page));
    const view = views.get(name);
    view.grid = grid;
    view.watchers.add(watcher);
    return view;
}
