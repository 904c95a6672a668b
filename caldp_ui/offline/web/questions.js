/* Questions: what is chosen stays on the device. */

const KEEP = `caldp ${document.title}`;
const sets = [...document.querySelectorAll("fieldset")];
const words = /** @type {HTMLTextAreaElement} */ (document.getElementById("own-words"));
const handIn = /** @type {HTMLTextAreaElement} */ (document.getElementById("hand-in"));

/** The words of an answer, or of what is asked.
    @param {Element | null | undefined} element */
const textOf = element => element?.textContent?.trim() ?? "";

/** @returns {HTMLInputElement[]} */
const inputs = () => Array.from(document.querySelectorAll("fieldset input"));

/** Some browsers keep nothing for files; then a file that is opened anew begins anew. */
function kept() {
    try { return JSON.parse(localStorage.getItem(KEEP) ?? "{}") ?? {}; } catch { return {}; }
}

/** @param {unknown} all */
function keep(all) {
    try { localStorage.setItem(KEEP, JSON.stringify(all)); } catch { /* nothing is kept */ }
}

function tell() {
    const told = sets.map(set => {
        /** @type {HTMLInputElement | null} */
        const input = set.querySelector("input:checked");
        const because = /** @type {HTMLElement} */ (set.querySelector(".because"));
        const right = input?.value === "1";
        set.dataset.right = input ? String(right) : "";
        because.textContent = input ? `${right ? "Right." : "Not quite."} ${because.dataset.because}` : "";
        return {ask: textOf(set.querySelector("legend")), right, chosen: textOf(input?.parentElement)};
    });
    const done = told.filter(({chosen}) => chosen), score = done.filter(({right}) => right).length;
    /** @type {HTMLElement} */ (document.getElementById("score")).textContent = done.length
        ? `${score} right of ${done.length} answered; ${sets.length} questions in all.`
        : "Nothing answered yet.";
    handIn.value = [document.title, `${score} of ${sets.length} right`, "",
        ...told.flatMap(({ask, chosen, right}) =>
            [ask, `→ ${chosen || "not answered"}${chosen ? right ? " (right)" : " (not right)" : ""}`]),
        "", `In my own words: ${words.value.trim() || "–"}`].join("\n");
    const chosen = inputs().filter(({checked}) => checked);
    keep({chosen: Object.fromEntries(chosen.map(input => [input.name, textOf(input.parentElement)])),
        words: words.value});
}

const before = kept();
words.value = before.words ?? "";
for (const input of inputs()) {
    input.checked = before.chosen?.[input.name] === textOf(input.parentElement);
    input.addEventListener("change", tell);
}
words.addEventListener("input", tell);
tell();
