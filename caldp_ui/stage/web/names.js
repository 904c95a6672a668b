/* Names of cities on a picture: the largest first, none over another, more of the map's own as one
   zooms in. */

/** @import {Projection} from "./view.js"
    @import {Stage} from "./stage.js"
    @import {Context} from "./ink.js"
    @typedef {[name: string, region: string, latitude: number, longitude: number]} City
    @typedef {number[]} Edges left, right, top and bottom, in pixels */

const MOST = 9, FEWEST = 4, ROOMY = 180_000, SIZE = 12, AIR = 3, APART = 64;

/** Places for names: [{name, left, x, y}]; right of its dot, or left of it where that is free.
    @param {Context} context
    @param {Projection} projection
    @param {City[]} cities
    @param {number} ratio
    @param {Edges[]} kept */
function placed(context, projection, cities, ratio, kept) {
    const {width, height} = projection, gap = 5 * ratio, air = AIR * ratio, half = SIZE / 2 * ratio;
    const room = width / ratio * height / ratio;
    const most = Math.max(FEWEST, Math.round(MOST * Math.min(1.4, room / ROOMY) ** 0.5));
    const taken = kept.map(box => box.map(edge => edge * ratio));
    /** @type {{name: string, left: number, x: number, y: number}[]} */
    const found = [];
    /** @type {(box: Edges) => boolean} */
    const free = ([left, right, top, bottom]) => left >= 0 && right <= width && !taken.some(
        other => left < other[1] && right > other[0] && top < other[3] && bottom > other[2]);
    for (const [name, , lat, lon] of cities) {
        if (found.length >= most) break;
        const x = projection.x(lon), y = projection.y(lat);
        if (x < 0 || y < half + air || x > width || y > height - half - air) continue;
        const near = found.some(each => Math.hypot(each.x - x, each.y - y) < APART * ratio);
        if (near) continue;
        const wide = context.measureText(name).width;
        for (const left of [x + gap, x - gap - wide]) {
            const box = [Math.min(left, x) - air, Math.max(left + wide, x) + air,
                y - half - air, y + half + air];
            if (!free(box)) continue;
            taken.push(box);
            found.push({name, left, x, y});
            break;
        }
    }
    return found;
}

/** Write the names with a dark edge, so that they are readable on any cell.

    `kept`: boxes that stay free, [left, right, top, bottom] in CSS pixels.
    @param {Context} context
    @param {Projection} projection
    @param {Pick<Stage, "cities" | "styles" | "font">} stage
    @param {number} ratio
    @param {Edges[]} kept */
export function drawNames(context, projection, {cities, styles, font}, ratio, kept) {
    context.font = `500 ${SIZE * ratio}px ${font}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.lineJoin = "round";
    context.setLineDash([]);
    for (const {name, left, x, y} of placed(context, projection, cities, ratio, kept)) {
        context.lineWidth = 3 * ratio;
        context.strokeStyle = styles.now.sea;
        context.strokeText(name, left, y);
        context.fillStyle = styles.now.name;
        context.fillText(name, left, y);
        context.beginPath();
        context.arc(x, y, 1.8 * ratio, 0, 7);
        context.stroke();
        context.fill();
    }
}

/** The nearest city that is near enough to say where one is, and how many kilometres off.
    @param {City[]} cities
    @param {number} lat
    @param {number} lon */
export function nearest(cities, lat, lon) {
    const narrow = Math.cos(lat * Math.PI / 180);
    /** @type {City | null} */
    let best = null;
    let least = Infinity;
    for (const city of cities) {
        const off = Math.hypot(city[2] - lat, (city[3] - lon) * narrow) * 111.195;
        if (off < least) [best, least] = [city, off];
    }
    return best && {name: best[0], region: best[1], km: least};
}
