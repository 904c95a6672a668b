export type Coins = {
    coin: (threshold: number) => boolean;
    below: (bound: number) => number;
    among: (steps: bigint[], whole: bigint) => number;
};
export type Numbers = Record<string, number>;
export type Cell = number | (number | boolean)[];
export type Law = {
    hidden: (block: Numbers, i: number, coins: Coins) => Cell;
    base: (block: Numbers, coins: Coins) => Cell;
};
export type Memory = {
    getItem: (key: string) => string | null | undefined;
    setItem: (key: string, value: string) => void;
    removeItem?: (key: string) => void;
};
export type Protocol = any;
/** A whole number, even on 0 … 2^48 − 1. */
export declare function systemNumber(): number;
/** The coins that reports are drawn by, from a source of such numbers.
    @returns {Coins} */
export declare function coinsFrom(number?: typeof systemNumber): Coins;
/** The one form in which names are compared, as the Python client does: NFC, without spaces around.
    The name is not in the error: errors end up in logs.
    @param {unknown} person */
export declare function normalName(person: unknown): string;
/** Draws reports by one protocol: the object that its JSON file holds. */
export declare class Client {
    #private;
    protocol: any;
    memory: Memory | null;
    coins: Coins;
    day: () => string;
    /** @type {bigint[][] | undefined} Of a table: each value's chances, added up. */
    steps: bigint[][] | undefined;
    whole: bigint;
    /** @type {Law} */
    law: Law;
    /** @type {number[]} Each value's place among the hidden ones, see below. */
    places: number[];
    /** @type {Numbers[]} */
    blocks: Numbers[];
    /** @type {Record<string, Client> | undefined} Of several questions, each one's. */
    questions: Record<string, Client> | undefined;
    /** `memory`: what keeps what each person sent, so that asked again they send the same; it has
        `getItem` and `setItem`, as localStorage does. It holds digests of names. A protocol with a
        plan of repetition needs it. `day`: names the present day. `number`: for tests alone.
        @param {Protocol} protocol
        @param {{memory?: Memory | null, number?: () => number, day?: () => string}} [options] */
    constructor(protocol: Protocol, { memory, number, day }?: {
        memory?: Memory | null;
        number?: () => number;
        day?: () => string;
    });
    /** What the person sends: a number, or bytes in base64. On a map an answer is
        [latitude, longitude] in degrees, else a label, or a number where values have no labels.
        Of several questions: a report for each, of answers by their names. A client with a memory
        wants a name for each person; see `normalName`.
        @param {any} answer
        @returns {number | string | Record<string, number | string>} */
    report(answer: any, person?: string): number | string | Record<string, number | string>;
    /** The report with the mark of its protocol, as a line of a file of reports.
        @param {any} answer */
    message(answer: any, person?: string): {
        protocol: any;
        report: string | number | Record<string, string | number>;
    };
    /** A fresh report of a value by its number.
        @param {number} value
        @param {Coins} [coins]
        @returns {number | string} */
    draw(value: number, coins?: Coins): number | string;
}
