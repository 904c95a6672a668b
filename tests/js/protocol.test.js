import assert from "node:assert/strict";

import {Client} from "../../caldp_core/collect/js/client.js";
import {beside} from "./python.js";

/** Accidents and edits of all parts: each function changes a protocol in place. */
const CHANGES = [
    protocol => { protocol.question += " "; },
    protocol => { protocol.domain.k += 1; },
    protocol => { protocol.block_names[0] += "?"; },
    protocol => { protocol.policy.kind += "s"; },
    protocol => { delete protocol.policy; },
    protocol => { protocol.report.values += 1; },
    protocol => { protocol.more = 1; },
    protocol => { protocol.fingerprint = protocol.fingerprint.toUpperCase(); },
    protocol => { delete protocol.fingerprint; },
];

/** Changes what is drawn: it would send the truth. */
function reveal({mechanism}) {
    if (mechanism.kind === "table") mechanism.steps[0][0] = mechanism.whole + "0";
    else mechanism.numbers[mechanism.numbers.truth ? "truth" : "cover"][0] += 1;
}

beside("protocols", "a protocol as Python wrote it is taken, whatever its numbers and signs", protocols => {
    for (const protocol of protocols) assert.ok(new Client(protocol));
});

beside("protocols", "by which version a protocol was made does not matter, nor in which order it is", ([first]) => {
    assert.ok(new Client({...Object.fromEntries(Object.entries(first).reverse()), caldp_version: "9"}));
});

beside("protocols", "a protocol that was changed anywhere is refused in one sentence", protocols => {
    for (const protocol of protocols) {
        for (const change of [...CHANGES, reveal]) {
            const changed = structuredClone(protocol);
            change(changed);
            assert.throws(() => new Client(changed), /^Error: This protocol was changed .*; give the file/);
        }
    }
});
