"""Ends of an area's count under each treatment: against all tables, or as often as they say."""

import itertools
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom

from caldp_core.basics.types import Bools, Floats, Ints, sums_by
from caldp_core.estimation.intervals import Tails
from caldp_core.treatments.release import (
    CentralTable,
    Ends,
    Release,
    Rounding,
    exact_release,
    larger_cells,
)
from caldp_core.treatments.suppression import HiddenTable, Suppression
from tests.stats import SIGNIFICANCE

COUNTS = np.array([0, 1, 4, 5, 9, 3, 0, 12, 2, 8])
LABELS = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 3])
AREAS = np.array([0, 0, 1, 1, 1, 2, 0, 2, 2, 2])
"""They cut groups 0 to 2, and the second group's hidden pair in two."""


def inside(ends: Ends, truth: Floats, less: float = 0.0) -> Bools:
    """(a,) where the ends hold the truth; `less`: people by which both ends are narrowed."""
    return np.asarray((ends.low + less <= truth + 1e-9) & (truth <= ends.high - less + 1e-9))


def sums_of_areas(counts: Ints) -> Floats:
    return sums_by(AREAS, counts.astype(np.float64), 3)


def test_bounds_of_larger_cells_are_those_of_all_tables_with_their_totals() -> None:
    made = larger_cells(COUNTS, LABELS).ends_of_areas(AREAS)
    # Of 10, 12, 14, 8 people: the first group is cut in two, the second in three.
    assert made.low.tolist() == [0, 0, 22]
    assert made.high.tolist() == [22, 22, 34]
    assert made.always.all()
    whole = larger_cells(COUNTS, LABELS).ends_of_areas(LABELS)
    assert whole.low.tolist() == whole.high.tolist() == [10, 12, 14, 8]


@pytest.mark.parametrize("threshold", [2, 3, 4])
def test_bounds_of_hidden_counts_are_those_of_all_tables_that_look_equal(threshold: int) -> None:
    """Every table of one group of three cells and one cell alone, with up to five people each."""
    labels, areas = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])
    found: dict[tuple[object, ...], list[Floats]] = {}
    tables: dict[tuple[object, ...], HiddenTable] = {}
    for numbers in itertools.product(range(6), repeat=4):
        table = Suppression(threshold).publish(np.array(numbers), labels)
        key = tuple(table.numbers.tolist())
        tables[key] = table
        found.setdefault(key, []).append(sums_by(areas, np.array(numbers, np.float64), 2))
    slack, narrowed = [], True
    for key, sums in found.items():
        ends = tables[key].release().ends_of_areas(areas)
        assert ends.always.all()
        assert all(inside(ends, each).all() for each in sums)
        narrowed = narrowed and all(inside(ends, each, 0.5).all() for each in sums)
        # Totals above 5 leave out tables that are not gone through here.
        if tables[key].numbers[4] <= 5:
            slack += [np.min(sums, axis=0) - ends.low, ends.high - np.max(sums, axis=0)]
    # What is lost: that the second hidden count is the smallest of the others.
    assert np.mean(np.array(slack) == 0) > 0.8
    assert not narrowed


@pytest.mark.parametrize("base", [3, 5])
def test_bounds_of_rounded_cells_hold_every_table_and_none_that_is_narrower_does(base: int) -> None:
    areas = np.arange(2 * base)
    counts, rounding = np.arange(2 * base), Rounding(base)
    rng, missed = np.random.default_rng(base), 0
    for _ in range(200):
        ends = rounding.publish(counts, rng).ends_of_areas(areas)
        assert ends.always.all()
        assert inside(ends, counts.astype(np.float64)).all()
        missed += int((~inside(ends, counts.astype(np.float64), 1.0)).sum())
    assert missed > 0


DRAWS = 400
MOST_MISSES = int(binom.isf(SIGNIFICANCE, DRAWS, 0.05))
"""41 of 400; a range of 0.6 of its width misses 96 and more."""


def misses_of(publish: Callable[[np.random.Generator], Release], truth: Ints, part: float) -> int:
    """How many ranges of the first half of the cells miss their people; `part`: of each range."""
    areas = (np.arange(truth.size) >= truth.size // 2).astype(np.int64)
    areas[-truth.size // 3 :] = 2
    rng, missed, people = np.random.default_rng(7), 0, float(truth[areas == 0].sum())
    for _ in range(DRAWS):
        ends = publish(rng).ends(areas, Tails(*np.full((2, 3), 0.025)))
        assert not ends.always[0]
        middle, half = (ends.high[0] + ends.low[0]) / 2, (ends.high[0] - ends.low[0]) / 2
        missed += abs(middle - people) > part * half + 1e-9
    return missed


@pytest.mark.parametrize(("cells", "epsilon"), [(4, 0.5), (6, 1.0), (200, 1.0)])
def test_ranges_of_central_noise_hold_as_often_as_they_say(cells: int, epsilon: float) -> None:
    publish = partial(CentralTable(epsilon).publish, np.full(cells, 400))
    assert misses_of(publish, np.full(cells, 400), 1.0) <= MOST_MISSES
    assert misses_of(publish, np.full(cells, 400), 0.6) > MOST_MISSES


def test_the_law_of_a_sum_of_noise_is_that_of_its_convolution() -> None:
    noise = CentralTable(1.0).noise
    z = np.arange(-200, 201)
    one = noise.cdf(z) - noise.cdf(z - 1)
    law = np.convolve(np.convolve(one, one), one)
    above = 1.0 - np.cumsum(law)[z.size - 1 + 200 :][:60]
    tails = np.array([0.2, 0.025, 1e-4])
    by_hand = [int(np.flatnonzero(above <= tail + 1e-12)[0]) for tail in tails]
    assert noise.sum_limits(3, tails).tolist() == by_hand
    assert noise.sum_limits(0, tails).tolist() == [0, 0, 0]


def test_ranges_of_many_rounded_cells_are_narrower_than_their_bounds_and_hold() -> None:
    truth = np.arange(400) % 13
    publish = partial(Rounding(5).publish, truth)
    assert misses_of(publish, truth, 1.0) <= MOST_MISSES
    assert misses_of(publish, truth, 0.2) > MOST_MISSES
    ends = publish(np.random.default_rng(1)).ends_of_areas(np.zeros(400, np.int64))
    assert float((ends.high - ends.low)[0]) < 400 * 4


def test_ends_of_shares_within_a_group_hold_all_tables() -> None:
    groups, rng = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 3]), np.random.default_rng(2)
    of_group = sums_by(groups, COUNTS.astype(np.float64), 4)[groups]
    truth = COUNTS / of_group
    for release in (
        exact_release(COUNTS),
        larger_cells(COUNTS, LABELS),
        Suppression(5).publish(COUNTS, LABELS).release(),
        Rounding(5).publish(COUNTS, rng),
    ):
        ends = release.ends_within(groups)
        assert inside(ends, truth).all()
        assert ends.always.all()
    exact = exact_release(COUNTS).ends_within(groups)
    np.testing.assert_allclose(exact.low, truth)
    np.testing.assert_allclose(exact.high, truth)
    noisy = [CentralTable(2.0).publish(COUNTS, rng).ends_within(groups) for _ in range(300)]
    missed = sum(int((~inside(each, truth)).sum()) for each in noisy)
    assert missed <= binom.isf(SIGNIFICANCE, 3_000, 0.05)
