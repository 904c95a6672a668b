/* A phone's side of a question: choose, throw the coin here, send the report, see what was sent.
   The true answer lives in `chosen` until the coin is thrown, and nowhere afterwards. */

import {el, setText} from "./dom.js";
import {freshToken, throwCoin} from "./coin.js";

/** @typedef {{token: string, report: number}} StoredReport */

const RETRY_MIN_MS = 2000, RETRY_JITTER_MS = 3000;
/** @type {WeakMap<Mount, Phone>} */
const instances = new WeakMap();
/** @type {Map<string, StoredReport>} */
const reportsInMemory = new Map();

/** @param {Component<Message.Phone>} component */
export default function mount({data, parentElement: parent, setTriggerValue}) {
    let phone = instances.get(parent);
    if (!phone) instances.set(parent, phone = new Phone(parent.querySelector(".phone")));
    phone.emit = report => setTriggerValue("report", report);
    phone.take(data);
    return () => setTimeout(() => { if (!parent.host?.isConnected) phone.end(); });
}

/** What this phone sent to the question, kept by the browser where it keeps anything. */
const memory = {
    /** @param {string} name
        @returns {StoredReport | undefined} */
    read(name) {
        const report = reportsInMemory.get(name);
        try { return JSON.parse(localStorage.getItem(name) ?? "null") ?? report; }
        catch { return report; }
    },
    /** @param {string} name
        @param {StoredReport} sent */
    write(name, sent) {
        reportsInMemory.set(name, sent);
        try { localStorage.setItem(name, JSON.stringify(sent)); } catch { /* kept above */ }
    },
};

class Phone {
    /** @type {Message.Phone} From the first message on. */
    data;
    /** @type {(report: StoredReport & {mark: string}) => void} Streamlit's, of each run. */
    emit;
    /** @type {number | null} The true answer, until the coin is thrown. */
    trueAnswer = null;
    /** @type {HTMLButtonElement[]} */
    buttons = [];
    /** @type {HTMLButtonElement | undefined} */
    sendButton;
    odds = el("p", {className: "odds", role: "status"});
    coin = el("p", {className: "note"});
    /** Of what the browser keeps of the question. */
    name = "";
    /** @type {string | undefined} The token that has been sent. */
    sentToken;
    /** @type {number | undefined} */
    timer;

    /** @param {HTMLElement} root */
    constructor(root) {
        this.root = root;
    }

    end() { clearTimeout(this.timer); }

    /** @param {Message.Phone} data */
    take(data) {
        const isOtherQuestion = this.data?.mark !== data.mark;
        this.data = data;
        this.name = `caldp.room.${data.mark}`;
        const sent = memory.read(this.name);
        if (sent && !(sent.report in data.answers)) return;
        if (sent) this.deliver(sent, isOtherQuestion);
        if (isOtherQuestion) this.trueAnswer = null;
        this.root.replaceChildren(...(sent ? this.reportView(sent) : this.questionView()));
        if (!sent) this.choose(this.trueAnswer);
    }

    questionView() {
        const {answers, sensitive, words, open} = this.data;
        if (!open) return [this.title(), ...this.answerView(), el("p", {className: "state"}, words.closed)];
        this.buttons = answers.map((name, x) => {
            const hidden = sensitive.includes(x);
            const tag = el("small", {}, hidden ? words.hidden : words.bare);
            const button = el("button", {type: "button", className: "answer", onclick: () =>
                this.choose(x)}, el("span", {}, name), tag);
            button.classList.toggle("hidden", hidden);
            return button;
        });
        this.sendButton = el("button",
            {type: "button", className: "go", onclick: () => this.sendReport()});
        const group = el("div", {className: "answers", role: "group", "aria-label": words.choose},
            ...this.buttons);
        return [this.title(), group, this.odds, this.sendButton, this.coin];
    }

    /** The right answer, once it is shown. */
    answerView() {
        const {answer} = this.data;
        return answer ? [el("p", {className: "right", role: "status"}, answer)] : [];
    }

    title() { return el("h1", {}, this.data.text); }

    /** @param {number | null} x */
    choose(x) {
        this.trueAnswer = x;
        this.buttons.forEach((button, at) =>
            button.setAttribute("aria-pressed", String(at === x)));
        if (!this.sendButton) return;
        this.sendButton.disabled = x === null;
        const {odds, go, coin} = x === null ? {odds: "", go: this.data.words.choose, coin: ""}
            : this.data.choices[x];
        setText(this.odds, odds);
        setText(this.sendButton, go);
        setText(this.coin, coin);
    }

    sendReport() {
        if (this.trueAnswer === null || memory.read(this.name)) return;
        const report = throwCoin(this.trueAnswer, this.data.law);
        this.trueAnswer = null;
        const sent = {token: freshToken(), report};
        memory.write(this.name, sent);
        this.take(this.data);
    }

    /** Send the report, and the same again, until the server says that it has it or will not.
        @param {StoredReport} sent
        @param {boolean} isDue */
    deliver({token, report}, isDue) {
        clearTimeout(this.timer);
        const {mark, received, refused} = this.data;
        if (received || refused) return;
        const send = () => this.emit({mark, token, report});
        if (isDue || this.sentToken !== token) send();
        this.sentToken = token;
        this.timer = setTimeout(() => this.deliver({token, report}, true),
            RETRY_MIN_MS + RETRY_JITTER_MS * Math.random());
    }

    /** @param {StoredReport} sent */
    reportView({report}) {
        const {answers, words, explanations, received, refused} = this.data;
        const state = refused ?? (received ? words.received : words.sending);
        const rows = explanations[report].chances.map((of, x) => {
            const name = answers[x], bar = el("i", {});
            bar.style.width = `${100 * explanations[report].widths[x]}%`;
            return el("li", {}, el("span", {}, name), el("b", {}, of), el("u", {}, bar));
        });
        return [
            this.title(),
            el("p", {className: "sent"}, words.sent, el("strong", {}, answers[report])),
            ...this.answerView(),
            el("p", {className: "state", role: "status"}, state),
            el("p", {className: "why"}, explanations[report].why),
            ...(rows.length ? [el("p", {className: "of"}, words.of), el("ul", {className: "chances"}, ...rows)] : []),
            el("p", {className: "note"}, explanations[report].uncertainty),
        ];
    }
}
