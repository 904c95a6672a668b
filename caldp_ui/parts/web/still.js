/* Tells the server once that a page has been left alone for a moment: time to make what a hand may ask
   for next. */

/** @typedef {{name: string, tell: (event: string, value: unknown) => void}} Wait */

const activity = /** @type {{moved: number}} */ (
    /** @type {any} */ (globalThis)[Symbol.for("caldp.hand")] ??= watchActivity());
/** @type {WeakMap<Mount, Wait>} */
const waits = new WeakMap();

/** When a hand last did anything, in the page's milliseconds. */
function watchActivity() {
    const activity = {moved: 0}, options = {capture: true, passive: true};
    for (const kind of ["keydown", "pointerdown", "pointerup", "input", "wheel"]) {
        addEventListener(kind, () => { activity.moved = performance.now(); }, options);
    }
    return activity;
}

/** @param {Component<[name: string, milliseconds: number]>} component */
export default function mount({data: [name, milliseconds], parentElement: parent, setTriggerValue}) {
    const previous = waits.get(parent), wait = {name, tell: setTriggerValue};
    waits.set(parent, wait);
    if (previous?.name === name) return;
    const startTime = performance.now();
    const check = () => {
        const wait = waits.get(parent), rest = Math.max(activity.moved, startTime) + milliseconds - performance.now();
        if (wait?.name !== name || !(parent.host ?? parent).isConnected) return;
        if (rest > 0) setTimeout(check, rest);
        else wait.tell("still", name);
    };
    check();
}
