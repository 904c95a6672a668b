/* What the user did, sent to Python: each once, in order, at any moment. Streamlit keeps only the
   newest of what waits for a run, clears what a run that is overtaken leaves behind, and draws some
   runs in part only. So all that no scene has confirmed is sent together, and again if the page has
   come to rest without it. */

/** @typedef {{serial: number, kind: string, record: Record<string, unknown>}} UserEvent */

const RETRY_MS = 1000, ATTEMPTS_MAX = 5;
const PAGE_AT_REST = "[data-testid=stApp][data-test-script-state=notRunning]";

export class Outbox {
    /** Streamlit's, of each run.
        @type {(event: string, batch: {client: string, events: UserEvent[]}) => void} */
    emit;
    /** @type {number | undefined} */
    timer;

    constructor() {
        this.client = Math.random().toString(36).slice(2);
        this.serial = 0;
        this.attempts = 0;
        /** @type {UserEvent[]} */
        this.waiting = [];
    }

    /** @param {string} kind
        @param {Record<string, unknown>} record */
    add(kind, record) {
        this.serial += 1;
        this.waiting.push({serial: this.serial, kind, record});
        this.attempts = 0;
        this.send();
    }

    send() {
        this.emit("events", {client: this.client, events: this.waiting});
        this.attempts += 1;
        this.wait();
    }

    wait() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.resend(), RETRY_MS);
    }

    resend() {
        if (!document.querySelector(PAGE_AT_REST)) this.wait();
        else if (this.attempts < ATTEMPTS_MAX) this.send();
        else this.waiting = [];
    }

    /** A scene says which events Python has.
        @param {Message.Receipt} receipt */
    confirm({client, serial}) {
        if (client !== this.client) return;
        this.waiting = this.waiting.filter(each => each.serial > serial);
        if (!this.waiting.length) this.leave();
    }

    /** Whether such an act is on its way; `undo` itself is none that can be undone.
        @param {(record: Record<string, unknown>) => boolean} passes */
    hasAct(passes) {
        return this.waiting.some(({kind, record}) => kind === "act" && passes(record));
    }

    /** Whether the event of this number is still to be confirmed.
        @param {number} serial */
    isPending(serial) { return this.waiting.some(each => each.serial === serial); }

    leave() { clearTimeout(this.timer); }
}
