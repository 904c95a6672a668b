/* Names of cities on a picture: the largest first, none over another, more of the map's own as one
   zooms in. */

/** @import {Projection} from "./view.js"
    @import {Stage} from "./stage.js"
    @import {Context} from "./ink.js"
    @typedef {[name: string, region: string, latitude: number, longitude: number]} City
    @typedef {number[]} Edges left, right, top and bottom, in pixels */

const NAMES_TYPICAL = 9, NAMES_MIN = 4, AREA_TYPICAL = 180_000;
const SIZE = 12, MARGIN_PX = 3, DISTANCE_MIN_PX = 64;

/** Places for names: [{name, left, x, y}]; right of its dot, or left of it where that is free.
    @param {Context} context
    @param {Projection} projection
    @param {City[]} cities
    @param {number} ratio
    @param {Edges[]} reserved */
function placeNames(context, projection, cities, ratio, reserved) {
    const {width, height} = projection, gap = 5 * ratio;
    const margin = MARGIN_PX * ratio, half = SIZE / 2 * ratio;
    const room = width / ratio * height / ratio;
    const factor = Math.min(1.4, room / AREA_TYPICAL) ** 0.5;
    const count = Math.max(NAMES_MIN, Math.round(NAMES_TYPICAL * factor));
    const occupied = reserved.map(box => box.map(edge => edge * ratio));
    /** @type {{name: string, left: number, x: number, y: number}[]} */
    const places = [];
    /** @type {(box: Edges) => boolean} */
    const isFree = ([left, right, top, bottom]) => left >= 0 && right <= width && !occupied.some(
        other => left < other[1] && right > other[0] && top < other[3] && bottom > other[2]);
    for (const [name, , lat, lon] of cities) {
        if (places.length >= count) break;
        const x = projection.x(lon), y = projection.y(lat);
        if (x < 0 || y < half + margin || x > width || y > height - half - margin) continue;
        const isNear = places.some(
            each => Math.hypot(each.x - x, each.y - y) < DISTANCE_MIN_PX * ratio);
        if (isNear) continue;
        const nameWidth = context.measureText(name).width;
        for (const left of [x + gap, x - gap - nameWidth]) {
            const box = [Math.min(left, x) - margin, Math.max(left + nameWidth, x) + margin,
                y - half - margin, y + half + margin];
            if (!isFree(box)) continue;
            occupied.push(box);
            places.push({name, left, x, y});
            break;
        }
    }
    return places;
}

/** Write the names with a dark edge, so that they are readable on any cell.

    `kept`: boxes that stay free, [left, right, top, bottom] in CSS pixels.
    @param {Context} context
    @param {Projection} projection
    @param {Pick<Stage, "cities" | "styles" | "font">} stage
    @param {number} ratio
    @param {Edges[]} reserved */
export function drawNames(context, projection, {cities, styles, font}, ratio, reserved) {
    context.font = `500 ${SIZE * ratio}px ${font}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.lineJoin = "round";
    context.setLineDash([]);
    for (const {name, left, x, y} of placeNames(context, projection, cities, ratio, reserved)) {
        context.lineWidth = 3 * ratio;
        context.strokeStyle = styles.style.sea;
        context.strokeText(name, left, y);
        context.fillStyle = styles.style.name;
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
export function nearestCity(cities, lat, lon) {
    const narrow = Math.cos(lat * Math.PI / 180);
    /** @type {City | null} */
    let best = null;
    let least = Infinity;
    for (const city of cities) {
        const distance = Math.hypot(city[2] - lat, (city[3] - lon) * narrow) * 111.195;
        if (distance < least) [best, least] = [city, distance];
    }
    return best && {name: best[0], region: best[1], km: least};
}
