/* A device's side of a collection: the true answer goes in, a report comes out, by the protocol that
   `caldp protocol` makes. One file without dependencies, for browsers and Node; docs/reports.md of
   caldp says what it draws, coin for coin. Randomness is the operating system's: nothing takes a
   seed, and no floating-point number is ever compared. */

/** @typedef {{
        coin: (threshold: number) => boolean,
        below: (bound: number) => number,
        among: (steps: bigint[], whole: bigint) => number,
    }} Coins
    @typedef {Record<string, number>} Numbers What a block's reports are drawn by.
    @typedef {number | (number | boolean)[]} Cell What an oracle sends: one number, bits, or several.
    @typedef {{
        hidden: (block: Numbers, i: number, coins: Coins) => Cell,
        base: (block: Numbers, coins: Coins) => Cell,
    }} Law
    @typedef {{getItem: (key: string) => string | null | undefined,
        setItem: (key: string, value: string) => void}} Memory
    @typedef {any} Protocol As docs/protocol.schema.json says. */

const ONE = 2 ** 48;

/** A whole number, even on 0 … 2^48 − 1. */
export function systemNumber() {
    const [low, middle, high] = crypto.getRandomValues(new Uint16Array(3));
    return low + middle * 2 ** 16 + high * 2 ** 32;
}

/** The coins that reports are drawn by, from a source of such numbers.
    @returns {Coins} */
export function coinsFrom(number = systemNumber) {
    return {
        /** True with probability threshold/2^48.
            @type {(threshold: number) => boolean} */
        coin: threshold => number() < threshold,
        /** A whole number, even on 0 … bound − 1. Beyond `fair` small results would be favoured.
            @param {number} bound */
        below(bound) {
            const fair = ONE - ONE % bound;
            for (;;) {
                const value = number();
                if (value < fair) return value % bound;
            }
        },
        /** The first of rising steps above a number that is even below `whole`; BigInts.
            @param {bigint[]} steps
            @param {bigint} whole */
        among(steps, whole) {
            const pieces = BigInt(Math.max(1, Math.ceil((whole - 1n).toString(2).length / 48)));
            const all = BigInt(ONE) ** pieces, fair = all - all % whole;
            for (;;) {
                let value = 0n;
                for (let i = 0n; i < pieces; i++) value = value * BigInt(ONE) + BigInt(number());
                if (value < fair) return steps.findIndex(step => value % whole < step);
            }
        },
    };
}

/** Whether an odd number of bits is set.
    @param {number} bits */
function hasOddParity(bits) {
    let parity = false;
    for (; bits; bits &= bits - 1) parity = !parity;
    return parity;
}

/** An even subset of so many of 0 … size − 1 (Floyd, in Bentley 1987).
    @param {number} size
    @param {number} members
    @param {Coins} coins */
function evenSubset(size, members, coins) {
    const chosen = new Set();
    for (let last = size - members; last < size; last++) {
        const value = coins.below(last + 1);
        chosen.add(chosen.has(value) ? last : value);
    }
    return chosen;
}

/** The product of two elements of the field of 2^degree.
    @param {number} a
    @param {number} b
    @param {Numbers} of */
function product(a, b, {degree, modulus}) {
    let result = 0;
    for (let bit = degree - 1; bit >= 0; bit--) {
        result <<= 1;
        if (result >> degree) result ^= modulus;
        if (a >> bit & 1) result ^= b;
    }
    return result;
}

/** @param {number} a
    @param {number} x
    @param {Numbers} block */
function innerProduct(a, x, block) {
    let total = 0;
    for (const q = 1 << block.degree; a && x; a >>= block.degree, x >>= block.degree)
        total ^= product(a % q, x % q, block);
    return total;
}

/** How many directions there are, and how many hyperplanes to each.
    @param {Numbers} of */
function space({degree, digits, size}) {
    const q = 2 ** degree;
    return degree ? [(q ** digits - 1) / (q - 1), q] : [1, size];
}

/** The packed normal of a direction: its last digit that is not 0 is 1.
    @param {number} direction
    @param {number} q */
function packedNormal(direction, q) {
    let one = 1;
    for (; direction >= one; one *= q) direction -= one;
    return one + direction;
}

/** @type {Law} */
const unary = {
    hidden: (block, i, coins) =>
        Array.from({length: block.size}, (_, j) => coins.coin(j === i ? block.truth : block.stray)),
    base: (block, coins) => Array.from({length: block.size}, () => coins.coin(block.stray)),
};

/** @param {number} size
    @param {Set<number>} chosen */
function toBits(size, chosen) {
    return Array.from({length: size}, (_, j) => chosen.has(j));
}

/** What a family's oracle sends: `hidden` for the i-th hidden value of a block, `base` for others.
    @type {Record<string, Law>} */
const LAWS = {
    "randomized-response": {
        hidden(block, i, coins) {
            return coins.coin(block.cover) ? this.base(block, coins) : block.first + i;
        },
        base: (block, coins) => block.first + coins.below(block.size),
    },
    "hadamard": {
        hidden(block, i, coins) {
            const {order, parts, first} = block;
            const part = i % parts, row = Math.floor(i / parts) + 1;
            let y = coins.below(order);
            const truth = coins.coin(block.truth);
            if (parts > 1 && !truth) {
                const step = Math.floor((coins.below(2 * parts - 1) + 1) / 2);
                if (step) return first + (part + step) % parts * order + y;
            }
            if (hasOddParity(row & y) === truth) y ^= row & -row;
            return first + part * order + y;
        },
        base: (block, coins) => block.first + coins.below(block.order * block.parts),
    },
    "galois": {
        hidden(block, i, coins) {
            if (coins.coin(block.cover)) return this.base(block, coins);
            if (!block.degree) return block.first + i;
            const [directions, q] = space(block);
            const direction = coins.below(directions);
            const hyperplane = innerProduct(packedNormal(direction, q), i, block);
            return block.first + hyperplane * directions + direction;
        },
        base(block, coins) {
            const [directions, q] = space(block);
            return block.first + coins.below(directions * q);
        },
    },
    "rappor": unary,
    "oue": unary,
    "subset-selection": {
        hidden(block, i, coins) {
            if (coins.coin(block.cover)) return this.base(block, coins);
            const others = [...evenSubset(block.size - 1, block.omega - 1, coins)];
            return toBits(block.size, new Set([i, ...others.map(j => j < i ? j : j + 1)]));
        },
        base: (block, coins) => toBits(block.size, evenSubset(block.size, block.omega, coins)),
    },
    "local-hashing": {
        hidden(block, i, coins) {
            const {prime, g} = block;
            const [c0, c1, c2] = [0, 0, 0].map(() => coins.below(prime));
            if (coins.coin(block.cover)) return [c0, c1, c2, coins.below(g)];
            const f = ((c2 * i + c1) % prime * i + c0) % prime;
            return [c0, c1, c2, Math.floor(f * g / prime)];
        },
        base: ({prime, g}, coins) => [prime, prime, prime, g].map(bound => coins.below(bound)),
    },
};

/** A whole number in so many bytes, the lowest first.
    @param {number} number
    @param {number} width */
function toBytes(number, width) {
    /** @type {number[]} */
    const bytes = [];
    for (let i = 0; i < width; i++, number = Math.floor(number / 256)) bytes.push(number % 256);
    return bytes;
}

/** @param {(number | boolean)[]} bits
    @param {number} width */
function packBits(bits, width) {
    const bytes = new Array(width).fill(0);
    bits.forEach((bit, j) => { if (bit) bytes[j >> 3] |= 1 << (j & 7); });
    return bytes;
}

/** @param {string[][]} rows */
const readSteps = rows => rows.map(row => row.map(BigInt));

/** Draws reports by one protocol: the object that its JSON file holds. */
export class Client {
    /** @type {bigint[][] | undefined} Of a table: each value's chances, added up. */
    steps;
    whole = 1n;
    /** @type {Law} */
    law;
    /** @type {number[]} Each value's place among the hidden ones, see below. */
    places = [];
    /** @type {Numbers[]} */
    blocks = [];

    /** `memory`: what keeps what each person sent, so that asked again they send the same; it has
        `getItem` and `setItem`, as localStorage does. `number`: for tests alone.
        @param {Protocol} protocol
        @param {{memory?: Memory | null, number?: () => number}} [options] */
    constructor(protocol, {memory = null, number = systemNumber} = {}) {
        const kind = protocol?.mechanism?.kind;
        if (protocol?.caldp_protocol !== 1 || kind !== "table" && !Object.hasOwn(LAWS, kind))
            throw new Error("This is no protocol that this client knows; make one by caldp protocol.");
        this.protocol = protocol;
        this.memory = memory;
        this.coins = coinsFrom(number);
        if (kind === "table") {
            this.whole = BigInt(protocol.mechanism.whole);
            this.steps = readSteps(protocol.mechanism.steps);
            return;
        }
        this.law = LAWS[kind];
        this.#findPlaces();
        this.#gatherNumbers();
    }

    /** What the person sends: a number, or bytes in base64. On a map an answer is
        [latitude, longitude] in degrees, else a label, or a number where values have no labels.
        @param {unknown} answer
        @returns {number | string} */
    report(answer, person = "") {
        const value = this.#toValue(answer);
        if (!this.memory) return this.draw(value);
        const key = `caldp.${this.protocol.fingerprint}.${person}`;
        const sent = this.memory.getItem(key);
        if (sent !== null && sent !== undefined) return JSON.parse(sent);
        const report = this.draw(value);
        this.memory.setItem(key, JSON.stringify(report));
        return report;
    }

    /** The report with the mark of its protocol, as a line of a file of reports.
        @param {unknown} answer */
    message(answer, person = "") {
        const report = this.report(answer, person);
        return {protocol: this.protocol.fingerprint.slice(0, 16), report};
    }

    /** A fresh report of a value by its number.
        @param {number} value
        @param {Coins} [coins]
        @returns {number | string} */
    draw(value, coins = this.coins) {
        if (this.steps) return coins.among(this.steps[value], this.whole);
        const label = this.protocol.policy.blocks[value], place = this.places[value];
        const block = this.blocks[label];
        if (place >= 0) return this.#encode(label, this.law.hidden(block, place, coins));
        if (coins.coin(block.cover)) return this.#encode(label, this.law.base(block, coins));
        return this.#encode(this.protocol.report.from_oracles - 1 - place, null);
    }

    /** @param {number} source
        @param {Cell | null} cell */
    #encode(source, cell) {
        /** @type {{kind: string, widths: number[]}} */
        const {kind, widths} = this.protocol.report;
        if (kind === "number") return typeof cell === "number" ? cell : source;
        const bytes = toBytes(source, widths[0]), parts = Array.isArray(cell) ? cell : [];
        if (kind === "bits") bytes.push(...packBits(parts, widths[1]));
        else widths.slice(1).forEach(
            (width, i) => bytes.push(...toBytes(Number(parts[i] ?? 0), width)));
        return btoa(bytes.map(byte => String.fromCharCode(byte)).join(""));
    }

    /** A value's place among the hidden ones of its block, or −1 minus that among all others. */
    #findPlaces() {
        /** @type {{blocks: number[], sensitive: boolean[], epsilon: number[]}} */
        const {blocks, sensitive, epsilon} = this.protocol.policy;
        const sizes = new Array(epsilon.length).fill(0), hidden = [...sizes];
        blocks.forEach(label => sizes[label]++);
        let others = 0;
        this.places = blocks.map((label, value) =>
            sensitive[value] && sizes[label] > 1 ? hidden[label]++ : -1 - others++);
    }

    #gatherNumbers() {
        /** @type {[string, number[]][]} */
        const columns = Object.entries(this.protocol.mechanism.numbers);
        /** @type {number[]} */
        const levels = this.protocol.policy.epsilon;
        this.blocks = levels.map((_, label) =>
            Object.fromEntries(columns.map(([name, numbers]) => [name, numbers[label]])));
    }

    /** The answer is not in the error: errors end up in logs.
        @param {any} answer
        @returns {number} */
    #toValue(answer) {
        const {kind, names, k} = this.protocol.domain;
        if (kind === "map") return this.#toCell(answer);
        const value = names.length ? names.indexOf(answer) : answer;
        if (Number.isInteger(value) && value >= 0 && value < k) return value;
        throw new Error("The answer must be one that the protocol has; give one of those.");
    }

    /** @param {any} answer */
    #toCell(answer) {
        const {south, west, cell, rows, columns} = this.protocol.domain;
        /** The north pole and 180° E, where nothing follows, are in the last cells.
            @type {(degrees: number, edge: number, end: number) => number} */
        const at = (degrees, edge, end) => Math.floor(
            ((degrees <= end ? Math.min(degrees, end - 1e-7) : degrees) - edge) / cell + 1e-9);
        const crosses = west + columns * cell > 180 + 1e-9;
        const turn = crosses && answer?.[1] < west - 1e-9 ? 360 : 0;
        const row = at(answer?.[0], south, 90);
        const column = at(answer?.[1] + turn, west, crosses ? Infinity : 180);
        if (row >= 0 && row < rows && column >= 0 && column < columns) return row * columns + column;
        throw new Error("The answer must be [latitude, longitude] in degrees on the protocol's map.");
    }
}
