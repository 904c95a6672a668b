/* Where the keyboard is. "Skip to main content" leads to the headline: what Streamlit calls the main
   part begins with the tabs, which are what one wants to skip. */

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
}
