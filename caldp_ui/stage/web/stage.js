/* One stage: what it shows, what is pointed at, and when it draws. The parts know the stage; it
   lives as long as its element, through all changes of data. */

import {differenceCodes, readCodes, readLabels, readLevels, readLines, readMask,
    readRows} from "./codec.js";
import {el} from "./dom.js";
import {FilmPlayer} from "./film.js";
import {Grid} from "./grid.js";
import {Ink, boxPath, contextOf} from "./ink.js";
import {Keys, KEYS_HELP} from "./keys.js";
import {Looks} from "./looks.js";
import {InkLayer, Picture} from "./panes.js";
import {Pointer} from "./pointer.js";
import {Readout} from "./readout.js";
import {Legend} from "./scale.js";
import {squaresIn} from "./squares.js";
import {MapStyles} from "./styles.js";
import {Outbox} from "./outbox.js";
import {Toolbar} from "./toolbar.js";
import {Tools} from "./tools.js";
import {Fingers} from "./touch.js";
import {viewOf} from "./view.js";

/** @import {City} from "./names.js"
    @import {Meta} from "./panes.js"
    @import {Style} from "./styles.js"
    @import {Store} from "./codec.js"
    @import {View} from "./view.js"
    @typedef {[
        codes: [own: Uint16Array, errors: Uint16Array | null, levels: Uint8Array | null,
            certain: Uint8Array | null][],
        outline: Path2D, cities: City[], labels: Uint32Array | null, names: string[][],
        sensitive: Uint8Array | null, land: Path2D, open: Uint8Array | null,
        far: Uint8Array | null,
    ]} Parts What the blobs of a scene hold. */

export class Stage {
    /** @type {Message.Scene} From the first scene on, as all until `turn`. */ data;
    /** @type {Grid} */ grid;
    /** @type {View} */ view;
    /** @type {Looks} */ looks;
    /** @type {Readout} */ readout;
    /** @type {Toolbar} */ toolbar;
    /** @type {string[]} Names of blocks. */ names;
    /** @type {Uint32Array | null} Each cell's block. */ labels;
    font = "";
    turn = 0;
    isNew = true;
    /** Whether the scene has the pictures of the one before. */
    hasSamePictures = false;
    /** @type {string | undefined} The id of the picture that is pointed at. */
    hoveredId;
    /** @type {number | null | undefined} The serial of what was last gone to. */
    focusSerial;
    /** @type {string | undefined} What the ink is of. */
    inkKey;
    /** @type {number | undefined} */
    frame;

    /** @param {ShadowRoot} host
        @param {{styles: Record<"dark" | "light", Style>}} looks */
    constructor(host, {styles}) {
        this.host = host;
        this.styles = new MapStyles(this, styles);
        this.root = el("section", {className: "stage"});
        this.pictures = /** @type {Known<string, Picture>} */ (new Map());
        /** @type {Map<string, Promise<any>>} */
        this.blobs = new Map();
        /** @type {City[]} */
        this.cities = [];
        this.cursor = -1;
        this.isMoving = this.isSpeaking = false;
        this.ink = new Ink();
        this.layer = new InkLayer();
        this.legend = new Legend();
        this.film = new FilmPlayer(this);
        this.tools = new Tools(this);
        this.outbox = new Outbox();
        this.onView = () => this.requestPaint();
    }

    /** Build what is on screen, once the first data are there.
        @param {Element} room */
    build(room) {
        this.looks = new Looks(this);
        this.readout = new Readout(this);
        this.toolbar = new Toolbar(this);
        const {board} = this.looks, {node, status} = this.readout;
        board.setAttribute("aria-description", KEYS_HELP);
        const second = el("div", {className: "second"}, this.film.node, this.toolbar.hint);
        this.root.append(this.toolbar.views, board, this.toolbar.node, second, this.legend.node,
            node, status, this.film.largeText);
        this.pointer = new Pointer(this);
        this.touch = new Fingers(this);
        this.keys = new Keys(this);
        room.replaceChildren(this.root);
        this.resizeObserver = new ResizeObserver(() => this.requestPaint());
        this.resizeObserver.observe(board);
        document.fonts.ready.then(() => this.setFont());
        this.setFont();
    }

    setFont() {
        this.font = getComputedStyle(this.root).fontFamily;
        this.layer.forget();
        this.requestPaint();
    }

    /** Take a scene over; the older pictures stay until all of the new ones are there.
        @param {Message.Scene} data
        @param {Store} store
        @param {Element} room */
    async update(data, store, room) {
        const turn = this.turn += 1;
        const {ground} = data, blobs = new Map();
        /** @type {(name: Message.Blob, read: (raw: any, k: number) => any, k?: number) =>
            Promise<any>} */
        const get = (name, read, k = 0) => {
            // What is not there has no name, and is read as something else by each reader.
            const key = [read.name, name, k].join();
            const value = this.blobs.get(key) ?? store.get(name).then(raw => read(raw, k));
            blobs.set(key, value);
            return value;
        };
        const codes = Promise.all(data.pictures.map(each => Promise.all(
            [get(each.code, readCodes), get(each.error, readCodes),
                get(each.pooled, readLevels),
                get(each.certain, readMask, ground.rows * ground.columns)])));
        const parts = await Promise.all([codes, get(ground.outline, readLines),
            get(ground.cities, readRows), get(ground.labels, readLabels),
            get(ground.names, readRows),
            get(ground.sensitive, readMask, ground.rows * ground.columns),
            get(ground.land, readLines),
            get(ground.open, readMask, ground.rows * ground.columns),
            get(ground.far, readMask, ground.rows * ground.columns)]);
        if (turn !== this.turn) return;
        this.blobs = blobs;
        this.data = data;
        this.setGround(data, parts);
        this.setPictures(data, parts[0]);
        const isFirst = !this.readout;
        if (isFirst) this.build(room);
        this.settle(data);
        if (!isFirst) this.paint();
    }

    /** @param {Message.Scene} scene
        @param {Parts} parts */
    setGround({ground, page}, [, outline, cities, labels, names, mask, land, open, far]) {
        const oldGrid = this.grid;
        this.grid = new Grid(ground);
        // Pictures of another map have other pixels.
        if (oldGrid?.name !== this.grid.name) this.pictures = new Map();
        const view = viewOf(this.grid, page, this.onView);
        if (view !== this.view) this.view?.leave(this.onView);
        this.view = view;
        this.cities = cities;
        this.names = names[0] ?? [];
        this.labels = labels;
        const inkKey = [this.grid.name, ground.outline, ground.cities, ground.labels,
            ground.sensitive, ground.open, ground.far, ground.box].join();
        if (inkKey === this.inkKey) return;
        this.inkKey = inkKey;
        const {ink} = this;
        ink.outline = outline;
        ink.land = ground.land ? land : null;
        ink.box = ground.box && boxPath(ground.box);
        ink.setBlocks(labels, this.grid);
        ink.setSensitive(mask, this.grid);
        ink.setOpen(open, this.grid);
        ink.setFar(far, this.grid);
        this.layer.forget();
    }

    /** @param {Message.Scene} scene
        @param {Parts[0]} codes */
    setPictures({pictures, differences}, codes) {
        const oldPictures = this.pictures;
        /** @type {(meta: Meta) => Picture} */
        const pictureOf = meta =>
            Object.assign(oldPictures.get(meta.id) ?? new Picture(meta), {meta});
        const oldCodes = new Map([...oldPictures].map(
            ([id, {meta}]) => [id, "code" in meta && meta.code]));
        this.hasSamePictures = pictures.every(({id, code}) => oldCodes.get(id) === code);
        this.pictures = new Map();
        pictures.forEach((meta, i) => {
            const [own, errors, levels, certain] = codes[i];
            const picture = Object.assign(pictureOf(meta), {codes: own, errors, levels, certain});
            this.pictures.set(meta.id, picture);
        });
        for (const meta of differences) this.pictures.set(meta.id, pictureOf(meta));
    }

    /** @param {Message.Scene} data */
    settle(data) {
        this.outbox.confirm(data.receipt);
        this.film.followScene();
        this.tools.settle();
        const {home, grid} = this.view;
        this.root.style.colorScheme = isDark(this.root) ? "dark" : "light";
        this.root.style.setProperty("--aspect", String(home.wide / home.high));
        this.looks.board.setAttribute("aria-label", data.label);
        this.styles.settle(data.scale);
        if (this.cursor >= grid.k) this.cursor = -1;
        this.looks.update(data);
        this.readout.update(data);
        this.toolbar.update();
        this.looks.remember();
        this.view.remember();
        this.goTo(data.focus);
        this.film.dials.catchUp();
        this.film.update();
        this.updateTexts();
        this.root.dataset.turn = String(this.turn);
    }

    /** Once for each new number; a link's own view goes before the first.
        @param {Message.Scene["focus"]} focus */
    goTo(focus) {
        const isFirst = this.focusSerial === undefined;
        const isNew = focus && focus.serial !== this.focusSerial;
        this.focusSerial = focus?.serial ?? null;
        if (isNew && !(isFirst && !this.view.isAtHome)) this.view.show(focus.box);
    }

    /** (k,) codes that a picture has now.
        @param {string} id
        @returns {Uint16Array} */
    codesOf(id) {
        const picture = this.pictures.get(id);
        if (picture.codes) return this.film.codesOf(id) ?? picture.codes;
        const {first, second} = /** @type {Message.Difference} */ (picture.meta);
        const [one, other] = [this.codesOf(first), this.codesOf(second)];
        const {ends, difference} = picture;
        if (difference && ends?.[0] === one && ends[1] === other) return difference;
        picture.ends = [one, other];
        return picture.difference = differenceCodes(one, other);
    }

    /** How far a picture's cells are pooled now.
        @param {string} id */
    levelsOf(id) {
        return this.film.hasStepOf(id) ? this.film.levelsOf(id) : this.pictures.get(id).levels;
    }

    /** Where a picture's numbers are averages now; nothing where each cell has its own.
        @param {string} id */
    squaresOf(id) {
        const {marks} = this.pictures.get(id).meta, levels = this.levelsOf(id);
        return levels ? squaresIn(levels, marks.includes("blocks") ? this.labels : null, this.grid)
            : undefined;
    }

    /** Words and numbers on screen are others now. */
    updateTexts() {
        this.looks.write();
        this.legend.leaveOut(this.film.leftOut);
        this.readout.show();
        this.requestPaint();
    }

    /** Point at a cell; `speaks`: a screen reader should tell.
        @param {number} cell
        @param {boolean} isSpeaking */
    point(cell, isSpeaking) {
        this.isSpeaking = isSpeaking;
        if (cell === this.cursor && !isSpeaking) return;
        this.cursor = cell;
        this.readout.show();
        this.requestPaint();
    }

    /** Move the view by CSS pixels.
        @param {number} right
        @param {number} down */
    drag(right, down) {
        const {canvas, ratio} = this.looks.panes.get(this.looks.visibleIds()[0]);
        const projection = this.view.projection(canvas.width, canvas.height);
        this.view.set({
            lat: projection.lat(canvas.height / 2 - down * ratio),
            lon: projection.lon(canvas.width / 2 - right * ratio),
        });
    }

    /** What the scale says now. */
    get scaleTitle() { return this.data.titles[this.looks.look === "error" ? "error" : "side"]; }

    /** Draw before the next frame. */
    requestPaint() {
        if (!this.looks) return;
        this.frame ??= requestAnimationFrame(() => this.paint());
    }

    paint() {
        if (this.frame !== undefined) cancelAnimationFrame(this.frame);
        this.frame = undefined;
        this.looks.paint();
        const {position} = this.film;
        this.root.dataset.painted = String(this.turn);
        this.root.dataset.step = position ? Object.values(position).join(" ") : "";
    }

    destroy() {
        this.view?.leave(this.onView);
        this.resizeObserver?.disconnect();
        this.styles.leave();
        this.pointer?.destroy();
        this.film.destroy();
        this.outbox.leave();
        if (this.looks?.look === "present") this.looks.stopPresenting();
    }
}

/** Whether Streamlit's theme is dark: sliders and lists of the browser's own follow it.
    @param {Element} element */
function isDark(element) {
    const probe = contextOf(new OffscreenCanvas(1, 1));
    probe.fillStyle = getComputedStyle(element).getPropertyValue("--st-background-color").trim();
    probe.fillRect(0, 0, 1, 1);
    const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
    return red + green + blue < 384;
}
