/* Keeps what a teacher steers the room with in this browser, and what this window shows of it, so
   that a reload does not lose them. A presenter's link brings both: its fragment, which is sent to
   nobody, goes from the address bar at once. */

const STORAGE_KEY = "caldp.room.held", SCREEN_KEY = "caldp.room.screen";
const LINK = /^#(presenter|projector)(?:=([^.]*)\.(.*))?$/;

/** @param {Component<{teacher?: unknown, forget?: boolean, screen?: string}>} component */
export default function mount({data, setTriggerValue}) {
    const [, screen, code, key] = LINK.exec(location.hash) ?? [];
    if (screen) history.replaceState(history.state, "", location.pathname + location.search);
    try {
        if (data.teacher) {
            localStorage.setItem(STORAGE_KEY, JSON.stringify(data.teacher));
            sessionStorage.setItem(SCREEN_KEY, data.screen ?? "");
        } else if (data.forget) localStorage.removeItem(STORAGE_KEY);
        else {
            const teacher = key ? {code, key} : JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "null");
            const shown = screen ?? sessionStorage.getItem(SCREEN_KEY);
            if (teacher) setTriggerValue("teacher", {...teacher, screen: shown});
        }
    } catch {  // a browser that keeps nothing
        if (key) setTriggerValue("teacher", {code, key, screen});
    }
}

/** A link that is opened where the page already is. */
addEventListener("hashchange", () => { if (LINK.test(location.hash)) location.reload(); });
