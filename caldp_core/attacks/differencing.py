"""What published tables show of the one person in whom two of them differ, and of hidden cells.

The attacker knows everybody else. Between two places the best guess is right (1 + TV)/2 of the
time, TV between the laws of the published table in the two worlds. Of a person who moved, both of
two tables show something, so ε adds up to 2ε.

Hidden cells are solved back: of each the least and the largest value that all published sums allow;
it is disclosed where both are one number (Fischetti, Salazar 2001).
"""

import itertools
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
import scipy

from caldp_core.basics.errors import CaldpError, check_symbols, check_whole
from caldp_core.basics.types import Bools, Floats, Ints, Progress, no_progress
from caldp_core.treatments.release import CentralTable, Rounding, Suppressed, Suppression

PAIRS_MAX: Final = 1000


def place_guess_accuracy(
    treatment: Suppression | Rounding, others: Ints, labels: Ints, pair: Ints
) -> float:
    """How often the best guess between two cells of one person is right, in [0.5, 1].

    `others`: (k,) counts of everybody else; `labels`: (k,) groups, whose totals are published, too;
    `pair`: the two cells.
    """
    if isinstance(treatment, Suppression):
        ends = check_symbols("pair", pair, others.size).tolist()
        one, other = (_with_person(others, cell) for cell in ends)
        same = _are_identical(treatment.publish(one, labels), treatment.publish(other, labels))
        return 0.5 if same else 1.0
    rows = _rows(treatment, others, labels, pair)
    return float(np.maximum(*rows).sum() / 2)


def _with_person(others: Ints, cell: int) -> Ints:
    counts = others.copy()
    counts[cell] += 1
    return counts


def _are_identical(one: Suppressed, other: Suppressed) -> bool:
    same = np.array_equal(one.counts, other.counts) and np.array_equal(one.totals, other.totals)
    return same and np.array_equal(one.primary, other.primary)


def exposed_newcomers(rule: Suppression, counts: Ints, labels: Ints) -> Bools:
    """(k,) True for cells whose newcomer the tables before and after give away, the rule known.

    The attacker has these two tables alone: exposed is whom all counts that fit both tables put
    into one cell. A newcomer shows in a published count, in a 0 that is now hidden as small, in a
    small count that is so no longer, and where another second count is hidden. Else there are as
    many candidates as the group has small counts; if it has one, this and the second hidden count.
    Groups of one cell have no published total, so all that are small are candidates.
    """
    table = rule.publish(counts, labels)
    small, second = table.primary, table.hidden & ~table.primary
    stays = small & (counts + 1 < rule.threshold)
    lonely = (np.bincount(labels) == 1)[labels]
    exposed = ~stays | (lonely & (np.count_nonzero(small & lonely) == 1))
    for q in np.flatnonzero(second).tolist():
        (cells,) = np.nonzero(labels == labels[q])
        (p,) = cells[small[cells]].tolist()
        fits = _second_counts(table, cells, q, int(counts[p] + counts[q]))
        exposed[p] |= not any(v > 0 and _is_second(table, cells, q, v + 1) for v in fits)
        seen = counts[q] == 0 or not _is_second(table, cells, q, int(counts[q]) + 1)
        exposed[q] = seen or not any(counts[p] + counts[q] - v + 1 < rule.threshold for v in fits)
    return np.asarray(exposed, np.bool_)


def _second_counts(table: Suppressed, cells: Ints, q: int, both: int) -> list[int]:
    """All counts that q, the second hidden cell of these, may have: `both` less a small count."""
    values = range(max(both - table.threshold + 1, 0), both)
    return [
        v for v in values if (v == 0 or v >= table.threshold) and _is_second(table, cells, q, v)
    ]


def _is_second(table: Suppressed, cells: Ints, q: int, value: int) -> bool:
    """Whether q with this count is the one to hide: no published one of these comes before it."""
    others = cells[~table.hidden[cells]]
    counts = table.counts[others]
    if value == 0:
        return not counts.any() and not (others < q).any()
    before = (counts > 0) & ((counts < value) | ((counts == value) & (others < q)))
    return not before.any()


def rounding_recovery_chance(rounding: Rounding, count: int, pairs: int) -> float:
    """Chance that a count comes out exactly from differences of overlapping regions, rounded anew.

    A region with the cell less one without it, both rounded on their own, averaged over so many
    `pairs` and rounded to the nearest whole number; a tie is half a hit. The other people of the
    regions leave every remainder equally often.
    """
    check_whole("pairs", pairs, 1, PAIRS_MAX)
    law, low = _difference(rounding, count)
    size = pairs * (law.size - 1) + 1
    total = np.maximum(np.fft.irfft(np.fft.rfft(law, size) ** pairs, size), 0.0)
    off = np.abs(np.arange(total.size) + pairs * low - pairs * count)
    return float(total[off < pairs / 2].sum() + total[off == pairs / 2].sum() / 2)


def _difference(rounding: Rounding, count: int) -> tuple[Floats, int]:
    """The law of one difference as an array, and the number that it begins with."""
    base = rounding.base
    chances: dict[int, Fraction] = {}
    for rest in range(base):
        for (a, p), (b, q) in itertools.product(
            rounding.law(rest + count).items(), rounding.law(rest).items()
        ):
            chances[a - b] = chances.get(a - b, Fraction(0)) + p * q / base
    low = min(chances)
    law = np.zeros(max(chances) - low + 1)
    for value, chance in chances.items():
        law[value - low] = float(chance)
    return law, low


_DIGITS = 12
"""Decimals to which chances must agree for outcomes to count as one."""


def direction_guess_accuracy(rows: Floats) -> float:
    """How often the best guess of the direction is right after both days, in [0.5, 1].

    `rows`: (2, outcomes) chances of what one day shows, if the person is in one or the other cell;
    days are independent. ½ Σ max(p_i q_j, q_i p_j), by outcomes with one likelihood ratio.
    """
    totals = rows.sum(axis=0)
    rows = rows[:, totals > 0]
    ratios, place = np.unique(np.round(rows[0] / rows.sum(axis=0), _DIGITS), return_inverse=True)
    p, q = (np.bincount(place, row, ratios.size) for row in rows)
    products = np.outer(p, q)
    return float(np.maximum(products, products.T).sum() / 2)


def move_guess_accuracy(
    treatment: Suppression | Rounding, others: Ints, labels: Ints, pair: Ints
) -> float:
    """How often the best guess of the direction is right by two tables of an office, in [0.5, 1].

    Arguments as for `place_guess_accuracy`.
    """
    if isinstance(treatment, Suppression):
        return place_guess_accuracy(treatment, others, labels, pair)  # sure on one day, or on none
    return direction_guess_accuracy(_rows(treatment, others, labels, pair))


def noisy_move_guess_accuracy(noise: CentralTable) -> float:
    """How often the best guess of the direction is right after central noise, in [0.5, 1].

    Each of four counts points in one direction, the true one with chance r = 1/(1 + e^{−ε/2}); the
    majority of four is right 3r² − 2r³ of the time, ties being guesses, as the majority of three
    is.
    """
    r = noise.guess_accuracy
    return 3 * r**2 - 2 * r**3


def _rows(rounding: Rounding, others: Ints, labels: Ints, pair: Ints) -> Floats:
    """(2, outcomes) chances of what both worlds show: the two cells and their groups' totals."""
    ends = check_symbols("pair", pair, others.size)
    worlds = [_with_person(others, cell) for cell in ends.tolist()]
    groups = np.unique(labels[ends])
    numbers = [
        [*world[ends].tolist(), *(int(world[labels == group].sum()) for group in groups)]
        for world in worlds
    ]
    laws = [[rounding.law(number) for number in table] for table in numbers]
    values = [sorted({**a, **b}) for a, b in zip(*laws, strict=True)]
    none = Fraction(0)
    rows = [
        [
            float(math.prod(law.get(v, none) for law, v in zip(table, outcome, strict=True)))
            for outcome in itertools.product(*values)
        ]
        for table in laws
    ]
    return np.array(rows)


_SAME: Final = 1e-6
"""Two ends nearer than this are one number: counts are whole."""


@dataclass(frozen=True, eq=False)
class Sums:
    """The published sums over h hidden cells.

    `cells`: (h,) their numbers in the table. `members`: (s, h) sparse 0 and 1, the cells of each
    sum; `totals`: (s,) the sums. `low`, `high`: (h,) known limits of each, `high` may be ∞.
    `least`: (h,) a value that is not 0 is at least this; 0 where nothing is known.
    """

    cells: Ints
    members: "scipy.sparse.csr_array"
    totals: Floats
    low: Floats
    high: Floats
    least: Floats


def published_sums(table: Suppressed) -> Sums:
    """The sums of a suppressed table: of each group what its published cells leave."""
    (cells,) = np.nonzero(table.hidden)
    left, groups = table.hidden_totals(), table.labels[cells]
    known = np.flatnonzero(np.isin(np.arange(table.m), groups) & (table.totals >= 0))
    members = scipy.sparse.csr_array(groups[None, :] == known[:, None], dtype=np.float64)
    zeros = np.zeros(cells.size)
    return Sums(cells.astype(np.int64), members, left[known], zeros, zeros + np.inf, zeros)


def published_sums_with_marks(table: Suppressed) -> Sums:
    """The sums where offices mark the small cells: each is from 1 to the threshold less 1."""
    sums = published_sums(table)
    small = table.primary[sums.cells]
    high = np.where(small, table.threshold - 1.0, np.inf)
    return replace(sums, low=small.astype(np.float64), high=high)


def published_sums_with_rule(table: Suppressed) -> Sums:
    """The sums with the rule taken at its word: an unmarked cell is 0 or at least the threshold."""
    small = table.primary[table.hidden]
    least = np.where(small, 0.0, float(table.threshold))
    return replace(published_sums_with_marks(table), least=least)


def solve_by_subtraction(sums: Sums) -> Bools:
    """(h,) True for cells that come back by subtraction alone, one after the other."""
    members = sums.members.toarray() > 0
    solved = np.zeros(sums.cells.size, np.bool_)
    while True:
        alone = (members & ~solved).sum(axis=1) == 1
        more = (members[alone] & ~solved).any(axis=0)
        if not more.any():
            return solved
        solved |= more


def bounds(sums: Sums, progress: Progress = no_progress) -> tuple[Floats, Floats]:
    """(h,) least and (h,) largest values of each hidden cell, by linear programs (HiGHS).

    A cell that is 0 or at least `least` makes the program a mixed-integer one. Cells that no sum
    links do not bear on each other, so one program finds the end of one cell of each linked part
    at once. Raises `CaldpError` where no numbers fit the sums.
    """
    sums = _without_forced_gaps(sums)
    part = _parts(sums)
    order = np.argsort(part, kind="stable")
    starts = np.searchsorted(part[order], np.arange(part.max(initial=-1) + 1))
    rank = np.empty(part.size, np.int64)
    rank[order] = np.arange(part.size) - np.repeat(starts, np.diff([*starts, part.size]))
    low, high = sums.low.copy(), sums.high.copy()
    linked = sums.members.sum(axis=0) > 0
    rounds = int(rank[linked].max(initial=-1)) + 1
    for at in range(rounds):
        aim = (rank == at) & linked
        low[aim] = _end(sums, aim, 1.0)[aim]
        high[aim] = _end(sums, aim, -1.0)[aim]
        progress((at + 1) / rounds)
    return low, high


def disclosed_cells(low: Floats, high: Floats) -> Bools:
    """(h,) True where the least value is the largest."""
    return high - low <= _SAME


def _parts(sums: Sums) -> Ints:
    """(h,) number of the part that each cell is in; cells are linked by a sum of both."""
    links = sums.members.T @ sums.members
    return np.asarray(
        scipy.sparse.csgraph.connected_components(links, directed=False)[1], dtype=np.int64
    )


def _without_forced_gaps(sums: Sums) -> Sums:
    """The sums with a plain lower limit for each cell that can't be 0: the others can't fill a sum.

    What stays a choice is small: HiGHS takes a choice of 10⁻⁶ for none, of many people that counts.
    """
    at, cells = sums.members.nonzero()
    endless = np.isinf(sums.high)
    most = np.bincount(at, np.where(endless, 0.0, sums.high)[cells], sums.totals.size)
    others = np.bincount(at, endless[cells], sums.totals.size)[at] - endless[cells]
    unfilled = (sums.totals > most)[at] & (others == 0) & endless[cells]
    forced = (np.bincount(cells, unfilled, sums.cells.size) > 0) & (sums.least > 0)
    low = np.where(forced, np.maximum(sums.low, sums.least), sums.low)
    return replace(sums, low=low, least=np.where(forced, 0.0, sums.least))


def _end(sums: Sums, aim: Bools, sign: float) -> Floats:
    """(h,) values that fit the sums, those in `aim` as small as can be (`sign` 1) or as large."""
    h, (choices,) = sums.cells.size, np.nonzero(sums.least * (sums.members.sum(axis=0) > 0))
    most = _largest_totals(sums)[choices]
    members: Any = sums.members  # HiGHS takes sparse sums; the stubs know dense ones alone
    pick = scipy.sparse.csr_array(
        (np.ones(choices.size), (np.arange(choices.size), choices)), (choices.size, h)
    )
    blocks: Any = [
        [members, scipy.sparse.csr_array((sums.totals.size, choices.size))],
        [pick, -scipy.sparse.diags_array(sums.least[choices])],
        [-pick, scipy.sparse.diags_array(most)],
    ]
    ends = np.concatenate([sums.totals, np.zeros(2 * choices.size)])
    above = np.concatenate([sums.totals, np.full(2 * choices.size, np.inf)])
    solution = scipy.optimize.milp(
        np.concatenate([sign * aim, np.zeros(choices.size)]),
        integrality=np.repeat([0, 1], [h, choices.size]),
        bounds=scipy.optimize.Bounds(
            np.concatenate([sums.low, np.zeros(choices.size)]),
            np.concatenate([sums.high, np.ones(choices.size)]),
        ),
        constraints=scipy.optimize.LinearConstraint(scipy.sparse.block_array(blocks), ends, above),
        options={"mip_rel_gap": 0.0},
    )
    if not solution.success:
        raise CaldpError("No counts fit these sums; check the totals of the table.")
    return np.asarray(solution.x[:h], dtype=np.float64)


def _largest_totals(sums: Sums) -> Floats:
    """(h,) the most that each cell can be: the least of the sums that it is in."""
    at, cells = sums.members.nonzero()
    most = np.full(sums.cells.size, np.inf)
    np.minimum.at(most, cells, sums.totals[at])
    return most
