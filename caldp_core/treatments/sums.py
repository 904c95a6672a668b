"""What published sums say of hidden numbers: of each the least and the largest value that fit.

A hidden number is disclosed where both are one number (Fischetti, Salazar 2001). Sums that form
trees, as those of a hierarchy do, are solved by passing sets of possible values up and down, which
is exact where no two numbers are linked in two ways. All others, as those of a table with two
margins, are solved by mixed-integer programs (HiGHS). Where two hierarchies share the cells, the
sums are totally unimodular, so that the ends are whole numbers (two laminar families; Edmonds 1970,
"Submodular functions, matroids, and certain polyhedra").
"""

import itertools
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Bools, Floats, Ints

_SAME: Final = 1e-6
"""Two ends nearer than this are one number: counts are whole."""
_NO_FIT: Final = "No counts fit these sums; check the totals of the table."


@dataclass(frozen=True, eq=False)
class Sums:
    """The published sums over h hidden numbers.

    `cells`: (h,) their places in the table. `members`: (s, h) sparse: 1 for the numbers that a sum
    adds, −1 for a total that is hidden, too; `totals`: (s,) what each row comes to. `low`, `high`:
    (h,) known limits of each, from 0, `high` may be ∞. `least`: (h,) a value that is not 0 is at
    least this; 0 where nothing is known.
    """

    cells: Ints
    members: "scipy.sparse.csr_array"
    totals: Floats
    low: Floats
    high: Floats
    least: Floats


def solve_by_subtraction(sums: Sums) -> Bools:
    """(h,) True for numbers that come back by subtraction alone, one after the other."""
    members = abs(sums.members)
    solved = np.zeros(sums.cells.size, np.bool_)
    while True:
        alone = members @ (~solved).astype(np.float64) == 1
        more = (members[alone].sum(axis=0) > 0) & ~solved
        if not more.any():
            return solved
        solved |= more


def disclosed_cells(low: Floats, high: Floats) -> Bools:
    """(h,) True where the least value is the largest."""
    return high - low <= _SAME


def bounds(sums: Sums) -> tuple[Floats, Floats]:
    """(h,) least and (h,) largest values of each hidden number.

    By sets of values where the sums form trees, else by programs. Raises `CaldpError` where no
    numbers fit the sums.
    """
    order = _tree_order(sums)
    return bounds_by_programs(sums) if order is None else _tree_bounds(sums, order)


Spans: TypeAlias = tuple[tuple[float, float], ...]
"""Whole numbers as runs from one to another, ascending, with a gap between any two."""
_Row: TypeAlias = tuple[list[int], int | None, float]
"""Numbers that are added, the hidden total or None, and what they come to beyond it."""


def _tree_order(sums: Sums) -> list[_Row] | None:
    """The sums from the top down; None where they do not form trees."""
    rows: list[_Row] = []
    row_of: dict[int, int] = {}
    parents = np.zeros(sums.cells.size, np.int64)
    for at, total in enumerate(sums.totals.tolist()):
        run = slice(*sums.members.indptr[at : at + 2])
        signs, columns = sums.members.data[run], sums.members.indices[run]
        parts, (*tops,) = columns[signs > 0], columns[signs < 0].tolist()
        if len(tops) > 1 or (tops and tops[0] in row_of):
            return None
        row_of |= dict.fromkeys(tops, at)
        parents[parts] += 1
        rows.append((parts.tolist(), tops[0] if tops else None, total))
    waiting = [at for at, (_, top, _) in enumerate(rows) if top is None or not parents[top]]
    order = []
    for at in waiting:  # grows while it is gone through
        order.append(rows[at])
        waiting += [row_of[part] for part in rows[at][0] if part in row_of]
    return order if parents.max(initial=0) <= 1 and len(order) == len(rows) else None


def _tree_bounds(sums: Sums, order: list[_Row]) -> tuple[Floats, Floats]:
    """Up: what the parts of a total can add up to; down: what the other parts leave to each."""
    ends = zip(sums.low.tolist(), sums.high.tolist(), sums.least.tolist(), strict=True)
    spans = [_own_values(*each) for each in ends]
    for parts, top, total in reversed(order):
        if top is not None:
            filled = _plus(_all_sums(spans, parts)[-1], ((-total, -total),))
            spans[top] = _both(spans[top], filled)
    for parts, top, total in order:
        whole = _plus(spans[top] if top is not None else ((0.0, 0.0),), ((total, total),))
        before, after = _all_sums(spans, parts), _all_sums(spans, parts[::-1])[::-1]
        for part, one, other in zip(parts, before, after[1:], strict=False):
            rest = tuple((-most, -least) for least, most in _plus(one, other)[::-1])
            spans[part] = _both(spans[part], _plus(whole, rest))
    if not all(spans):
        raise CaldpError(_NO_FIT)
    return np.array([each[0][0] for each in spans]), np.array([each[-1][1] for each in spans])


def _own_values(low: float, high: float, least: float) -> Spans:
    """From `low` to `high`, without what lies between 0 and `least`."""
    zero = ((0.0, 0.0),) if least > 0 and low == 0 else ()
    return _joined([*zero, (max(low, least), high)])


def _joined(runs: list[tuple[float, float]]) -> Spans:
    """Runs in order, those that touch as one."""
    found: list[tuple[float, float]] = []
    for low, high in sorted(run for run in runs if run[0] <= run[1]):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)


def _plus(one: Spans, other: Spans) -> Spans:
    return _joined([(a + c, b + d) for a, b in one for c, d in other])


def _both(one: Spans, other: Spans) -> Spans:
    return _joined([(max(a, c), min(b, d)) for a, b in one for c, d in other])


def _all_sums(spans: list[Spans], parts: list[int]) -> list[Spans]:
    """What none, the first, the first two, … of the parts can add up to."""
    found: list[Spans] = [((0.0, 0.0),)]
    for part in parts:
        found.append(_plus(found[-1], spans[part]))
    return found


def bounds_by_programs(sums: Sums) -> tuple[Floats, Floats]:
    """(h,) least and (h,) largest values of each hidden number, by programs (HiGHS).

    They are whole, as those of trees and of two hierarchies are. A number that no sum has keeps its
    limits. Raises `CaldpError` where no numbers fit the sums.
    """
    near, (linked,) = _narrowed(sums), np.nonzero(abs(sums.members).sum(axis=0))
    low, high = near.high.copy(), near.low.copy()
    for cell, sign in itertools.product(linked.tolist(), (1.0, -1.0)):
        seen, end = (low, near.low) if sign > 0 else (high, near.high)
        if seen[cell] != end[cell]:  # no table that is known yet is at this limit
            found = _fitting(near, sign * (np.arange(low.size) == cell))
            low, high = np.minimum(low, found), np.maximum(high, found)
    alone = np.bincount(linked, minlength=low.size) == 0
    return np.where(alone, sums.low, low), np.where(alone, sums.high, high)


def _fitting(sums: Sums, aim: Floats) -> Floats:
    """(h,) numbers that fit the sums with the least Σ `aim`·x; some are 0 or semi-continuous."""
    may_be_zero = (sums.low == 0) & (sums.least > 0) & (sums.high > 0)
    members: Any = sums.members  # HiGHS takes sparse sums; the stubs know dense ones alone
    solution = scipy.optimize.milp(
        aim,
        integrality=2 * may_be_zero,
        bounds=scipy.optimize.Bounds(np.where(may_be_zero, sums.least, sums.low), sums.high),
        constraints=scipy.optimize.LinearConstraint(members, sums.totals, sums.totals),
        options={"mip_rel_gap": 0.0},
    )
    if not solution.success:
        raise CaldpError(_NO_FIT)
    return np.asarray(np.rint(solution.x), dtype=np.float64)


def _narrowed(sums: Sums) -> Sums:
    """The sums with nearer limits: what those of all others in a sum leave, again and again.

    No number with an end is above all that is given together, as inverses of totally unimodular
    sums have no entry above 1. What stays a choice is small: HiGHS takes a choice of 10⁻⁶ for none,
    of many people that counts.
    """
    rows = sums.members.tocoo()
    at, cells, plus = rows.row, rows.col, rows.data > 0
    given = np.abs(sums.totals).sum() + sums.low.sum() + sums.high[np.isfinite(sums.high)].sum()
    low, high = sums.low.copy(), np.minimum(sums.high, given)
    for _ in range(20):
        ends = np.where(plus, (low[cells], high[cells]), (-high[cells], -low[cells]))
        most, least = (sums.totals[at] - np.bincount(at, x, sums.totals.size)[at] + x for x in ends)
        np.maximum.at(low, cells, np.where(plus, least, -most))
        np.minimum.at(high, cells, np.where(plus, most, -least))
        low = np.where(low > 0, np.maximum(low, sums.least), low)
        high = np.where(high < sums.least, 0.0, high)
    return replace(sums, low=low, high=high)
