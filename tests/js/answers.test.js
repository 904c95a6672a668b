import assert from "node:assert/strict";
import test from "node:test";

import {parseRuns as read, percent, formatRuns} from "../../caldp_ui/values/web/text.js";
import {beside} from "./python.js";

beside("answers", "ticked answers are written as Python writes them, and read back", sets => {
    assert.ok(sets.length > 50);
    for (const {symbols, text} of sets) {
        assert.equal(formatRuns(symbols), text);
        assert.deepEqual(read(text), symbols);
    }
});

test("shares have as many decimals as they can be told apart by", () => {
    const right = [[0, "0 %"], [0.5, "50 %"], [0.0994, "9.9 %"], [0.0995, "10 %"], [0.00095, "0.1 %"],
        [0.0009, "0.090 %"], [-0.034, "-3.4 %"], [1, "100 %"]];
    for (const [share, text] of right) assert.equal(percent(share), text, String(share));
});
