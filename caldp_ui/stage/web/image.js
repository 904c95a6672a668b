/* What is seen as one PNG of 1,600 pixels' width: titles, numbers, scale, and Python's lines. */

import {people} from "./dom.js";
import {contextOf} from "./ink.js";
import {InkLayer, paintPicture} from "./panes.js";
import {drawScale} from "./scale.js";

/** @import {Context} from "./ink.js"
    @import {Stage} from "./stage.js" */

const WIDTH = 1600, EDGE = 32, GAP = 24, RATIO = 1.6, HEAD = 66, LINE = 32, LONG = 400;
const FONT = "'Source Sans', sans-serif";
const PAPERS = {
    dark: {paper: "#0b0f14", strong: "#ffffff", ink: "#e8edf2", soft: "#c9d2db"},
    light: {paper: "#ffffff", strong: "#1b2733", ink: "#1b2733", soft: "#3c4b59"},
};

/** Pictures of the present look, with their words; the large ones where some are small.
    @param {Stage} stage */
function imagePictures(stage) {
    const {looks, data, pictures, film} = stage;
    const ids = looks.look === "swipe" ? data.swipe : looks.visibleIds();
    return ids.map(id => ({picture: pictures.get(id), words: film.words(pictures.get(id).meta)}));
}

/** @param {Context} context
    @param {string} words
    @param {number} x
    @param {number} y
    @param {number} size
    @param {string} colour
    @param {number} widthMax
    @param {string} weight */
function text(context, words, x, y, size, colour, widthMax, weight = "400") {
    context.font = `${weight} ${size}px ${FONT}`;
    context.fillStyle = colour;
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    context.fillText(words, x, y, widthMax);
}

/** The address that opens what is seen; one that nobody would type is on the page. */
function link() {
    const {href, origin, pathname} = location;
    return href.length <= LONG ? href
        : `${origin}${pathname}: the whole link has ${people(href.length)} letters. `
            + "The page gives it under “Share and export”.";
}

/** The lines below, Python's and the link, broken where they are wider than the picture.
    @param {Stage} stage
    @param {Context} context */
function linesOf({data}, context) {
    context.font = `400 22px ${FONT}`;
    /** @type {(line: string) => boolean} */
    const fits = line => context.measureText(line).width <= WIDTH - 2 * EDGE;
    return [...data.image.lines, link()].flatMap(whole => {
        const lines = [""];
        for (const part of whole.split(/(?<=[ &?])/)) {
            if (fits(lines.at(-1) + part)) lines[lines.length - 1] += part;
            else lines.push(part);
        }
        return lines;
    });
}

/** The picture as a canvas.
    @param {Stage} stage */
export function drawImage(stage) {
    const all = imagePictures(stage), {home} = stage.view, {styles, data: {scale}} = stage;
    const {paper, strong, ink, soft} = PAPERS[styles.name];
    const width = (WIDTH - 2 * EDGE - (all.length - 1) * GAP) / all.length;
    const height = Math.round(width * Math.min(home.high / home.wide, 0.7));
    const canvas = document.createElement("canvas");
    const lines = linesOf(stage, contextOf(canvas));
    canvas.width = WIDTH;
    canvas.height = EDGE + HEAD + height + 48 + lines.length * LINE + EDGE;
    const context = contextOf(canvas);
    context.fillStyle = paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    const sheet = Object.create(stage, {layer: {value: new InkLayer()}});
    all.forEach(({picture, words}, i) => {
        const x = Math.round(EDGE + i * (width + GAP));
        const below = words.fact ? words.fact.join(" ") : words.subtitle;
        text(context, words.title, x, EDGE + 22, 26, strong, width, "600");
        text(context, below, x, EDGE + 50, 20, soft, width);
        const projection = stage.view.projection(Math.round(width), height);
        context.save();
        context.translate(x, EDGE + HEAD);
        paintPicture(context, picture, projection, sheet, RATIO, []);
        context.restore();
    });
    const below = EDGE + HEAD + height;
    const look = {size: 20, ink: soft, font: FONT};
    drawScale(context, scale, styles.style.ramps.amounts, stage.scaleTitle, EDGE, below + 24, look);
    lines.forEach((line, i) =>
        text(context, line, EDGE, below + 72 + i * LINE, 22, ink, WIDTH - 2 * EDGE));
    return canvas;
}

/** Hand the picture to the browser's downloads.
    @param {Stage} stage */
export function saveImage(stage) {
    drawImage(stage).toBlob(blob => {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(/** @type {Blob} */ (blob));
        link.download = `${stage.data.image.name}.png`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    }, "image/png");
}
