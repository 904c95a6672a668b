"""What published sums say of hidden numbers: of each the least and the largest value that fit.

A hidden number is disclosed where both are one number (Fischetti, Salazar 2001). Sums that form
trees, as those of a hierarchy do, are solved by passing sets of possible values up and down, which
is exact where no two numbers are linked in two ways. All others, as those of a table with two
margins, are solved by mixed-integer programs (HiGHS). Where two hierarchies share the cells, the
sums are totally unimodular, so that the ends are whole numbers (two laminar families; Edmonds 1970,
"Submodular functions, matroids, and certain polyhedra").
"""

from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Bools, Floats, Ints, Progress, no_progress

_SAME: Final = 1e-6
"""Two ends nearer than this are one number: counts are whole."""


@dataclass(frozen=True, eq=False)
class HiddenNumbers:
    """A published table as a list of N numbers, cells and totals, of which some are hidden.

    `values`: (N,) whole numbers, 0 where `hidden`. `primary`: (N,) those hidden as they are small,
    1 … `threshold` − 1; the others protect them. `sums`: (s, N) sparse, 1 for what a total adds
    up and −1 for the total.
    """

    values: Floats
    hidden: Bools
    primary: Bools
    sums: "scipy.sparse.csr_array"
    threshold: int


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


def published_sums(table: HiddenNumbers) -> Sums:
    """The sums of a table with hidden numbers: of each what the published ones leave."""
    (cells,) = np.nonzero(table.hidden)
    members = table.sums[:, cells]
    (open_rows,) = np.nonzero(abs(members).sum(axis=1))
    left, zeros = -(table.sums @ table.values), np.zeros(cells.size)
    return Sums(cells, members[open_rows], left[open_rows], zeros, zeros + np.inf, zeros)


def published_sums_with_marks(table: HiddenNumbers) -> Sums:
    """The sums where offices mark the small numbers: each is from 1 to the threshold less 1."""
    sums = published_sums(table)
    small = table.primary[sums.cells]
    high = np.where(small, table.threshold - 1.0, np.inf)
    return replace(sums, low=small.astype(np.float64), high=high)


def published_sums_with_rule(table: HiddenNumbers) -> Sums:
    """The sums with the rule at its word: one without a mark is 0 or at least the threshold."""
    small = table.primary[table.hidden]
    least = np.where(small, 0.0, float(table.threshold))
    return replace(published_sums_with_marks(table), least=least)


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


def bounds(sums: Sums, progress: Progress = no_progress) -> tuple[Floats, Floats]:
    """(h,) least and (h,) largest values of each hidden number.

    By sets of values where the sums form trees, else by programs. Raises `CaldpError` where no
    numbers fit the sums.
    """
    order = _tree_order(sums)
    return bounds_by_programs(sums, progress) if order is None else _tree_bounds(sums, order)


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


_NO_FIT: Final = "No counts fit these sums; check the totals of the table."


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


def bounds_by_programs(sums: Sums, progress: Progress = no_progress) -> tuple[Floats, Floats]:
    """(h,) least and (h,) largest values of each hidden number, by linear programs (HiGHS).

    A number that is 0 or at least `least` makes the program a mixed-integer one. Numbers that no
    sum links do not bear on each other, so one program finds the end of one number of each linked
    part at once. Raises `CaldpError` where no numbers fit the sums.
    """
    sums = narrowed(sums)
    if (sums.low > sums.high).any():
        raise CaldpError(_NO_FIT)
    part = _parts(sums)
    order = np.argsort(part, kind="stable")
    starts = np.searchsorted(part[order], np.arange(part.max(initial=-1) + 1))
    rank = np.empty(part.size, np.int64)
    rank[order] = np.arange(part.size) - np.repeat(starts, np.diff([*starts, part.size]))
    low, high = sums.low.copy(), sums.high.copy()
    linked = abs(sums.members).sum(axis=0) > 0
    rounds = int(rank[linked].max(initial=-1)) + 1
    for at in range(rounds):
        aim = (rank == at) & linked & (low < high)
        if aim.any():
            low[aim] = _end(sums, aim, 1.0)[aim]
            high[aim] = _end(sums, aim, -1.0)[aim]
        progress((at + 1) / rounds)
    return low, high


def _parts(sums: Sums) -> Ints:
    """(h,) number of the part that each number is in; numbers are linked by a sum of both."""
    links = abs(sums.members.T) @ abs(sums.members)
    return np.asarray(
        scipy.sparse.csgraph.connected_components(links, directed=False)[1], dtype=np.int64
    )


def narrowed(sums: Sums) -> Sums:
    """The sums with nearer limits: what the limits of all others in a sum leave, again and again.

    They hold, but need not be the nearest. No number with an end is above all that is given
    together, as inverses of totally unimodular sums have no entry above 1. What stays a choice is
    small: HiGHS takes a choice of 10⁻⁶ for none, of many people that counts.
    """
    rows = sums.members.tocoo()
    at, cells, plus = rows.row, rows.col, rows.data > 0
    linked = np.bincount(cells, minlength=sums.cells.size) > 0
    given = (np.abs(sums.totals), sums.low, sums.high[np.isfinite(sums.high)])
    low, most = sums.low.copy(), sum(float(each.sum()) for each in given)
    high = np.where(linked, np.minimum(sums.high, most), sums.high)
    for _ in range(_ROUNDS_MAX):
        before = low.copy(), high.copy()
        least = np.where(plus, low[cells], -high[cells])
        largest = np.where(plus, high[cells], -low[cells])
        others_least, others_largest = (
            np.bincount(at, ends, sums.totals.size)[at] - ends for ends in (least, largest)
        )
        least, largest = sums.totals[at] - others_largest, sums.totals[at] - others_least
        np.maximum.at(low, cells, np.where(plus, least, -largest))
        np.minimum.at(high, cells, np.where(plus, largest, -least))
        low = np.where(low > 0, np.maximum(low, sums.least), low)
        high = np.where(high < sums.least, 0.0, high)
        if np.array_equal(before, (low, high)):
            break
    gap = (low == 0) & (high > 0)
    return replace(sums, low=low, high=high, least=np.where(gap, sums.least, 0.0))


_ROUNDS_MAX: Final = 100


def _end(sums: Sums, aim: Bools, sign: float) -> Floats:
    """(h,) values that fit the sums, those in `aim` as small as can be (`sign` 1) or as large."""
    h, (choices,) = sums.cells.size, np.nonzero(sums.least * (abs(sums.members).sum(axis=0) > 0))
    members: Any = sums.members  # HiGHS takes sparse sums; the stubs know dense ones alone
    pick = scipy.sparse.csr_array(
        (np.ones(choices.size), (np.arange(choices.size), choices)), (choices.size, h)
    )
    blocks: Any = [
        [members, scipy.sparse.csr_array((sums.totals.size, choices.size))],
        [pick, -scipy.sparse.diags_array(sums.least[choices])],
        [-pick, scipy.sparse.diags_array(sums.high[choices])],
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
        raise CaldpError(_NO_FIT)
    return np.asarray(solution.x[:h], dtype=np.float64)
