/* Reels: pictures and words of the page at each step of one of its sliders. While a hand moves the
   slider they are shown at once, before the server is asked; what the server then says is the same.
   Never another setting's picture: a reel is used only where all else is as the server last said. */

import {Dials} from "./dial.js";
import {StandIns} from "./elsewhere.js";
import {hub, whenGone} from "./hub.js";

/** @typedef {Message.Reel & {text: string}} Reel */

class Reels {
    constructor() {
        /** @type {Map<string, Reel>} By the key of the slider. */
        this.reels = new Map();
        /** @type {Record<string, Message.Dialled | undefined>} */
        this.page = {};
        /** @type {string | null} The slider whose reel is on the page. */
        this.at = null;
        /** @type {unknown} The component by which the page says where it is. */
        this.owner = undefined;
        this.standIns = new StandIns();
        this.dials = new Dials((dial, reading) => this.follow(dial, reading));
    }

    /** What the page's sliders were at in the server's last run, and what all else was.
        @param {Record<string, Message.Dialled>} page
        @param {unknown} [owner] */
    take(page, owner) {
        this.page = page;
        this.owner = owner;
        if (this.at !== null && !this.dials.held(this.at)) this.leave();
        this.dials.catchUp();
    }

    /** @param {Reel} reel */
    bring(reel) {
        this.reels.set(reel.dial, reel);
        this.dials.watch({id: reel.dial, dial: `.st-key-${reel.dial}`});
        this.dials.catchUp();
    }

    /** @param {Reel} reel */
    remove(reel) {
        if (this.reels.get(reel.dial) !== reel) return;
        this.reels.delete(reel.dial);
        this.dials.forget(reel.dial);
        if (this.at === reel.dial) this.leave();
    }

    /** @param {string} dial
        @param {string | null | undefined} reading */
    follow(dial, reading) {
        if (this.at !== null && this.at !== dial) return;
        const known = this.page[dial], reel = this.reels.get(dial);
        const fits = reel && reel.alike === known?.alike && reading !== known.reading;
        const step = fits && reel.steps.find(each => each.reading === reading);
        if (!step) {
            if (this.at === dial) this.leave();
            return;
        }
        const began = performance.now();
        this.at = dial;
        for (const [key, told] of Object.entries(step.pictures)) hub.get(key)?.play(told);
        this.standIns.put(step.elsewhere);
        document.body.dataset.reelMs = (performance.now() - began).toFixed(1);
    }

    leave() {
        this.at = null;
        hub.forEach(picture => picture.play(null));
        this.standIns.remove();
    }
}

/** @type {Reels} */
const reels = /** @type {any} */ (globalThis)[Symbol.for("caldp.reels")] ??= new Reels();
/** @type {WeakMap<Mount, Reel>} */
const brought = new WeakMap();

/** Either what the page is at, or one reel as bytes; the same bytes again are no news.
    @param {Component<Uint8Array | [{page: Record<string, Message.Dialled>}]>} component */
export default function mount({data, parentElement: parent}) {
    if (Array.isArray(data)) {
        reels.take(data[0].page, parent);
        return whenGone(parent, () => { if (reels.owner === parent) reels.take({}); });
    }
    const text = new TextDecoder().decode(data), before = brought.get(parent);
    if (before?.text !== text) {
        const reel = {...JSON.parse(text), text};
        brought.set(parent, reel);
        reels.bring(reel);
    }
    return whenGone(parent, () => {
        const reel = brought.get(parent);
        if (reel) reels.remove(reel);
    });
}
