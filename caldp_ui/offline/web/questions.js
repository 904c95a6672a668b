/* Questions: what is chosen stays on the device. The first answer to each counts, and is handed in
   beside the last. */

const STORAGE_KEY = `caldp ${document.title}`;
const sets = [...document.querySelectorAll("fieldset")];
const words = /** @type {HTMLTextAreaElement} */ (document.getElementById("own-words"));
const owner = /** @type {HTMLInputElement} */ (document.getElementById("owner"));
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

/** A table of contents: the titles of all parts. */
function contents() {
    const list = document.createElement("ol"), nav = document.createElement("nav");
    for (const part of document.querySelectorAll("section.part")) {
        const link = document.createElement("a"), entry = document.createElement("li");
        link.href = `#${part.id}`;
        link.textContent = textOf(part.querySelector("h2"));
        entry.append(link);
        list.append(entry);
    }
    nav.setAttribute("aria-label", "Contents");
    nav.append(list);
    return nav;
}

/** On phones parts begin folded, but for the first; a link or a printer opens them. */
function fold() {
    const folds = [...document.querySelectorAll("details")];
    /** @param {HTMLDetailsElement | null | undefined} part */
    const open = part => { if (part) part.open = true; };
    const follow = () => open(document.getElementById(location.hash.slice(1))?.querySelector("details"));
    if (matchMedia("(max-width: 600px)").matches) for (const part of folds.slice(1)) part.open = false;
    addEventListener("hashchange", follow);
    addEventListener("beforeprint", () => folds.forEach(open));
    follow();
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
        const chosen = textOf(input?.parentElement);
        if (input) first[input.name] ??= {chosen, right};
        const before = input ? first[input.name] : {chosen, right};
        return {ask: textOf(set.querySelector("legend")), right, chosen, before};
    });
    const answered = results.filter(({chosen}) => chosen);
    const score = answered.filter(({before}) => before.right).length;
    /** @type {HTMLElement} */ (document.getElementById("score")).textContent = answered.length
        ? `${score} right at first of ${answered.length} answered; ${sets.length} questions in all.`
        : "Nothing answered yet.";
    handIn.value = [document.title, `Name: ${owner.value.trim() || "–"}`,
        `${score} of ${sets.length} right at first`, "",
        ...results.flatMap(({ask, before, chosen, right}) => [ask, `→ ${marked(before)}`,
            ...(chosen === before.chosen ? [] : [`   last: ${marked({chosen, right})}`])]),
        "", `In my own words: ${words.value.trim() || "–"}`].join("\n");
    const chosen = inputs().filter(({checked}) => checked);
    saveAnswers({chosen: Object.fromEntries(chosen.map(input => [input.name, textOf(input.parentElement)])),
        first, words: words.value, name: owner.value});
}

/** An answer and whether it is right.
    @param {{chosen: string, right: boolean}} answer */
const marked = ({chosen, right}) =>
    chosen ? `${chosen} (${right ? "right" : "not right"})` : "not answered";

const savedAnswers = loadAnswers();
/** @type {Record<string, {chosen: string, right: boolean}>} By the question's name. */
const first = savedAnswers.first ?? {};
owner.value = savedAnswers.name ?? "";
words.value = savedAnswers.words ?? "";
for (const input of inputs()) {
    input.checked = savedAnswers.chosen?.[input.name] === textOf(input.parentElement);
    input.addEventListener("change", update);
}
words.addEventListener("input", update);
owner.addEventListener("input", update);
document.querySelector("main > p")?.after(contents());
fold();
update();
