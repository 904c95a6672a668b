/* The page is in English and runs from left to right. Streamlit's sliders (React Aria) go by the
   browser's language instead: in Arabic, arrows and thumbs would run against fill and labels. */

{
    const RIGHT_TO_LEFT = ["Adlm", "Arab", "Hebr", "Mand", "Mend", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"];

    /** @param {string} tag */
    const scriptOf = tag => {
        try {
            return new Intl.Locale(tag).maximize().script ?? "";
        } catch {
            return ""; // some browsers name their language by no rule
        }
    };

    if (RIGHT_TO_LEFT.includes(scriptOf(navigator.language))) {
        Object.defineProperty(navigator, "language", {get: () => "en"});
        Object.defineProperty(navigator, "languages", {get: () => Object.freeze(["en"])});
    }
}
