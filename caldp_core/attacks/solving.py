"""Hidden cells solved back: by subtraction, and as a linear program with the rule known.

Source: Fischetti, Salazar 2001: of each hidden cell the least and the largest value that all
published sums allow; it is disclosed where both are one number.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Ints, Progress, no_progress
from caldp_core.treatments.suppression import Suppressed

_SAME: Final = 1e-6
"""Two ends nearer than this are one number: counts are whole."""


@dataclass(frozen=True, eq=False)
class Sums:
    """The published sums over h hidden cells.

    `cells`: (h,) their numbers in the table. `members`: (s, h) sparse 0 and 1, the cells of each
    sum; `totals`: (s,) the sums. `low`, `high`: (h,) known limits of each, `high` may be ∞.
    """

    cells: Ints
    members: "scipy.sparse.csr_array"
    totals: Floats
    low: Floats
    high: Floats


def published_sums(table: Suppressed, rule_known: bool) -> Sums:
    """The sums of a suppressed table: of each group what its published cells leave.

    `rule_known`: the attacker knows the threshold, and which cells it hides: offices mark them.
    """
    (cells,) = np.nonzero(table.hidden)
    left, groups = table.hidden_totals(), table.labels[cells]
    known = np.flatnonzero(np.isin(np.arange(table.m), groups) & (table.totals >= 0))
    members = scipy.sparse.csr_array(groups[None, :] == known[:, None], dtype=np.float64)
    small = table.primary[cells] & rule_known
    low = np.where(small, 1.0, 0.0)
    high = np.where(small, table.threshold - 1.0, np.inf)
    return Sums(cells.astype(np.int64), members, left[known], low, high)


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

    Cells that no sum links do not bear on each other, so one program finds the end of one cell of
    each linked part at once. Raises `CaldpError` where no numbers fit the sums.
    """
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


def _end(sums: Sums, aim: Bools, sign: float) -> Floats:
    members: Any = sums.members  # HiGHS takes sparse sums; the stubs know dense ones alone
    solution = scipy.optimize.linprog(
        sign * aim.astype(np.float64),
        A_eq=members,
        b_eq=sums.totals,
        bounds=list(zip(sums.low.tolist(), sums.high.tolist(), strict=True)),
        method="highs",
    )
    if not solution.success:
        raise CaldpError("No counts fit these sums; check the totals of the table.")
    return np.asarray(solution.x, dtype=np.float64)
