/* Questions: what is chosen stays on the device. */

const KEEP = `caldp ${document.title}`;
const sets = [...document.querySelectorAll("fieldset")];
const words = document.getElementById("own-words"), handIn = document.getElementById("hand-in");

/** Some browsers keep nothing for files; then a file that is opened anew begins anew. */
function kept() {
    try { return JSON.parse(localStorage.getItem(KEEP)) ?? {}; } catch { return {}; }
}

function keep(all) {
    try { localStorage.setItem(KEEP, JSON.stringify(all)); } catch { /* nothing is kept */ }
}

function tell() {
    const told = sets.map(set => {
        const input = set.querySelector("input:checked"), because = set.querySelector(".because");
        const right = input?.value === "1";
        set.dataset.right = input ? String(right) : "";
        because.textContent = input ? `${right ? "Right." : "Not quite."} ${because.dataset.because}` : "";
        return {ask: set.querySelector("legend").textContent, right,
            chosen: input?.parentElement.textContent.trim()};
    });
    const done = told.filter(({chosen}) => chosen), score = done.filter(({right}) => right).length;
    document.getElementById("score").textContent = done.length
        ? `${score} right of ${done.length} answered; ${sets.length} questions in all.`
        : "Nothing answered yet.";
    handIn.value = [document.title, `${score} of ${sets.length} right`, "",
        ...told.flatMap(({ask, chosen, right}) =>
            [ask, `→ ${chosen ?? "not answered"}${chosen ? right ? " (right)" : " (not right)" : ""}`]),
        "", `In my own words: ${words.value.trim() || "–"}`].join("\n");
    keep({chosen: Object.fromEntries([...document.querySelectorAll("input:checked")]
        .map(input => [input.name, input.parentElement.textContent.trim()])), words: words.value});
}

const before = kept();
words.value = before.words ?? "";
for (const input of document.querySelectorAll("fieldset input")) {
    input.checked = before.chosen?.[input.name] === input.parentElement.textContent.trim();
    input.addEventListener("change", tell);
}
words.addEventListener("input", tell);
tell();
