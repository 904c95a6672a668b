"""Tables whose small numbers are hidden, with totals of groups, at several levels, or of two kinds.

Further numbers are hidden until each sum has none or two that are, and until the published sums fix
no small one, whatever sums are combined: OECD Glossary of Statistical Disclosure Control 2005
(threshold rule, complementary suppression); Fischetti, Salazar 2001; Hundepool et al. 2012,
Statistical Disclosure Control, chapter 4. The one hidden next is the smallest of a sum: safe, but
not the least that has to be hidden.

Totals of groups of two or more cells are published however small they are. A hierarchy, such as
county, state and nation, has totals that nest; a table with two margins, such as area and answer,
two hierarchies over one set of cells. There the rule applies to both cells and totals, and only the
total of everybody is always published.

What the sums say of a hidden number is the least and the largest value that fit; it is disclosed
where both are one (Fischetti, Salazar 2001). Sums that form trees are solved by passing sets of
possible values up and down, which is exact where no two numbers are linked in two ways; all others
by mixed-integer programs (HiGHS). Where two hierarchies share the cells, the sums are totally
unimodular, so that the ends are whole numbers (two laminar families; Edmonds 1970, "Submodular
functions, matroids, and certain polyhedra").
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import CaldpError, check_counts, check_whole, require
from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Bools, EqualByFields, Floats, Ints, read_only, sums_by
from caldp_core.estimation.intervals import Tails
from caldp_core.treatments.release import Ends, Release

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


def is_tree(sums: Sums) -> bool:
    """Whether `bounds` needs no programs, as the sums form trees."""
    return _tree_order(sums) is not None


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


@dataclass(frozen=True, eq=False)
class Margins:
    """k cells and the totals that are published beside them, N numbers in all, cells first.

    `levels`: (l, k) place of each cell's total by level, its own if it has none; the first `nested`
    are one hierarchy. `sums`: (s, N) sparse, 1 for what a total adds up and −1 for the total.
    `always`: (N,) those that are published however small. `limits`: what a reader makes of a table.
    """

    levels: Ints
    nested: int
    sums: "scipy.sparse.csr_array"
    always: Bools
    limits: "Callable[[HiddenTable], Floats]"

    def row(self, row: int) -> Ints:
        """The places of a sum: its parts and its total."""
        return np.asarray(self.sums.indices[slice(*self.sums.indptr[row : row + 2])], np.int64)

    def numbers(self, counts: Ints) -> Ints:
        """(N,) counts of cells, then of all totals, from (k,) counts."""
        found = np.zeros(self.always.size, np.int64)
        for level in self.levels:
            found += sums_by(level, counts.astype(np.float64), found.size).astype(np.int64)
        found[: counts.size] = counts
        return found


def group_totals(labels: Ints) -> Margins:
    """The totals of groups of two or more cells; `labels`: (k,) number of each cell's group."""
    k, is_shared = labels.size, np.bincount(labels) > 1
    level = np.where(is_shared[labels], k - 1 + np.cumsum(is_shared)[labels], np.arange(k))
    (inside,) = np.nonzero(is_shared[labels])
    n = k + int(is_shared.sum())
    sums = _sums_of([np.stack([inside, level[inside]])], n)
    return Margins(level[None, :], 1, sums, np.arange(n) >= k, _limits_by_groups)


def margins_of(*hierarchies: Sequence[Ints]) -> Margins:
    """The totals of one or two hierarchies over the same cells, and of everybody.

    `hierarchies`: of each the (k,) group of every cell from 0, level by level, the finest first; a
    level of one group is that of everybody. Raises `CaldpError` for groups that are cut by a
    coarser level, and for other numbers of hierarchies.
    """
    require(
        1 <= len(hierarchies) <= 2 and all(hierarchies),
        "hierarchies must be one or two, each with a level or more.",
    )
    k = hierarchies[0][0].size
    groups = [[np.unique(x, return_inverse=True)[1] for x in levels] for levels in hierarchies]
    sizes = [int(labels.max()) + 1 for levels in groups for labels in levels if labels.any()]
    n = k + sum(sizes) + 1
    found: list[Ints] = []
    links: list[Ints] = []
    for levels in groups:
        below, at = np.arange(k), len(found)
        for labels in levels:
            if labels.any():
                found.append(k + sum(sizes[: len(found)]) + labels)
        for above in (*found[at:], np.full(k, n - 1)):
            links.append(np.unique(np.stack([below, above]), axis=1))
            require(
                np.unique(below).size == links[-1].shape[1],
                "Each group must lie in one group of the next level, got one that is cut.",
            )
            below = above
    nested = sum(bool(labels.any()) for labels in groups[0])
    found.insert(nested, np.full(k, n - 1))
    levels_of_all, always = np.array(found, np.int64), np.arange(n) == n - 1
    return Margins(levels_of_all, nested + 1, _sums_of(links, n), always, _limits_by_sums)


def _sums_of(links: list[Ints], n: int) -> "scipy.sparse.csr_array":
    """The sums by (2, …) pairs of a part and its total; of each of `links` no two sums are one."""
    blocks = []
    for parts, totals in links:
        names, row = np.unique(totals, return_inverse=True)
        ends = np.append(row, np.arange(names.size)), np.append(parts, names)
        signs = np.repeat([1.0, -1.0], [row.size, names.size])
        blocks.append(scipy.sparse.csr_array((signs, ends), (names.size, n)))
    return scipy.sparse.csr_array(scipy.sparse.vstack(blocks, format="csr"))


@dataclass(frozen=True, eq=False)
class HiddenTable(EqualByFields):
    """A table with hidden numbers, as it is published.

    `numbers`: (N,) cells and totals, −1 where hidden. `marks`: (N,) those that are hidden as they
    are small, 1 … `threshold` − 1; the others protect them.
    """

    margins: Margins
    numbers: Ints
    marks: Bools
    threshold: int

    @property
    def counts(self) -> Ints:
        """(k,) the cells, −1 where hidden."""
        return self.numbers[: self.margins.levels.shape[1]]

    @property
    def hidden(self) -> Bools:
        """(k,) cells that are hidden."""
        return read_only(self.counts < 0)

    @property
    def primary(self) -> Bools:
        """(k,) cells that are hidden as they are small."""
        return self.marks[: self.counts.size]

    @cached_property
    def limits(self) -> Floats:
        """(2, N) least and largest value of each number, for a reader without the marks."""
        return self.margins.limits(self)

    def release(self) -> Release:
        """A reader's estimate: hidden people spread evenly within the smallest published total.

        Of two hierarchies the totals are those of the first. A hidden cell without a published
        total counts as half of the threshold.
        """
        people, left = np.maximum(self.counts, 0).astype(np.float64), self.counts < 0
        for level in self.margins.levels[: self.margins.nested]:
            cells = left & (self.numbers[level] >= 0)
            rest = self.numbers - sums_by(level, people, self.numbers.size)
            many = np.bincount(level[cells], minlength=self.numbers.size)
            people[cells] = (rest / np.maximum(many, 1))[level[cells]]
            left &= ~cells
        return Release(np.where(left, self.threshold / 2, people), self.hidden, self._ends)

    def _ends(self, areas: Ints, tails: Tails) -> Ends:
        """What lies in an area of each total: by the cells inside, or by those that are outside."""
        m, n, (low, high) = tails.low.size, self.numbers.size, self.limits
        own = self.limits[:, : areas.size]
        least, most = np.zeros(m), np.full(m, np.inf)
        for level in self.margins.levels:
            pairs, at = np.unique(level * m + areas, return_inverse=True)
            total, area = np.divmod(pairs, m)
            inside = [sums_by(at, ends, pairs.size) for ends in own]
            outside = [sums_by(level, ends, n)[total] for ends in own] - np.array(inside)
            lower = np.maximum(inside[0], low[total] - outside[1])
            upper = np.minimum(inside[1], high[total] - outside[0])
            least = np.maximum(least, sums_by(area, lower, m))
            most = np.minimum(most, sums_by(area, upper, m))
        return Ends(least, most, np.ones(m, np.bool_))


def _limits_by_sums(table: HiddenTable) -> Floats:
    """Of hidden numbers what all sums leave, if none is below 0."""
    sums = published_sums(table)
    ends = np.array([table.numbers, table.numbers], np.float64)
    ends[:, sums.cells] = bounds(sums)
    return ends


def _limits_by_groups(table: HiddenTable) -> Floats:
    """What the rule leaves to the hidden cells of each group whose total is published.

    Of three or more that are hidden all are small. Of two the second may be any count, which lets
    the other be from 1 to one less than their sum, or 0 too where both may be small. One without a
    total is small.
    """
    small, k, n = table.threshold - 1.0, table.counts.size, table.numbers.size
    place = table.margins.levels[0]
    left = table.numbers - sums_by(place, np.maximum(table.counts, 0).astype(np.float64), n)
    both = np.bincount(place[table.hidden], minlength=n)
    least = np.where(both == 2, left > small, both > 0)
    most = np.where(both == 2, left - least, small)
    ends = np.array([table.numbers, table.numbers], np.float64)
    ends[:, :k] = np.where(table.hidden, np.array([least, most])[:, place], table.counts)
    return ends


@dataclass(frozen=True)
class Suppression:
    """Hide numbers from 1 to `threshold` − 1; a threshold of 1 hides nothing."""

    threshold: int = 5

    def __post_init__(self) -> None:
        check_whole("threshold", self.threshold, 1, N_MAX)

    def suppress_small(self, counts: Ints, totals: Ints | Margins) -> HiddenTable:
        """The table of (k,) counts with its small numbers hidden, and nothing else.

        `totals`: what is published beside the cells; (k,) labels are those of `group_totals`.
        """
        margins = totals if isinstance(totals, Margins) else group_totals(totals)
        numbers = margins.numbers(check_counts("counts", counts, margins.levels.shape[1]))
        small = (numbers > 0) & (numbers < self.threshold) & ~margins.always
        shown = read_only(np.where(small, -1, numbers))
        return HiddenTable(margins, shown, read_only(small), self.threshold)

    def publish(self, counts: Ints, totals: Ints | Margins) -> HiddenTable:
        """The table with small numbers hidden, and others from which sums would fix them.

        Of each sum the smallest other number that is not 0, a 0 where there is nothing else; ties:
        the first. What stays disclosed is alone in its sums, as of a total of one cell.
        """
        simple = self.suppress_small(counts, totals)
        numbers = simple.margins.numbers(counts)
        hidden = protect(numbers, simple.marks, simple.margins)
        return replace(simple, numbers=read_only(np.where(hidden, -1, numbers)))


def protect(numbers: Ints, primary: Bools, margins: Margins) -> Bools:
    """(N,) True for `primary` and for what is hidden so that no sums disclose one of these.

    `numbers`: (N,) cells and totals, from 0.
    """
    hidden, order = primary.copy(), np.arange(primary.size)
    while True:
        hide_second(numbers, margins, hidden, order)
        sums = published_sums(HiddenTable(margins, np.where(hidden, -1, numbers), primary, 1))
        known = np.zeros(hidden.size, np.bool_)
        known[sums.cells] = disclosed_cells(*bounds(sums))
        (rows,) = np.nonzero(abs(margins.sums[:, known & primary]).sum(axis=1))
        if not sum(hide_smallest(numbers, margins, row, hidden, order) for row in rows.tolist()):
            return hidden


def hide_second(numbers: Ints, margins: Margins, hidden: Bools, order: Ints) -> None:
    """Hide a second number in every sum that has one alone, and so on in the sums that it is in.

    `order`: (N,) which of equal numbers comes first.
    """
    found = True
    while found:
        (alone,) = np.nonzero(abs(margins.sums) @ hidden.astype(np.float64) == 1)
        found = False
        for row in alone.tolist():
            if np.count_nonzero(hidden[margins.row(row)]) == 1:  # another may be hidden by now
                found |= hide_smallest(numbers, margins, row, hidden, order)


def hide_smallest(numbers: Ints, margins: Margins, row: int, hidden: Bools, order: Ints) -> bool:
    """Hide the smallest that is not 0, or a 0 if there is nothing else; whether there was any.

    `order`: (N,) which of equal numbers comes first.
    """
    members = margins.row(row)
    free = members[~hidden[members] & ~margins.always[members]]
    if free.size:
        hidden[free[np.lexsort((order[free], numbers[free], numbers[free] == 0))[0]]] = True
    return free.size > 0


def published_sums(table: HiddenTable) -> Sums:
    """The sums of a table with hidden numbers: of each what the published ones leave."""
    (cells,) = np.nonzero(table.numbers < 0)
    members = table.margins.sums[:, cells]
    (rows,) = np.nonzero(abs(members).sum(axis=1))
    left, zeros = -(table.margins.sums @ np.maximum(table.numbers, 0)), np.zeros(cells.size)
    return Sums(cells, members[rows], left[rows], zeros, zeros + np.inf, zeros)


def published_sums_with_marks(table: HiddenTable) -> Sums:
    """The sums where offices mark the small numbers: each is from 1 to the threshold less 1."""
    sums = published_sums(table)
    small = table.marks[sums.cells]
    high = np.where(small, table.threshold - 1.0, np.inf)
    return replace(sums, low=small.astype(np.float64), high=high)


def published_sums_with_rule(table: HiddenTable) -> Sums:
    """The sums with the rule at its word: one without a mark is 0 or at least the threshold."""
    sums = published_sums_with_marks(table)
    return replace(sums, least=np.where(table.marks[sums.cells], 0.0, float(table.threshold)))
