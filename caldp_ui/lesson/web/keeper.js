/* The lesson that this window holds, for a visit that has been opened anew: where the class is, and
   its clock. The bar writes it down. */

const STORAGE_KEY = "caldp.lesson", LESSON_MAX_S = 3 * 60 * 60;

/** @param {Component<unknown>} component */
export default function mount({setTriggerValue}) {
    try {
        const {at, elapsed, minutes, when} = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "{}");
        const now = elapsed + (Date.now() - when) / 1000;
        if (now < LESSON_MAX_S) setTriggerValue("lesson", {at, minutes, elapsed: now});
        else sessionStorage.removeItem(STORAGE_KEY);
    } catch { /* a browser that keeps nothing */ }
}
