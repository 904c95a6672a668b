"""The desk's rule for hidden counts: stricter than that of the comparison.

Each small number (1 to the threshold less 1) may be any of threshold + 1 values or more, for all
that the published numbers say: also for someone who knows the whole count of one other hidden cell.
So the sum of what is hidden is never small, and nobody who knows one cell subtracts to another.
Where two lists are crossed, a cell that holds all people of a group is treated as a small number
is, however large it is: otherwise the table would say what everybody of the group answered. Checked
by integer programs on the table that is published, not by the way it was made.

Ends of a number under given sums: Fischetti, Salazar 2001, "Solving the cell suppression problem on
tabular data with linear constraints". Who knows a cell: their "internal attacker". Two hierarchies
over the same cells make the sums totally unimodular, so that the ends are whole numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from caldp_core.basics.errors import count_text, require
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Bools, Floats, Ints, Progress, no_progress
from caldp_core.treatments.suppression import (
    HiddenTable,
    Margins,
    Sums,
    Suppression,
    bounds,
    hide_second,
    hide_smallest,
    is_tree,
    published_sums,
)

PROGRAMS_MAX: Final = 40_000
"""Most programs for one table: about two minutes."""
_WHOLE: Final = 1e-6
"""How far from whole numbers a solution may be."""


@dataclass
class _Tables:
    """Tables of (h,) hidden numbers that fit the published sums, found so far by programs.

    One row for each; the first is the true one. A table in which a cell is as it truly is fits also
    for someone who knows that cell, so one program answers for many of them.
    """

    sums: Sums
    rows: Floats
    reach: int
    progress: Progress
    solved: int = 0

    def ends(self, known: int | None) -> tuple[Floats, Floats]:
        """(h,) least and (h,) largest values among the tables with the true value of `known`."""
        rows = self.rows
        if known is not None:
            rows = rows[rows[:, known] == rows[0, known]]
        return rows.min(axis=0), rows.max(axis=0)

    def solve(self, number: int, known: int | None) -> None:
        """Add the tables in which a number is higher or lower, by up to `reach`.

        They differ from the true one in as few people as can be, and so answer for nearly all who
        know another cell. Programs over the people who are more and fewer in each cell.
        """
        self.solved += 2
        self.progress(min(self.solved / PROGRAMS_MAX, 1.0))
        require(
            self.solved <= PROGRAMS_MAX,
            "So many small counts cannot be hidden in bounded time; take larger cells or noise.",
        )
        true, h = self.rows[0], self.rows.shape[1]
        members: Any = scipy.sparse.hstack([self.sums.members, -self.sums.members])
        balance = scipy.optimize.LinearConstraint(members, 0, 0)
        most = np.concatenate([self.sums.high - true, true - self.sums.low])
        if known is not None:
            most[[known, h + known]] = 0
        for wanted, other in ((number, h + number), (h + number, number)):
            aim, ends = np.ones(2 * h), most.copy()
            aim[wanted], ends[other] = -100.0 * h, 0
            ends[wanted] = min(ends[wanted], self.reach)
            limits = scipy.optimize.Bounds(np.zeros(2 * h), ends)
            found = scipy.optimize.milp(aim, bounds=limits, constraints=balance)
            require(found.success, "The sums of this table cannot be solved; take noise.")
            moved = np.rint(np.asarray(found.x))
            # The ends of one table are whole numbers by themselves, of two tables not always.
            if np.abs(moved - found.x).max() > _WHOLE:
                whole = np.ones(2 * h, np.int64)
                found = scipy.optimize.milp(
                    aim, integrality=whole, bounds=limits, constraints=balance
                )
                require(found.success, "The sums of this table cannot be solved; take noise.")
                moved = np.rint(np.asarray(found.x))
            self.rows = np.vstack([self.rows, true + moved[:h] - moved[h:]])


def narrow_numbers(table: HiddenTable, numbers: Ints, progress: Progress = no_progress) -> Bools:
    """(N,) True for small numbers with fewer than threshold + 1 values, for a reader or an insider.

    `numbers`: (N,) all true cells and totals. An insider knows the whole count of one hidden cell,
    and so the total of a group of that cell alone, which is the same number. `progress` is called
    now and then, and may raise `Cancelled`.
    """
    narrow = np.zeros(numbers.size, np.bool_)
    if not table.marks.any():
        return narrow
    whole = published_sums(table)
    # A finite end keeps programs bounded, and is far enough that no small number is narrow by it.
    end = float(numbers.max()) + 2.0 * table.threshold
    whole = replace(whole, high=np.full(whole.cells.size, end))
    part = Part(
        whole,
        numbers[whole.cells].astype(np.float64),
        table.marks[whole.cells],
        np.flatnonzero(whole.cells < table.counts.size),
        _equal_numbers(table.margins)[whole.cells],
    )
    narrow[whole.cells] = narrow_in_parts(part, table.threshold, progress)
    return narrow


@dataclass(frozen=True, eq=False)
class Part:
    """Hidden numbers that sums link: (h,) true values, small ones, and labels of equal numbers.

    `insiders`: the places of cells, each of which somebody may know.
    """

    sums: Sums
    true: Floats
    small: Bools
    insiders: Ints
    same: Ints


def narrow_in_parts(whole: Part, threshold: int, progress: Progress = no_progress) -> Bools:
    """(h,) narrow numbers of all parts that no sum links; see `narrow_numbers`.

    Of `whole` the ends must be finite.
    """
    narrow = np.zeros(whole.true.size, np.bool_)
    for inside, sums in _components(whole.sums):
        small = whole.small[inside]
        if small.any():
            insiders = np.flatnonzero(np.isin(inside, whole.insiders))
            part = Part(sums, whole.true[inside], small, insiders, whole.same[inside])
            narrow_here = _narrow_by_sets if is_tree(sums) else _narrow_by_programs
            narrow[inside] = narrow_here(part, threshold, progress)
    return narrow


def _equal_numbers(margins: Margins) -> Ints:
    """(N,) labels, equal for numbers that are one: a cell and the total of a group of it alone."""
    members = abs(margins.sums)
    pairs = members[np.flatnonzero(members.sum(axis=1) == 2)]
    _, labels = scipy.sparse.csgraph.connected_components(pairs.T @ pairs, directed=False)
    return np.asarray(labels, np.int64)


def _components(sums: Sums) -> Iterator[tuple[Ints, Sums]]:
    """The sums apart where no sum links them: what is known of one part says nothing of another.

    With each the places of its numbers.
    """
    links = abs(sums.members).T @ abs(sums.members)
    number, part = scipy.sparse.csgraph.connected_components(links, directed=False)
    for place in range(number):
        inside = np.flatnonzero(part == place)
        members = sums.members[:, inside]
        rows = np.flatnonzero(abs(members).sum(axis=1))
        low, high, least = sums.low[inside], sums.high[inside], sums.least[inside]
        yield (
            inside,
            Sums(sums.cells[inside], members[rows], sums.totals[rows], low, high, least),
        )


def _known(sums: Sums, true: Floats, number: int) -> Sums:
    """The sums for someone who knows a number."""
    low, high = sums.low.copy(), sums.high.copy()
    low[number] = high[number] = true[number]
    return replace(sums, low=low, high=high)


def _narrow_by_sets(part: Part, threshold: int, progress: Progress) -> Bools:
    """(h,) narrow numbers where the sums form trees, by the sets of possible values."""
    low, high = bounds(part.sums)
    narrow = part.small & (high - low < threshold)
    for known in part.insiders.tolist():
        progress(0.0)
        low, high = bounds(_known(part.sums, part.true, known))
        narrow |= part.small & (high - low < threshold) & (part.same != part.same[known])
    return narrow


def _narrow_by_programs(part: Part, threshold: int, progress: Progress) -> Bools:
    """(h,) narrow numbers, by programs."""
    narrow = np.zeros(part.true.size, np.bool_)
    tables = _Tables(part.sums, part.true[None, :], threshold, progress)
    for known in (None, *part.insiders.tolist()):
        others = part.small if known is None else part.small & (part.same != part.same[known])
        low, high = tables.ends(known)
        for number in np.flatnonzero(others & ~narrow & (high - low < threshold)).tolist():
            low, high = tables.ends(known)  # more tables by now
            if high[number] - low[number] < threshold:
                tables.solve(number, known)
                low, high = tables.ends(known)
                narrow[number] = high[number] - low[number] < threshold
    return narrow


def hide_small(
    counts: Ints, margins: Margins, threshold: int, order: Ints, progress: Progress = no_progress
) -> HiddenTable:
    """The table of (k,) counts in which no small number is narrow.

    Of each sum of a narrow number the smallest other number is hidden that is not 0, a 0 where
    there is nothing else: so a small number is never alone among zeros. `order`: (N,) which of
    equal numbers comes first; it must be a secret, or the zero that is hidden beside a small number
    would be known by its place. `progress`: as `narrow_numbers`. Raises `CaldpError` where nothing
    is left to hide.
    """
    table = Suppression(threshold).suppress_small(counts, margins)
    numbers = margins.numbers(counts)
    table = replace(table, marks=table.marks | _whole_groups(counts, margins))
    hidden = table.marks.copy()
    require(
        bool(numbers[-1] >= threshold),
        f"There are fewer than {count_text(threshold, 'person', 'people')} in all; such a list is "
        "not released.",
    )
    while True:
        hide_second(numbers, margins, hidden, order)
        table = replace(table, numbers=np.where(hidden, -1, numbers))
        narrow = narrow_numbers(table, numbers, progress)
        if not narrow.any():
            return table
        require(
            _hide_near(numbers, margins, narrow, hidden, order),
            f"{count_text(int(narrow.sum()), 'small number follows', 'small numbers follow')} from "
            "the sums, whatever is hidden; take larger cells or noise.",
        )


def _whole_groups(counts: Ints, margins: Margins) -> Bools:
    """(N,) True for cells that hold all people of a group of several cells, of two hierarchies."""
    found = np.zeros(margins.always.size, np.bool_)
    if margins.levels.shape[0] == margins.nested:
        return found  # one hierarchy: its groups are areas, and no answers
    for level in margins.levels:
        cells, inhabited = np.bincount(level), np.bincount(level, counts > 0)
        is_whole = (counts > 0) & (inhabited[level] == 1) & (cells[level] > 1)
        found[: counts.size] |= is_whole
    return found


def _hide_near(numbers: Ints, margins: Margins, narrow: Bools, hidden: Bools, order: Ints) -> bool:
    """Hide one more number in each sum of a narrow one; whether there was any.

    Where all of these sums are hidden as a whole, in the sums of their hidden numbers, and so on.
    """
    members = abs(margins.sums)
    reached = narrow
    rows = np.zeros(members.shape[0], np.bool_)
    while True:
        before, rows = rows, members @ reached.astype(np.float64) > 0
        if (rows == before).all():
            return False
        more = [
            hide_smallest(numbers, margins, row, hidden, order)
            for row in np.flatnonzero(rows).tolist()
        ]
        if any(more):
            return True
        reached = hidden & (members.T @ rows.astype(np.float64) > 0)
