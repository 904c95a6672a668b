/* The lesson's bar: one segment a step, the minute, the step, what to take home, and the next step
   by its name. Page up and page down, as clickers send them, go to the step before and after, from
   wherever the focus is; all other keys stay those of the slider, switch or field that has it. */

/** @type {WeakMap<Mount, Bar>} */
const instances = new WeakMap();
const ROOT = document.documentElement;
/** Each entry of the browser's history has the step that the class was at. */
const STEP = "lessonStep";

/** @param {Component<[Message.Lesson]>} component */
export default function mount({data: [lesson], parentElement: parent, setTriggerValue}) {
    let bar = instances.get(parent);
    if (!bar) instances.set(parent, bar = new Bar(parent.querySelector(".lesson")));
    bar.emit = setTriggerValue;
    bar.take(lesson);
    // Streamlit also cleans up after a run that a newer one overtook.
    return () => setTimeout(() => { if (!(parent.host ?? parent).isConnected) bar.end(); });
}

/** @template {keyof HTMLElementTagNameMap} Tag
    @param {Tag} tag
    @param {string} className
    @param {...(Node | string)} children
    @returns {HTMLElementTagNameMap[Tag]} */
function el(tag, className, ...children) {
    const element = document.createElement(tag);
    element.className = className;
    element.append(...children);
    if (element instanceof HTMLButtonElement) element.type = "button";
    return element;
}

/** Words between pairs of asterisks are bold.
    @type {(text: string) => (Node | string)[]} */
const bold = text => text.split("**").map((part, i) => (i % 2 ? el("b", "", part) : part));

class Bar {
    /** @type {Message.Lesson} From the first message on. */
    lesson;
    /** @type {(event: string, value: unknown) => void} Streamlit's, of each run. */
    emit;
    /** When the lesson began, by the window's own clock. */
    startTime = 0;
    /** Whether the next step has been asked for. */
    isWaiting = false;
    /** Whether the class guesses, and the page is not seen yet. */
    isPredicting = false;

    /** @param {HTMLElement} root */
    constructor(root) {
        this.root = root;
        this.track = el("div", "track");
        this.track.setAttribute("aria-hidden", "true");
        this.back = el("button", "back", "←");
        this.minute = el("b", "");
        this.state = el("small", "");
        this.count = el("small", "");
        this.title = el("b", "");
        this.home = el("span", "");
        this.notes = el("button", "notes", "Notes");
        this.next = el("button", "next");
        this.panel = el("div", "panel");
        this.panel.hidden = true;
        this.duration = el("small", "");
        this.prediction = el("section", "ask");
        this.prediction.setAttribute("aria-label", "Prediction");
        root.append(this.track,
            this.back,
            el("p", "clock", el("span", "", this.minute, this.duration), this.state),
            el("p", "step", this.count, this.title),
            el("p", "home", el("small", "", "Take home"), this.home),
            this.notes, this.next, this.panel, this.prediction);
        this.back.onclick = () => this.go(this.lesson.at - 1);
        this.next.onclick = () => this.move(1);
        this.notes.onclick = () => this.open(Boolean(this.panel.hidden));
        /** @type {(event: KeyboardEvent) => void} */
        this.onKey = event => this.key(event);
        // Before anything on the page hears of the key: a slider would move by it.
        document.addEventListener("keydown", this.onKey, {capture: true});
        addEventListener("popstate", noteArrival);
        this.timer = setInterval(() => this.tick(), 1000);
        this.presentationObserver = new MutationObserver(() => this.raise());
        this.presentationObserver.observe(ROOT,
            {attributes: true, attributeFilter: ["data-presenting"]});
        ROOT.dataset.lesson = "";
        this.raise();
    }

    end() {
        clearInterval(this.timer);
        this.presentationObserver.disconnect();
        document.removeEventListener("keydown", this.onKey, {capture: true});
        if (document.querySelector(".st-key-lesson-bar")) return;  // another one has taken over
        removeEventListener("popstate", noteArrival);
        delete ROOT.dataset.lesson;
        delete ROOT.dataset.lessonArrived;
        delete ROOT.dataset.lessonShown;
    }

    /** Above what is presented, which is above everything else on the page. */
    raise() {
        const presenting = "presenting" in ROOT.dataset;
        if (this.root.matches(":popover-open")) this.root.hidePopover();
        if (presenting) {
            this.root.setAttribute("popover", "manual");
            this.root.showPopover();
        } else this.root.removeAttribute("popover");
    }

    /** @param {Message.Lesson} lesson */
    take(lesson) {
        const isOtherStep = this.lesson?.at !== lesson.at || this.lesson.aside !== lesson.aside
            || this.lesson.shown !== lesson.shown;
        this.lesson = lesson;
        this.startTime = performance.now() - 1000 * lesson.elapsed;
        this.isWaiting = false;
        storeLesson({at: lesson.at, elapsed: lesson.elapsed,
            minutes: totalMinutes(lesson.steps), when: Date.now()});
        if (isOtherStep) {
            this.write();
            // A page that was scrolled down would hide the headline, or the code that phones need.
            document.querySelector("[data-testid=stMain]")?.scrollTo({top: 0, behavior: "instant"});
        }
        const arrived = Number(ROOT.dataset.lessonArrived ?? lesson.at);
        delete ROOT.dataset.lessonArrived;
        if (arrived !== lesson.at) this.emit("arrive", arrived);
        else this.tick();
    }

    write() {
        const {at, steps, aside} = this.lesson, {title, home, do: notes} = steps[at];
        const [before, after] = [steps[at - 1], steps[at + 1]];
        this.track.replaceChildren(...steps.map(({minutes}) => {
            const part = el("i", "", el("u", ""));
            part.style.flexGrow = String(minutes);
            return part;
        }));
        this.count.textContent = `Step ${at + 1} of ${steps.length}`;
        this.title.textContent = title;
        this.home.textContent = home;
        this.back.disabled = !before;
        this.back.setAttribute("aria-label", before ? `Previous: ${before.title}` : "Previous");
        this.next.hidden = !after && !aside;
        const end = el("button", "end", "End the lesson");
        end.onclick = () => {
            storeLesson(null);
            this.emit("end", true);
        };
        const {ask} = steps[at];
        const key = ask ? [el("p", "", `${ask.ask} ${ask.answers[ask.right]}. ${ask.because}`)] : [];
        this.panel.replaceChildren(el("p", "", ...bold(notes)), ...key, end);
        this.open(false);
        this.predict();
    }

    /** Before the page of the step answers it, the class guesses what it will show. */
    predict() {
        const {at, steps, aside, shown} = this.lesson, {title, ask} = steps[at], after = steps[at + 1];
        this.isPredicting = Boolean(ask) && !aside && !shown && !hasShown(at);
        this.prediction.hidden = !this.isPredicting;
        setText(this.next, aside ? `Return to: ${title}` : this.isPredicting ? `Show: ${title}`
            : after ? `Next: ${after.title}` : "");
        if (!ask || !this.isPredicting) return;
        const answers = ask.answers.map(answer => el("li", "", answer));
        const phones = el("button", "", "Ask the phones");
        phones.onclick = () => {
            this.show();
            /** @type {HTMLElement | null} */
            const button = document.querySelector(".st-key-classroom-ask button");
            button?.click();
        };
        this.prediction.replaceChildren(el("h2", "", ask.ask), el("ol", "", ...answers), phones);
    }

    /** Show the page of the step. */
    show() {
        ROOT.dataset.lessonShown = `${ROOT.dataset.lessonShown ?? ""} ${this.lesson.at}`;
        this.predict();
    }

    /** @param {boolean} isOpen */
    open(isOpen) {
        this.panel.hidden = !isOpen;
        this.notes.setAttribute("aria-expanded", String(isOpen));
    }

    /** One step on or back; from an aside to the step that the class is at.
        @param {number} by */
    move(by) {
        if (this.isPredicting && by > 0) this.show();
        else this.go(this.lesson.at + (this.lesson.aside ? 0 : by));
    }

    /** @param {number} number */
    go(number) {
        if (this.isWaiting || !this.lesson.steps[number]) return;
        this.isWaiting = true;  // a clicker that is pressed twice goes one step
        this.emit("go", number);
    }

    tick() {
        const {at, steps} = this.lesson;
        if (!("lessonArrived" in ROOT.dataset) && history.state?.[STEP] !== at) {
            history.replaceState({...history.state, [STEP]: at}, "");
        }
        const seconds = (performance.now() - this.startTime) / 1000;
        const starts = steps.map((_, i) => 60 * totalMinutes(steps.slice(0, i)));
        const total = totalMinutes(steps), ends = starts[at] + 60 * steps[at].minutes;
        setText(this.minute, `${Math.floor(seconds / 60)}`);
        setText(this.duration, ` of ${total} min`);
        const late = Math.ceil((seconds - ends) / 60), early = Math.floor((starts[at] - seconds) / 60);
        setText(this.state, late > 0 ? `${late} min late` : early > 0 ? `${early} min early` : "✓ on time");
        this.root.classList.toggle("late", late > 0);
        [...this.track.children].forEach((part, i) => {
            part.className = i < at ? "done" : i === at ? "now" : "";
            const share = (seconds - starts[i]) / (60 * steps[i].minutes);
            /** @type {HTMLElement} */ (part.firstChild).style.width = `${100 * Math.min(1, Math.max(0, i === at ? share : 0))}%`;
        });
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        /** @type {Record<string, number>} */
        const steps = {PageDown: 1, PageUp: -1};
        if (event.key === "Escape" && !this.panel.hidden) this.open(false);
        if (event.defaultPrevented || !(event.key in steps)) return;
        if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
        if (document.querySelector("[role=dialog]")) return;  // it covers the page, and scrolls
        event.preventDefault();
        event.stopPropagation();
        this.move(steps[event.key]);
    }
}

/** Whether the page of this step has been shown.
    @param {number} at */
const hasShown = at => (ROOT.dataset.lessonShown ?? "").split(" ").includes(String(at));

/** The browser went through its history: to which step, the bar of the page there says. */
function noteArrival() {
    const at = history.state?.[STEP];
    if (at !== undefined) ROOT.dataset.lessonArrived = at;
}

/** For a visit that this window opens anew (`keeper.js`).
    @param {{at: number, elapsed: number, minutes: number, when: number} | null} lesson */
function storeLesson(lesson) {
    try {
        if (lesson) sessionStorage.setItem("caldp.lesson", JSON.stringify(lesson));
        else sessionStorage.removeItem("caldp.lesson");
    } catch { /* a browser that keeps nothing */ }
}

/** @type {(steps: {minutes: number}[]) => number} */
const totalMinutes = steps => steps.reduce((minutes, step) => minutes + step.minutes, 0);
/** @type {(node: Node, text: string) => void} */
const setText = (node, text) => { if (node.textContent !== text) node.textContent = text; };
