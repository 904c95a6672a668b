/* What Python sends to the browser and back: the one description that the types of all JavaScript rest
   on. `records.py`, `component.py` and `view.py` write it; `messages.py` holds their messages against
   the names here. */

declare namespace Message {
    /** South, north, west, east in degrees. */
    type Box = [number, number, number, number];
    /** A number in large type and what it counts. */
    type Fact = [number: string, text: string];
    /** What a word or a line on a map is called. */
    type Words = Record<string, string>;
    /** An element of the page as a tree: tag, attributes, children. */
    type Tree = [tag: string, attributes: Record<string, string>, ...children: (string | Tree)[]];

    /** The head of a parcel; its blobs follow in this order, each with its size in bytes. */
    interface Head {
        blobs: [name: string, size: number][];
        stage?: string;
        film?: Film;
    }

    /** The hash by which a blob is known; null where there is none. */
    type Blob = string | null;

    interface Ground {
        south: number;
        west: number;
        cell: number;
        rows: number;
        columns: number;
        home: Box;
        box: Box | null;
        outline: Blob;
        land: Blob;
        cities: Blob;
        labels: Blob;
        names: Blob;
        sensitive: Blob;
        open: Blob;
        far: Blob;
    }

    interface Label {
        title: string;
        text: string;
        kind: "safe" | "open";
        at: [latitude: number, longitude: number] | null;
    }

    /** What pictures and differences have in common. */
    interface Captioned {
        id: string;
        title: string;
        subtitle: string;
        alt: string;
        nobody: number;
        marks: string[];
        notes: [left: string, right: string];
        fact: Fact | null;
    }

    interface Picture extends Captioned {
        code: string;
        error: Blob;
        pooled: Blob;
        certain: Blob;
        labels: Label[];
        invitation: string;
        colours: "amounts" | "open";
    }

    interface Difference extends Captioned {
        first: string;
        second: string;
    }

    interface Arrangement {
        large: string[];
        small: string[];
        turns: string[];
    }

    interface Scale {
        low: number;
        high: number;
        ticks: [share: number, text: string][];
    }

    interface Action {
        id: string;
        label: string;
        effects: Words;
    }

    /** The last event that Python has of one picture in one browser. */
    interface Receipt {
        client: string;
        serial: number;
    }

    interface Scene {
        key: string;
        page: string;
        receipt: Receipt;
        ground: Ground;
        pictures: Picture[];
        differences: Difference[];
        people: number;
        swipe: [left: string, right: string];
        arrangement: Arrangement | null;
        scale: Scale;
        actions: Action[];
        undo: boolean;
        redo: boolean;
        focus: {box: Box; serial: number} | null;
        titles: {side: string; error: string};
        values: Record<string, number>;
        hint: string;
        prompt: string;
        words: Words;
        label: string;
        look: string;
        image: {name: string; lines: string[]; estimates: string[]; heldBack: string;
            shared: string[]};
    }

    interface Step {
        label: string;
        value: number;
        codes: Record<string, string>;
        pooled: Record<string, string>;
        subtitles: Words;
        facts: Record<string, Fact>;
        nobody: Record<string, number>;
        notes: Record<string, [left: string, right: string]>;
        labels: Record<string, Label[]>;
        lines: string[];
        shared: string[];
        people: number;
        reading: string;
        replacements: Record<string, Tree>;
    }

    interface Film {
        id: string;
        place: number;
        label: string;
        follows: boolean;
        pace: number;
        loops: boolean;
        stays: boolean;
        dial: string;
        play: string;
        hides: string[];
        steps: Step[];
    }

    interface MapStyle {
        sea: string;
        land: string;
        ink: string;
        faint: string;
        name: string;
        shade: string;
        hand: string;
        region: string;
        sensitive: string;
        open: string;
    }

    /** Style sheet and colours of all maps; ramps as base64 of three bytes a level. */
    interface Looks {
        css: string;
        styles: Record<"dark" | "light", MapStyle & {ramps: Record<string, string>}>;
    }

    /** An estimate with the ends of its range, of each answer; in this order. */
    type Columns = [estimate: number[], low: number[], high: number[]];
    type Range = [estimate: number, low: number, high: number];

    interface Group {
        name: string;
        members: number[];
        truth: number;
        plain?: Range | null;
        ours?: Range | null;
        pinned?: Range | null;
    }

    /** The picture of answers. */
    interface Answers {
        n: number;
        names: string[];
        labels: string[];
        truth: number[];
        plain: Columns | null;
        ours: Columns | null;
        pinned: Columns | null;
        groups: Group[];
        blocks: number[] | null;
        sensitive: string;
        singles: string;
        undo: boolean;
        redo: boolean;
        colours: Words;
        words: Words;
        values: Record<string, number>;
        pictures: [];
        receipt: Receipt;
    }

    /** Where one of the page's sliders is, and the name of all else on the page. */
    interface SliderState {
        reading: string;
        settings: string;
    }

    interface ChartFilm {
        id: string;
        dial: string;
        settings: string;
        steps: {reading: string; pictures: Record<string, string>; replacements: Record<string, Tree>}[];
    }

    /** An entry of a matrix: ground and text colour, and what is said of it. */
    interface Entry {
        text: string;
        colours: [ground: string, ink: string];
        description: string;
    }

    interface Matrix {
        names: string[];
        limit: (Entry & {follows: string})[][];
        leak: (Entry & {mark: "" | "kept" | "broken" | "open"})[][];
        label: string;
        words: Words;
    }

    /** A size of block of the exhibit: its edges in rows and columns of the grid, with both ends. */
    interface ExhibitSize {
        kilometres: number[];
        rows: number[];
        columns: number[];
    }

    /** All that the exhibit draws from; pictures are PNG in base64, lines are steps in hundredths of
        a degree. Rows of `errors`, `numbers` and `wrong`: by ε, then by size. `command`: what made the
        file of them. */
    interface Exhibit {
        command: string;
        people: number;
        grid: {rows: number, columns: number, first: number, north: number, west: number, cell: number};
        scale: {levels: number, low: number, high: number, nobody: number};
        epsilons: number[];
        sizes: ExhibitSize[];
        errors: {expected: number, deviation: number, standard_error: number, trials: number,
            drawn: number}[][];
        sheets: string[];
        truth: string;
        counts: string;
        keys: string[];
        names: string[];
        numbers: string[][];
        wrong: string[][];
        odds: string[];
        land: number[][];
        borders: number[][];
        cities: [name: string, latitude: number, longitude: number, rank: number][];
        ramps: {light: string[], dark: string[]};
    }

    /** Sentences, with places in braces for what the browser fills in. */
    interface ExhibitWords {
        blocks: string;
        country: string;
        you_title: string;
        pin: string;
        pin_label: string;
        guess: string;
        cells: string;
        lens: string;
        you_alt: string;
        example_pin: string;
        own_pin: string;
        report: string;
        reports: string;
        all_title: string;
        truth_title: string;
        all_alt: string;
        truth_alt: string;
        hold: string;
        truth_shown: string;
        legend: string;
        none: string;
        least: string;
        most: string;
        scale: string;
        draw: string;
        axis: string;
        sides: string;
        less: string;
        plain: string;
        drag: string;
        slider_label: string;
        slider: string;
        epsilon: string;
        epsilon_choice: string;
        keep: string;
        save: string;
        copy: string;
        copied: string;
        close: string;
        card_note: string;
        card_block: string;
        card_price: string;
        card_odds: string;
        card_map: string;
        card_truth: string;
        card_source: string;
    }

    /** What the page says to the exhibit; `data`: null where they are at an address. */
    interface ExhibitMessage {
        key: string;
        content: string;
        address: string;
        data: Exhibit | null;
        words: ExhibitWords;
        receipt: Receipt;
    }

    interface Answer {
        name: string;
        sensitive: boolean;
        estimate: number | null;
        low: number;
        high: number;
        sent: number;
        truth: number | null;
        right: boolean;
    }

    /** The projector's picture of a live poll. */
    interface Poll {
        mark: string;
        n: number;
        people: number;
        doubted: boolean;
        answers: Answer[];
        reports: number[];
        steps: {n: number; ranges: [low: number, high: number][]}[];
        words: {known: string; note: string; nothing: string; legend: [kind: string, text: string][]};
    }

    /** A law's whole numbers, as texts. */
    interface Law {
        whole: string;
        steps: string[][];
    }

    /** A phone's side of a live poll. */
    interface Phone {
        mark: string;
        text: string;
        answers: string[];
        sensitive: number[];
        open: boolean;
        law: Law;
        guess: boolean;
        hands: boolean;
        channel: number[][];
        about: number[];
        right: number | null;
        over: boolean;
    }

    /** What a class guesses before it sees a station. */
    interface Prediction {
        ask: string;
        answers: string[];
        right: number;
        because: string;
    }

    interface Lesson {
        at: number;
        shown: boolean;
        elapsed: number;
        aside: boolean;
        steps: {title: string; minutes: number; do: string; home: string; ask: Prediction | null}[];
    }

    interface TabGroup {
        title: string;
        pages: [address: string, title: string, here: boolean, purpose: string][];
    }
}

/** Where a component is: what its code looks for is in the HTML that Python gave it. */
interface Mount extends Omit<ShadowRoot, "querySelector"> {
    querySelector(selector: string): HTMLElement;
}

/** What Streamlit hands to a component's code. */
interface Component<Data> {
    data: Data;
    parentElement: Mount;
    setTriggerValue(name: string, value: unknown): void;
}

/** A map that is asked only for what it has. */
interface Known<K, V> extends Map<K, V> {
    get(key: K): V;
}
