/* Names for people who hear the page. Streamlit says a slider's name twice, reads the ends of its
   track and its value beside it, and leaves panels and notices without a name. */

{
    const DRAWN_MS = 100;
    /* Streamlit loads the code of some controls, as of uploaders, once they are first drawn. */
    const LATE_MS = 5000;

    const name = () => {
        for (const slider of document.querySelectorAll("[data-testid=stSlider] input[aria-labelledby]")) {
            if (slider.hasAttribute("aria-label")) slider.removeAttribute("aria-labelledby");
        }
        for (const words of document.querySelectorAll("[data-testid=stSliderTickBar], [data-testid=stSliderThumbValue]")) {
            words.setAttribute("aria-hidden", "true");
        }
        const button = document.querySelector("[data-testid=stPopoverButton][aria-expanded=true]");
        for (const panel of document.querySelectorAll("[data-testid=stPopoverBody]:not([role])")) {
            panel.setAttribute("role", "dialog");
            panel.setAttribute("aria-label", button?.textContent ?? "");
        }
        for (const toast of document.querySelectorAll("[data-testid=stToast]:not([aria-label])")) {
            toast.setAttribute("aria-label", toast.querySelector("p")?.textContent ?? "");
        }
        for (const zone of document.querySelectorAll("[data-testid=stFileUploaderDropzone][role=presentation]")) {
            zone.setAttribute("role", "group");
        }
    };

    let timer = 0;
    const nameSoon = () => {
        clearTimeout(timer);
        timer = setTimeout(name, DRAWN_MS);
    };
    const late = new MutationObserver(nameSoon);
    let end = 0;
    document.addEventListener("caldp:rest", () => {
        name();
        late.observe(document.body, {childList: true, subtree: true});
        clearTimeout(end);
        end = setTimeout(() => late.disconnect(), LATE_MS);
    });
    // In another width sliders are drawn anew, without a run.
    addEventListener("resize", () => setTimeout(name, DRAWN_MS), {passive: true});
    addEventListener("DOMContentLoaded", () => {
        // A panel is drawn once its place at the end of the document is there.
        new MutationObserver(() => setTimeout(name, DRAWN_MS)).observe(document.body, {childList: true});
    });
}
