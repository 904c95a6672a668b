/* Where the keyboard is. "Skip to main content" leads to the headline: what Streamlit calls the main
   part begins with the tabs, which are what one wants to skip. And a run of the page replaces or
   disables what was pressed, whereby the focus falls to the body: it is given back. */

{
    /** @param {FocusOptions} [options]
        @returns {boolean} Whether there is a headline. */
    const focusHeadline = options => {
        // While a film runs, the page's own is there unseen.
        const headline = Array.from(document.querySelectorAll("h1")).find(each => each.checkVisibility());
        if (!headline) return false;
        headline.tabIndex = -1;
        headline.focus(options);
        return true;
    };

    addEventListener("click", event => {
        const isSkip = event.target instanceof Element && event.target.closest("[data-testid=stSkipToContent]");
        if (!isSkip || !focusHeadline()) return;
        event.preventDefault();
        event.stopPropagation();
    }, {capture: true});

    /** What has the focus, or lost it because it went.
        @typedef {{element: Element, key: string | undefined, path: string}} Place
        @type {Place | null} */
    let last = null;

    /** The class of the page's container around an element, also out of a component's shadow.
        @param {Element} element
        @returns {string | undefined} */
    const keyOf = element => {
        const container = element.closest("[class*=st-key-]"), root = element.getRootNode();
        if (container) return Array.from(container.classList).find(name => name.startsWith("st-key-"));
        return root instanceof ShadowRoot ? keyOf(root.host) : undefined;
    };

    /** @param {Element} element */
    const nameOf = element => element.getAttribute("aria-label") ?? element.textContent;

    /** What has come in the place of an element: of the same key and name, or the only one of the key.
        @param {Place} place
        @returns {HTMLElement | undefined} */
    const findSuccessor = ({element, key, path}) => {
        if (!key || path !== location.pathname) return undefined;
        /** @type {NodeListOf<HTMLElement>} */
        const found = document.querySelectorAll(`.${CSS.escape(key)} ${element.localName}:enabled`);
        const alike = Array.from(found).filter(each => each.checkVisibility());
        return alike.find(each => nameOf(each) === nameOf(element)) ?? (alike.length === 1 ? alike[0] : undefined);
    };

    /** In an open form the next question about a file, else the form itself.
        @returns {HTMLElement | null} */
    const findInForm = () => {
        /** @type {HTMLElement | null} */
        const form = document.querySelector("[data-testid=stPopoverBody]");
        /** @type {HTMLElement | null | undefined} */
        const question = form?.querySelector("[class*='-check-'] button:enabled");
        return question ?? form;
    };

    addEventListener("focusin", event => {
        const element = event.composedPath()[0];
        if (element instanceof Element) last = {element, key: keyOf(element), path: location.pathname};
    });
    addEventListener("pointerdown", event => {
        // Who clicks on nothing wants the focus nowhere.
        if (last && !event.composedPath().includes(last.element)) last = null;
    }, {capture: true, passive: true});
    document.addEventListener("caldp:rest", () => {
        if (!last || document.activeElement !== document.body) return;
        if (last.element.isConnected && !last.element.matches(":disabled")) return;
        const successor = findSuccessor(last) ?? findInForm();
        if (successor) successor.focus({preventScroll: true});
        else focusHeadline({preventScroll: true});
    });
}
