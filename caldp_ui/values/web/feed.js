/* A film on its way to the picture of answers: a component of its own, so that it is sent once. */

/** @type {import("./chart.js").Hub} */
const hub = /** @type {any} */ (globalThis)[Symbol.for("caldp.answers")] ??= {parcels: new Map()};

/** `parent` stands for the film: it stays the same while the film is on the page.
    @param {Component<Uint8Array>} component */
export default function feed({data, parentElement: parent}) {
    hub.parcels.set(parent, data);
    hub.onFilm?.(data, parent);
    return () => setTimeout(() => {
        if (parent.host?.isConnected) return;
        hub.parcels.delete(parent);
        hub.onRemoval?.(parent);
    });
}
