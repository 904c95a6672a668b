"""Rules for sums of contributions: by their definitions, by all tables, and beside τ-Argus."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Ints
from caldp_core.treatments.suppression import (
    Concentration,
    HiddenTable,
    Margins,
    bounds,
    bounds_by_programs,
    dominance,
    largest_seen_by_second,
    margins_of,
    p_percent,
    protect,
    published_sums,
)

CROSSED = margins_of([np.repeat(np.arange(4), 3)], [np.tile(np.arange(3), 4)])
TREE = margins_of([np.array([0, 0, 0, 1, 1, 1, 2, 2, 3]), np.array([0, 0, 0, 0, 0, 0, 1, 1, 1])])
RULES = {"p": p_percent(15), "one": dominance(1, 60), "two": dominance(2, 85)}


def firms(margins: Margins, seed: int) -> list[Ints]:
    """Contributions of two to five firms in each cell, a few of them large."""
    rng, cells = np.random.default_rng(seed), range(margins.levels.shape[1])
    return [np.asarray(rng.geometric(0.02, rng.integers(2, 6))) for _ in cells]


def pooled(cells: list[Ints], margins: Margins) -> Iterator[list[int]]:
    """The contributions of each cell and total, largest first."""
    for place in range(margins.always.size):
        inside = [c for c in range(len(cells)) if place in {c, *margins.levels[:, c].tolist()}]
        yield sorted(itertools.chain(*(cells[c].tolist() for c in inside)), reverse=True)


def test_a_cell_is_unsafe_by_the_words_of_each_rule() -> None:
    rng, kinds = np.random.default_rng(5), set()
    for _ in range(300):
        parts = np.asarray(rng.geometric(0.05, rng.integers(1, 6)))
        first, second, *rest = [*sorted(parts.tolist(), reverse=True), 0]
        total = int(parts.sum())
        close = 100 * (total - second - first) < 15 * first
        assert (p_percent(15).need(parts) > 0) == close
        assert (dominance(1, 60).need(parts) > 0) == (100 * first > 60 * total)
        assert (dominance(2, 85).need(parts) > 0) == (100 * (first + second) > 85 * total)
        # With that many more the estimate of the second is off by p % or more, with one less not.
        need = p_percent(15).need(parts)
        assert 100 * (total + need - second - first) >= 15 * first
        assert 100 * (total + need - 1 - second - first) < 15 * first
        kinds.add(close)
        del rest
    assert kinds == {True, False}


@pytest.mark.parametrize("margins", [TREE, CROSSED], ids=["hierarchy", "two margins"])
def test_no_unsafe_cell_is_left_closer_than_its_rule_asks(margins: Margins) -> None:
    """By programs; with second cells alone, and no look at how near the ends are, some would be."""
    closer = 0
    for rule, seed in itertools.product(RULES, range(6)):
        cells = firms(margins, seed)
        table = RULES[rule].publish(cells, margins)
        parts = [np.array(each) for each in pooled(cells, margins)]
        needs = np.array([RULES[rule].need(each) for each in parts])
        numbers = np.array([int(each.sum()) for each in parts])
        assert table.marks.tolist() == ((needs > 0) & ~margins.always).tolist()
        assert (table.numbers == np.where(table.numbers < 0, -1, numbers)).all()
        sums = published_sums(table)
        reach = bounds_by_programs(sums)[1] - numbers[sums.cells]
        assert (reach >= needs[sums.cells])[table.marks[sums.cells]].all()
        simple = protect(numbers, table.marks, margins)
        sums = published_sums(HiddenTable(margins, np.where(simple, -1, numbers), table.marks, 1))
        reach = bounds_by_programs(sums)[1] - numbers[sums.cells]
        closer += int((reach < needs[sums.cells])[table.marks[sums.cells]].sum())
    assert closer > 0


@pytest.mark.parametrize("p", [None, 10, 50])
def test_the_second_largest_sees_what_all_contributions_leave(p: int | None) -> None:
    for second, low, width in ((3, 10, 0), (3, 12, 4), (7, 20, 1), (1, 30, 9)):
        high = low + width
        least, most = largest_seen_by_second(np.array([40, second, 0]), low, high, p)
        # The largest and all that is left beside both, which may be of any size.
        fits = [
            first
            for first, rest in itertools.product(range(second, high + 1), range(high + 1))
            if low <= first + second + rest <= high and (p is None or 100 * rest < p * first)
        ]
        assert (least, most) == (min(fits), max(fits))


def test_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(CaldpError, match="p must be"):
        p_percent(0)
    for n, k in ((0, 50), (1, 100)):
        with pytest.raises(CaldpError, match="must be"):
            dominance(n, k)


@pytest.mark.parametrize(
    ("words", "rule"),
    [("P(15,1)", p_percent(15)), ("NK(1,60)", dominance(1, 60)), ("NK(2,85)", dominance(2, 85))],
)
def test_tau_argus_finds_the_same_cells_unsafe_and_the_same_ends(
    words: str, rule: Concentration, tmp_path: Path
) -> None:
    """A referee that is not part of the project: where it is not installed, nothing is tested."""
    argus: Any = pytest.importorskip("pytauargus", reason="τ-Argus is not installed")
    for seed in range(3):
        cells = firms(CROSSED, seed)
        rows = [(f"R{c // 3}", f"S{c % 3}", float(x)) for c, each in enumerate(cells) for x in each]
        names = ("Region", "Sector", "Turnover")
        micro = {name: [row[at] for row in rows] for at, name in enumerate(names)}
        folder = str(tmp_path / str(seed))
        found = argus.protect(micro, list(names[:2]), "Turnover", words, workdir=folder)
        # Its order: everything, then each region with its total before its sectors.
        regions = ([12 + r, *range(3 * r, 3 * r + 3)] for r in range(4))
        places = [19, 16, 17, 18, *itertools.chain(*regions)]
        status = dict(zip(places, found.tables[0].status(), strict=True))
        parts = list(pooled(cells, CROSSED))
        needs = np.array([rule.need(np.array(each)) for each in parts])
        numbers = np.array([sum(each) for each in parts])
        assert {p for p, each in status.items() if each == "U"} == set(np.flatnonzero(needs > 0))
        shown = np.array([status[place] == "S" for place in range(20)])
        table = HiddenTable(CROSSED, np.where(shown, numbers, -1), ~shown, 1)
        sums = published_sums(table)
        reach = bounds(sums)[1] - numbers[sums.cells]
        assert (reach >= needs[sums.cells]).all(), "its tables keep our rule"
        # Its attacker knows the smallest and the largest number of the table, and lets an unsafe
        # cell be as far below its own as above, to the nearest whole number.
        exact = [sum(w * x for w, x in zip(rule.weights, each, strict=False)) for each in parts]
        below = np.rint(numbers - np.maximum(np.array(exact, np.float64) - numbers, 0))
        least = np.minimum(numbers.min(), below)[sums.cells]
        most = np.full(least.size, numbers.max(), np.float64)
        low, high = bounds(replace(sums, low=least, high=most))
        ours = dict(zip(sums.cells.tolist(), zip(low, high, strict=True), strict=True))
        audit = {places[row["cell"]]: (row["min"], row["max"]) for row in found.engine.audit(0)}
        assert audit.keys() == ours.keys()
        for place, ends in audit.items():
            assert ours[place] == pytest.approx(ends, abs=1e-6)
