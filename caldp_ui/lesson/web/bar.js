/* The lesson's bar: one segment a step, the minute, the step, what to take home, and the next step
   by its name. Page up and page down, as clickers send them, go to the step before and after. */

/** @type {WeakMap<Mount, Bar>} */
const instances = new WeakMap();
const USES_THE_KEYS = "input, textarea, select, [contenteditable], [role=slider], [role=listbox], "
    + "[role=dialog], [role=tabpanel]";
const ROOT = document.documentElement;

/** @param {Component<[Message.Lesson]>} component */
export default function mount({data: [told], parentElement: parent, setTriggerValue}) {
    let bar = instances.get(parent);
    if (!bar) instances.set(parent, bar = new Bar(parent.querySelector(".lesson")));
    bar.emit = setTriggerValue;
    bar.take(told);
    // Streamlit also cleans up after a run that a newer one overtook.
    return () => setTimeout(() => { if (!(parent.host ?? parent).isConnected) bar.end(); });
}

/** @template {keyof HTMLElementTagNameMap} Tag
    @param {Tag} tag
    @param {string} className
    @param {...(Node | string)} children
    @returns {HTMLElementTagNameMap[Tag]} */
function el(tag, className, ...children) {
    const made = document.createElement(tag);
    made.className = className;
    made.append(...children);
    if (made instanceof HTMLButtonElement) made.type = "button";
    return made;
}

/** Words between pairs of asterisks are bold.
    @type {(text: string) => (Node | string)[]} */
const bold = text => text.split("**").map((part, i) => (i % 2 ? el("b", "", part) : part));

class Bar {
    /** @type {Message.Lesson} From the first message on. */
    told;
    /** @type {(event: string, value: unknown) => void} Streamlit's, of each run. */
    emit;
    /** When the lesson began, by the window's own clock. */
    from = 0;
    /** Whether the next step has been asked for. */
    waits = false;

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
        this.all = el("small", "");
        root.append(this.track,
            this.back,
            el("p", "clock", el("span", "", this.minute, this.all), this.state),
            el("p", "step", this.count, this.title),
            el("p", "home", el("small", "", "Take home"), this.home),
            this.notes, this.next, this.panel);
        this.back.onclick = () => this.go(this.told.at - 1);
        this.next.onclick = () => this.go(this.told.at + 1);
        this.notes.onclick = () => this.open(Boolean(this.panel.hidden));
        /** @type {(event: KeyboardEvent) => void} */
        this.hear = event => this.key(event);
        document.addEventListener("keydown", this.hear);
        this.timer = setInterval(() => this.tick(), 1000);
        this.presented = new MutationObserver(() => this.lift());
        this.presented.observe(ROOT, {attributes: true, attributeFilter: ["data-presenting"]});
        ROOT.dataset.lesson = "";
        this.lift();
    }

    end() {
        clearInterval(this.timer);
        this.presented.disconnect();
        document.removeEventListener("keydown", this.hear);
        if (document.querySelector(".st-key-lesson-bar")) return;  // another one has taken over
        delete ROOT.dataset.lesson;
    }

    /** Above what is presented, which is above everything else on the page. */
    lift() {
        const presenting = "presenting" in ROOT.dataset;
        if (this.root.matches(":popover-open")) this.root.hidePopover();
        if (presenting) {
            this.root.setAttribute("popover", "manual");
            this.root.showPopover();
        } else this.root.removeAttribute("popover");
    }

    /** @param {Message.Lesson} told */
    take(told) {
        const other = this.told?.at !== told.at;
        this.told = told;
        this.from = performance.now() - 1000 * told.elapsed;
        this.waits = false;
        keep({at: told.at, elapsed: told.elapsed, when: Date.now()});
        if (other) this.write();
        this.tick();
    }

    write() {
        const {at, steps} = this.told, {title, home, do: notes} = steps[at];
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
        this.next.hidden = !after;
        this.next.textContent = after ? `Next: ${after.title} →` : "";
        const end = el("button", "end", "End the lesson");
        end.onclick = () => {
            keep(null);
            this.emit("end", true);
        };
        this.panel.replaceChildren(el("p", "", ...bold(notes)), end);
        this.open(false);
    }

    /** @param {boolean} now */
    open(now) {
        this.panel.hidden = !now;
        this.notes.setAttribute("aria-expanded", String(now));
    }

    /** @param {number} number */
    go(number) {
        if (this.waits || !this.told.steps[number]) return;
        this.waits = true;  // a clicker that is pressed twice goes one step
        this.emit("go", number);
    }

    tick() {
        const {at, steps} = this.told, seconds = (performance.now() - this.from) / 1000;
        const starts = steps.map((_, i) => 60 * sum(steps.slice(0, i)));
        const all = sum(steps), ends = starts[at] + 60 * steps[at].minutes;
        say(this.minute, `${Math.floor(seconds / 60)}`);
        say(this.all, ` of ${all} min`);
        const late = Math.ceil((seconds - ends) / 60), early = Math.floor((starts[at] - seconds) / 60);
        say(this.state, late > 0 ? `${late} min late` : early > 0 ? `${early} min early` : "✓ on time");
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
        const ways = {PageDown: 1, PageUp: -1};
        if (event.key === "Escape" && !this.panel.hidden) this.open(false);
        if (event.defaultPrevented || !(event.key in ways)) return;
        if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
        const used = event.composedPath().some(
            node => node instanceof Element && node.matches(USES_THE_KEYS));
        if (used || document.querySelector("[role=dialog]")) return;
        event.preventDefault();
        this.go(this.told.at + ways[event.key]);
    }
}

/** For a visit that this window opens anew (`keeper.js`).
    @param {{at: number, elapsed: number, when: number} | null} lesson */
function keep(lesson) {
    try {
        if (lesson) sessionStorage.setItem("caldp.lesson", JSON.stringify(lesson));
        else sessionStorage.removeItem("caldp.lesson");
    } catch { /* a browser that keeps nothing */ }
}

/** @type {(steps: {minutes: number}[]) => number} */
const sum = steps => steps.reduce((minutes, step) => minutes + step.minutes, 0);
/** @type {(node: Node, text: string) => void} */
const say = (node, text) => { if (node.textContent !== text) node.textContent = text; };
