"""Tables with several totals: sets of values, programs and all whole tables say the same."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Ints, sums_by
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
