/* A drawing that comes as markup. */

import {Picture, hub, whenGone} from "./hub.js";

const drawings = new WeakMap();

export default function mount({data: [key, drawn], parentElement: parent}) {
    const host = parent.querySelector("div");
    const picture = drawings.get(parent) ?? new Picture(told => { host.innerHTML = told; });
    drawings.set(parent, picture);
    hub.set(key, picture);
    picture.take(drawn);
    return whenGone(parent, () => { if (hub.get(key) === picture) hub.delete(key); });
}
