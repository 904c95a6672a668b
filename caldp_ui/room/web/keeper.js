/* Keeps what a teacher steers the room with in this browser, so that a reload does not lose it. */

const STORAGE_KEY = "caldp.room.held";

/** @param {Component<{teacher?: unknown, forget?: boolean}>} component */
export default function mount({data, setTriggerValue}) {
    try {
        if (data.teacher) localStorage.setItem(STORAGE_KEY, JSON.stringify(data.teacher));
        else if (data.forget) localStorage.removeItem(STORAGE_KEY);
        else {
            const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "null");
            if (stored) setTriggerValue("teacher", stored);
        }
    } catch { /* a browser that keeps nothing */ }
}
