"""Hidden cells solved back: by subtraction, and by programs with a part or all of the rule known.

Source: Fischetti, Salazar 2001: of each hidden cell the least and the largest value that all
published sums allow; it is disclosed where both are one number.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import scipy

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Ints, Progress, no_progress
from caldp_core.treatments.release import Suppressed

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
