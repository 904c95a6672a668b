/* In each page of a browser test: whether the server has run all that the page has asked it for.

   Streamlit says `notRunning` from a click until the run's first message comes back: who looks then
   sees the page as it was. */

({asks, part, isTimer, begins, metadata, run, parts, ends, early}) => {
    const {setTimeout} = window; // a test may stop the page's clock
    const DRAWN_MS = 30; // Streamlit draws 10 ms after a message, by a timer set before this one
    /** Of each request without a run so far, the part that it asks for; "" for the whole page. */
    let open = [];
    let begun = 0, ended = 0;
    /** A click is sent by a timer that is set at once. */
    window.isAnswered = () => new Promise(done => {
        setTimeout(() => done(open.length === 0 && begun === ended), 0);
    });

    /** Values by field, of a message of Protobuf. */
    const read = bytes => {
        const found = {};
        let at = 0;
        const number = () => {
            let value = 0, scale = 1, byte;
            do {
                byte = bytes[at++];
                value += (byte & 127) * scale;
                scale *= 128;
            } while (byte & 128);
            return value;
        };
        while (at < bytes.length) {
            const tag = number(), field = Math.floor(tag / 8), kind = tag % 8;
            let value;
            if (kind === 0) value = number();
            else {
                const size = kind === 2 ? number() : kind === 1 ? 8 : 4;
                value = bytes.subarray(at, at += size);
            }
            (found[field] ??= []).push(value);
        }
        return found;
    };
    const text = bytes => new TextDecoder().decode(bytes);

    const note = data => {
        const [asked] = read(new Uint8Array(data))[asks] ?? [];
        if (!asked) return;
        const state = read(asked);
        if (!state[isTimer]?.[0]) open.push(state[part] ? text(state[part][0]) : "");
    };
    const hear = ({data}) => {
        if (typeof data === "string") return;
        const message = read(new Uint8Array(data));
        if (message[begins]) {
            const about = read(message[metadata]?.[0] ?? new Uint8Array())[run]?.[0];
            const ids = about ? (read(about)[parts] ?? []).map(text) : [];
            open = open.filter(each => ids.length && !ids.includes(each));
            begun += 1;
        } else if (message[ends] && message[ends][0] !== early) {
            const upTo = begun;
            setTimeout(() => { ended = Math.max(ended, upTo); }, DRAWN_MS);
        }
    };

    window.WebSocket = class extends window.WebSocket {
        constructor(...address) {
            super(...address);
            this.addEventListener("message", hear);
            this.addEventListener("close", () => { open = []; ended = begun; });
        }

        send(data) {
            if (typeof data !== "string") note(data);
            super.send(data);
        }
    };
}
