/* The page's own words beside the stage, while a film shows another step than the page's: elements
   of ours stand in for them. The page's own stay where they are, unseen, until it has caught up. */

import {el} from "./dom.js";

/** An element of a text, or of its tag, its attributes and its children. */
function build(node) {
    if (typeof node === "string") return node;
    const [tag, attributes, ...children] = node;
    return el(tag, attributes, ...children.map(build));
}

export class StandIns {
    constructor() { this.there = []; }

    /** Elements as trees, by the CSS selector of that for which each stands in. */
    put(elsewhere) {
        this.remove();
        for (const [selector, tree] of Object.entries(elsewhere)) {
            const own = document.querySelector(selector);
            if (own) this.there.push([own, build(tree)]);
        }
        for (const [own, made] of this.there) {
            own.before(made);
            own.style.display = "none";
        }
    }

    remove() {
        for (const [own, made] of this.there) {
            made.remove();
            own.style.display = "";
        }
        this.there = [];
    }
}

/** The words of a picture at a step of a film, or its own without one. */
export function wordsAt(step, meta) {
    const subtitle = step?.subtitles[meta.id] ?? meta.subtitle;
    const fact = step?.facts[meta.id] ?? meta.fact;
    // Alternative texts say the subtitle or the fact in a sentence of their own.
    let alt = meta.subtitle ? meta.alt.replace(meta.subtitle, () => subtitle) : meta.alt;
    if (meta.fact) alt = alt.replace(meta.fact.join(" "), () => fact.join(" "));
    const notes = step?.notes[meta.id] ?? meta.notes, labels = step?.labels[meta.id] ?? meta.labels;
    meta.notes?.forEach((note, i) => { if (note) alt = alt.replace(note, () => notes[i]); });
    const nobody = step?.nobody[meta.id] ?? meta.nobody;
    return {...meta, alt, subtitle, fact, notes, labels, nobody};
}
