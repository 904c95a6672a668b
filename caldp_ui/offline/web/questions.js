/* Questions: what is chosen stays on the device. */

const STORAGE_KEY = `caldp ${document.title}`;
const sets = [...document.querySelectorAll("fieldset")];
const words = /** @type {HTMLTextAreaElement} */ (document.getElementById("own-words"));
const handIn = /** @type {HTMLTextAreaElement} */ (document.getElementById("hand-in"));

/** The words of an answer, or of what is asked.
    @param {Element | null | undefined} element */
const textOf = element => element?.textContent?.trim() ?? "";

/** @returns {HTMLInputElement[]} */
const inputs = () => Array.from(document.querySelectorAll("fieldset input"));

/** Some browsers keep nothing for files; then a file that is opened anew begins anew. */
function loadAnswers() {
    try { return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}") ?? {}; } catch { return {}; }
}

/** @param {unknown} answers */
function saveAnswers(answers) {
    try { localStorage.setItem(STORAGE_KEY, JSON.stringify(answers)); }
    catch { /* nothing is kept */ }
}

function update() {
    const results = sets.map(set => {
        /** @type {HTMLInputElement | null} */
        const input = set.querySelector("input:checked");
        const reason = /** @type {HTMLElement} */ (set.querySelector(".because"));
        const right = input?.value === "1";
        set.dataset.right = input ? String(right) : "";
        reason.textContent = input ? `${right ? "Right." : "Not quite."} ${reason.dataset.because}` : "";
        return {ask: textOf(set.querySelector("legend")), right, chosen: textOf(input?.parentElement)};
    });
    const answered = results.filter(({chosen}) => chosen);
    const score = answered.filter(({right}) => right).length;
    /** @type {HTMLElement} */ (document.getElementById("score")).textContent = answered.length
        ? `${score} right of ${answered.length} answered; ${sets.length} questions in all.`
        : "Nothing answered yet.";
    handIn.value = [document.title, `${score} of ${sets.length} right`, "",
        ...results.flatMap(({ask, chosen, right}) =>
            [ask, `→ ${chosen || "not answered"}${chosen ? right ? " (right)" : " (not right)" : ""}`]),
        "", `In my own words: ${words.value.trim() || "–"}`].join("\n");
    const chosen = inputs().filter(({checked}) => checked);
    saveAnswers({chosen: Object.fromEntries(chosen.map(input => [input.name, textOf(input.parentElement)])),
        words: words.value});
}

const savedAnswers = loadAnswers();
words.value = savedAnswers.words ?? "";
for (const input of inputs()) {
    input.checked = savedAnswers.chosen?.[input.name] === textOf(input.parentElement);
    input.addEventListener("change", update);
}
words.addEventListener("input", update);
update();
