/* One entry in the browser's history for what a reader did. Streamlit makes up to three of a page that
   opens: the address before without its query, that path with the new page's query, and the page's own.
   Back then led to a page that nobody had seen, or nowhere. Another page begins at its top. */

{
    const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
    let hasActed = false;
    for (const kind of ["pointerdown", "pointerup", "keydown", "click", "input", "change"]) {
        addEventListener(kind, () => { hasActed = true; }, {capture: true, passive: true});
    }
    history.pushState = (state, unused, url) => {
        const {pathname} = location;
        (hasActed ? push : replace)(state, unused, url);
        if (location.pathname !== pathname) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
        hasActed = false;
    };
}
