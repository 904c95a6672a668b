import assert from "node:assert/strict";
import test, {mock} from "node:test";

import {Grid, runsOf} from "../../caldp_ui/stage/web/grid.js";
import {Outbox} from "../../caldp_ui/stage/web/outbox.js";
import {Tools} from "../../caldp_ui/stage/web/tools.js";
import {SMALL} from "./page.js";

mock.timers.enable({apis: ["setTimeout"]});

/** A stage whose tools are to be used; `events`: those that Python would receive. */
function tools(tool, actions = [{id: "protect", label: "Protect", effects: {[tool]: "Will be sensitive."}}]) {
    const events = [], grid = new Grid({...SMALL, rows: 10, columns: 10});
    const labels = Uint32Array.from({length: 100}, (_, cell) => grid.row(cell) < 5 ? 3 : 8);
    const made = new Tools({
        grid, labels, data: {actions, hint: "Look.", ground: {labels: "there"}}, requestPaint() {},
        film: {stop() {}}, toolbar: {update() {}},
        outbox: {add: (kind, record) => events.push([kind, record])},
    });
    made.take(tool);
    return Object.assign(made, {events});
}

test("a box is told in degrees, whichever corner it began at", () => {
    for (const [from, to] of [[12, 45], [45, 12], [15, 42], [42, 15]]) {
        const made = tools("box");
        made.begin(from, 0);
        made.extend(99, 0);
        made.extend(to, 0);
        made.finish();
        assert.deepEqual(made.events, [["act",
            {tool: "box", action: "protect", box: [11, 15, 22, 26]}]]);
    }
});

test("a brush takes all cells on the way, and as many around as a finger is wide", () => {
    const made = tools("brush");
    made.begin(0, 0);
    made.extend(55, 0);
    made.finish();
    const diagonal = [0, 11, 22, 33, 44, 55];
    assert.equal(made.events[0][1].cells, runsOf(diagonal));
    const back = tools("brush");
    back.begin(58, 0);
    back.extend(45, 0);
    back.extend(25, 0);
    back.finish();
    assert.equal(back.events[0][1].cells, runsOf([58, 57, 46, 45, 35, 25]));
    const wide = tools("brush");
    wide.begin(55, 7 / 1.5);
    wide.finish();
    const around = [45, 54, 55, 56, 65];
    assert.equal(wide.events[0][1].cells, runsOf(around), "seven pixels are a cell and a half");
    const corner = tools("brush");
    corner.begin(0, 7 / 1.5);
    corner.finish();
    assert.equal(corner.events[0][1].cells, runsOf([0, 1, 10]), "none beyond the map");
});

test("a block is told by its number, also the one that is 0", () => {
    const made = tools("blocks");
    made.stage.labels.fill(0, 0, 10);
    for (const [cell, block] of [[99, 8], [20, 3], [4, 0]]) {
        made.hover(cell);
        assert.deepEqual(made.draft, {block});
        made.begin(cell, 0);
        made.finish();
        assert.equal(made.events.at(-1)[1].block, block);
    }
    made.settle();
    made.hover(0);
    assert.deepEqual(made.draft, {block: 0});
    made.hover(-1);
    assert.equal(made.draft, null);
});

test("what is drawn is seen until Python's answer is there, or never comes", () => {
    const made = tools("box");
    made.begin(12, 0);
    made.finish();
    assert.ok(made.path());
    mock.timers.tick(3999);
    assert.ok(made.draft);
    mock.timers.tick(1);
    assert.equal(made.path(), null);
});

test("what is drawn is a path: a box by its edges, cells and blocks with their border", () => {
    const box = tools("box");
    box.begin(12, 0);
    const {fill, edge} = box.path();
    assert.deepEqual(fill.steps, [["rect", 22, 11, 1, 1]]);
    assert.equal(edge, fill);
    const blocks = tools("blocks");
    blocks.hover(0);
    const lit = blocks.path();
    assert.deepEqual(lit.fill.steps, Array.from({length: 5}, (_, row) => ["rect", 20, 10 + row, 10, 1]));
    assert.equal(lit.edge.steps.length, 8, "four sides");
    assert.equal(blocks.path(), lit, "made once");
});

test("what is given up, or has no action, is not told", () => {
    const made = tools("box");
    made.begin(12, 0);
    made.cancel();
    made.finish();
    made.begin(-1, 0);
    made.extend(12, 0);
    made.finish();
    const idle = tools("box", []);
    idle.begin(12, 0);
    idle.finish();
    assert.deepEqual([...made.events, ...idle.events], []);
    assert.equal(idle.draft, null);
});

test("a click does something only where the page wants one, and no tool draws", () => {
    const made = tools("look");
    assert.ok(made.takesClicks && !tools("look", []).takesClicks && !tools("box").takesClicks);
    made.click(7);
    assert.deepEqual(made.events, [["act", {tool: "look", action: "protect", cells: "7+1"}]]);
    made.click(-1);
    const drawing = tools("box"), idle = tools("look", []);
    drawing.click(7);
    idle.click(7);
    assert.equal(made.events.length + drawing.events.length + idle.events.length, 1);
});

test("a tool is offered where an action is for it, blocks where there are some", () => {
    const made = tools("blocks");
    assert.ok(made.isOffered("look") && made.isOffered("blocks") && !made.isOffered("box"));
    made.stage.data.ground.labels = null;
    assert.ok(!made.isOffered("blocks"));
});

test("the chosen action says what will happen", () => {
    const effects = text => ({box: text});
    const made = tools("box", [{id: "a", label: "A", effects: effects("first")},
        {id: "b", label: "B", effects: effects("second")}, {id: "c", label: "C", effects: {brush: "third"}}]);
    assert.deepEqual(made.actions.map(({id}) => id), ["a", "b"]);
    assert.equal(made.sentence, "first");
    made.choose("b");
    assert.equal(made.sentence, "second");
    made.choose("c");
    assert.equal(made.sentence, "first");
    made.take("look");
    assert.equal(made.sentence, "Look.");
});

/** One after the other: what waits may wait again. */
function seconds(count) {
    for (let i = 0; i < count; i++) mock.timers.tick(1000);
}

/** An outbox, what it sent, and whether the page is at rest. */
function outbox() {
    const sent = [], made = new Outbox();
    made.emit = (_event, batch) => sent.push(structuredClone(batch));
    document.querySelector = () => made.rests ? {} : null;
    return Object.assign(made, {sent, rests: true});
}

test("all that nobody has confirmed is told together, in order", () => {
    const made = outbox();
    made.add("act", {tool: "box"});
    made.add("step", {film: "epsilon"});
    assert.deepEqual(made.sent.map(({events}) => events.map(({serial}) => serial)), [[1], [1, 2]]);
    assert.ok(made.hasAct(({tool}) => tool === "box") && !made.hasAct(({film}) => film));
    made.confirm({client: "another", serial: 2});
    assert.ok(made.isPending(1));
    made.confirm({client: made.client, serial: 1});
    assert.ok(!made.isPending(1) && made.isPending(2));
    made.confirm({client: made.client, serial: 2});
    seconds(60);
    assert.equal(made.sent.length, 2, "what is confirmed is not told again");
});

test("it is told again only to a page at rest, and five times at most", () => {
    const made = outbox();
    made.rests = false;
    made.add("act", {});
    seconds(5);
    assert.equal(made.sent.length, 1);
    made.rests = true;
    seconds(60);
    assert.equal(made.sent.length, 5);
    assert.ok(!made.isPending(1));
    made.add("act", {});
    assert.deepEqual(made.sent.at(-1).events.map(({serial}) => serial), [2]);
    made.leave();
});
