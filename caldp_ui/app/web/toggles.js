/* What the user has opened or closed last stays so. Streamlit's server answers an opened panel or
   expander with "open"; an answer that comes after the user has closed it again opens it once more,
   and the next message of the browser even says so. Such an answer is undone by a click. */

{
    const UNDONE_MAX = 3;
    const TOGGLES = "[data-testid=stPopoverButton], [data-testid=stExpander] summary";
    const OPEN_POPOVERS = "[data-testid=stPopoverButton][aria-expanded=true]";
    const PANELS = "[data-st-overlay-root=true], [data-testid=stExpanderDetails]";

    /** What the user wants of a toggle: open or not, by a key or not, whether it became so, and how
        many answers were undone.
        @typedef {{isOpen: boolean, byKey: boolean, isDone: boolean, undone: number}} Wish
        @type {Map<HTMLElement, Wish>} */
    const wishes = new Map();

    /** @param {Element} toggle */
    const isOpen = toggle => toggle.localName === "summary"
        ? !toggle.parentElement?.querySelector("[data-testid=stExpanderDetails]")?.hasAttribute("inert")
        : toggle.getAttribute("aria-expanded") === "true";

    /** @param {HTMLElement} toggle
        @param {boolean} isOpen
        @param {boolean} byKey */
    const wish = (toggle, isOpen, byKey) => wishes.set(toggle, {isOpen, byKey, isDone: false, undone: 0});

    /** @param {boolean} byKey */
    const wishClosed = byKey => {
        /** @type {NodeListOf<HTMLElement>} */
        const popovers = document.querySelectorAll(OPEN_POPOVERS);
        popovers.forEach(each => wish(each, false, byKey));
    };

    addEventListener("click", event => {
        if (!event.isTrusted || !(event.target instanceof Element)) return;
        /** @type {HTMLElement | null} */
        const toggle = event.target.closest(TOGGLES);
        // What is done elsewhere may open or close them.
        wishes.clear();
        if (!event.target.closest(PANELS)) wishClosed(false);
        if (toggle) wish(toggle, !isOpen(toggle), event.detail === 0);
    }, {capture: true});
    addEventListener("change", () => wishes.clear(), {capture: true, passive: true});
    addEventListener("keydown", event => {
        const within = document.activeElement?.getAttribute("aria-expanded") === "true"
            && document.activeElement.closest("[data-testid=stPopoverBody]");
        if (event.key === "Escape" && !within) wishClosed(true);
    }, {capture: true, passive: true});

    /** @param {HTMLElement} toggle
        @param {Wish} wish */
    const undoAnswer = (toggle, wish) => {
        wish.undone += 1;
        if (wish.byKey && wish.isOpen) toggle.focus({preventScroll: true});
        toggle.toggleAttribute("data-by-mouse", !wish.byKey);
        toggle.click();
        toggle.removeAttribute("data-by-mouse");
    };

    new MutationObserver(() => {
        for (const [toggle, wish] of wishes) {
            if (isOpen(toggle) === wish.isOpen) wish.isDone = true;
            else if (wish.isDone && wish.undone < UNDONE_MAX) undoAnswer(toggle, wish);
        }
    }).observe(document.documentElement, {subtree: true, attributes: true, attributeFilter: ["aria-expanded", "inert"]});
}
