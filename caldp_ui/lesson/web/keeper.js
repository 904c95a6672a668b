/* The lesson that this window holds, for a visit that has been opened anew: where the class is, and
   its clock. The bar writes it down. */

const KEPT = "caldp.lesson", OVER_S = 3 * 60 * 60;

/** @param {Component<unknown>} component */
export default function mount({setTriggerValue}) {
    try {
        const {at, elapsed, when} = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
        const now = elapsed + (Date.now() - when) / 1000;
        if (now < OVER_S) setTriggerValue("kept", {at, elapsed: now});
        else sessionStorage.removeItem(KEPT);
    } catch { /* a browser that keeps nothing */ }
}
