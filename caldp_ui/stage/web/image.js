/* What is seen as one PNG of 1,600 pixels' width, with titles, scale and two lines of Python's. */

import {InkLayer, paintPicture} from "./panes.js";
import {drawScale} from "./scale.js";

const WIDTH = 1600, EDGE = 32, GAP = 24, RATIO = 1.6, HEAD = 66, UNIT = 11;
const FONT = "'Source Sans', sans-serif";

/** Pictures of the present look, with their words. */
function chosen(stage) {
    const {looks, data, pictures, film} = stage;
    const ids = looks.look === "swipe" ? data.swipe : looks.shown();
    return ids.map(id => ({picture: pictures.get(id), words: film.words(pictures.get(id).meta)}));
}

/** The stage as it is for paper: names leave room for the scale, and no layer of the screen's. */
function paper(stage, high) {
    const top = (high - 6 * UNIT) / RATIO, box = [0, 28 * UNIT / RATIO, top, high / RATIO];
    return Object.create(stage, {layer: {value: new InkLayer()}, kept: {value: [box]}});
}

function text(context, words, x, y, size, colour, most, weight = "400") {
    context.font = `${weight} ${size}px ${FONT}`;
    context.fillStyle = colour;
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    context.fillText(words, x, y, most);
}

/** The picture as a canvas. */
export function drawImage(stage) {
    const all = chosen(stage), {home} = stage.view;
    const wide = (WIDTH - 2 * EDGE - (all.length - 1) * GAP) / all.length;
    const high = Math.round(wide * Math.min(home.high / home.wide, 0.7));
    const {lines} = stage.data.image;
    const canvas = document.createElement("canvas");
    canvas.width = WIDTH;
    canvas.height = EDGE + HEAD + high + 28 + lines.length * 32 + EDGE;
    const context = canvas.getContext("2d");
    context.fillStyle = "#0b0f14";
    context.fillRect(0, 0, canvas.width, canvas.height);
    const sheet = paper(stage, high);
    all.forEach(({picture, words}, i) => {
        const x = Math.round(EDGE + i * (wide + GAP));
        text(context, words.title, x, EDGE + 22, 26, "#ffffff", wide, "600");
        text(context, words.subtitle, x, EDGE + 50, 20, "#c9d2db", wide);
        const projection = stage.view.projection(Math.round(wide), high);
        context.save();
        context.translate(x, EDGE + HEAD);
        paintPicture(context, picture, projection, sheet, RATIO);
        context.restore();
    });
    const title = stage.data.titles[stage.looks.look === "error" ? "error" : "side"];
    drawScale(context, stage.scaleData, stage.colours, title, EDGE, EDGE + HEAD + high, UNIT);
    const below = EDGE + HEAD + high + 50;
    lines.forEach((line, i) =>
        text(context, line, EDGE, below + i * 32, 22, "#e8edf2", WIDTH - 2 * EDGE));
    return canvas;
}

/** Hand the picture to the browser's downloads. */
export function saveImage(stage) {
    drawImage(stage).toBlob(blob => {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(blob);
        link.download = `${stage.data.image.name}.png`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    }, "image/png");
}
