/* A panel that the keyboard opens gets the focus: it lies at the end of the document, where neither the
   keys nor who listens would come across it. Streamlit closes it with Escape, and goes back. */

{
    const OPENS_MS = 5000;

    /** The panel once it is there, unless the focus has gone on by then.
        @param {Element} button
        @param {number} until */
    const enter = (button, until) => {
        const panel = /** @type {HTMLElement | null} */ (document.querySelector("[data-testid=stPopoverBody]"));
        if (document.activeElement !== button || performance.now() > until) return;
        if (!panel) {
            requestAnimationFrame(() => enter(button, until));
            return;
        }
        panel.tabIndex = -1;
        panel.focus({preventScroll: true});
    };

    addEventListener("click", event => {
        // Keys click, too, but not once; so does `toggles.js`, which says so where a mouse had opened it.
        if (event.detail !== 0 || !(event.target instanceof Element)) return;
        const button = event.target.closest("[data-testid=stPopoverButton]");
        if (!button || button.hasAttribute("data-by-mouse")) return;
        if (button.getAttribute("aria-expanded") === "false") enter(button, performance.now() + OPENS_MS);
    }, {capture: true});
}
