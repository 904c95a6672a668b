/* What a phone says of its question and of its report, in its owner's language: sentences of
   `phone_words.json` with the figures of the exact channel. Each is true of every phone that says it:
   what is said of a report is the same whatever its owner chose. */

/** @typedef {Record<string, string>} Texts */
/** What is said of a report; `stays`: beside the coin that has just fallen.
    @typedef {{why: string, stays: string, uncertainty: string, chances: string[], widths: number[]}} Explanation */

const NOBODY = 1e-12, ALMOST_SURE = 0.9995, WEAK = 0.955;

/** The table's sentence with these values in its places.
    @param {string} text
    @param {Texts} values */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** @param {Message.Phone} data
    @param {Texts} words Of one language.
    @returns {{
        choices: {odds: string, go: string, coin: string}[],
        explanations: Explanation[],
    }} */
export function explain(data, words) {
    const {answers, sensitive, channel, guess} = data;
    const isOpenGuess = guess && !sensitive.length;
    /** @type {(x: number) => string} */
    const quoted = x => fill(words.quote, {x: answers[x]});
    const columns = answers.map((_, y) => channel.map(row => row[y]));
    /** @type {(list: number[], x: number) => number[]} */
    const without = (list, x) => list.filter((_, at) => at !== x);
    /** @type {(x: number) => string} */
    const otherThan = x => answers.length === 2 ? quoted(1 - x) : words.anyOther;
    const isOnlyTruth = columns.map((sent, y) => Math.max(...without(sent, y)) === 0);

    /** @type {(share: number, kind: string, rest: string) => string} */
    const outOf = (share, kind, rest) => {
        const [few, form] = share >= 0.995 && share <= 1 - NOBODY ? [1 - share, rest] : [share, kind];
        const isWhole = few < NOBODY || few > 1 - NOBODY;
        let power = 2;
        while (!isWhole && few * 10 ** power < 1.5 && power < 12) power += 1;
        const number = isWhole ? String(Math.round(100 * few)) : grouped(Math.round(few * 10 ** power));
        return fill(words[form], {n: number, m: grouped(10 ** power)});
    };
    /** @type {(number: number) => string} */
    const grouped = number => String(number).replace(/\B(?=(\d{3})+$)/g, words.group);
    /** How many phones, in a sentence.
        @type {(share: number) => string} */
    const phones = share => outOf(share, "phones", "allButPhones");
    /** @type {(right: number) => string} */
    const times = right => {
        if (right === 1) return words.always;
        if (right >= ALMOST_SURE) return words.moreThan;
        const number = (100 * right).toFixed(right < 0.995 ? 0 : 1).replace(".", words.decimal);
        return fill(words.atMost, {n: number});
    };

    /** @type {(x: number) => string} */
    const conclusion = x => {
        if (!sensitive.length) return words.nothingHides;
        const teacher = fill(words.teacher, {t: times(data.about[x])});
        return sensitive.includes(x) ? teacher : `${teacher} ${fill(words.alwaysTrue, {x: quoted(x)})}`;
    };
    /** @type {(x: number) => string} */
    const odds = x => {
        const name = quoted(x), kept = channel[x][x], others = without(columns[x], x);
        if (isOpenGuess) return fill(words.willSend, {x: name});
        let sends = fill(words.willSend, {x: name});
        if (kept < 1) {
            const hidden = sensitive.filter(y => y !== x);
            const other = hidden.length === 1 ? quoted(hidden[0]) : words.byChance;
            sends = fill(words.sometimes, {x: name, t: outOf(kept, "times", "timesAllBut"), y: other});
        } else if (Math.max(...others) > 0) {
            const also = {x: name, n: phones(Math.min(...others)), y: otherThan(x)};
            sends = fill(words.willSendToo, also);
        }
        return `${sends} ${conclusion(x)}`;
    };
    /** @type {(x: number) => {odds: string, go: string, coin: string}} */
    const choice = x => {
        const isSent = channel[x][x] === 1;
        const coin = isOpenGuess ? words.openGuess : isSent ? words.noCoin : words.coin;
        return {odds: odds(x), go: !isSent ? words.throw : guess ? words.sendGuess : words.sendAnswer, coin};
    };

    /** @type {(y: number) => string} */
    const why = y => {
        const name = quoted(y), sent = columns[y], others = without(sent, y);
        if (isOnlyTruth[y]) return fill(words.isTrue, {x: name});
        const least = phones(Math.min(...others)), isOne = least === phones(Math.max(...others));
        const right = sent[y] / (sent[y] + Math.min(...others));
        const number = isOne ? least : fill(words.atLeast, {n: least});
        const deny = fill(right > WEAK ? words.canHardlyDeny : words.canDeny, {x: name, n: number});
        return `${deny} ${fill(words.afterReport, {x: name, t: times(right)})}`;
    };
    /** @type {(y: number) => string} */
    const uncertainty = y => {
        if (isOnlyTruth[y]) return words.equal;
        const other = answers.length === 2 ? quoted(1 - y) : words.another;
        const decided = channel[y][y] < 1 ? words.decided : fill(words.oneSided, {x: quoted(y), y: other});
        return `${decided} ${words.kept}`;
    };
    /** @type {(y: number) => Explanation} */
    const explanation = y => {
        if (isOpenGuess) return {why: words.sentAsItIs, stays: "", uncertainty: "", chances: [], widths: []};
        const stays = isOnlyTruth[y] ? why(y) : words.stays;
        return {why: why(y), stays, uncertainty: uncertainty(y), chances: columns[y].map(share => outOf(share, "of", "allBut")), widths: columns[y]};
    };
    return {choices: answers.map((_, x) => choice(x)), explanations: answers.map((_, y) => explanation(y))};
}
