/* Maps in their parts. */

import {bytesOf, jsonOf} from "./bytes.js";
import code, {feed, mount} from "./main.js";

code({data: [jsonOf("looks")]});
for (const {id, kind, head, parcels: packed} of jsonOf("parts")) {
    if (kind !== "maps") continue;
    const host = /** @type {Element} */ (document.querySelector(`#${id} .picture`));
    const parent = /** @type {Mount} */ (host.attachShadow({mode: "open"}));
    parent.append(Object.assign(document.createElement("div"), {className: "room"}));
    for (const text of packed) feed({data: bytesOf(text), parentElement: {host}});
    mount({data: [head], parentElement: parent, setTriggerValue() {}});
}
