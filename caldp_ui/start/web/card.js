/* The card to keep and to send: the reader's sentence, everybody's map, the truth and the source. The
   pin is not on it, nor its block: at the smallest size that would name a neighbourhood. */

import {el, setText} from "./dom.js";
import {epsilonText} from "./curve.js";
import {Projection, frameIn, pictureOf} from "./country.js";

const WIDTH = 1200, HEIGHT = 600, PICTURE_WIDTH = 550, PICTURES_TOP = 190, COPIED_MS = 2000;

export class Card {
    /** Of what the card shows. */
    epsilon = 0;
    size = 0;

    /** @param {HTMLDialogElement} dialog
        @param {import("./atlas.js").Atlas} atlas
        @param {Message.ExhibitWords} words
        @param {import("./colours.js").Colours} colours
        @param {string} address of the page; "" in a file, which has none to send */
    constructor(dialog, atlas, words, colours, address) {
        this.dialog = dialog;
        this.atlas = atlas;
        this.words = words;
        this.colours = colours;
        this.address = address;
        this.canvas = el("canvas", {width: WIDTH, height: HEIGHT, role: "img"});
        this.save = el("a", {className: "button primary", download: "caldp-card.png"}, words.save);
        this.copy = el("button", {type: "button", onclick: () => this.copyLink(), hidden: !address},
            words.copy);
        const close = el("button", {type: "button", onclick: () => dialog.close()}, words.close);
        const note = el("p", {}, words.card_note);
        /** The link as a text, for browsers that let no page write to the clipboard. */
        this.link = el("input", {type: "text", readOnly: true, hidden: true, "aria-label": words.copy});
        dialog.append(this.canvas, note, this.link, el("p", {}, this.save, " ", this.copy, " ", close));
    }

    /** @param {number} epsilon
        @param {number} size
        @param {string} sentence */
    open(epsilon, size, sentence) {
        this.epsilon = epsilon;
        this.size = size;
        this.link.hidden = true;
        this.draw(epsilon, size);
        this.canvas.setAttribute("aria-label", sentence);
        this.save.href = this.canvas.toDataURL("image/png");
        this.dialog.showModal();
    }

    /** The page's link with the size and ε, and nothing else. */
    get href() {
        const {data} = this.atlas, url = new URL(this.address);
        url.searchParams.set("size", data.keys[this.size]);
        url.searchParams.set("eps", String(data.epsilons[this.epsilon]));
        return url.href;
    }

    async copyLink() {
        try {
            await navigator.clipboard.writeText(this.href);
            setText(this.copy, this.words.copied);
            setTimeout(() => setText(this.copy, this.words.copy), COPIED_MS);
        } catch {
            this.link.value = this.href;
            this.link.hidden = false;
            this.link.select();
        }
    }

    /** @param {number} epsilon
        @param {number} size */
    draw(epsilon, size) {
        const {words, colours, atlas: {data, frames, truth}} = this;
        const context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
        context.fillStyle = colours.of("page");
        context.fillRect(0, 0, WIDTH, HEIGHT);
        /** @type {(text: string, y: number, weight: number, pixels: number, colour: string) => void} */
        const write = (text, y, weight, pixels, colour) => {
            context.font = `${weight} ${pixels}px ${colours.font}`;
            context.fillStyle = colours.of(colour);
            context.fillText(text, 40, y, WIDTH - 80);
        };
        write(words.card_block.replace("{block}", data.names[size]), 68, 700, 44, "ink");
        write(words.card_price.replace("{wrong}", data.wrong[epsilon][size]), 120, 700, 44,
            size ? "ours" : "plain");
        write(words.card_odds.replace("{epsilon}", epsilonText(data.epsilons[epsilon]))
            .replace("{odds}", data.odds[epsilon]), 158, 400, 22, "soft");
        this.drawPicture(context, frames[epsilon][size], 40, words.card_map);
        this.drawPicture(context, truth, WIDTH - 40 - PICTURE_WIDTH, words.card_truth);
        write(words.card_source, HEIGHT - 24, 400, 19, "soft");
    }

    /** @param {CanvasRenderingContext2D} context
        @param {Uint8Array} codes
        @param {number} left
        @param {string} title */
    drawPicture(context, codes, left, title) {
        const {colours, atlas: {data}} = this;
        const frame = frameIn(data.grid, PICTURE_WIDTH, HEIGHT, 1), {wide, high} = frame;
        const projection = new Projection(data.grid, {...frame, left: 0, top: 0});
        context.save();
        context.translate(left, PICTURES_TOP);
        context.beginPath();
        context.roundRect(0, 0, wide, high, 10);
        context.clip();
        context.fillStyle = colours.of("sea");
        context.fillRect(0, 0, wide, high);
        context.fillStyle = colours.of("land");
        context.fill(projection.path(data.land, true));
        context.imageSmoothingEnabled = false;
        context.drawImage(pictureOf(codes, data.grid, colours.levels()), 0, 0, wide, high);
        context.strokeStyle = colours.of("coast");
        context.lineWidth = 1;
        context.stroke(projection.path(data.borders, false));
        context.restore();
        context.fillStyle = colours.of("ink");
        context.font = `600 22px ${colours.font}`;
        context.fillText(title, left, PICTURES_TOP + high + 30);
    }
}
