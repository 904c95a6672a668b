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
    previous = "side";

    /** @param {Stage} stage */
    constructor(stage) {
        this.stage = stage;
        this.panes = /** @type {Known<string, Pane>} */ (new Map());
        const linkLook = readQuery(LOOK_KEY);
        this.defaultLook = stage.data.look;
        const isKnown = LOOKS.some(([look]) => look === linkLook) && linkLook !== "present";
        this.look = linkLook && isKnown && !this.isAlone ? linkLook : this.defaultLook;
        this.board = el("div", {
            className: "board", role: "application", tabIndex: 0, "aria-roledescription": "maps",
        });
        this.leaveButton = button("close", "Leave", () => this.choose(this.previous));
        this.leaveButton.classList.add("leave");
        this.leaveButton.append(el("kbd", {}, "Esc"));
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
        const arranged = [...large, ...small], errors = differences.map(({id}) => id);
        const rest = all.filter(id => !arranged.includes(id));
        const ids = [...large, ...rest, ...errors, ...small];
        for (const [id, pane] of this.panes) {
            if (id === "swipe" || ids.includes(id)) continue;
            pane.figure.remove();
            this.panes.delete(id);
        }
        for (const id of ids) if (!this.panes.has(id)) this.panes.set(id, new Pane(id));
        const figures = [...ids, "swipe"].map(id => this.panes.get(id).figure);
        figures.forEach((figure, i) => {
            const current = this.board.children[i];
            if (current !== figure) this.board.insertBefore(figure, current ?? null);
        });
        if (this.look === "error" && !differences.length) this.look = "side";
        this.show();
    }

    /** Whether nothing is large or small: the look that the scene opens with is the only one. */
    get isAlone() { return this.stage.data.arrangement?.large.length === 0; }

    /** Ids of the panes on the board now, the first one large. */
    visibleIds() {
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
    showTurn(id) {
        this.turn = id;
        this.show();
        const chosen = this.panes.get(id).turns?.querySelector("[aria-pressed=true]");
        if (chosen instanceof HTMLElement) chosen.focus();
    }

    /** Pictures that take turns have buttons for all of them in place of their title. */
    writeTurns() {
        const {data} = this.stage, turns = data.arrangement?.turns ?? [];
        const visible = this.visibleIds();
        /** @type {(id: string) => string} */
        const title = id => data.pictures.find(each => each.id === id)?.title ?? "";
        for (const [id, pane] of this.panes) {
            pane.turns?.remove();
            if (!turns.includes(id)) continue;
            pane.turns = el("div", {role: "group", "aria-label": "Map", className: "group turns"},
                ...turns.map(each => el("button", {type: "button",
                    "aria-pressed": String(visible.includes(each) && each === id),
                    onclick: () => this.showTurn(each)}, title(each))));
            pane.caption.prepend(pane.turns);
        }
        const open = visible.find(id => data.pictures.some(
            each => each.id === id && each.colours === "open"));
        this.stage.legend.node.classList.toggle("who", Boolean(open));
    }

    /** @param {string} look */
    choose(look) {
        const previous = this.look;
        if (look === previous) return;
        if (look === "present") this.previous = previous;
        this.look = look;
        this.remember();
        if (look === "present") this.startPresenting();
        else if (previous === "present") this.stopPresenting();
        this.show();
        this.stage.toolbar.update();
        if (look === "present") this.leaveButton.focus();
        else if (previous === "present") this.stage.toolbar.focusLook();
    }

    /** Into the link, where pages may have dropped it; "present" is for now only. */
    remember() {
        if (this.look === "present") return;
        const look = this.look === this.defaultLook ? null : this.look;
        writeQuery(this.stage.data.page, {[LOOK_KEY]: look});
    }

    /** The page's style leaves what an audience needs: headline, maps, ε, odds. */
    startPresenting() {
        document.documentElement.dataset.presenting = "";
        document.addEventListener("keydown", this.keys);
    }

    /** Arrows and a clicker go along the slider; in a lesson the clicker is the lesson's.
        @param {KeyboardEvent} event */
    press(event) {
        const {key} = event, [target] = /** @type {Element[]} */ (event.composedPath());
        if (key === "Escape") this.choose(this.previous);
        /** @type {Record<string, number>} */
        const steps = {ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1};
        const step = steps[key];
        const isTaken = key.startsWith("Page") ? "lesson" in document.documentElement.dataset
            : target.closest?.("input, [role=application], [role=slider]");
        if (!step || isTaken) return;
        event.preventDefault();
        nudge(this.stage.film, step);
    }

    stopPresenting() {
        delete document.documentElement.dataset.presenting;
        document.removeEventListener("keydown", this.keys);
    }

    show() {
        const {root, legend, data, scaleTitle} = this.stage, visible = this.visibleIds();
        const large = visible.filter(id => !this.isSmall(id));
        root.dataset.look = this.look;
        root.dataset.arrangement = !data.arrangement ? "row" : large.length > 2 ? "thirds"
            : large.length > 1 ? "pair" : "one";
        // `style.css` keeps room on the page for the pictures, which depends on the look.
        for (const folder of ["-maps-stage", "-stack"]) {
            const {host} = /** @type {ShadowRoot} */ (root.getRootNode());
            const box = /** @type {HTMLElement | null | undefined} */ (
                host?.closest(`[class*='${folder}']`));
            if (box) box.dataset.look = this.look;
        }
        root.style.setProperty("--count", String(visible.length));
        root.classList.toggle("alone", Boolean(this.isAlone));
        for (const [id, pane] of this.panes) {
            pane.figure.hidden = !visible.includes(id);
            pane.figure.classList.toggle("small", this.isSmall(id));
            pane.figure.classList.toggle("floats", id === visible[0]);
            pane.figure.classList.toggle("own", id === large.at(-1) && large.length > 1);
        }
        this.float(visible[0]);
        this.writeTurns();
        legend.write(scaleTitle);
        this.stage.requestPaint();
    }

    /** The buttons of zoom float over the first picture.
        @param {string} first */
    float(first) {
        const {zoom} = this.stage.toolbar ?? {};
        for (const [id, pane] of this.panes) pane.overlays = id === first && zoom ? [zoom] : [];
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
        for (const id of this.visibleIds()) {
            const pane = this.panes.get(id);
            if (!pane.fit()) continue;
            if (pane instanceof Swipe) { pane.paint(); continue; }
            const context = contextOf(pane.canvas), {width, height} = pane.canvas;
            const projection = stage.view.projection(width, height);
            const picture = stage.pictures.get(id);
            pane.placeLabels(projection);
            paintPicture(context, picture, projection, stage, pane.ratio, pane.reserved);
            paintHand(context, projection, stage, pane.ratio);
        }
    }

    /** {lat, lon, cell, pane} under a point of the screen; null beside all pictures.
        @param {number} clientX
        @param {number} clientY */
    placeAt(clientX, clientY) {
        for (const id of this.visibleIds()) {
            const {canvas, frame, ratio} = this.panes.get(id);
            const {left, top, right, bottom} = frame.getBoundingClientRect();
            if (clientX < left || clientX >= right || clientY < top || clientY >= bottom) continue;
            const projection = this.stage.view.projection(canvas.width, canvas.height);
            const lat = projection.lat((clientY - top) * ratio);
            const lon = projection.lon((clientX - left) * ratio);
            const cell = this.stage.grid.cellAt(lat, lon);
            return {id, lat, lon, cell, scale: projection.scale / ratio};
        }
        return null;
    }
}
