/* Which panes are on the board: side by side, before and after, error, present. */

import {button, el} from "./dom.js";
import {contextOf} from "./ink.js";
import {Pane, paintHand, paintPicture} from "./panes.js";
import {nudge} from "./play.js";
import {Swipe} from "./swipe.js";
import {readQuery, writeQuery} from "./view.js";

/** @import {Meta} from "./panes.js"
    @import {Stage} from "./stage.js" */

export const LOOKS = [["side", "Side by side"], ["swipe", "Swipe"], ["error", "Error"],
    ["present", "Present"]];
const LOOK_KEY = "look";

export class Looks {
    /** @type {string | undefined} The small picture whose turn it is, as the reader chose. */
    turn;
    /** The look to which "present" leads back. */
    before = "side";

    /** @param {Stage} stage */
    constructor(stage) {
        this.stage = stage;
        this.panes = /** @type {Known<string, Pane>} */ (new Map());
        const asked = readQuery(LOOK_KEY);
        this.first = stage.data.look;
        const known = LOOKS.some(([look]) => look === asked) && asked !== "present";
        this.look = asked && known && !this.isAlone ? asked : this.first;
        this.board = el("div", {
            className: "board", role: "application", tabIndex: 0, "aria-roledescription": "maps",
        });
        this.leave = button("close", "Leave", () => this.choose(this.before));
        this.leave.classList.add("leave");
        this.leave.append(el("kbd", {}, "Esc"));
        /** @type {(event: KeyboardEvent) => void} */
        this.keys = event => this.press(event);
        this.swipe = new Swipe(stage);
        this.panes.set("swipe", this.swipe);
    }

    /** Panes for the pictures of this scene: the large ones first, else in its order.
        @param {Message.Scene} scene */
    update({pictures, differences, arrangement}) {
        const all = pictures.map(({id}) => id), {large = []} = arrangement ?? {};
        const small = this.smallOnes(arrangement);
        const placed = [...large, ...small], errors = differences.map(({id}) => id);
        const rest = all.filter(id => !placed.includes(id));
        const ids = [...large, ...rest, ...errors, ...small];
        for (const [id, pane] of this.panes) {
            if (id === "swipe" || ids.includes(id)) continue;
            pane.figure.remove();
            this.panes.delete(id);
        }
        for (const id of ids) if (!this.panes.has(id)) this.panes.set(id, new Pane(id));
        const wanted = [...ids, "swipe"].map(id => this.panes.get(id).figure);
        wanted.forEach((figure, i) => {
            const there = this.board.children[i];
            if (there !== figure) this.board.insertBefore(figure, there ?? null);
        });
        if (this.look === "error" && !differences.length) this.look = "side";
        this.show();
    }

    /** Whether nothing is large or small: the look that the scene opens with is the only one. */
    get isAlone() { return this.stage.data.arrangement?.large.length === 0; }

    /** Ids of the panes on the board now, the first one large. */
    shown() {
        const {pictures, differences, arrangement} = this.stage.data;
        if (this.look === "swipe") return ["swipe"];
        const errors = differences.map(({id}) => id);
        if (!arrangement) return this.look === "error" ? errors : pictures.map(({id}) => id);
        const {turns} = arrangement;
        const turn = turns.find(id => id === this.turn) ?? turns[0];
        return [...this.look === "error" ? errors : arrangement.large, ...arrangement.small,
            ...turn ? [turn] : []];
    }

    /** @param {Message.Arrangement | null} arrangement */
    smallOnes(arrangement) { return [...arrangement?.small ?? [], ...arrangement?.turns ?? []]; }

    /** Whether a picture is one of the small ones beside or below the others.
        @param {string} id */
    isSmall(id) { return this.smallOnes(this.stage.data.arrangement).includes(id); }

    /** Which of the pictures that take turns is seen.
        @param {string} id */
    take(id) {
        this.turn = id;
        this.show();
        const chosen = this.panes.get(id).turns?.querySelector("[aria-pressed=true]");
        if (chosen instanceof HTMLElement) chosen.focus();
    }

    /** Pictures that take turns have buttons for all of them in place of their title. */
    writeTurns() {
        const {data} = this.stage, turns = data.arrangement?.turns ?? [], shown = this.shown();
        /** @type {(id: string) => string} */
        const title = id => data.pictures.find(each => each.id === id)?.title ?? "";
        for (const [id, pane] of this.panes) {
            pane.turns?.remove();
            if (!turns.includes(id)) continue;
            pane.turns = el("div", {role: "group", "aria-label": "Map", className: "group turns"},
                ...turns.map(each => el("button", {type: "button", "aria-pressed":
                    String(shown.includes(each) && each === id), onclick: () => this.take(each)},
                title(each))));
            pane.caption.prepend(pane.turns);
        }
        const open = shown.find(id => data.pictures.some(
            each => each.id === id && each.colours === "open"));
        this.stage.legend.node.classList.toggle("who", Boolean(open));
    }

    /** @param {string} look */
    choose(look) {
        const before = this.look;
        if (look === before) return;
        if (look === "present") this.before = before;
        this.look = look;
        this.remember();
        if (look === "present") this.lift();
        else if (before === "present") this.lower();
        this.show();
        this.stage.toolbar.update();
        if (look === "present") this.leave.focus();
        else if (before === "present") this.stage.toolbar.focusLook();
    }

    /** Into the link, where pages may have dropped it; "present" is for now only. */
    remember() {
        if (this.look === "present") return;
        writeQuery(this.stage.data.page, {[LOOK_KEY]: this.look === this.first ? null : this.look});
    }

    /** The page's style leaves what an audience needs: headline, maps, ε, odds. */
    lift() {
        document.documentElement.dataset.presenting = "";
        document.addEventListener("keydown", this.keys);
    }

    /** Arrows and a clicker go along the slider; in a lesson the clicker is the lesson's.
        @param {KeyboardEvent} event */
    press(event) {
        const {key} = event, [target] = /** @type {Element[]} */ (event.composedPath());
        if (key === "Escape") this.choose(this.before);
        /** @type {Record<string, number>} */
        const ways = {ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1};
        const by = ways[key];
        const taken = key.startsWith("Page") ? "lesson" in document.documentElement.dataset
            : target.closest?.("input, [role=application], [role=slider]");
        if (!by || taken) return;
        event.preventDefault();
        nudge(this.stage.film, by);
    }

    lower() {
        delete document.documentElement.dataset.presenting;
        document.removeEventListener("keydown", this.keys);
    }

    show() {
        const {root, legend, data, title} = this.stage, shown = this.shown();
        const large = shown.filter(id => !this.isSmall(id));
        root.dataset.look = this.look;
        root.dataset.arrangement = !data.arrangement ? "row" : large.length > 2 ? "thirds"
            : large.length > 1 ? "pair" : "one";
        // `style.css` keeps room on the page for the pictures, which depends on the look.
        for (const around of ["-maps-stage", "-stack"]) {
            const {host} = /** @type {ShadowRoot} */ (root.getRootNode());
            const box = /** @type {HTMLElement | null | undefined} */ (
                host?.closest(`[class*='${around}']`));
            if (box) box.dataset.look = this.look;
        }
        root.style.setProperty("--count", String(shown.length));
        root.classList.toggle("alone", Boolean(this.isAlone));
        for (const [id, pane] of this.panes) {
            pane.figure.hidden = !shown.includes(id);
            pane.figure.classList.toggle("small", this.isSmall(id));
            pane.figure.classList.toggle("floats", id === shown[0]);
            pane.figure.classList.toggle("own", id === large.at(-1) && large.length > 1);
        }
        this.float(shown[0]);
        this.writeTurns();
        legend.write(title);
        this.stage.dirty();
    }

    /** The buttons of zoom float over the first picture.
        @param {string} first */
    float(first) {
        const {zoom} = this.stage.toolbar ?? {};
        for (const [id, pane] of this.panes) pane.floating = id === first && zoom ? [zoom] : [];
    }

    /** Titles, subtitles, alt texts and numbers; a film may have its own. */
    write() {
        const {stage} = this;
        /** @type {(id: string) => Meta} */
        const words = id => stage.film.words(stage.pictures.get(id).meta);
        for (const id of stage.pictures.keys()) this.panes.get(id).write(words(id));
        const [left, right] = stage.data.swipe.map(words);
        this.swipe.writePair(left, right);
    }

    paint() {
        const {stage} = this;
        for (const id of this.shown()) {
            const pane = this.panes.get(id);
            if (!pane.fit()) continue;
            if (pane instanceof Swipe) { pane.paint(); continue; }
            const context = contextOf(pane.canvas), {width, height} = pane.canvas;
            const projection = stage.view.projection(width, height);
            const picture = stage.pictures.get(id);
            pane.placeLabels(projection);
            paintPicture(context, picture, projection, stage, pane.ratio, pane.kept);
            paintHand(context, projection, stage, pane.ratio);
        }
    }

    /** {lat, lon, cell, pane} under a point of the screen; null beside all pictures.
        @param {number} clientX
        @param {number} clientY */
    placeAt(clientX, clientY) {
        for (const id of this.shown()) {
            const {canvas, frame, ratio} = this.panes.get(id);
            const {left, top, right, bottom} = frame.getBoundingClientRect();
            if (clientX < left || clientX >= right || clientY < top || clientY >= bottom) continue;
            const projection = this.stage.view.projection(canvas.width, canvas.height);
            const lat = projection.lat((clientY - top) * ratio);
            const lon = projection.lon((clientX - left) * ratio);
            return {
                id, lat, lon, cell: this.stage.grid.at(lat, lon), scale: projection.scale / ratio,
            };
        }
        return null;
    }
}
