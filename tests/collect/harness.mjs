/* Runs the JavaScript client in Node: reads {client, vectors, protocols, places} as JSON from its input, and
   says which vectors it gets wrong, and the exact law of every protocol's every value. */

import {readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";

const ONE = 2n ** 48n;
const asked = JSON.parse(readFileSync(0, "utf8"));
const {Client, coinsFrom, systemNumber} = await import(pathToFileURL(asked.client));

/** Coins that fall as `path` says, then the first way that can be; each way with its chance. */
class Branching {
    constructor(path) { Object.assign(this, {path, ways: [], up: 1n, down: 1n}); }
    coin(threshold) { return this.fall([ONE - BigInt(threshold), BigInt(threshold)], ONE) === 1; }
    below(bound) { return this.fall(new Array(bound).fill(1n), BigInt(bound)); }
    among(steps, whole) {
        return this.fall(steps.map((step, i) => step - (i ? steps[i - 1] : 0n)), whole);
    }
    fall(weights, whole) {
        const able = weights.flatMap((weight, way) => weight ? [way] : []);
        const turn = this.path[this.ways.length] ?? 0;
        this.ways.push([turn, able.length]);
        this.up *= weights[able[turn]];
        this.down *= whole;
        return able[turn];
    }
}

function exactLaw(draw) {
    const law = new Map();
    for (let path = []; ;) {
        const coins = new Branching(path), sent = draw(coins);
        law.set(sent, [...law.get(sent) ?? [], `${coins.up}/${coins.down}`]);
        const {ways} = coins;
        while (ways.length && ways.at(-1)[0] + 1 === ways.at(-1)[1]) ways.pop();
        if (!ways.length) return [...law];
        path = ways.map(([turn]) => turn);
        path[path.length - 1]++;
    }
}

function wrong({protocol, cases}) {
    return cases.filter(({value, numbers, report}) => {
        const left = [...numbers];
        const client = new Client(protocol, {number: () => left.shift()});
        // Of several questions an answer is an object; none of them has labels.
        const sent = protocol.questions ? client.report(value) : client.draw(value);
        return JSON.stringify(sent) !== JSON.stringify(report) || left.length;
    });
}

/** By randomized response whose coins leave the truth: the cell of each place, null off the map. */
function cells({protocol, answers}) {
    const client = new Client(protocol, {number: () => 2 ** 48 - 1});
    return answers.map(answer => {
        try { return client.report(answer); } catch { return null; }
    });
}

const laws = asked.protocols.map(protocol => {
    const client = new Client(protocol);
    return Array.from({length: protocol.domain.k}, (_, value) => exactLaw(coins => client.draw(value, coins)));
});
const numbers = Array.from({length: 200}, systemNumber);
const redrawn = [2 ** 48 - 1, 7], wide = [2 ** 48 - 1, 2 ** 48 - 1, 0, 6];
process.stdout.write(JSON.stringify({
    wrong: asked.vectors.flatMap(wrong), laws, numbers, cells: asked.places.map(cells),
    below: coinsFrom(() => redrawn.shift()).below(3),
    among: coinsFrom(() => wide.shift()).among([6n, 7n, ONE + 1n], ONE + 1n),
}));
