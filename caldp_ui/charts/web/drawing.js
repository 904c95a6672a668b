/* A drawing that comes as markup. */

import {Picture, hub, whenGone} from "./hub.js";

/** @type {WeakMap<Mount, Picture>} */
const drawings = new WeakMap();

/** @param {Component<[key: string, drawn: string]>} component */
export default function mount({data: [key, drawn], parentElement: parent}) {
    const host = parent.querySelector("div");
    const picture = drawings.get(parent) ?? new Picture(told => { host.innerHTML = told; });
    drawings.set(parent, picture);
    hub.set(key, picture);
    picture.take(drawn);
    return whenGone(parent, () => { if (hub.get(key) === picture) hub.delete(key); });
}
