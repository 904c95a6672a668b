/* One stage: what it shows, what is pointed at, and when it draws. The parts know the stage; it
   lives as long as its element, through all changes of data. */

import {apart, readCodes, readLabels, readLines, readMask, readRows} from "./codec.js";
import {el} from "./dom.js";
import {FilmPlayer} from "./film.js";
import {Grid} from "./grid.js";
import {Ink, boxPath} from "./ink.js";
import {Keys, KEYS_TOLD} from "./keys.js";
import {Looks} from "./looks.js";
import {InkLayer, Picture} from "./panes.js";
import {Pointer} from "./pointer.js";
import {Readout} from "./readout.js";
import {Legend} from "./scale.js";
import {MapStyles} from "./styles.js";
import {Teller} from "./teller.js";
import {Toolbar} from "./toolbar.js";
import {Tools} from "./tools.js";
import {Touch} from "./touch.js";
import {viewOf} from "./view.js";

export class Stage {
    constructor(host, {styles}) {
        this.host = host;
        this.styles = new MapStyles(this, styles);
        this.root = el("section", {className: "stage"});
        this.pictures = new Map();
        this.known = new Map();
        this.cities = [];
        this.cursor = -1;
        this.moving = this.speaks = false;
        this.ink = new Ink();
        this.layer = new InkLayer();
        this.legend = new Legend();
        this.film = new FilmPlayer(this);
        this.tools = new Tools(this);
        this.teller = new Teller();
        this.watch = () => this.dirty();
    }

    /** Build what is on screen, once the first data are there. */
    build(room) {
        this.looks = new Looks(this);
        this.readout = new Readout(this);
        this.toolbar = new Toolbar(this);
        const {board} = this.looks, {node, status} = this.readout;
        board.setAttribute("aria-description", KEYS_TOLD);
        const second = el("div", {className: "second"}, this.film.node, this.toolbar.hint);
        this.root.append(this.toolbar.views, board, this.toolbar.node, second, this.legend.node,
            node, status, this.film.large);
        this.pointer = new Pointer(this);
        this.touch = new Touch(this);
        this.keys = new Keys(this);
        room.replaceChildren(this.root);
        this.resized = new ResizeObserver(() => this.dirty());
        this.resized.observe(board);
        document.fonts.ready.then(() => this.setFont());
        this.setFont();
    }

    setFont() {
        this.font = getComputedStyle(this.root).fontFamily;
        this.layer.forget();
        this.dirty();
    }

    /** Take a scene over; the older pictures stay until all of the new ones are there. */
    async update(data, store, room) {
        const turn = this.turn = (this.turn ?? 0) + 1;
        const {ground} = data, known = new Map();
        const get = (name, read, ...more) => {
            // What is not there has no name, and is read as something else by each reader.
            const key = [read.name, name, ...more].join();
            const value = this.known.get(key) ?? store.get(name).then(raw => read(raw, ...more));
            known.set(key, value);
            return value;
        };
        const codes = Promise.all(data.pictures.map(each => Promise.all(
            [get(each.code, readCodes), get(each.error, readCodes)])));
        const parts = await Promise.all([codes, get(ground.outline, readLines),
            get(ground.cities, readRows), get(ground.labels, readLabels),
            get(ground.names, readRows),
            get(ground.sensitive, readMask, ground.rows * ground.columns),
            get(ground.land, readLines),
            get(ground.open, readMask, ground.rows * ground.columns)]);
        if (turn !== this.turn) return;
        this.known = known;
        this.data = data;
        this.setGround(data, parts);
        this.setPictures(data, parts[0]);
        const first = !this.readout;
        if (first) this.build(room);
        this.settle(data);
        if (!first) this.paint();
    }

    setGround({ground, page}, [, outline, cities, labels, names, mask, land, open]) {
        const before = this.grid;
        this.grid = new Grid(ground);
        // Pictures of another map have other pixels.
        if (before?.name !== this.grid.name) this.pictures = new Map();
        const view = viewOf(this.grid, page, this.watch);
        if (view !== this.view) this.view?.leave(this.watch);
        this.view = view;
        Object.assign(this, {cities, names: names[0] ?? [], labels});
        const drawn = [this.grid.name, ground.outline, ground.cities, ground.labels,
            ground.sensitive, ground.open, ground.box].join();
        if (drawn === this.drawn) return;
        this.drawn = drawn;
        const {ink} = this;
        ink.outline = outline;
        ink.land = ground.land && land;
        ink.box = ground.box && boxPath(ground.box);
        ink.setBlocks(labels, this.grid);
        ink.setSensitive(mask, this.grid);
        ink.setOpen(open, this.grid);
        this.layer.forget();
    }

    setPictures({pictures, differences}, codes) {
        const before = this.pictures;
        const kept = meta => Object.assign(before.get(meta.id) ?? new Picture(meta), {meta});
        this.same = pictures.every(({id, code}) => before.get(id)?.meta.code === code);
        this.pictures = new Map();
        pictures.forEach((meta, i) => {
            const [own, errors] = codes[i];
            this.pictures.set(meta.id, Object.assign(kept(meta), {codes: own, errors}));
        });
        for (const meta of differences) this.pictures.set(meta.id, kept(meta));
    }

    settle(data) {
        this.teller.confirm(data.heard);
        this.film.meet();
        this.tools.settle();
        const {home, grid} = this.view;
        this.root.style.colorScheme = isDark(this.root) ? "dark" : "light";
        this.root.style.setProperty("--aspect", home.wide / home.high);
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
        this.changed();
        this.root.dataset.turn = this.turn;
    }

    /** Once for each new number; a link's own view goes before the first. */
    goTo(focus) {
        const first = this.focused === undefined;
        const fresh = focus && focus.serial !== this.focused;
        this.focused = focus?.serial ?? null;
        if (fresh && !(first && !this.view.atHome)) this.view.show(focus.box);
    }

    /** (k,) codes that a picture has now. */
    codesOf(id) {
        const picture = this.pictures.get(id);
        if (picture.codes) return this.film.codesOf(id) ?? picture.codes;
        const [one, other] = [this.codesOf(picture.meta.of), this.codesOf(picture.meta.to)];
        if (picture.from?.[0] !== one || picture.from[1] !== other) {
            picture.from = [one, other];
            picture.apart = apart(one, other);
        }
        return picture.apart;
    }

    /** Words and numbers on screen are others now. */
    changed() {
        this.looks.write();
        this.readout.show();
        this.dirty();
    }

    /** Point at a cell; `speaks`: a screen reader should tell. */
    point(cell, speaks) {
        this.speaks = speaks;
        if (cell === this.cursor && !speaks) return;
        this.cursor = cell;
        this.readout.show();
        this.dirty();
    }

    /** Move the view by CSS pixels. */
    drag(right, down) {
        const {canvas, ratio} = this.looks.panes.get(this.looks.shown()[0]);
        const projection = this.view.projection(canvas.width, canvas.height);
        this.view.set({
            lat: projection.lat(canvas.height / 2 - down * ratio),
            lon: projection.lon(canvas.width / 2 - right * ratio),
        });
    }

    /** What the scale says now. */
    get title() { return this.data.titles[this.looks.look === "error" ? "error" : "side"]; }

    /** Draw before the next frame. */
    dirty() {
        if (!this.looks) return;
        this.frame ??= requestAnimationFrame(() => this.paint());
    }

    paint() {
        cancelAnimationFrame(this.frame);
        this.frame = undefined;
        this.looks.paint();
        this.root.dataset.painted = this.turn;
        this.root.dataset.step = this.film.now ? Object.values(this.film.now).join(" ") : "";
    }

    destroy() {
        this.view?.leave(this.watch);
        this.resized?.disconnect();
        this.styles.leave();
        this.pointer?.destroy();
        this.film.destroy();
        this.teller.leave();
        if (this.looks?.look === "present") this.looks.lower();
    }
}

/** Whether Streamlit's theme is dark: sliders and lists of the browser's own follow it. */
function isDark(element) {
    const probe = new OffscreenCanvas(1, 1).getContext("2d");
    probe.fillStyle = getComputedStyle(element).getPropertyValue("--st-background-color").trim();
    probe.fillRect(0, 0, 1, 1);
    const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
    return red + green + blue < 384;
}
