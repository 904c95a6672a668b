/* Small helpers: shares and runs as texts. Elements come from the stage's own. */

/** @type {(share: number) => string} */
export const percent = share => {
    const at = 100 * share;
    return `${at.toFixed(Math.abs(at) >= 9.95 || at === 0 ? 0 : Math.abs(at) >= 0.095 ? 1 : 3)} %`;
};

/** Ascending numbers as "3;10-19", and back.
    @param {number[]} sorted */
export function formatRuns(sorted) {
    /** @type {[first: number, last: number][]} */
    const pairs = [];
    for (const x of sorted) {
        const last = pairs.at(-1);
        if (last && last[1] === x - 1) last[1] = x;
        else pairs.push([x, x]);
    }
    return pairs.map(([first, last]) => first === last ? `${first}` : `${first}-${last}`).join(";");
}

/** @param {string} text */
export function parseRuns(text) {
    return text.split(";").filter(Boolean).flatMap(run => {
        const [first, last = first] = run.split("-").map(Number);
        return Array.from({length: last - first + 1}, (_, i) => first + i);
    });
}
