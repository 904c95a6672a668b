/* A drawing that comes as markup. */

import {Picture, hub, whenGone} from "./hub.js";

/** @type {WeakMap<Mount, Picture>} */
const drawings = new WeakMap();

/** @param {Component<[key: string, markup: string]>} component */
export default function mount({data: [key, markup], parentElement: parent}) {
    const host = parent.querySelector("div");
    const picture = drawings.get(parent) ?? new Picture(content => { host.innerHTML = content; });
    drawings.set(parent, picture);
    hub.set(key, picture);
    picture.take(markup);
    return whenGone(parent, () => { if (hub.get(key) === picture) hub.delete(key); });
}
