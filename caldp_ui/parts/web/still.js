/* Tells the server once that a page has been left alone for a moment: time to make what a hand may ask
   for next. */

/** @typedef {{name: string, tell: (kind: string, told: unknown) => void}} Wait */

const hand = /** @type {{moved: number}} */ (
    /** @type {any} */ (globalThis)[Symbol.for("caldp.hand")] ??= watched());
/** @type {WeakMap<Mount, Wait>} */
const waits = new WeakMap();

/** When a hand last did anything, in the page's milliseconds. */
function watched() {
    const seen = {moved: 0}, how = {capture: true, passive: true};
    for (const kind of ["keydown", "pointerdown", "pointerup", "input", "wheel"]) {
        addEventListener(kind, () => { seen.moved = performance.now(); }, how);
    }
    return seen;
}

/** @param {Component<[name: string, milliseconds: number]>} component */
export default function mount({data: [name, milliseconds], parentElement: parent, setTriggerValue}) {
    const before = waits.get(parent), now = {name, tell: setTriggerValue};
    waits.set(parent, now);
    if (before?.name === name) return;
    const since = performance.now();
    const look = () => {
        const wait = waits.get(parent), left = Math.max(hand.moved, since) + milliseconds - performance.now();
        if (wait?.name !== name || !(parent.host ?? parent).isConnected) return;
        if (left > 0) setTimeout(look, left);
        else wait.tell("still", name);
    };
    look();
}
