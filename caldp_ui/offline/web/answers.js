/* The picture of answers in its part: the film moves it, ticks need the dashboard. */

import {bytesOf, jsonOf} from "./bytes.js";
import mount, {KIND, PART, STYLE, hub} from "./given.js";

const {head, parcels} = jsonOf("parts").find((/** @type {{id: string}} */ {id}) => id === PART);
const host = /** @type {Element} */ (document.querySelector(`#${PART} .picture`));
const parent = /** @type {Mount} */ (host.attachShadow({mode: "open"}));
const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLE);
parent.adoptedStyleSheets = [sheet];
const root = Object.assign(document.createElement("div"), {className: KIND});
parent.append(root);
mount({data: head, parentElement: parent, setTriggerValue() {}});
/** @type {HTMLElement} */ (root.querySelector(".board")).inert = true;
for (const text of parcels) hub.onFilm?.(bytesOf(text), {});
