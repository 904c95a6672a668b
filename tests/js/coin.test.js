import assert from "node:assert/strict";
import test from "node:test";

import {coinsFrom} from "../../caldp_core/collect/js/client.js";
import {freshToken, throwCoin} from "../../caldp_ui/room/web/coin.js";
import {beside} from "./python.js";

const ONE = 2 ** 48;

beside("coins", "each report is drawn by exactly the numbers that its law gives it", laws => {
    for (const {law, draws} of laws) {
        for (const {x, numbers, report} of draws) {
            const left = [...numbers];
            assert.equal(throwCoin(x, law, () => left.shift()), report);
            assert.equal(left.length, 0, "all that is drawn is used");
        }
    }
});

test("a coin falls below its threshold alone", () => {
    const of = number => coinsFrom(() => number);
    assert.ok(of(4).coin(5) && !of(5).coin(5) && !of(0).coin(0) && of(ONE - 1).coin(ONE));
});

test("numbers that would favour some are drawn again", () => {
    for (const bound of [3, 10, 2 ** 40 + 1]) {
        const fair = ONE - ONE % bound, left = [ONE - 1, fair, fair - 1];
        assert.equal(coinsFrom(() => left.shift()).below(bound), (fair - 1) % bound);
        assert.equal(left.length, 0);
    }
    const kept = [ONE - 1];
    assert.equal(coinsFrom(() => kept.shift()).below(2 ** 20), 2 ** 20 - 1, "of a power of 2 none is");
});

test("a token is 32 hexadecimal digits of the coin's numbers", () => {
    const left = [0, 1, ONE - 1];
    assert.equal(freshToken(() => left.shift()), "000000000000000000000001ffffffff");
    assert.match(freshToken(), /^[0-9a-f]{32}$/);
    assert.notEqual(freshToken(), freshToken());
});
