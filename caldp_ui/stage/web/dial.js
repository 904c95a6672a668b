/* A slider of the page that a film runs along: what it says is heard as the user moves it, before
   the server knows. Streamlit's sliders say it in the words of their labels. */

class Dial {
    /** @type {HTMLElement | null | undefined} */
    container;
    /** @type {string | null | undefined} */
    lastReading;

    /** `selector`: an element around the slider. `onChange`: called with the words of each change.
        @param {string} selector
        @param {(reading: string | null | undefined) => void} onChange */
    constructor(selector, onChange) {
        this.selector = selector;
        this.onChange = onChange;
        this.watch = new MutationObserver(() => this.listen());
        this.find();
    }

    /** What the slider says now; undefined while there is none. */
    get text() {
        return this.container?.querySelector("input[type=range]")?.getAttribute("aria-valuetext");
    }

    /** Whether it is in hand: then it is right, and what the server says is late. The button that
        plays a film stands beside it, and is not part of it. */
    get isHeld() {
        return Boolean(this.container?.isConnected && this.container.matches(":focus-within")
            && !this.container.querySelector(".stage-play:focus"));
    }

    /** The slider may be another element after a run, or gone. */
    find() {
        const container = /** @type {HTMLElement | null} */ (document.querySelector(this.selector));
        if (container === this.container) return;
        this.leave();
        this.container = container;
        this.lastReading = this.text;
        const options = {subtree: true, childList: true, attributeFilter: ["aria-valuetext"]};
        if (!container) return;
        container.dataset.followed = "";
        this.watch.observe(container, options);
    }

    listen() {
        const {text} = this;
        if (text === this.lastReading) return;
        this.lastReading = text;
        this.onChange(text);
    }

    leave() {
        this.watch.disconnect();
        delete this.container?.dataset.followed;
    }
}

/** The page's sliders of all films of a stage. */
export class Dials {
    /** `follow`: called with a film's id and what its slider says.
        @param {(id: string, reading: string | null | undefined) => void} follow */
    constructor(follow) {
        this.follow = follow;
        /** @type {Map<string, Dial>} */
        this.dials = new Map();
    }

    /** @param {{id: string, dial: string}} film */
    watch({id, dial}) {
        this.forget(id);
        if (dial) this.dials.set(id, new Dial(dial, text => this.follow(id, text)));
    }

    /** @param {string} id */
    forget(id) {
        this.dials.get(id)?.leave();
        this.dials.delete(id);
    }

    /** A slider in hand may be ahead of the scene or the film that has just come. */
    catchUp() {
        for (const [id, dial] of this.dials) {
            dial.find();
            if (dial.isHeld) this.follow(id, dial.text);
        }
    }

    /** Whether a slider is in hand and says so.
        @param {string} id */
    isHeld(id) { return Boolean(this.dials.get(id)?.isHeld); }

    leave() { this.dials.forEach(dial => dial.leave()); }
}
