/* Keeps what a teacher steers the room with in this browser, so that a reload does not lose it. */

const STORAGE_KEY = "caldp.room.held";

/** @param {Component<{held?: unknown, forget?: boolean}>} component */
export default function mount({data, setTriggerValue}) {
    try {
        if (data.held) localStorage.setItem(STORAGE_KEY, JSON.stringify(data.held));
        else if (data.forget) localStorage.removeItem(STORAGE_KEY);
        else {
            const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "null");
            if (stored) setTriggerValue("held", stored);
        }
    } catch { /* a browser that keeps nothing */ }
}
