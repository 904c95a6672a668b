import assert from "node:assert/strict";
import test, {mock} from "node:test";

mock.timers.enable({apis: ["setTimeout"]});
let now = 1000;
performance.now = () => now;
const hands = new EventTarget();
globalThis.addEventListener = (...how) => hands.addEventListener(...how);
const {default: mount} = await import("../../caldp_ui/parts/web/still.js");

/** Time goes by, as timers and the clock see it. */
function pass(milliseconds) {
    for (let left = milliseconds; left > 0; left -= 10) {
        now += 10;
        mock.timers.tick(10);
    }
}

/** A component that notes what it tells. */
function waiting(name) {
    const events = [], parent = {isConnected: true};
    const show = (other = name) => mount({
        data: [other, 400], parentElement: parent, setTriggerValue: (...event) => events.push(event),
    });
    show();
    return {events, parent, show};
}

test("it tells once that nothing has moved for a while", () => {
    const {events, show} = waiting("here");
    pass(390);
    assert.deepEqual(events, []);
    pass(10);
    assert.deepEqual(events, [["still", "here"]]);
    show();
    pass(1000);
    assert.equal(events.length, 1, "the same again is no news");
});

test("a hand puts it off", () => {
    const {events} = waiting("here");
    for (const kind of ["keydown", "pointerdown", "pointerup", "input", "wheel"]) {
        pass(300);
        hands.dispatchEvent(new Event(kind));
    }
    pass(390);
    assert.deepEqual(events, []);
    pass(10);
    assert.deepEqual(events, [["still", "here"]]);
});

test("of what has come since the last is told, and nothing of what is gone", () => {
    const changed = waiting("here"), gone = waiting("elsewhere");
    pass(200);
    changed.show("there");
    gone.parent.isConnected = false;
    pass(600);
    assert.deepEqual(changed.events, [["still", "there"]]);
    assert.deepEqual(gone.events, []);
});
