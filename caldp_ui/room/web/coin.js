/* The coin that a phone throws: exact, in whole numbers, from the operating system's randomness. */

/** A whole number, even on 0 … 2^64 − 1. */
export const systemWord = () => crypto.getRandomValues(new BigUint64Array(1))[0];

/** A whole number, even on 0 … whole − 1; `whole` is at most 2^64. */
export function drawBelow(whole, word = systemWord) {
    const all = 1n << 64n, fair = all - all % whole;  // beyond it small results would be favoured
    for (;;) {
        const drawn = word();
        if (drawn < fair) return drawn % whole;
    }
}

/** The report of a phone with true answer x, by its law (`Law` of question.py, in texts). */
export function throwCoin(x, law, word = systemWord) {
    const r = drawBelow(BigInt(law.whole), word);
    return law.steps[x].findIndex(step => r < BigInt(step));
}

/** 32 hexadecimal digits by which no phone is counted twice. */
export function freshToken(word = systemWord) {
    return [word(), word()].map(part => part.toString(16).padStart(16, "0")).join("");
}
