/* Pictures of the page by their keys. Each shows what the server sent, but for as long as a film runs
   a step of that. Charts, drawings and films are components of their own and meet here. */

/** @type {Map<string, Picture>} */
export const hub = /** @type {any} */ (globalThis)[Symbol.for("caldp.pictures")] ??= new Map();

/** What draws texts: `draw` is called with a text only when it is another than is drawn. */
export class Picture {
    /** @type {string | null} */
    step = null;
    /** @type {string | undefined} */
    content;
    /** @type {string | null | undefined} */
    drawnContent;

    /** @param {(content: string) => unknown} draw */
    constructor(draw) {
        this.draw = draw;
    }

    /** The server's text.
        @param {string} content */
    take(content) {
        this.content = content;
        this.show();
    }

    /** A step of a film; null: the server's text again.
        @param {string | null} step */
    play(step) {
        this.step = step;
        this.show();
    }

    show() {
        const content = this.step ?? this.content;
        if (content === undefined || content === this.drawnContent) return;
        if (this.draw(content) !== false) this.drawnContent = content;
    }
}

/** Streamlit also cleans up after a run that a newer one overtook: only what is gone is removed.
    @type {(parent: {host?: Element, isConnected: boolean}, remove: () => void) => () => void} */
export const whenGone = (parent, remove) => () => setTimeout(() => {
    if (!(parent.host ?? parent).isConnected) remove();
});
