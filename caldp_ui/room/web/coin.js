/* The coin that a phone throws: that of collections, exact and from the operating system's randomness. */

import {coinsFrom, systemNumber} from "./client.js";

/** The report of a phone with true answer x, by its law (`Law` of question.py, in texts).
    @param {number} x
    @param {Message.Law} law */
export function throwCoin(x, law, number = systemNumber) {
    return coinsFrom(number).among(law.steps[x].map(BigInt), BigInt(law.whole));
}

/** 32 hexadecimal digits by which no phone is counted twice.
    @returns {string} */
export function freshToken(number = systemNumber) {
    const digits = Array.from({length: 3}, () => number().toString(16).padStart(12, "0"));
    return digits.join("").slice(0, 32);
}
