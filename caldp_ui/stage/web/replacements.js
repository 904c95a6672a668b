/* The page's own words beside the stage, while a film shows another step than the page's: elements
   of ours stand in for them. The page's own stay where they are, unseen, until it has caught up. */

import {el} from "./dom.js";

/** An element of its tag, its attributes and its children.
    @param {Message.Tree} tree
    @returns {HTMLElement} */
export function build([tag, attributes, ...children]) {
    const nodes = children.map(each => typeof each === "string" ? each : build(each));
    return el(/** @type {"span"} */ (tag), attributes, ...nodes);
}

export class Replacements {
    constructor() {
        /** @type {[own: HTMLElement, made: HTMLElement][]} */
        this.pairs = [];
    }

    /** Elements as trees, by the CSS selector of that for which each stands in.
        @param {Record<string, Message.Tree>} replacements */
    put(replacements) {
        this.remove();
        for (const [selector, tree] of Object.entries(replacements)) {
            const original = /** @type {HTMLElement | null} */ (document.querySelector(selector));
            if (original) this.pairs.push([original, build(tree)]);
        }
        for (const [original, replacement] of this.pairs) {
            original.before(replacement);
            original.style.display = "none";
        }
    }

    remove() {
        for (const [original, replacement] of this.pairs) {
            replacement.remove();
            original.style.display = "";
        }
        this.pairs = [];
    }
}

/** The words of a picture at a step of a film, or its own without one.
    @template {Message.Captioned & {labels?: Message.Label[]}} Meta
    @param {Message.Step | null | undefined} step
    @param {Meta} meta
    @returns {Meta} */
export function wordsAt(step, meta) {
    const subtitle = step?.subtitles[meta.id] ?? meta.subtitle;
    const fact = step?.facts[meta.id] ?? meta.fact;
    // Alternative texts say the subtitle or the fact in a sentence of their own.
    let alt = meta.subtitle ? meta.alt.replace(meta.subtitle, () => subtitle) : meta.alt;
    if (meta.fact && fact) alt = alt.replace(meta.fact.join(" "), () => fact.join(" "));
    const notes = step?.notes[meta.id] ?? meta.notes, labels = step?.labels[meta.id] ?? meta.labels;
    meta.notes?.forEach((note, i) => { if (note) alt = alt.replace(note, () => notes[i]); });
    const nobody = step?.nobody[meta.id] ?? meta.nobody;
    return {...meta, alt, subtitle, fact, notes, labels, nobody};
}
