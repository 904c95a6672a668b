/* A phone's side of a question: choose, throw the coin here, send the report, see what was sent.
   The true answer lives in `chosen` until the coin is thrown, and nowhere afterwards. */

import {el, setText} from "./dom.js";
import {freshToken, throwCoin} from "./coin.js";

/** @typedef {{token: string, report: number}} Sent */

const AGAIN_LEAST = 2000, AGAIN_MORE = 3000;
/** @type {WeakMap<Mount, Phone>} */
const instances = new WeakMap();
/** @type {Map<string, Sent>} */
const unstored = new Map();

/** @param {Component<Message.Phone>} component */
export default function mount({data, parentElement: parent, setTriggerValue}) {
    let phone = instances.get(parent);
    if (!phone) instances.set(parent, phone = new Phone(parent.querySelector(".phone")));
    phone.emit = told => setTriggerValue("report", told);
    phone.take(data);
    return () => setTimeout(() => { if (!parent.host?.isConnected) phone.end(); });
}

/** What this phone sent to the question, kept by the browser where it keeps anything. */
const memory = {
    /** @param {string} name
        @returns {Sent | undefined} */
    read(name) {
        try { return JSON.parse(localStorage.getItem(name) ?? "null") ?? unstored.get(name); }
        catch { return unstored.get(name); }
    },
    /** @param {string} name
        @param {Sent} sent */
    write(name, sent) {
        unstored.set(name, sent);
        try { localStorage.setItem(name, JSON.stringify(sent)); } catch { /* kept above */ }
    },
};

class Phone {
    /** @type {Message.Phone} From the first message on. */
    data;
    /** @type {(told: Sent & {mark: string}) => void} Streamlit's, of each run. */
    emit;
    /** @type {number | null} The true answer, until the coin is thrown. */
    chosen = null;
    /** @type {HTMLButtonElement[]} */
    buttons = [];
    /** @type {HTMLButtonElement | undefined} */
    go;
    odds = el("p", {className: "odds", role: "status"});
    /** Of what the browser keeps of the question. */
    name = "";
    /** @type {string | undefined} The token that has been sent. */
    tried;
    /** @type {number | undefined} */
    timer;

    /** @param {HTMLElement} root */
    constructor(root) {
        this.root = root;
    }

    end() { clearTimeout(this.timer); }

    /** @param {Message.Phone} data */
    take(data) {
        const other = this.data?.mark !== data.mark;
        this.data = data;
        this.name = `caldp.room.${data.mark}`;
        const sent = memory.read(this.name);
        if (sent && !(sent.report in data.answers)) return;
        if (sent) this.deliver(sent, other);
        if (other) this.chosen = null;
        this.root.replaceChildren(...(sent ? this.sent(sent) : this.ask()));
        if (!sent) this.choose(this.chosen);
    }

    ask() {
        const {answers, sensitive, words, open} = this.data;
        if (!open) return [this.title(), ...this.right(), el("p", {className: "state"}, words.closed)];
        this.buttons = answers.map((name, x) => {
            const hidden = sensitive.includes(x);
            const tag = el("small", {}, hidden ? words.hidden : words.bare);
            const made = el("button", {type: "button", className: "answer", onclick: () =>
                this.choose(x)}, el("span", {}, name), tag);
            made.classList.toggle("hidden", hidden);
            return made;
        });
        this.go = el("button", {type: "button", className: "go", onclick: () => this.throw()});
        const group = el("div", {className: "answers", role: "group", "aria-label": words.choose},
            ...this.buttons);
        return [this.title(), group, this.odds, this.go,
            el("p", {className: "note"}, words.coin)];
    }

    /** The right answer, once it is shown. */
    right() {
        const {answer} = this.data;
        return answer ? [el("p", {className: "right", role: "status"}, answer)] : [];
    }

    title() { return el("h1", {}, this.data.text); }

    /** @param {number | null} x */
    choose(x) {
        this.chosen = x;
        this.buttons.forEach((button, at) =>
            button.setAttribute("aria-pressed", String(at === x)));
        if (!this.go) return;
        this.go.disabled = x === null;
        setText(this.odds, x === null ? "" : this.data.before[x]);
        setText(this.go, x === null ? this.data.words.choose : this.data.words.go);
    }

    throw() {
        if (this.chosen === null || memory.read(this.name)) return;
        const report = throwCoin(this.chosen, this.data.law);
        this.chosen = null;
        const sent = {token: freshToken(), report};
        memory.write(this.name, sent);
        this.take(this.data);
    }

    /** Send the report, and the same again, until the server says that it has it or will not.
        @param {Sent} sent
        @param {boolean} now */
    deliver({token, report}, now) {
        clearTimeout(this.timer);
        const {mark, received, refused} = this.data;
        if (received || refused) return;
        const send = () => this.emit({mark, token, report});
        if (now || this.tried !== token) send();
        this.tried = token;
        this.timer = setTimeout(() => this.deliver({token, report}, true),
            AGAIN_LEAST + AGAIN_MORE * Math.random());
    }

    /** @param {Sent} sent */
    sent({report}) {
        const {answers, words, told, received, refused} = this.data;
        const state = refused ?? (received ? words.received : words.sending);
        const rows = told[report].chances.map((of, x) => {
            const name = answers[x], bar = el("i", {});
            bar.style.width = `${100 * told[report].widths[x]}%`;
            return el("li", {}, el("span", {}, name), el("b", {}, of), el("u", {}, bar));
        });
        return [
            this.title(),
            el("p", {className: "said"}, words.sent, el("strong", {}, answers[report])),
            ...this.right(),
            el("p", {className: "state", role: "status"}, state),
            el("p", {className: "why"}, told[report].why),
            ...(rows.length ? [el("p", {className: "of"}, words.of), el("ul", {className: "chances"}, ...rows)] : []),
            el("p", {className: "note"}, told[report].left),
        ];
    }
}
