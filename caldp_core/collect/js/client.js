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
        setItem: (key: string, value: string) => void, removeItem?: (key: string) => void}} Memory
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

/** An even subset of `members` of 0 … size − 1 (Floyd, in Bentley 1987).
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

/** A whole number in `width` bytes, the lowest first.
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

const DECIMALS = new Set(["domain.south", "domain.west", "domain.cell", "policy.epsilon", "policy.rows",
    "mechanism.theta", "mechanism.share"]);

/** A number as Python writes one that need not be whole.
    @param {number} number */
function toDecimal(number) {
    const [digits, power] = number.toExponential().split("e");
    if (Number(power) < -4 || Number(power) >= 16)
        return `${digits}e${power[0]}${power.slice(1).padStart(2, "0")}`;
    const text = Object.is(number, -0) ? "-0" : String(number);
    return Number.isInteger(number) ? `${text}.0` : text;
}

/** The one text of what a protocol's file holds at a path, of which its fingerprint is the digest.
    @param {any} part
    @param {string} path
    @returns {string} */
function toCanonical(part, path = "") {
    if (typeof part === "number") return DECIMALS.has(path) ? toDecimal(part) : String(part);
    if (Array.isArray(part)) return `[${part.map(each => toCanonical(each, path)).join(",")}]`;
    if (part && typeof part === "object") {
        const within = path && `${path}.`;
        return `{${Object.keys(part).sort()
            .map(key => `${toCanonical(key)}:${toCanonical(part[key], within + key)}`).join(",")}}`;
    }
    return JSON.stringify(part).replace(/[^ -~]/g,
        sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const ROUNDS = new Uint32Array((
    "428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5 d807aa98 12835b01 " +
    "243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174 e49b69c1 efbe4786 0fc19dc6 240ca1cc " +
    "2de92c6f 4a7484aa 5cb0a9dc 76f988da 983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 " +
    "06ca6351 14292967 27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85 " +
    "a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070 19a4c116 1e376c08 " +
    "2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3 748f82ee 78a5636f 84c87814 8cc70208 " +
    "90befffa a4506ceb bef9a3f7 c67178f2").split(" ").map(word => parseInt(word, 16)));

/** @param {number} word
    @param {number} by */
const rotate = (word, by) => word >>> by | word << 32 - by;

/** Stirs 64 bytes, as 16 words, into the state of SHA-256 (FIPS 180-4).
    @param {Uint32Array} state
    @param {Uint32Array} words */
function stir(state, words) {
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
        if (i >= 16) {
            const early = words[i - 15], late = words[i - 2];
            words[i] = words[i - 16] + words[i - 7] + (rotate(early, 7) ^ rotate(early, 18) ^ early >>> 3)
                + (rotate(late, 17) ^ rotate(late, 19) ^ late >>> 10);
        }
        const one = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (e & f ^ ~e & g) + ROUNDS[i] + words[i];
        const two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + (a & b ^ a & c ^ b & c);
        [h, g, f, e, d, c, b, a] = [g, f, e, d + one | 0, c, b, a, one + two | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] += word; });
}

/** SHA-256 of a text in UTF-8. A browser's own is there with https alone, which a room may not have.
    @param {string} text */
function digest(text) {
    const data = new TextEncoder().encode(text), {length} = data, size = length + 72 & ~63;
    const bytes = new Uint8Array(size), view = new DataView(bytes.buffer);
    bytes.set(data);
    bytes[length] = 0x80;
    view.setBigUint64(size - 8, BigInt(length) * 8n);
    const words = new Uint32Array(64), state = new Uint32Array([0x6a09e667, 0xbb67ae85, 0x3c6ef372,
        0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]);
    for (let start = 0; start < size; start += 64) {
        for (let i = 0; i < 16; i++) words[i] = view.getUint32(start + 4 * i);
        stir(state, words);
    }
    return [...state].map(word => word.toString(16).padStart(8, "0")).join("");
}

/** The one form in which names are compared, as the Python client does: NFC, without spaces around.
    The name is not in the error: errors end up in logs.
    @param {unknown} person */
export function normalName(person) {
    const name = typeof person === "string" ? person.normalize("NFC").trim() : "";
    if (name && !/\p{Surrogate}/u.test(name)) return name;
    throw new Error("A memory stores a report for each person: give each a name of their own, a text that " +
        "is not empty.");
}

/** The object with each of its fields as `to` makes it.
    @template From, To
    @param {Record<string, From>} fields
    @param {(field: From, name: string) => To} to
    @returns {Record<string, To>} */
const mapped = (fields, to) =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, to(field, name)]));

/** What the fingerprint of a protocol is to be: two share it only if their reports mean the same.
    @param {Protocol} protocol */
function fingerprintOf({caldp_protocol, caldp_version, fingerprint, ...parts}) {
    return digest(toCanonical(parts.questions
        ? {questions: mapped(parts.questions, each => each.fingerprint)} : parts));
}

/** Plans of repetition: what is sent when a person is asked again. */
const PLANS = new Set(["once", "memo", "noisy-memo", "budget"]);

const utcDay = () => new Date().toISOString().slice(0, 10);

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
    /** @type {Record<string, Client> | undefined} Of several questions, each one's. */
    questions;

    /** `memory`: what keeps what each person sent, so that asked again they send the same; it has
        `getItem` and `setItem`, as localStorage does. It holds digests of names. A protocol with a
        plan of repetition needs it. `day`: names the present day. `number`: for tests alone.
        @param {Protocol} protocol
        @param {{memory?: Memory | null, number?: () => number, day?: () => string}} [options] */
    constructor(protocol, {memory = null, number = systemNumber, day = utcDay} = {}) {
        const kind = protocol?.mechanism?.kind, plan = protocol?.repetition;
        const several = protocol?.questions;
        if (protocol?.caldp_protocol !== (several ? 3 : plan ? 2 : 1) || plan && !PLANS.has(plan.kind)
            || !several && kind !== "table" && !Object.hasOwn(LAWS, kind))
            throw new Error("This client does not know this protocol; make one by caldp protocol.");
        if (plan && !memory)
            throw new Error("This protocol has a plan of repetition; give a memory, such as localStorage.");
        if (fingerprintOf(protocol) !== protocol.fingerprint)
            throw new Error("This protocol was changed after it was made; give the file that caldp wrote.");
        this.protocol = protocol;
        this.memory = memory;
        this.coins = coinsFrom(number);
        this.day = day;
        if (several) {
            this.questions = mapped(several, each => new Client(each, {memory, number, day}));
            return;
        }
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
        Of several questions: a report for each, of answers by their names. A client with a memory
        wants a name for each person; see `normalName`.
        @param {any} answer
        @returns {number | string | Record<string, number | string>} */
    report(answer, person = "") {
        if (!this.questions) return this.#send(this.#toValue(answer), person);
        const names = Object.keys(this.questions);
        if (Object.keys(answer ?? {}).length !== names.length)
            throw new Error("The answer must be an object: one for each question, by its name.");
        const values = mapped(this.questions, (client, name) => client.#toValue(answer[name]));
        return mapped(this.questions, (client, name) => client.#send(values[name], person));
    }

    /** @param {number} value
        @param {string} person
        @returns {number | string} */
    #send(value, person) {
        if (!this.memory) return this.draw(value);
        return ["once", undefined].includes(this.protocol.repetition?.kind)
            ? this.#remembered(this.memory, value, person) : this.#planned(this.memory, value, person);
    }

    /** What a plan other than `once` sends. `reports`: one for each value, to hide which
        values the person had; `sent`: so far; `days`: a budget's reports of each.
        @param {Memory} memory
        @param {number} value
        @param {string} person
        @returns {number | string} */
    #planned(memory, value, person) {
        const {kind, noise, reports = Infinity, a_day = Infinity} = this.protocol.repetition;
        const {k = 0, rows, columns} = this.protocol.domain, day = this.day(), key = this.#key(normalName(person));
        const size = k || rows * columns;
        const state = JSON.parse(memory.getItem(key) ?? '{"caldp_memory":2,"sent":0,"today":0,"days":{}}');
        if (state?.caldp_memory !== 2 || ![state.sent, state.today].every(Number.isInteger)
            || kind !== "budget" && state.sent && state.reports?.length !== size)
            throw new Error("This memory is damaged or of another version; use the client that wrote it.");
        const days = state.days ??= {[state.day]: state.today}; // clocks go back
        if (state.sent >= reports || days[day] >= a_day)
            throw new Error("This person has sent all reports that the protocol's plan allows; send nothing more.");
        if (kind !== "budget")
            state.reports ??= Array.from({length: size}, (_, each) => this.draw(each));
        state.sent++;
        if (kind === "budget") days[day] = (days[day] ?? 0) + 1;
        memory.setItem(key, JSON.stringify(state));
        if (kind === "budget") return this.draw(value);
        return noise && this.coins.coin(noise)
            ? this.coins.below(this.protocol.report.values) : state.reports[value];
    }

    /** @param {string} name */
    #key(name) {
        return `caldp.${digest(`${this.protocol.fingerprint} ${name}`)}`;
    }

    /** @param {Memory} memory
        @param {number} value
        @param {string} person
        @returns {number | string} */
    #remembered(memory, value, person) {
        const {fingerprint} = this.protocol, name = normalName(person);
        const key = this.#key(name);
        // Earlier versions stored names as they were spelled.
        const spelled = [person, name, name.normalize("NFD")]
            .flatMap(each => ["", " ", "\n", "\r\n"].map(end => `caldp.${fingerprint}.${each}${end}`));
        const text = [key, ...spelled].map(each => memory.getItem(each)).find(each => each)
            ?? JSON.stringify(this.draw(value));
        memory.setItem(key, text);
        for (const each of spelled) memory.removeItem?.(each);
        return JSON.parse(text);
    }

    /** The report with the mark of its protocol, as a line of a file of reports.
        @param {any} answer */
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
        /** @type {Record<string, number[]>} */
        const {numbers} = this.protocol.mechanism;
        /** @type {number[]} */
        const levels = this.protocol.policy.epsilon;
        this.blocks = levels.map((_, label) => mapped(numbers, each => each[label]));
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
