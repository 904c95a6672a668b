/* Keeps a visit's own data in this tab of the browser, so that a reload does not lose them. */

const STORAGE_KEY = "caldp.own.";

/** @param {Component<{keep: [string, string][], ask: string}>} component */
export default function mount({data, setTriggerValue}) {
    try {
        for (const [name, text] of data.keep) {
            if (sessionStorage.getItem(STORAGE_KEY + name) === null) {
                sessionStorage.setItem(STORAGE_KEY + name, text);
            }
        }
        const found = data.ask && sessionStorage.getItem(STORAGE_KEY + data.ask);
        if (found) setTriggerValue("found", [data.ask, found]);
    } catch { /* a browser that keeps nothing, or has no room */ }
}
