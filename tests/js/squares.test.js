import assert from "node:assert/strict";

import {Grid} from "../../caldp_ui/stage/web/grid.js";
import {Squares, Veil, squaresIn} from "../../caldp_ui/stage/web/squares.js";
import "./page.js";
import {beside} from "./python.js";

beside("squares", "as many cells share a number as Python pooled", ({ground, levels, labels, of}) => {
    const grid = new Grid(ground);
    [null, Uint32Array.from(labels)].forEach((blocks, i) => {
        const squares = new Squares(Uint8Array.from(levels), blocks, grid);
        assert.deepEqual(levels.map((_, cell) => squares.sharedCount(cell)), of[i]);
        assert.ok(new Set(of[i]).size > 3);
    });
    const one = Uint8Array.from(levels);
    assert.equal(squaresIn(one, null, grid), squaresIn(one, null, new Grid(ground)));
    assert.notEqual(squaresIn(one, null, grid), squaresIn(one, Uint32Array.from(labels), grid));
});

beside("squares", "the veil has an area for each level, all higher ones in the last", ({ground, levels}) => {
    const grid = new Grid(ground), some = Uint8Array.from(levels, (level, i) => i % 11 ? level : 9);
    for (const [level, {steps}] of new Veil(some, grid).areas) {
        const cells = steps.reduce((sum, [, , , width]) => sum + width / grid.cell, 0);
        const wanted = some.filter(each => Math.min(each, 5) === level).length;
        assert.equal(Math.round(cells), wanted);
    }
});
