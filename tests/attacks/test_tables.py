"""Ends of an area's count under each treatment: against all tables, or as often as they say."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import binom

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Ints, sums_by
from caldp_core.estimation.intervals import Tails
from caldp_core.release.hiding import narrow_numbers
from caldp_core.treatments.release import (
    CentralTable,
    Ends,
    Release,
    Rounding,
    exact_release,
    larger_cells,
)
from caldp_core.treatments.suppression import (
    HiddenTable,
    Margins,
    Sums,
    Suppression,
    bounds,
    bounds_by_programs,
    disclosed_cells,
    margins_of,
    protect,
    published_sums,
    published_sums_with_marks,
    published_sums_with_rule,
    solve_by_subtraction,
)
from tests.stats import SIGNIFICANCE

COUNTS = np.array([0, 1, 4, 5, 9, 3, 0, 12, 2, 8])
LABELS = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 3])
AREAS = np.array([0, 0, 1, 1, 1, 2, 0, 2, 2, 2])
"""They cut groups 0 to 2, and the second group's hidden pair in two."""


def inside(ends: Ends, truth: Floats, less: float = 0.0) -> Bools:
    """(a,) where the ends hold the truth; `less`: people by which both ends are narrowed."""
    return np.asarray((ends.low + less <= truth + 1e-9) & (truth <= ends.high - less + 1e-9))


def test_bounds_of_larger_cells_are_those_of_all_tables_with_their_totals() -> None:
    made = larger_cells(COUNTS, LABELS).ends_of_areas(AREAS)
    # Of 10, 12, 14, 8 people: the first group is cut in two, the second in three.
    assert made.low.tolist() == [0, 0, 22]
    assert made.high.tolist() == [22, 22, 34]
    assert made.always.all()
    whole = larger_cells(COUNTS, LABELS).ends_of_areas(LABELS)
    assert whole.low.tolist() == whole.high.tolist() == [10, 12, 14, 8]


@pytest.mark.parametrize("threshold", [2, 3, 4])
@pytest.mark.slow
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


COUNTIES = np.array([0, 0, 1, 1, 2, 2])
STATES = np.array([0, 0, 0, 0, 1, 1])
TREE = margins_of([COUNTIES, STATES])
CROSSED = margins_of([np.repeat([0, 1, 2], 3)], [np.tile([0, 1, 2], 3)])
KNOWLEDGE = (published_sums, published_sums_with_marks, published_sums_with_rule)
PLANS = {"hierarchy": TREE, "two margins": CROSSED}
KINDS = ("hierarchy", pytest.param("two margins", marks=pytest.mark.slow))


def small_tables(plan: Margins, tables: int, most: float = 2.0) -> Iterator[Ints]:
    rng = np.random.default_rng(plan.always.size)
    for _ in range(tables):
        yield rng.poisson(rng.choice([0.6, 1.2, most], plan.levels.shape[1]))


def all_tables(table: HiddenTable, plan: Margins, total: int) -> Ints:
    """(tables, N) every whole table with all published numbers, and with `total` people."""
    cells = [range(total + 1) if count < 0 else (count,) for count in table.counts.tolist()]
    rows: list[tuple[int, ...]] = [()]
    for values in cells:
        rows = [(*row, v) for row in rows for v in values if sum(row) + v <= total]
    numbers = np.array([plan.numbers(cell) for cell in np.eye(len(cells), dtype=np.int64)])
    worlds = np.array([row for row in rows if sum(row) == total]) @ numbers
    shown = table.numbers >= 0
    fits: Bools = (worlds[:, shown] == table.numbers[shown]).all(axis=1)
    return np.asarray(worlds[fits])


def ends_by_hand(worlds: Ints, sums: Sums) -> tuple[list[float], list[float]]:
    """The ends over the tables that keep the limits of hidden numbers."""
    found = worlds[:, sums.cells]
    fits = ((found >= sums.low) & (found <= sums.high)).all(axis=1)
    fits &= ((found == 0) | (found >= sums.least)).all(axis=1)
    return found[fits].min(axis=0).tolist(), found[fits].max(axis=0).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_ends_are_those_of_all_whole_tables(kind: str) -> None:
    plan, disclosed, wider = PLANS[kind], Counter[str](), Counter[str]()
    for counts in small_tables(plan, 12):
        table = Suppression(3).publish(counts, plan)
        if not 0 < table.hidden.sum() <= 8:
            continue
        worlds, free = all_tables(table, plan, int(counts.sum())), bounds(published_sums(table))
        for knowing in KNOWLEDGE:
            sums = knowing(table)
            low, high = bounds(sums)
            least, largest = ends_by_hand(worlds, sums)
            for found in ((low, high), bounds_by_programs(sums)):
                assert found[0] == pytest.approx(least, abs=1e-6), knowing
                assert found[1] == pytest.approx(largest, abs=1e-6), knowing
            hidden = disclosed_cells(low, high) & table.marks[sums.cells]
            disclosed[knowing.__name__] += int(hidden.sum())
            wider[knowing.__name__] += not np.allclose(free, (low, high))
    for knowing in KNOWLEDGE:
        name = knowing.__name__
        assert (disclosed[name] > 0) == (wider[name] > 0) == (knowing is not published_sums), name


@pytest.mark.parametrize("kind", KINDS)
def test_no_small_number_is_fixed_by_the_sums_whatever_is_combined(kind: str) -> None:
    plan, before, left = PLANS[kind], 0, 0
    for counts in small_tables(plan, 40):
        simple = Suppression(3).suppress_small(counts, plan)
        sums = published_sums(simple)
        before += int((disclosed_cells(*bounds(sums)) & simple.marks[sums.cells]).sum())
        table = Suppression(3).publish(counts, plan)
        assert (table.numbers[simple.numbers < 0] < 0).all()
        assert table.numbers[-1] == counts.sum(), "the total of everybody is always there"
        sums = published_sums(table)
        known = disclosed_cells(*bounds(sums)) & table.marks[sums.cells]
        # What stays known is all that there is: nothing beside it is left to hide.
        beside = abs(plan.sums[:, sums.cells[known]]).sum(axis=1) > 0
        assert ((table.numbers < 0)[:-1] | ~(abs(plan.sums)[beside].sum(axis=0) > 0)[:-1]).all()
        left += int(known.sum())
    assert left == 0 < before


def test_two_hidden_in_each_sum_are_not_enough_where_sums_cross() -> None:
    """Each row and column has none or two hidden, yet one is what four sums leave."""
    counts = np.array([[1, 9, 9, 9], [9, 9, 9, 9], [9, 9, 9, 9], [9, 9, 9, 9]])
    hidden = np.zeros((4, 4), np.bool_)
    # Two rectangles of hidden cells that a single cell (1, 2) links: subtraction of sums fixes it.
    for cell in ((0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 2), (2, 3), (3, 2), (3, 3)):
        hidden[cell] = True
    plan = margins_of([np.repeat(np.arange(4), 4)], [np.tile(np.arange(4), 4)])
    numbers = plan.numbers(counts.ravel())
    primary = np.zeros(plan.always.size, np.bool_)
    primary[: hidden.size] = hidden.ravel()
    table = HiddenTable(plan, np.where(primary, -1, numbers), primary, 2)
    sums = published_sums(table)
    assert not solve_by_subtraction(sums).any()
    known = np.zeros(plan.always.size, np.bool_)
    known[sums.cells] = disclosed_cells(*bounds(sums))
    assert np.flatnonzero(known).tolist() == [4 + 2]
    both = protect(numbers, primary, plan)
    sums = published_sums(replace(table, numbers=np.where(both, -1, numbers)))
    assert not (disclosed_cells(*bounds(sums)) & primary[sums.cells]).any()
    assert both.sum() > hidden.sum()


def test_linked_tables_that_share_a_margin_are_solved_together() -> None:
    """By area two tables, of answers and of ages: each alone leaves the area's total open."""
    # a1 + a2 = t = b1 + b2 with a1 = 2, b1 = 4; elsewhere a2 + x = 5 and b2 + y = 9.
    members = csr_array(
        np.array([[1.0, 0, -1, 0, 0], [0, 1, -1, 0, 0], [1, 0, 0, 1, 0], [0, 1, 0, 0, 1]])
    )  # of a2, b2, t, x, y
    totals, none = np.array([-2.0, -4, 5, 9]), np.zeros(5)
    sums = Sums(np.arange(5), members, totals, none, none + np.inf, none)
    # a2 = t − 2, b2 = t − 4, 0 ≤ a2 ≤ 5 and 0 ≤ b2 ≤ 9, so t is 4 to 7.
    low, high = bounds(sums)
    assert (low.tolist(), high.tolist()) == ([2, 0, 4, 0, 6], [5, 3, 7, 3, 9])
    alone = Sums(np.arange(5), members[[0, 2]], totals[[0, 2]], none, none + np.inf, none)
    low, high = bounds(alone)
    assert (low[2], high[2]) == (2, 7), "one table alone says less"


@pytest.mark.parametrize("kind", KINDS)
def test_the_reader_s_estimate_adds_up_and_bounds_of_areas_hold_the_truth(kind: str) -> None:
    plan = PLANS[kind]
    k = plan.levels.shape[1]
    wide = 0
    for counts in small_tables(plan, 40, 9.0):
        table = Suppression(4).publish(counts, plan)
        release = table.release()
        assert release.estimate.sum() == pytest.approx(counts.sum())
        assert (release.estimate[~table.hidden] == counts[~table.hidden]).all()
        for areas in (np.arange(k), plan.levels[0] - k, np.arange(k) % 2, np.zeros(k, np.int64)):
            ends = release.ends_of_areas(areas)
            truth = sums_by(areas, counts.astype(np.float64), int(areas.max()) + 1)
            assert ends.always.all()
            assert (ends.low <= truth).all()
            assert (truth <= ends.high).all()
            wide += int((ends.high > ends.low).sum())
        everybody = release.ends_of_areas(np.zeros(k, np.int64))
        assert everybody.high - everybody.low == pytest.approx(0, abs=1e-9)
    assert wide > 100


def test_totals_stand_behind_the_cells_level_by_level() -> None:
    counts = np.array([1, 2, 3, 4, 5, 6])
    assert TREE.numbers(counts).tolist() == [*counts, 3, 7, 11, 10, 11, 21]
    assert (TREE.sums @ TREE.numbers(counts) == 0).all()
    assert CROSSED.numbers(np.arange(9)).tolist() == [*range(9), 3, 12, 21, 9, 12, 15, 36]
    one = margins_of([COUNTIES, np.zeros(6, np.int64)])
    assert one.always.size == 6 + 3 + 1, "a level of one group is that of everybody"
    with pytest.raises(CaldpError, match="lie in one group of the next level"):
        margins_of([COUNTIES, np.array([0, 1, 1, 1, 2, 2])])
    with pytest.raises(CaldpError, match="one or two"):
        margins_of([COUNTIES], [STATES], [STATES])


def test_numbers_that_fit_no_sums_are_refused_by_both_ways() -> None:
    sums = published_sums(Suppression(3).publish(np.array([1, 2, 1, 1, 9, 4]), TREE))
    wrong = replace(sums, high=np.zeros(sums.cells.size))
    for solve in (bounds, bounds_by_programs):
        with pytest.raises(CaldpError, match="No counts fit"):
            solve(wrong)


def test_someone_in_a_hidden_cell_may_read_another_and_the_desk_s_rule_sees_it() -> None:
    """Who is in a cell knows that it is not empty: no sums fix a small number until then."""
    counts = np.array([0, 2, 0, 1, 1, 0, 1, 0, 2])
    table = Suppression(3).publish(counts, CROSSED)
    sums = published_sums(table)
    small = table.marks[sums.cells]
    assert not (disclosed_cells(*bounds(sums)) & small).any()
    own = (sums.cells == 3).astype(np.float64)
    read = disclosed_cells(*bounds(replace(sums, low=own))) & small
    assert read.any()
    assert narrow_numbers(table, CROSSED.numbers(counts))[sums.cells[read]].all()
