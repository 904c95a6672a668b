/* The exhibit: how much must your phone hide, and what does the map pay? On the left the reader, on
   the right everybody's map, below them the curve along which one drags. All pictures come with the
   page; the server hears of the size and of ε once the reader lets go, and of the pin never. */

import {readAtlas} from "./atlas.js";
import {Card} from "./card.js";
import {Colours} from "./colours.js";
import {Country, isCalm} from "./country.js";
import {Curve, epsilonText} from "./curve.js";
import {counted, el, people, setText} from "./dom.js";
import {Hiding} from "./hiding.js";
import {Picture, hub, whenGone} from "./hub.js";
import {Outbox} from "./outbox.js";

/** What the page shows, as a text: the index of the size and of ε, and whether it opens by gliding.
    @typedef {{size: number, epsilon: number, glides: boolean}} Choice */

/** @type {WeakMap<Mount, Exhibit>} */
const instances = new WeakMap();
const SPEAK_MS = 450, REPORT_MS = 400, WAIT_MS = 900, GLIDE_MS = 2600, SETTLE_MS = 140;

/** `address`: where the data are, beside the page; "" where they come with the message.
    @param {Component<Message.ExhibitMessage>} component */
export default function mount({data: message, parentElement: parent, setTriggerValue}) {
    const {key, content, receipt} = message;
    const exhibit = instances.get(parent) ?? new Exhibit(parent.querySelector(".exhibit"), message);
    instances.set(parent, exhibit);
    hub.set(key, exhibit);
    exhibit.outbox.emit = setTriggerValue;
    exhibit.outbox.confirm(receipt);
    exhibit.take(content);
    exhibit.recolour();
    return whenGone(parent, () => {
        exhibit.end();
        if (hub.get(key) === exhibit) hub.delete(key);
    });
}

/** Where the data of the exhibit are: in the message, or at this address of the server.
    @param {Message.ExhibitMessage} message
    @returns {Promise<Message.Exhibit>} */
async function load({data, address}) {
    if (data) return data;
    /** @type {any} */
    const page = globalThis;
    const answer = await fetch(new URL(address, page.__streamlit?.BACKEND_BASE_URL ?? location.href));
    if (!answer.ok) throw new Error(`${answer.url} did not come: ${answer.status}`);
    return answer.json();
}

class Exhibit extends Picture {
    size = 0;
    epsilon = 0;
    isHolding = false;
    /** Whether the reader has moved anything: what moves by itself stops for good. */
    isTouched = false;
    /** The number of the latest glide: an earlier one that is still at work stops. */
    glide = 0;
    /** @type {number | undefined} */ speakTimer;
    /** @type {number | undefined} */ reportTimer;
    /** What was reported last, or came from the server.
        @type {string | undefined} */
    known;
    /** @type {import("./atlas.js").Atlas} */ atlas;
    /** @type {Country} */ all;
    /** @type {Country} */ you;
    /** @type {Hiding} */ hiding;
    /** @type {Curve} */ curve;
    /** @type {Card} */ card;
    /** @type {Colours} */ colours;
    /** @type {Choice | undefined} What came before the data. */
    first;
    /** @type {HTMLElement} */ sentence;
    /** @type {HTMLElement} What screen readers hear once the reader rests. */ spoken;
    /** @type {HTMLButtonElement} */ keep;
    /** @type {HTMLSelectElement} */ city;
    /** @type {HTMLElement} */ youMap;
    /** @type {HTMLElement} */ youTitle;
    /** @type {HTMLElement} */ youCaption;
    /** @type {HTMLElement} */ allMap;
    /** @type {HTMLElement} */ allTitle;
    /** @type {HTMLCanvasElement} */ allCanvas;
    /** @type {HTMLButtonElement} */ hold;
    /** @type {HTMLElement} On the map: that it is the truth. */ tag;
    /** @type {HTMLElement} Of the legend. */ bar;
    /** @type {HTMLFieldSetElement} */ epsilons;
    /** @type {HTMLElement} */ curveHost;
    /** @type {HTMLDialogElement} */ dialog;
    /** @type {MutationObserver | undefined} */ themeObserver;
    /** @type {MediaQueryList | undefined} */ scheme;
    onScheme = () => this.recolour();

    /** @param {HTMLElement} root
        @param {Message.ExhibitMessage} message */
    constructor(root, message) {
        super(content => this.follow(JSON.parse(content)));
        this.root = root;
        this.words = message.words;
        this.outbox = new Outbox();
        this.address = message.address;
        this.build();
        load(message).then(readAtlas).then(atlas => this.begin(atlas));
    }

    /** The elements, which have their place before anything is drawn. */
    build() {
        const {words} = this;
        this.sentence = el("p", {className: "sentence"});
        this.spoken = el("p", {className: "unseen", role: "status"});
        this.keep = el("button", {type: "button", className: "primary", disabled: true}, words.keep);
        this.city = el("select", {"aria-label": words.pin_label}, el("option", {value: ""}, words.pin));
        this.youMap = el("div", {className: "map crosshair", tabIndex: 0, role: "group"}, el("canvas"));
        this.youTitle = el("h2");
        this.youCaption = el("figcaption");
        this.allTitle = el("h2", {}, words.all_title);
        this.hold = el("button", {type: "button", className: "hold", "aria-pressed": "false"}, words.hold);
        this.tag = el("p", {className: "tag", hidden: true}, words.truth_shown);
        this.allCanvas = el("canvas", {role: "img"});
        this.allMap = el("div", {className: "map"}, this.allCanvas, this.tag);
        this.bar = el("i", {className: "bar"});
        const [none, least, most] = [words.none, words.least, words.most];
        const legend = el("span", {className: "legend"}, `${words.legend} `, el("i", {className: "none"}),
            ` ${none} · ${least} `, this.bar, ` ${most} `, el("span", {className: "wide"}, words.scale));
        this.epsilons = el("fieldset", {className: "epsilons"}, el("legend", {className: "unseen"}, words.epsilon));
        const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        drawing.setAttribute("aria-hidden", "true");
        this.curveHost = el("div", {className: "curve"}, drawing,
            el("input", {type: "range", min: 0, step: 1, "aria-label": words.slider_label}));
        this.dialog = el("dialog", {"aria-label": words.keep});
        this.root.append(
            el("div", {className: "top"}, this.sentence, this.keep),
            el("div", {className: "grid"},
                el("figure", {className: "you"},
                    el("div", {className: "head"}, this.youTitle, this.city),
                    this.youMap, this.youCaption),
                el("figure", {className: "all"},
                    el("div", {className: "head"}, this.allTitle, this.hold),
                    this.allMap,
                    el("figcaption", {}, legend, el("span", {className: "wide"}, words.draw))),
                el("div", {className: "slider"},
                    el("div", {className: "noise"}, el("span", {"aria-hidden": "true"}, words.epsilon),
                        this.epsilons),
                    this.curveHost)),
            this.spoken, this.dialog);
    }

    /** All is there: show it.
        @param {import("./atlas.js").Atlas} atlas */
    begin(atlas) {
        const {words} = this;
        this.atlas = atlas;
        this.colours = new Colours(this.root, atlas.data.ramps);
        this.all = new Country(this.allMap, atlas.data, this.colours, 2);
        this.you = new Country(this.youMap, atlas.data, this.colours, 1);
        this.hiding = new Hiding(this.you, atlas, words,
            reports => counted(people(reports), words.report, words.reports));
        this.curve = new Curve(this.curveHost, atlas, words, {
            move: (position, event) => this.drag(position, event),
            drop: () => this.drop(),
            step: size => this.chooseSize(size),
        });
        const page = this.address ? new URL(location.pathname, location.href).href : "";
        this.card = new Card(this.dialog, atlas, words, this.colours, page);
        this.addCities();
        this.addEpsilons();
        this.listen();
        this.watchTheme();
        this.paintLegend();
        this.keep.disabled = false;
        const {size = 0, epsilon = 0, glides = false} = this.first ?? {};
        this.epsilon = epsilon;
        const isGliding = glides && !this.isTouched && !isCalm();
        this.isTouched ||= !glides;
        this.place(isGliding ? 0 : size);
        if (isGliding) this.open(size);
        this.root.dataset.ready = "";
    }

    addCities() {
        this.atlas.data.cities.forEach(([name], i) => {
            this.city.append(el("option", {value: String(i)}, name));
        });
    }

    addEpsilons() {
        const {data} = this.atlas;
        this.epsilons.append(...data.epsilons.map((epsilon, e) => {
            const spoken = this.words.epsilon_choice
                .replace("{epsilon}", String(epsilon)).replace("{odds}", data.odds[e]);
            const choice = el("input", {type: "radio", name: "epsilon", value: String(e), "aria-label": spoken});
            return el("label", {}, choice, epsilonText(epsilon));
        }));
    }

    listen() {
        // Whatever is touched, the opening ends: a key that changes nothing as well.
        this.root.addEventListener("pointerdown", () => this.stopOpening(), {capture: true});
        this.root.addEventListener("keydown", event => {
            if (event.key !== "Tab") this.stopOpening();
        }, {capture: true});
        this.epsilons.addEventListener("change", event => {
            this.touch();
            this.epsilon = Number(/** @type {HTMLInputElement} */ (event.target).value);
            this.place(this.size);
            this.report();
        });
        this.city.addEventListener("change", () => {
            const city = this.atlas.data.cities[Number(this.city.value)];
            if (this.city.value && city) this.putPin({lat: city[1], lon: city[2]});
        });
        this.youMap.addEventListener("click", event => {
            const {left, top} = this.youMap.getBoundingClientRect(), {ratio} = this.you.projection.frame;
            this.city.value = "";
            this.putPin(this.you.projection.place((event.clientX - left) * ratio, (event.clientY - top) * ratio));
        });
        this.youMap.addEventListener("keydown", event => this.movePin(event));
        this.keep.addEventListener("click", () => {
            this.touch();
            this.place(this.size);
            this.card.open(this.epsilon, this.size, this.sentenceText());
        });
        this.listenToHold();
    }

    /** Press and hold, by pointer or key; a switch for screen readers, whose click has no press. */
    listenToHold() {
        const {hold} = this;
        hold.addEventListener("pointerdown", event => {
            this.touch();
            hold.setPointerCapture(event.pointerId);
            this.setHolding(true);
        });
        for (const end of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) {
            hold.addEventListener(end, () => this.setHolding(false));
        }
        hold.addEventListener("keydown", event => {
            if (event.key !== " " && event.key !== "Enter") return;
            event.preventDefault();
            if (!event.repeat) this.setHolding(true);
        });
        hold.addEventListener("keyup", event => {
            if (event.key === " " || event.key === "Enter") this.setHolding(false);
        });
        hold.addEventListener("click", event => {
            const isPressed = event.detail > 0;
            if (!isPressed) this.setHolding(!this.isHolding);
        });
        hold.addEventListener("contextmenu", event => event.preventDefault());
        this.allMap.addEventListener("pointerdown", event => {
            if (event.pointerType !== "mouse" || event.button) return;
            this.touch();
            this.setHolding(true);
            addEventListener("pointerup", () => this.setHolding(false), {once: true});
        });
    }

    /** Follow the page's theme: canvases do not. */
    watchTheme() {
        this.themeObserver = new MutationObserver(() => this.recolour());
        const app = document.querySelector("[data-testid=stApp]");
        if (app) this.themeObserver.observe(app, {attributeFilter: ["class"]});
        this.scheme = matchMedia("(prefers-color-scheme: dark)");
        this.scheme.addEventListener("change", this.onScheme);
    }

    recolour() {
        if (!this.colours?.refresh()) return;
        this.all.recolour();
        this.you.recolour();
        this.paintLegend();
    }

    paintLegend() {
        const [, ...levels] = this.colours.levels(), steps = levels.filter((_, i) => i % 3 === 0);
        this.bar.style.background =
            `linear-gradient(90deg, ${steps.map(colour => `rgb(${colour.join()})`).join()})`;
    }

    end() {
        clearTimeout(this.speakTimer);
        clearTimeout(this.reportTimer);
        this.glide += 1;
        this.outbox.leave();
        this.all?.end();
        this.you?.end();
        this.curve?.end();
        this.themeObserver?.disconnect();
        this.scheme?.removeEventListener("change", this.onScheme);
    }

    /** What the page says is shown: a link, or a step in the browser's history.
        @param {Choice} choice */
    follow(choice) {
        const text = JSON.stringify([choice.size, choice.epsilon]);
        if (!this.atlas) this.first = choice;
        else if (text !== this.known && !this.curve.isDragging && !this.outbox.waiting.length) {
            this.touch();
            this.epsilon = choice.epsilon;
            this.place(choice.size);
        }
        this.known = text;
    }

    /** Tell the page, which writes it into the address. */
    report() {
        clearTimeout(this.reportTimer);
        this.reportTimer = setTimeout(() => this.send(), REPORT_MS);
    }

    send() {
        clearTimeout(this.reportTimer);
        const text = JSON.stringify([this.size, this.epsilon]);
        if (!this.address || text === this.known) return;
        this.known = text;
        const {keys, epsilons} = this.atlas.data;
        this.outbox.add("choose", {size: keys[this.size], epsilon: epsilons[this.epsilon]});
    }

    /** The first touch stops for good what moves by itself. */
    touch() {
        this.isTouched = true;
        this.glide += 1;
    }

    stopOpening() {
        if (this.isTouched) return;
        this.touch();
        this.place(this.size);
    }

    /** @param {number} position
        @param {PointerEvent} event */
    drag(position, event) {
        this.touch();
        const size = Math.round(position), isOther = size !== this.size;
        if (isOther) {
            const {timeStamp} = event;
            // For whoever measures: when the pointer moved, and when the picture was drawn.
            this.all.onDrawn = () => this.root.dispatchEvent(
                new CustomEvent("drawn", {detail: performance.now() - timeStamp}));
            this.setSize(size);
        }
        this.curve.show(this.epsilon, position, false);
    }

    drop() {
        this.glideTo(this.size, SETTLE_MS);
        this.speak();
        this.send();
    }

    /** @param {number} size */
    chooseSize(size) {
        this.touch();
        this.setSize(size);
        this.glideTo(size, SETTLE_MS);
        this.speak();
        this.report();
    }

    /** Show a size and ε at once.
        @param {number} size */
    place(size) {
        this.size = size;
        const radio = this.epsilons.querySelectorAll("input")[this.epsilon];
        if (radio) radio.checked = true;
        this.curve.show(this.epsilon, size, !this.isTouched);
        this.hiding.hideIn(size);
        this.showMap();
        this.write();
    }

    /** @param {number} size */
    setSize(size) {
        if (size === this.size) return;
        this.size = size;
        this.hiding.hideIn(size);
        this.showMap();
        this.write();
    }

    showMap() {
        this.all.show(this.isHolding ? this.atlas.truth : this.atlas.frames[this.epsilon][this.size]);
    }

    /** Move the handle to a size.
        @param {number} size
        @param {number} time in ms
        @param {(position: number) => void} [onStep] */
    glideTo(size, time, onStep) {
        const from = this.curve.position, start = performance.now(), glide = ++this.glide;
        const move = () => {
            if (glide !== this.glide || this.curve.isDragging) return;
            const part = isCalm() ? 1 : Math.min(1, (performance.now() - start) / time);
            const eased = part < 0.5 ? 2 * part * part : 1 - 2 * (1 - part) ** 2;
            const position = from + (size - from) * eased;
            onStep?.(position);
            this.curve.show(this.epsilon, position, !this.isTouched);
            if (part < 1) requestAnimationFrame(move);
        };
        move();
    }

    /** The first seconds: from plain LDP to the blocks that the page begins with.
        @param {number} size */
    open(size) {
        const glide = this.glide;
        setTimeout(() => {
            if (this.isTouched || glide !== this.glide) return;
            this.glideTo(size, GLIDE_MS, position => this.setSize(Math.round(position)));
        }, WAIT_MS);
    }

    /** @param {import("./atlas.js").Place} place */
    putPin(place) {
        this.hiding.put(place);
        this.write();
    }

    /** @param {KeyboardEvent} event */
    movePin(event) {
        /** @type {Record<string, [east: number, north: number]>} */
        const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
        const step = steps[event.key];
        if (!step) return;
        event.preventDefault();
        const {lat, lon} = this.hiding.pin, {cell} = this.atlas.data.grid;
        this.city.value = "";
        this.putPin({lat: lat + step[1] * cell, lon: lon + step[0] * cell});
        this.speak();
    }

    /** @param {boolean} isHolding */
    setHolding(isHolding) {
        if (isHolding === this.isHolding) return;
        this.isHolding = isHolding;
        this.hold.setAttribute("aria-pressed", String(isHolding));
        this.showMap();
        this.write();
        if (isHolding) this.speak(this.words.truth_shown);
    }

    /** What the sentence and the captions say. */
    write() {
        const {words, size, epsilon, atlas: {data}} = this;
        const wrong = data.wrong[epsilon][size], kind = size ? "ours" : "plain";
        const parts = {block: el("b", {}, data.names[size]), wrong: el("b", {className: kind}, wrong)};
        this.sentence.replaceChildren(...fill(size ? words.blocks : words.country, parts));
        const cells = words.cells.replace("{cells}", people(this.hiding.cells));
        setText(this.youTitle, words.you_title.replace("{cells}", cells));
        this.youCaption.replaceChildren(...fill(words.guess, {odds: el("b", {}, data.odds[epsilon])}));
        const reports = counted(people(this.atlas.reportsOf(this.hiding.home)), words.report, words.reports);
        const pin = this.hiding.isExample ? words.example_pin : words.own_pin;
        this.youMap.setAttribute("aria-label", words.you_alt.replace("{pin}", pin)
            .replace("{block}", data.names[size]).replace("{cells}", cells).replace("{reports}", reports));
        setText(this.allTitle, this.isHolding ? words.truth_title : words.all_title);
        this.tag.hidden = !this.isHolding;
        const alt = this.isHolding ? words.truth_alt : words.all_alt;
        this.allCanvas.setAttribute("aria-label", `${alt} ${this.sentenceText()}`);
    }

    sentenceText() { return this.sentence.textContent ?? ""; }

    /** Once the reader rests, for those who listen.
        @param {string} text */
    speak(text = this.sentenceText()) {
        clearTimeout(this.speakTimer);
        this.speakTimer = setTimeout(() => setText(this.spoken, text), SPEAK_MS);
    }
}

/** The parts of a sentence, with elements at its places in braces.
    @param {string} sentence
    @param {Record<string, HTMLElement>} elements
    @returns {(string | HTMLElement)[]} */
const fill = (sentence, elements) =>
    sentence.split(/[{}]/).map((part, i) => i % 2 ? elements[part] ?? "" : part);
