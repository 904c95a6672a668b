/* Says on the document, as "caldp:rest", that a run of the page has ended and all of it is drawn. */

{
    const DRAWN_MS = 100;
    /** @type {number | undefined} */
    let timer;

    new MutationObserver(() => {
        clearTimeout(timer);
        if (document.querySelector("[data-test-script-state=running]")) return;
        timer = setTimeout(() => document.dispatchEvent(new Event("caldp:rest")), DRAWN_MS);
    }).observe(document.documentElement, {subtree: true, attributes: true, attributeFilter: ["data-test-script-state"]});
}
