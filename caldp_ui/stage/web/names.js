/* Names of cities on a picture: the largest first, none over another, more of the map's own as one
   zooms in. */

const MOST = 14, AIR = 5, SIZE = 11;

/** Places for names in a picture of that size: [{text, x, y, dotX, dotY}]. */
function placed(context, projection, cities, ratio) {
    const most = Math.round(MOST * Math.min(1, projection.width / ratio / 420) ** 0.7);
    const taken = [], found = [], high = SIZE * ratio, gap = 5 * ratio;
    for (const [name, , lat, lon] of cities) {
        if (found.length >= most) break;
        const x = projection.x(lon), y = projection.y(lat);
        if (x < gap || y < high || x > projection.width - gap || y > projection.height - high) continue;
        const wide = context.measureText(name).width;
        const left = x + gap + wide > projection.width - gap ? x - gap - wide : x + gap;
        if (left < 0) continue;
        const box = {
            left: Math.min(left, x) - AIR * ratio, right: Math.max(left + wide, x) + AIR * ratio,
            top: y - high / 2 - AIR * ratio, bottom: y + high / 2 + AIR * ratio,
        };
        const hits = taken.some(other => box.left < other.right && box.right > other.left
            && box.top < other.bottom && box.bottom > other.top);
        if (hits) continue;
        taken.push(box);
        found.push({name, left, x, y});
    }
    return found;
}

/** Write the names with a dark edge, so that they are readable on any cell. */
export function drawNames(context, projection, cities, night, font, ratio) {
    context.font = `500 ${SIZE * ratio}px ${font}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.lineJoin = "round";
    context.setLineDash([]);
    for (const {name, left, x, y} of placed(context, projection, cities, ratio)) {
        context.lineWidth = 3 * ratio;
        context.strokeStyle = night.land;
        context.strokeText(name, left, y);
        context.fillStyle = "rgba(238,242,247,0.94)";
        context.fillText(name, left, y);
        context.beginPath();
        context.arc(x, y, 1.8 * ratio, 0, 7);
        context.stroke();
        context.fill();
    }
}

/** The nearest city that is near enough to say where one is, and how many kilometres off. */
export function nearest(cities, lat, lon) {
    const narrow = Math.cos(lat * Math.PI / 180);
    let best = null, least = Infinity;
    for (const city of cities) {
        const off = Math.hypot(city[2] - lat, (city[3] - lon) * narrow) * 111.195;
        if (off < least) [best, least] = [city, off];
    }
    return best && {name: best[0], region: best[1], km: least};
}
