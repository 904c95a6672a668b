/* What Python says of the same things: written by `test_units.py`, whose file is named by CALDP_CASES. */

import {readFileSync} from "node:fs";
import test from "node:test";

const file = process.env.CALDP_CASES;
const cases = file ? JSON.parse(readFileSync(file, "utf-8")) : {};

/** A test beside what Python says under this name; left out where Python did not start it. */
export function beside(name, title, check) {
    test(title, {skip: file ? false : "pytest tests/js starts it"}, () => check(cases[name]));
}
