/* What hands did, told to Python: each once, in order, at whatever moment. Streamlit keeps only the
   newest of what waits for a run, clears what a run that is overtaken leaves behind, and draws some
   runs in part only. So all that no scene has confirmed is told together, and again if the page has
   come to rest without it. */

/** @typedef {{serial: number, kind: string, record: Record<string, unknown>}} Told */

const AGAIN_MS = 1000, TIMES_MAX = 5;
const AT_REST = "[data-testid=stApp][data-test-script-state=notRunning]";

export class Teller {
    /** Streamlit's, of each run.
        @type {(event: string, told: {of: string, all: Told[]}) => void} */
    emit;
    /** @type {number | undefined} */
    timer;

    constructor() {
        this.of = Math.random().toString(36).slice(2);
        this.serial = 0;
        this.times = 0;
        /** @type {Told[]} */
        this.waiting = [];
    }

    /** @param {string} kind
        @param {Record<string, unknown>} record */
    tell(kind, record) {
        this.serial += 1;
        this.waiting.push({serial: this.serial, kind, record});
        this.times = 0;
        this.send();
    }

    send() {
        this.emit("told", {of: this.of, all: this.waiting});
        this.times += 1;
        this.wait();
    }

    wait() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.again(), AGAIN_MS);
    }

    again() {
        if (!document.querySelector(AT_REST)) this.wait();
        else if (this.times < TIMES_MAX) this.send();
        else this.waiting = [];
    }

    /** A scene says how far Python has heard.
        @param {Message.Heard} heard */
    confirm({of, serial}) {
        if (of !== this.of) return;
        this.waiting = this.waiting.filter(each => each.serial > serial);
        if (!this.waiting.length) this.leave();
    }

    /** Whether such an act is on its way; `undo` itself is none that can be undone.
        @param {(record: Record<string, unknown>) => boolean} passes */
    has(passes) {
        return this.waiting.some(({kind, record}) => kind === "act" && passes(record));
    }

    /** Whether what was told under this number is still to be confirmed.
        @param {number} serial */
    waits(serial) { return this.waiting.some(each => each.serial === serial); }

    leave() { clearTimeout(this.timer); }
}
