/* Keeps what a teacher steers the room with in this browser, so that a reload does not lose it. */

const NAME = "caldp.room.held";

/** @param {Component<{held?: unknown, forget?: boolean}>} component */
export default function mount({data, setTriggerValue}) {
    try {
        if (data.held) localStorage.setItem(NAME, JSON.stringify(data.held));
        else if (data.forget) localStorage.removeItem(NAME);
        else {
            const kept = JSON.parse(localStorage.getItem(NAME) ?? "null");
            if (kept) setTriggerValue("held", kept);
        }
    } catch { /* a browser that keeps nothing */ }
}
