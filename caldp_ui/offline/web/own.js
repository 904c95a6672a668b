/* A picture of a page's own in its part; sliders find it by its key. */

import mount, {KEY, KIND, MESSAGE, PART, STYLE} from "./given.js";

const host = /** @type {Element} */ (document.querySelector(`#${PART} [data-key="${KEY}"]`));
const parent = /** @type {Mount} */ (host.attachShadow({mode: "open"}));
const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLE);
parent.adoptedStyleSheets = [sheet];
parent.append(Object.assign(document.createElement("div"), {className: KIND}));
mount({data: MESSAGE, parentElement: parent, setTriggerValue() {}});
