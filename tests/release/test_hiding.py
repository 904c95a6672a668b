"""Hidden counts: what a reader, or someone who knows one hidden cell, can tell by all sums.

The attack knows the published rows alone, and solves integer programs (HiGHS) that are written here
from the names of rows: a second route beside the desk's own programs.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.release.cells import Cells, Level, make_cells
from caldp_core.release.hiding import hide_small
from caldp_core.treatments.suppression import HiddenTable, Margins, Suppression, margins_of
from tests.release.lists import (
    city_files,
    city_rows,
    city_settings,
    disease_files,
    disease_settings,
    true_counts,
)

THRESHOLD = 10


@dataclass(frozen=True)
class Attack:
    """The published numbers of a table (−1 hidden) as equations; `cells`: how many are cells."""

    equations: Floats
    published: Ints
    cells: int

    def ends(self, number: int, known: int | None, truth: Ints) -> tuple[int, int]:
        """Least and largest value of a number, for one who knows the whole of another."""
        low = np.where(self.published >= 0, self.published, 0).astype(np.float64)
        high = np.where(self.published >= 0, self.published, 10**6).astype(np.float64)
        if known is not None:
            low[known] = high[known] = truth[known]
        found = []
        for sign in (1, -1):
            aim = np.zeros(low.size)
            aim[number] = sign
            solved = milp(
                aim,
                integrality=np.ones(low.size, np.int64),
                bounds=Bounds(low, high),
                constraints=LinearConstraint(self.equations, 0, 0),
            )
            assert solved.success
            found.append(sign * round(solved.fun))
        return found[0], found[1]

    def narrow(
        self, truth: Ints, pairs: Iterator[tuple[int, int | None]]
    ) -> list[tuple[int, int | None]]:
        """The pairs of a small number and a known cell that leave fewer than threshold + 1."""
        found = []
        for number, known in pairs:
            low, high = self.ends(number, known, truth)
            if high - low < THRESHOLD:
                found.append((number, known))
        return found


def attack_on(cells: Cells, published: Ints) -> Attack:
    """Each total is the sum of its cells, and the last number of all cells."""
    k, rows, place = len(cells.names), [], len(cells.names)
    for level in cells.levels:
        for group in range(int(level.groups.max()) + 1):
            row = np.zeros(published.size)
            row[:k] = level.groups == group
            row[place] = -1
            place += 1
            rows.append(row)
    row = np.zeros(published.size)
    row[:k], row[-1] = 1, -1
    assert place == published.size - 1
    return Attack(np.array([*rows, row]), published, k)


def is_same(table: HiddenTable, number: int, known: int) -> bool:
    """Whether a number is that cell, or the total of a group of that cell alone."""
    inside = np.flatnonzero((table.margins.levels == number).any(axis=0))
    return number == known or inside.tolist() == [known]


def all_pairs(
    table: HiddenTable, k: int, near: Bools | None = None
) -> Iterator[tuple[int, int | None]]:
    """Each small number alone, and with each hidden cell that may have to do with it."""
    hidden_cells = np.flatnonzero(table.numbers[:k] < 0).tolist()
    for number in np.flatnonzero(table.marks).tolist():
        yield number, None
        for known in hidden_cells:
            if not is_same(table, number, known) and (near is None or near[number, known]):
                yield number, known


def order(margins: Margins, seed: int = 1) -> Ints:
    """The secret order of an office."""
    return np.random.default_rng(seed).permutation(margins.always.size)


def crossed(rows: int, columns: int) -> Cells:
    first, second = np.divmod(np.arange(rows * columns), columns)
    names = tuple(f"{i} · {j}" for i in range(rows) for j in range(columns))
    levels = (
        (Level("row", tuple(map(str, range(rows))), first),),
        (Level("column", tuple(map(str, range(columns))), second),),
    )
    return Cells(names, levels)


def random_table(seed: int) -> tuple[Cells, Ints]:
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(3, 9)), int(rng.integers(3, 6))
    counts = rng.negative_binomial(0.6, 0.02, rows * columns)
    return crossed(rows, columns), counts.astype(np.int64)


PAIRS = 150
"""Of a small number and a known cell that are tried by default, drawn with a seed."""


def assert_protected(cells: Cells, counts: Ints, most: int = PAIRS) -> HiddenTable:
    """By `most` pairs, and by all small numbers for a reader who knows none."""
    margins = cells.margins()
    table, truth = hide_small(counts, margins, THRESHOLD, order(margins)), margins.numbers(counts)
    shown = table.numbers >= 0
    assert (table.numbers[shown] == truth[shown]).all()
    assert not ((table.numbers > 0) & (table.numbers < THRESHOLD)).any()
    attack = attack_on(cells, table.numbers)
    pairs = [*all_pairs(table, len(cells.names))]
    chosen = np.random.default_rng(1).permutation(len(pairs))[:most].tolist()
    pairs = [pair for at, pair in enumerate(pairs) if at in {*chosen} or pair[1] is None]
    assert attack.narrow(truth, iter(pairs)) == []
    return table


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(s, marks=pytest.mark.thorough) for s in range(4, 50))]
)
def test_someone_who_knows_a_hidden_cell_tells_no_other_in_random_tables(seed: int) -> None:
    cells, counts = random_table(seed)
    if not is_refused(cells, counts):
        assert_protected(cells, counts)


def is_refused(cells: Cells, counts: Ints) -> bool:
    """Whether a table has too few people to be hidden so; then nothing leaves."""
    try:
        hide_small(counts, cells.margins(), THRESHOLD, order(cells.margins()))
    except CaldpError as refused:
        return re.search("take larger cells or noise|fewer than", str(refused)) is not None
    return False


def test_few_random_tables_are_refused() -> None:
    """Or the test above would say nothing."""
    assert sum(is_refused(*random_table(seed)) for seed in range(8)) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("most", [PAIRS, pytest.param(10**6, marks=pytest.mark.thorough)])
def test_someone_who_knows_a_hidden_cell_tells_no_other_disease(most: int) -> None:
    """The rule of the comparison must be found out: there all 22 small ones are told."""
    settings, files = disease_settings(), disease_files()
    cells, counts = make_cells(settings.cells, files), true_counts(settings, files)
    table = assert_protected(cells, counts, most)
    assert table.marks[: counts.size].sum() == 22
    truth = table.margins.numbers(counts)
    weaker = Suppression(THRESHOLD).publish(counts, table.margins)
    attack = attack_on(cells, weaker.numbers)
    # Whoever knows a hidden cell of the same county, or the same disease, is near enough.
    first, second = np.divmod(np.arange(counts.size), 4)
    near = (first[:, None] == first) | (second[:, None] == second)
    for number in np.flatnonzero(weaker.primary).tolist():
        others = np.flatnonzero((weaker.counts < 0) & near[number] & (np.arange(80) != number))
        pairs = ((number, known) for known in others.tolist())
        assert any(attack.narrow(truth, iter([pair])) for pair in pairs), number


@pytest.mark.slow
def test_someone_who_knows_a_hidden_cell_of_the_city_tells_no_other() -> None:
    """Cells have to do with each other within a block, or where their blocks' totals are hidden."""
    settings, files = city_settings({"kind": "hide"}), city_files(city_rows())
    cells = make_cells(settings.cells, files).with_elsewhere()
    counts = true_counts(settings, files)
    margins = cells.margins()
    table, truth = hide_small(counts, margins, THRESHOLD, order(margins)), margins.numbers(counts)
    attack = attack_on(cells, table.numbers)
    k, (level,) = counts.size, cells.levels
    block = np.append(level.groups, np.append(np.arange(level.groups.max() + 1), -1))
    is_open = np.append(table.numbers[k:-1] < 0, False)[block]
    near = (block[:, None] == block[None, :]) | (is_open[:, None] & is_open[None, :])
    assert table.marks[:k].sum() >= 80
    rng = np.random.default_rng(1)
    pairs = [*all_pairs(table, k, near)]
    chosen = rng.permutation(len(pairs))[:PAIRS].tolist()
    assert attack.narrow(truth, (pairs[at] for at in chosen)) == []
    alone = ((number, None) for number in np.flatnonzero(table.marks).tolist())
    assert attack.narrow(truth, alone) == []


def test_a_list_of_few_people_is_not_released() -> None:
    margins = margins_of([np.zeros(3, np.int64)])
    with pytest.raises(CaldpError, match="fewer than 10 people in all"):
        hide_small(np.array([3, 2, 0]), margins, THRESHOLD, order(margins))


def test_a_small_count_without_others_to_hide_behind_is_refused() -> None:
    """12 people of whom 2 are in one of two cells: who knows the other one subtracts."""
    margins = margins_of([np.zeros(2, np.int64)])
    with pytest.raises(CaldpError, match="1 small number follows from the sums"):
        hide_small(np.array([2, 10]), margins, THRESHOLD, order(margins))


def test_a_small_count_is_never_alone_among_zeros_and_no_place_gives_it_away() -> None:
    """3 people in one of 20 cells: beside it a 0 is hidden, anywhere, by the office's secret."""
    counts = np.append(np.zeros(20, np.int64), [50, 60, 70])
    counts[7] = 3
    block = np.append(np.zeros(20, np.int64), [1, 1, 1])
    beside = set()
    for seed in range(40):
        margins = margins_of([block])
        table = hide_small(counts, margins, THRESHOLD, order(margins, seed))
        hidden = {*np.flatnonzero(table.numbers[:20] < 0).tolist()}
        assert 7 in hidden
        assert len(hidden) >= 2
        beside |= hidden - {7}
    assert len(beside) > 10


def test_that_all_of_a_group_gave_one_answer_is_not_published() -> None:
    """40 people of an office with one answer: the threshold alone publishes 40 and four zeros."""
    counts = np.full(25, 60)
    counts[15:20] = [0, 40, 0, 0, 0]
    cells = crossed(5, 5)
    margins = cells.margins()
    simple = Suppression(THRESHOLD).publish(counts, margins)
    assert simple.numbers[16] == 40
    table, truth = hide_small(counts, margins, THRESHOLD, order(margins)), margins.numbers(counts)
    attack = attack_on(cells, table.numbers)
    others = np.flatnonzero((table.numbers[:25] < 0) & (np.arange(25) != 16)).tolist()
    for known in (None, *others):
        low, high = attack.ends(16, known, truth)
        assert high - low >= THRESHOLD
