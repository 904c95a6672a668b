import assert from "node:assert/strict";
import test, {mock} from "node:test";

import {matchesScene, stepOf} from "../../caldp_ui/stage/web/fitting.js";
import {Replacements, wordsAt} from "../../caldp_ui/stage/web/replacements.js";
import {FilmPlayer} from "../../caldp_ui/stage/web/film.js";
import {nudge} from "../../caldp_ui/stage/web/play.js";
import "./page.js";

const step = (value, changes = {}) => ({
    label: `ε = ${value}`, value, codes: {ours: `at-${value}`}, pooled: {}, subtitles: {}, facts: {}, nobody: {},
    notes: {}, labels: {}, lines: [], shared: [], people: 0, reading: String(value), replacements: {}, ...changes,
});
const film = (changes = {}) => ({
    id: "epsilon", place: 0, label: "ε", follows: true, pace: 4, loops: false, stays: false, dial: "", play: "",
    hides: ["sensitive"], steps: [step(0.5), step(1), step(2)], ...changes,
});
const scene = (value, code = `at-${value}`) => ({
    values: {epsilon: value}, pictures: [{id: "truth", code: "truth"}, {id: "ours", code}],
});
const twoCodes = new Uint8Array([2, 0, 0, 0, 1, 0, 2, 0, 0, 1]);  // two; 1 and 2; the first, the second
const store = {get: async () => twoCodes.buffer};

/** A player whose stage notes what it is told. */
async function player(changes = {}, data = scene(1)) {
    const events = [];
    const stage = {
        data, root: {dataset: {arrangement: "row"}}, readout: {}, updateTexts() {}, paint() {},
        outbox: {add: (kind, record) => events.push([kind, record])},
    };
    const instance = new FilmPlayer(stage);
    await instance.receive(film(changes), store);
    return Object.assign(instance, {events});
}

mock.timers.enable({apis: ["setTimeout", "setInterval"]});

test("the step of a scene is the nearest, and known only if it is that very one", () => {
    assert.deepEqual(stepOf(film(), scene(1)), {index: 1, exact: true});
    assert.deepEqual(stepOf(film(), scene(1.4)), {index: 1, exact: false});
    assert.deepEqual(stepOf(film(), scene(1.6)), {index: 2, exact: false});
    assert.deepEqual(stepOf(film(), scene(1 + 5e-10)), {index: 1, exact: true});
    assert.deepEqual(stepOf(film(), scene(1 + 2e-9)), {index: 1, exact: false});
    assert.deepEqual(stepOf(film(), {values: {}, pictures: []}), {index: 0, exact: false});
    assert.deepEqual(stepOf(film(), undefined), {index: 0, exact: false});
});

test("a film fits a scene only with the scene's own pictures at its step", () => {
    assert.ok(matchesScene(film(), scene(1)));
    assert.ok(!matchesScene(film(), scene(1, "another")));
    assert.ok(!matchesScene(film(), scene(1.4, "at-1")));
});

test("lines that a step leaves out, and those drawn with them, go from the legend, too", async () => {
    const made = await player();
    assert.deepEqual(made.leftOut, []);
    made.show({film: "epsilon", index: 0});
    assert.deepEqual(made.leftOut, ["sensitive", "tint", "far"]);
    assert.deepEqual(made.marksOf({marks: ["blocks", "sensitive"]}), ["blocks"]);
});

test("words of a step stand in for a picture's own, in its alternative text, too", () => {
    const meta = {id: "ours", title: "Ours", subtitle: "56 of 100", alt: "Map, 56 of 100. 3 % off. Low.",
        nobody: 1, marks: [], notes: ["Low", ""], fact: ["3 %", "off"], labels: []};
    assert.deepEqual(wordsAt(null, meta), meta);
    const other = wordsAt(step(1, {subtitles: {ours: "$& of 100"}, facts: {ours: ["4 %", "off"]},
        notes: {ours: ["High", ""]}, nobody: {ours: 2}, labels: {ours: [{title: "here"}]}}), meta);
    assert.equal(other.alt, "Map, $& of 100. 4 % off. High.");
    assert.deepEqual([other.subtitle, other.fact, other.nobody], ["$& of 100", ["4 %", "off"], 2]);
    assert.deepEqual([other.notes[0], other.labels[0].title], ["High", "here"]);
    assert.deepEqual(wordsAt(step(1, {subtitles: {theirs: "no"}}), meta), meta);
});

test("elements stand in for the page's own, as long as a step is shown", () => {
    const own = document.createElement("p");
    document.querySelector = selector => selector === ".words" ? own : null;
    const made = new Replacements();
    made.put({".words": ["p", {className: "big"}, "one ", ["b", {}, "two"]], ".gone": ["p", {}]});
    const {replacement} = own;
    assert.deepEqual([replacement.tag, replacement.className, replacement.children[0]], ["p", "big", "one "]);
    assert.deepEqual([replacement.children[1].tag, replacement.children[1].children], ["b", ["two"]]);
    assert.equal(own.style.display, "none");
    made.remove();
    assert.ok(replacement.removed && own.style.display === "");
    document.querySelector = () => null;
});

test("a film starts where the scene is, and its own slider moves it", async () => {
    const made = await player();
    assert.deepEqual(made.currentStep, {index: 1, isExact: true});
    assert.equal(made.slider.value, "1");
    assert.equal(made.slider.max, "2");
    assert.equal(made.codesOf("ours"), undefined);
    made.slider.value = "2";
    made.slider.dispatchEvent(new Event("input"));
    assert.deepEqual(made.position, {film: "epsilon", index: 2});
    assert.deepEqual([...made.codesOf("ours")], [1, 2]);
    assert.deepEqual(made.marksOf({marks: ["blocks", "sensitive"]}), ["blocks"]);
    assert.ok(made.hasStepOf("ours") && !made.hasStepOf("truth"));
    assert.deepEqual(made.events, [], "nobody is told while the hand moves");
    made.slider.dispatchEvent(new Event("change"));
    assert.deepEqual(made.events, [["step", {film: "epsilon", index: 2, value: 2}]]);
});

test("a hand that comes back has chosen nothing", async () => {
    const made = await player();
    made.slider.value = "0";
    made.slider.dispatchEvent(new Event("input"));
    made.slider.dispatchEvent(new Event("pointerup"));
    mock.timers.tick(0);
    assert.equal(made.position, null);
    assert.deepEqual(made.events, []);
});

test("a film lasts ten seconds, and leads back to where it began", async () => {
    const made = await player();
    made.toggle();
    const steps = Array.from({length: 3}, () => {
        const {index} = made.position;
        mock.timers.tick(10_000 / 3);
        return index;
    });
    assert.deepEqual(steps, [0, 1, 2]);
    assert.equal(made.position, null);
    assert.equal(made.timer, null);
    assert.deepEqual(made.events, [], "nobody is told");
});

test("a film that stays begins at its first step, and the page follows to the last", async () => {
    const made = await player({stays: true});
    for (const _ of [1, 2]) {
        made.toggle();
        assert.equal(made.position.index, 0);
        mock.timers.tick(10_000);
        assert.equal(made.position.index, 2, "it is still there");
        assert.equal(made.timer, null);
        assert.deepEqual(made.events.splice(0), [["step", {film: "epsilon", index: 2, value: 2}]]);
    }
});

test("a film that is stopped stays and says where", async () => {
    const made = await player({}, scene(2));
    made.toggle();
    mock.timers.tick(10_000 / 3);
    made.toggle();
    assert.equal(made.timer, null);
    assert.deepEqual(made.events, [["step", {film: "epsilon", index: 1, value: 1}]]);
});

test("a loop goes round at its pace until it is stopped", async () => {
    const made = await player({loops: true, follows: false});
    made.toggle();
    assert.equal(made.position, null, "it goes on from the scene's own step");
    const steps = Array.from({length: 6}, () => {
        mock.timers.tick(250);
        return made.position.index;
    });
    assert.deepEqual(steps, [2, 0, 1, 2, 0, 1]);
    made.toggle();
    assert.deepEqual(made.events, [], "what does not follow is not told");
    const ended = await player({loops: true}, scene(2));
    ended.toggle();
    assert.equal(ended.position.index, 0, "from its end it begins anew");
    ended.toggle();
});

test("the page's slider is followed as long as the film is of this very scene", async () => {
    const made = await player({dial: ".st-key-epsilon"});
    made.follow("epsilon", "2");
    assert.equal(made.position.index, 2);
    made.follow("epsilon", "0.5");
    assert.equal(made.position.index, 0);
    made.follow("epsilon", "1");
    assert.equal(made.position, null, "back at the scene's own step its own pictures are shown");
    made.follow("epsilon", "7");
    assert.equal(made.position, null);
    made.stage.data = scene(1, "another");
    made.follow("epsilon", "2");
    assert.equal(made.position, null);
});

test("a scene of the film's own lets it play on, any other ends it", async () => {
    const made = await player({loops: true});
    made.toggle();
    mock.timers.tick(250);
    made.followScene();
    assert.ok(made.timer && made.position.index === 2, "the pictures fit");
    made.stage.data = scene(1, "another");
    made.followScene();
    assert.equal(made.timer, null);
    assert.equal(made.position, null);
});

test("a film that went or came anew is not what an older one brings", async () => {
    const made = await player();
    const slow = {get: () => new Promise(done => setTimeout(() => done(twoCodes.buffer), 50))};
    const old = made.receive(film({label: "old"}), slow);
    await made.receive(film({label: "new"}), store);
    mock.timers.tick(50);
    await old;
    assert.equal(made.film.label, "new");
    const {turn} = made.film;
    made.remove("epsilon", turn - 1);
    assert.ok(made.film, "what replaced it stays");
    made.remove("epsilon", turn);
    assert.equal(made.film, undefined);
});

test("a film that comes anew leaves its old step, unless a hand is on it", async () => {
    const made = await player();
    made.slider.value = "2";
    made.slider.dispatchEvent(new Event("input"));
    await made.receive(film(), store);
    assert.equal(made.position.index, 2, "the hand is on it");
    made.settle();
    await made.receive(film(), store);
    assert.equal(made.position, null);
    assert.deepEqual(made.currentStep, {index: 1, isExact: true});
    made.show({film: "another", index: 0});
    assert.deepEqual(made.currentStep, {index: 1, isExact: false}, "another film's step is on the maps");
});

test("what plays says its step in large type", async () => {
    const made = await player({loops: true});
    assert.ok(made.largeText.hidden);
    made.toggle();
    mock.timers.tick(250);
    assert.ok(!made.largeText.hidden && made.playButton.hidden && !made.stopButton.hidden);
    assert.equal(made.largeText.textContent, "ε = 2");
    assert.deepEqual([made.largeText.tag, made.stepText.tag], ["span", "span"], "no step is spoken");
    made.toggle();
    assert.ok(made.largeText.hidden && !made.playButton.hidden && made.stopButton.hidden);
});

test("keys go along the slider and are told once they rest", async () => {
    const made = await player({dial: ".st-key-epsilon"});
    nudge(made, 1);
    nudge(made, 1);
    assert.equal(made.position.index, 2, "the last step is the end");
    nudge(made, -2);
    nudge(made, -1);
    assert.equal(made.position.index, 0, "so is the first");
    nudge(made, 2);
    mock.timers.tick(699);
    assert.deepEqual(made.events, []);
    mock.timers.tick(1);
    assert.deepEqual(made.events, [["step", {film: "epsilon", index: 2, value: 2}]]);
});

test("films stand in their order, and the chosen one is shown", async () => {
    const made = await player({place: 1});
    await made.receive(film({id: "outcome", place: 0, label: "Outcomes"}), store);
    assert.deepEqual(made.playableFilms.map(({id}) => id), ["outcome", "epsilon"]);
    assert.equal(made.film.id, "outcome");
    made.choose("epsilon");
    assert.equal(made.film.id, "epsilon");
});
