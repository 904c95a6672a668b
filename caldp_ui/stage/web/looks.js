/* Which panes are on the board: side by side, before and after, error, present. */

import {button, el} from "./dom.js";
import {Pane, paintHand, paintPicture} from "./panes.js";
import {Swipe} from "./swipe.js";
import {readQuery, writeQuery} from "./view.js";

export const LOOKS = [["side", "Side by side"], ["swipe", "Before and after"], ["error", "Error"],
    ["present", "Present"]];
const LOOK_KEY = "look";

export class Looks {
    constructor(stage) {
        this.stage = stage;
        this.panes = new Map();
        const asked = readQuery(LOOK_KEY);
        this.first = stage.data.look;
        const known = LOOKS.some(([look]) => look === asked) && asked !== "present";
        this.look = known ? asked : this.first;
        this.board = el("div", {
            className: "board", role: "application", tabIndex: 0, "aria-roledescription": "maps",
        });
        this.leave = button("close", "Leave", () => this.choose(this.before), true);
        this.leave.className = "leave";
        this.swipe = new Swipe(stage);
        this.panes.set("swipe", this.swipe);
    }

    /** Panes for the pictures of this scene, in its order. */
    update({pictures, differences}) {
        const ids = [...pictures, ...differences].map(({id}) => id);
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

    /** Ids of the panes on the board now. */
    shown() {
        const {pictures, differences} = this.stage.data;
        if (this.look === "swipe") return ["swipe"];
        return (this.look === "error" ? differences : pictures).map(({id}) => id);
    }

    choose(look) {
        const before = this.look;
        if (look === before) return;
        if (look === "present") this.before = before;
        this.look = look;
        this.remember();
        const {root} = this.stage;
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
        writeQuery({[LOOK_KEY]: this.look === this.first ? null : this.look});
    }

    /** Over everything else on screen, whatever it is inside of. */
    lift() {
        const {root} = this.stage;
        root.parentElement.style.minHeight = `${root.offsetHeight}px`;
        root.setAttribute("popover", "manual");
        root.showPopover();
        this.escape = ({key}) => key === "Escape" && this.choose(this.before);
        document.addEventListener("keydown", this.escape);
    }

    lower() {
        const {root} = this.stage;
        document.removeEventListener("keydown", this.escape);
        root.hidePopover();
        root.removeAttribute("popover");
        root.parentElement.style.minHeight = "";
    }

    show() {
        const {root, scale, data} = this.stage, shown = this.shown();
        root.dataset.look = this.look;
        // `style.css` keeps room on the page for three pictures, which other looks do not need.
        const around = root.getRootNode().host?.closest("[class*='-maps-stage']");
        if (around) around.dataset.look = this.look;
        root.style.setProperty("--count", shown.length);
        // Presented pictures and their numbers fill a board about as many high as wide.
        const across = Math.ceil(Math.sqrt(shown.length + 1));
        root.style.setProperty("--across", across);
        root.style.setProperty("--down", Math.ceil((shown.length + 1) / across));
        for (const [id, pane] of this.panes) pane.figure.hidden = !shown.includes(id);
        this.panes.get(shown[0]).frame.append(scale.node);
        scale.write(data.titles[this.look === "error" ? "error" : "side"]);
        this.stage.dirty();
    }

    /** Titles, subtitles, alt texts and numbers; a film may have its own. */
    write() {
        const {stage} = this, words = id => stage.film.words(stage.pictures.get(id).meta);
        for (const id of stage.pictures.keys()) this.panes.get(id).write(words(id));
        this.swipe.writePair(...stage.data.swipe.map(words));
    }

    paint() {
        const {stage} = this;
        for (const id of this.shown()) {
            const pane = this.panes.get(id);
            if (!pane.fit()) continue;
            if (pane === this.swipe) { pane.paint(); continue; }
            const context = pane.canvas.getContext("2d"), {width, height} = pane.canvas;
            const projection = stage.view.projection(width, height);
            paintPicture(context, stage.pictures.get(id), projection, stage, pane.ratio);
            paintHand(context, projection, stage, pane.ratio);
        }
    }

    /** {lat, lon, cell, pane} under a point of the screen; null beside all pictures. */
    placeAt(clientX, clientY) {
        for (const id of this.shown()) {
            const {canvas, frame, ratio} = this.panes.get(id);
            const {left, top, right, bottom} = frame.getBoundingClientRect();
            if (clientX < left || clientX >= right || clientY < top || clientY >= bottom) continue;
            const projection = this.stage.view.projection(canvas.width, canvas.height);
            const lat = projection.lat((clientY - top) * ratio);
            const lon = projection.lon((clientX - left) * ratio);
            return {lat, lon, cell: this.stage.grid.at(lat, lon), scale: projection.scale / ratio};
        }
        return null;
    }
}
