/* What is seen as one PNG of 1,600 pixels' width: titles, numbers, scale, and Python's lines. */

import {people} from "./dom.js";
import {contextOf} from "./ink.js";
import {InkLayer, paintPicture} from "./panes.js";
import {drawScale} from "./scale.js";

/** @import {Context} from "./ink.js"
    @import {Stage} from "./stage.js" */

const RED = "#b00020", BAND = 48;
const WIDTH = 1600, EDGE = 32, GAP = 24, RATIO = 1.6, HEAD = 66, LINE = 32, LONG = 400;
const ESTIMATED = "Estimated from randomised reports";
const FONT = "'Source Sans', sans-serif";
const PAPERS = {
    dark: {paper: "#0b0f14", strong: "#ffffff", ink: "#e8edf2", soft: "#c9d2db"},
    light: {paper: "#ffffff", strong: "#1b2733", ink: "#1b2733", soft: "#3c4b59"},
};

/** Pictures that may be passed on: those that are seen, else all.
    @param {Stage} stage */
export function shared({looks, data}) {
    const {estimates} = data.image, seen = looks.visibleIds();
    const free = data.pictures.map(({id}) => id).filter(id => estimates.includes(id));
    return free.some(id => seen.includes(id)) ? free.filter(id => seen.includes(id)) : free;
}

/** Pictures of the present look, with their words; the large ones where some are small.
    @param {Stage} stage
    @param {boolean} isShared */
function imagePictures(stage, isShared) {
    const {looks, data, pictures, film} = stage;
    const ids = isShared ? shared(stage)
        : looks.look === "swipe" ? data.swipe : looks.visibleIds();
    return ids.map(id => {
        const {title, subtitle, fact} = film.words(pictures.get(id).meta);
        const below = isShared ? ESTIMATED : fact ? fact.join(" ") : subtitle;
        return {picture: pictures.get(id), title, below};
    });
}

/** Which of the pictures are true, where some are known to be estimates.
    @param {Stage} stage
    @param {ReturnType<typeof imagePictures>} all */
function kinds({data: {image}}, all) {
    /** @type {(is: boolean) => string} */
    const titles = is => all
        .filter(({picture: {meta: {id}}}) => image.estimates.includes(id) === is)
        .map(({title}) => title).join(", ");
    const estimated = titles(true), other = titles(false);
    if (!estimated) return [];
    return [`${other ? `From the true counts: ${other}. ` : ""}${ESTIMATED}: ${estimated}.`];
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

/** The address that opens what is seen; one that nobody would type is on the page, and that of a
    file is its reader's own. */
function link() {
    const {href, origin, pathname, protocol} = location;
    if (protocol === "file:") return [];
    return href.length <= LONG ? [href]
        : [`${origin}${pathname}: the whole link has ${people(href.length)} letters. `
            + "The page gives it under “Share and export”."];
}

/** The lines below and the link, broken where they are wider than the picture.
    @param {string[]} lines
    @param {Context} context */
function broken(lines, context) {
    context.font = `400 22px ${FONT}`;
    /** @type {(line: string) => boolean} */
    const fits = line => context.measureText(line).width <= WIDTH - 2 * EDGE;
    return [...lines, ...link()].flatMap(whole => {
        const pieces = [""];
        for (const part of whole.split(/(?<=[ &?])/)) {
            if (fits(pieces.at(-1) + part)) pieces[pieces.length - 1] += part;
            else pieces.push(part);
        }
        return pieces;
    });
}

/** The picture as a canvas. What is held back is in the internal one alone, which says so.
    @param {Stage} stage */
export function drawImage(stage, isInternal = false) {
    const {styles, view: {home}, data: {scale, image}} = stage;
    const isShared = Boolean(image.heldBack) && !isInternal;
    const all = imagePictures(stage, isShared), band = isInternal ? BAND : 0;
    const {paper, strong, ink, soft} = PAPERS[styles.name];
    const width = (WIDTH - 2 * EDGE - (all.length - 1) * GAP) / all.length;
    const height = Math.round(width * Math.min(home.high / home.wide, 0.7));
    const canvas = document.createElement("canvas");
    const {step} = stage.film, words = step?.lines.length ? step : image;
    const said = [...isShared ? words.shared : words.lines, ...kinds(stage, all)];
    const lines = broken(said, contextOf(canvas));
    canvas.width = WIDTH;
    canvas.height = band + EDGE + HEAD + height + 48 + lines.length * LINE + EDGE;
    const context = contextOf(canvas);
    context.fillStyle = paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (band) {
        context.fillStyle = RED;
        context.fillRect(0, 0, WIDTH, band);
        text(context, image.heldBack, EDGE, 33, 26, "#ffffff", WIDTH - 2 * EDGE, "700");
        context.translate(0, band);
    }
    const sheet = Object.create(stage, {layer: {value: new InkLayer()}});
    all.forEach(({picture, title, below}, i) => {
        const x = Math.round(EDGE + i * (width + GAP));
        text(context, title, x, EDGE + 22, 26, strong, width, "600");
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
export function saveImage(stage, isInternal = false) {
    const {name} = stage.data.image;
    drawImage(stage, isInternal).toBlob(blob => {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(/** @type {Blob} */ (blob));
        link.download = isInternal ? `${name}-internal.png` : `${name}.png`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    }, "image/png");
}
