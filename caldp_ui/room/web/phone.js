/* A phone's side of a poll: choose, throw the coin here, send the report, see what was sent.
   The true answer lives in `trueAnswer` until the coin is thrown, and nowhere afterwards. */

import {el, setText} from "./dom.js";
import {freshToken, throwCoin} from "./coin.js";
import {explain, fill} from "./explain.js";
import WORDS from "./phone_words.json" with {type: "json"};

/** @typedef {{token: string, report: number}} StoredReport */
/** @typedef {{mark: string, received?: boolean, refused?: string}} Outcome With a key of the table. */

/** @type {Record<string, Record<string, string>>} */
const TABLE = WORDS;
/** The first of the phone's languages that the table has. */
const LANGUAGE = navigator.languages.map(name => name.slice(0, 2)).find(name => name in TABLE) ?? "en";
const words = TABLE[LANGUAGE];

const LISTEN_MS = 2000, LISTEN_JITTER_MS = 1000, LISTEN_MAX_MS = 60_000;
const RETRY_MIN_MS = 1000, RETRY_JITTER_MS = 2000, PATIENCE_MS = 8000;
const THROW_MS = 900, SIDE_MS = 2600;
const OK = 200, SAME = 304, GONE = 404, REFUSED = 409;
/** @type {Map<string, StoredReport>} */
const reportsInMemory = new Map();

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

/** One request, with what it said; the status is 0 where nothing came.
    @param {string} url
    @param {RequestInit} options
    @returns {Promise<{status: number, tag: string | null, content: any}>} */
async function ask(url, options) {
    try {
        const signal = AbortSignal.timeout(PATIENCE_MS);
        const answer = await fetch(url, {...options, signal, cache: "no-store", credentials: "same-origin"});
        const isJson = answer.headers.get("content-type")?.startsWith("application/json");
        const content = isJson ? await answer.json() : {};
        return {status: answer.status, tag: answer.headers.get("etag"), content};
    } catch { return {status: 0, tag: null, content: {}}; }
}

/** Wait, but not longer than until somebody looks at the page again.
    @param {number} ms
    @returns {Promise<void>} */
const pause = ms => new Promise(done => {
    const wake = () => {
        if (document.hidden) return;
        clearTimeout(timer);
        document.removeEventListener("visibilitychange", wake);
        done();
    };
    const timer = setTimeout(wake, ms);  // a page that nobody sees asks for nothing
    document.addEventListener("visibilitychange", wake);
});

class Phone {
    /** @type {Message.Phone} From the first message on. */
    data;
    /** @type {ReturnType<typeof explain>} Of the question. */
    says;
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
    /** @type {Outcome} What the server has said of a report. */
    outcome = {mark: ""};
    isDelivering = false;
    isThrowing = false;
    isGone = false;

    /** @param {string} url Of the poll.
        @param {{poll: HTMLElement, lost: HTMLElement, form: HTMLElement}} places */
    constructor(url, {poll, lost, form}) {
        this.url = url;
        this.root = poll;
        this.lost = lost;
        this.form = form;
    }

    /** Ask for the poll's state for as long as somebody looks at the page. */
    async listen() {
        /** @type {string | null} */
        let known = null;
        let wait = 0;
        for (;;) {
            const headers = known && !this.isGone ? {"if-none-match": known} : undefined;
            const {status, tag, content} = await ask(this.url, {headers});
            if (status === OK) {
                known = tag;
                this.take(content);
            } else if (status === GONE && content.gone) this.end(fill(words[content.gone], {x: content.code}));
            const isLost = ![OK, SAME, GONE].includes(status);
            setText(this.lost, isLost && wait ? words.lost : "");  // once is no reason to say it
            wait = this.isGone || isLost ? Math.min(LISTEN_MAX_MS, Math.max(LISTEN_MS, 1.5 * wait))
                : LISTEN_MS;
            await pause(wait + LISTEN_JITTER_MS * Math.random());
        }
    }

    /** The poll does not exist, or no longer.
        @param {string} why */
    end(why) {
        if (this.root.textContent !== why) {
            this.root.replaceChildren(el("p", {className: "state", role: "status"}, why));
        }
        this.form.hidden = false;
        this.isGone = true;
    }

    /** @param {Message.Phone} data */
    take(data) {
        if (this.data?.mark !== data.mark) this.trueAnswer = null;
        this.data = data;
        this.says = explain(data, words);
        this.name = `caldp.room.${data.mark}`;
        this.form.hidden = true;
        this.isGone = false;
        this.show();
        this.deliver();
    }

    show() {
        if (this.isThrowing) return;
        const sent = this.sent();
        this.root.replaceChildren(...this.endView(),
            ...(sent ? this.reportView(sent) : this.questionView()));
        if (!sent) this.choose(this.trueAnswer);
    }

    /** What this phone has sent to the question, or is sending. */
    sent() {
        const sent = memory.read(this.name);
        return sent && sent.report in this.data.answers ? sent : undefined;
    }

    questionView() {
        const {answers, sensitive, open, guess} = this.data;
        if (!open) return [this.title(), ...this.answerView(), el("p", {className: "state"}, words.closed)];
        this.buttons = answers.map((name, x) => {
            const hidden = sensitive.includes(x);
            const isOpenGuess = guess && !sensitive.length;
            const tag = el("small", {}, hidden ? words.hidden : isOpenGuess ? "" : words.bare);
            const button = el("button", {type: "button", className: "answer", onclick: () =>
                this.choose(x)}, el("span", {}, name), tag);
            button.classList.toggle("hidden", hidden);
            return button;
        });
        this.sendButton = el("button",
            {type: "button", className: "go", onclick: () => this.sendReport()});
        const group = el("div", {className: "answers", role: "group", "aria-label": this.chooseText()},
            ...this.buttons);
        return [this.title(), group, this.odds, this.sendButton, this.coin];
    }

    /** Thanks, and the lesson to take home, once the poll has ended. */
    endView() {
        if (!this.data.over) return [];
        return [el("p", {className: "thanks", role: "status"}, words.thanks),
            el("a", {className: "go", href: "lesson", download: ""}, words.home)];
    }

    /** The right answer, once it is shown. */
    answerView() {
        const {right, answers} = this.data;
        if (right === null) return [];
        return [el("p", {className: "right", role: "status"}, fill(words.right, {x: answers[right]}))];
    }

    chooseText() { return this.data.guess ? words.chooseGuess : words.choose; }

    title() { return el("h1", {}, this.data.text); }

    /** @param {number | null} x */
    choose(x) {
        this.trueAnswer = x;
        this.buttons.forEach((button, at) =>
            button.setAttribute("aria-pressed", String(at === x)));
        if (!this.sendButton) return;
        this.sendButton.disabled = x === null;
        const {odds, go, coin} = x === null ? {odds: "", go: this.chooseText(), coin: ""}
            : this.says.choices[x];
        setText(this.odds, odds);
        setText(this.sendButton, go);
        setText(this.coin, this.data.hands && coin ? `${coin} ${words.hands}` : coin);
    }

    sendReport() {
        if (this.trueAnswer === null || this.sent()) return;
        const answer = this.trueAnswer, report = throwCoin(answer, this.data.law);
        this.trueAnswer = null;
        memory.write(this.name, {token: freshToken(), report});
        this.deliver();
        if (this.data.channel[answer][answer] < 1) this.showCoin(report, report === answer);
        else this.show();
    }

    /** The coin as it is thrown, its side, and what is sent: seen once, by who holds the phone.
        @param {number} report
        @param {boolean} isSame Whether the report is the true answer. */
    async showCoin(report, isSame) {
        const coin = el("div", {className: `coin ${isSame ? "same" : "other"}`, "aria-hidden": "true"},
            el("b", {}, "✓"), el("i", {}, "⇄"));
        const text = el("p", {className: "side", role: "status"}, words.thrown);
        this.isThrowing = true;
        this.root.replaceChildren(this.title(), coin, text);
        /** @type {Promise<unknown>} A tap goes on. */
        const tap = new Promise(done => coin.addEventListener("click", done));
        await Promise.race([pause(THROW_MS), tap]);
        const says = fill(isSame ? words.sameSide : words.otherSide,
            {x: fill(words.quote, {x: this.data.answers[report]})});
        text.replaceChildren(says, el("small", {}, this.says.explanations[report].stays));
        await Promise.race([pause(SIDE_MS), tap]);
        this.isThrowing = false;
        this.show();
    }

    /** Send the report, and the same again, until the server says that it has it or will not. */
    async deliver() {
        const {mark} = this.data, sent = this.sent();
        if (this.isDelivering || !sent || this.outcome.mark === mark) return;
        this.isDelivering = true;
        const {token, report} = sent;
        const {status, content} = await ask(this.url, {
            method: "POST",
            keepalive: true,  // also when the page is left in this moment
            headers: {"content-type": "application/json"},
            body: JSON.stringify({mark, token, report}),
        });
        if (status === OK || status === REFUSED) {
            this.outcome = {mark, ...content};
            setText(this.lost, "");  // `listen` may ask again only in a minute
        } else if (status !== GONE) await pause(RETRY_MIN_MS + RETRY_JITTER_MS * Math.random());
        this.isDelivering = false;
        if (this.outcome.mark === this.data.mark) this.show();
        else if (status !== GONE) this.deliver();
    }

    /** @param {StoredReport} sent */
    reportView({report}) {
        const {answers, mark} = this.data, {why, uncertainty, chances, widths} = this.says.explanations[report];
        const {received, refused} = this.outcome.mark === mark ? this.outcome : {};
        const state = refused ? words[refused] : (received ? words.received : words.sending);
        const rows = chances.map((of, x) => {
            const name = answers[x], bar = el("i", {});
            bar.style.width = `${100 * widths[x]}%`;
            return el("li", {}, el("span", {}, name), el("b", {}, of), el("u", {}, bar));
        });
        return [
            this.title(),
            el("p", {className: "sent"}, words.sent, el("strong", {}, answers[report])),
            ...this.answerView(),
            el("p", {className: "state", role: "status"}, state),
            el("p", {className: "why"}, why),
            ...(rows.length ? [el("p", {className: "of"}, words.chances), el("ul", {className: "chances"}, ...rows)] : []),
            el("p", {className: "note"}, uncertainty),
        ];
    }
}

/** @param {string} css
    @returns {HTMLElement} */
function place(css) {
    const found = document.querySelector(`.phone ${css}`);
    if (found instanceof HTMLElement) return found;
    throw new Error(`The page has no ${css}.`);
}

document.documentElement.lang = LANGUAGE;
document.title = words.title;
place(".state").textContent = words.loading;
place("label").textContent = words.code;
place("form .go").textContent = words.join;
const asked = new URLSearchParams(location.search);
const phone = new Phone(`room/poll?${asked}`,
    {poll: place(".poll"), lost: place(".lost"), form: place("form")});
if (asked.get("code")) phone.listen();
else phone.end(words.noCode);
