/* A slider of the page that a film runs along: what it says is heard as the hand moves it, before
   the server knows. Streamlit's sliders say it in the words of their labels. */

class Dial {
    /** @type {HTMLElement | null | undefined} */
    around;
    /** @type {string | null | undefined} */
    last;

    /** `selector`: an element around the slider. `heard`: called with the words of each change.
        @param {string} selector
        @param {(reading: string | null | undefined) => void} heard */
    constructor(selector, heard) {
        this.selector = selector;
        this.heard = heard;
        this.watch = new MutationObserver(() => this.listen());
        this.find();
    }

    /** What the slider says now; undefined while there is none. */
    get text() {
        return this.around?.querySelector("input[type=range]")?.getAttribute("aria-valuetext");
    }

    /** Whether it is in hand: then it is right, and what the server says is late. The button that
        plays a film stands beside it, and is no part of it. */
    get held() {
        return Boolean(this.around?.isConnected && this.around.matches(":focus-within")
            && !this.around.querySelector(".stage-play:focus"));
    }

    /** The slider may be another element after a run, or gone. */
    find() {
        const around = /** @type {HTMLElement | null} */ (document.querySelector(this.selector));
        if (around === this.around) return;
        this.leave();
        this.around = around;
        this.last = this.text;
        const said = {subtree: true, childList: true, attributeFilter: ["aria-valuetext"]};
        if (!around) return;
        around.dataset.followed = "";
        this.watch.observe(around, said);
    }

    listen() {
        const {text} = this;
        if (text === this.last) return;
        this.last = text;
        this.heard(text);
    }

    leave() {
        this.watch.disconnect();
        delete this.around?.dataset.followed;
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
            if (dial.held) this.follow(id, dial.text);
        }
    }

    /** Whether a slider is in hand and says so.
        @param {string} id */
    held(id) { return Boolean(this.dials.get(id)?.held); }

    leave() { this.dials.forEach(dial => dial.leave()); }
}
