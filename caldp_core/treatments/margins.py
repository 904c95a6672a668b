"""Tables with totals at several levels, or of two kinds, whose small numbers are hidden.

A hierarchy, such as county, state and nation, has totals that nest; a table with two margins, such
as area and answer, has two hierarchies over one set of cells. The threshold rule is applied to
cells and totals alike. Further numbers are hidden until each sum has none or two that are, and
until the published sums fix no small one, whatever sums are combined (complementary suppression;
Fischetti, Salazar 2001; Hundepool et al. 2012, Statistical Disclosure Control, chapter 4). The
number hidden next is the smallest of a sum, as in τ-Argus' hypercube method: safe, but not the
least that has to be hidden. The total of everybody is always published.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from caldp_core.basics.errors import check_counts, require
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Bools, Floats, Ints, read_only, sums_by
from caldp_core.estimation.intervals import Tails
from caldp_core.treatments.release import Ends, Release, Suppression
from caldp_core.treatments.sums import (
    HiddenNumbers,
    bounds,
    disclosed_cells,
    narrowed,
    published_sums,
    published_sums_with_rule,
)


@dataclass(frozen=True, eq=False)
class Margins:
    """k cells and the totals that are published beside them, N numbers in all.

    `levels`: (l, k) place of each cell's total, by level; the places of cells come first, that of
    everybody last. `sums`: (s, N) sparse, 1 for what a total adds up and −1 for the total.
    """

    levels: Ints
    nested: int
    sums: "scipy.sparse.csr_array"

    @property
    def n(self) -> int:
        """How many numbers there are, N."""
        return int(self.sums.shape[1])

    def row(self, row: int) -> Ints:
        """The places of a sum: its parts and its total."""
        return np.asarray(self.sums.indices[slice(*self.sums.indptr[row : row + 2])], np.int64)

    def numbers(self, counts: Ints) -> Ints:
        """(N,) counts of cells, then of all totals, from (k,) counts."""
        found = np.zeros(self.n, np.int64)
        found[: counts.size] = counts
        for level in self.levels:
            np.add.at(found, level, counts)
        found[-1] = counts.sum()
        return found


def margins_of(*hierarchies: Sequence[Ints]) -> Margins:
    """The totals of one or two hierarchies over the same cells.

    `hierarchies`: of each the (k,) group of every cell from 0, level by level, the finest first; a
    level of one group is that of everybody. Raises `CaldpError` for groups that are cut by a
    coarser level, and for other numbers of hierarchies.
    """
    require(
        1 <= len(hierarchies) <= 2 and all(hierarchies),
        "hierarchies must be one or two, each with a level or more.",
    )
    k = hierarchies[0][0].size
    places, nested = k, 0
    levels: list[Ints] = []
    links: list[Ints] = []
    last: list[Ints] = []
    for hierarchy in hierarchies:
        below = np.arange(k)
        for labels in hierarchy:
            names, group = np.unique(labels, return_inverse=True)
            if names.size == 1:
                continue
            pairs = np.unique(np.stack([below, places + group]), axis=1)
            require(
                np.unique(below).size == pairs.shape[1],
                "Each group must lie in one group of the next level, got one that is cut.",
            )
            links.append(pairs)
            below = places + group
            levels.append(below)
            places += names.size
        nested = nested if last else len(levels)
        last.append(np.unique(below))
    links += [np.stack([each, np.full(each.size, places)]) for each in last]
    return Margins(np.array(levels, np.int64).reshape(-1, k), nested, _rows_of(links, places + 1))


def _rows_of(links: list[Ints], n: int) -> "scipy.sparse.csr_array":
    """The rows of (2, …) pairs of a part and its total; of each of `links` no two rows are one."""
    blocks = []
    for parts, tops in links:
        names, row = np.unique(tops, return_inverse=True)
        at = np.concatenate([row, np.arange(names.size)])
        signs = np.repeat([1.0, -1.0], [row.size, names.size])
        ends = at, np.concatenate([parts, names])
        blocks.append(scipy.sparse.csr_array((signs, ends), (names.size, n)))
    return scipy.sparse.csr_array(scipy.sparse.vstack(blocks, format="csr"))


@dataclass(frozen=True, eq=False)
class MarginTable:
    """A table with margins and hidden numbers, as it is published."""

    margins: Margins
    published: HiddenNumbers

    def numbers(self) -> HiddenNumbers:
        """The published cells, then the published totals."""
        return self.published

    @property
    def k(self) -> int:
        """Number of cells."""
        return int(self.margins.levels.shape[1])

    @property
    def hidden(self) -> Bools:
        """(k,) cells that are hidden."""
        return self.published.hidden[: self.k]

    @property
    def primary(self) -> Bools:
        """(k,) cells that are hidden as they are small."""
        return self.published.primary[: self.k]

    @cached_property
    def limits(self) -> tuple[Floats, Floats]:
        """(N,) limits of each number that always hold, by all sums and the rule."""
        sums = narrowed(published_sums_with_rule(self.published))
        low, high = self.published.values.copy(), self.published.values.copy()
        low[sums.cells], high[sums.cells] = sums.low, sums.high
        return low, high

    def release(self) -> Release:
        """A reader's estimate: hidden people spread evenly within the smallest published total.

        Of two hierarchies the totals are those of the first.
        """
        people, left = self.published.values[: self.k].copy(), self.hidden.copy()
        everybody = np.full((1, self.k), self.margins.n - 1)
        for level in np.concatenate([self.margins.levels[: self.margins.nested], everybody]):
            cells = left & ~self.published.hidden[level]
            rest = self.published.values - sums_by(level, people, self.margins.n)
            many = np.bincount(level[cells], minlength=self.margins.n)
            people[cells] = rest[level[cells]] / many[level[cells]]
            left &= ~cells
        return Release(people, read_only(self.hidden.copy()), self._ends)

    def _ends(self, areas: Ints, tails: Tails) -> Ends:
        """By the limits of cells, or of totals that lie in an area as a whole if these are nearer.

        By totals of a level the area is those that lie in it, and the cells of those that are cut.
        """
        m, (low, high) = tails.low.size, self.limits
        least, most = np.zeros(m), np.full(m, np.inf)
        for level in (np.arange(self.k), *self.margins.levels, np.full(self.k, self.margins.n - 1)):
            total, area = np.divmod(np.unique(level * m + areas), m)
            is_whole = np.bincount(total, minlength=self.margins.n) == 1
            kept, cut = is_whole[total], ~is_whole[level]
            lower, upper = (
                sums_by(area[kept], ends[total[kept]], m)
                + sums_by(areas[cut], ends[: self.k][cut], m)
                for ends in (low, high)
            )
            least, most = np.maximum(least, lower), np.minimum(most, upper)
        return Ends(least, most, np.ones(m, np.bool_))


def hide_small(rule: Suppression, counts: Ints, margins: Margins) -> MarginTable:
    """The table of (k,) counts with its small cells and totals hidden, and nothing else."""
    numbers = margins.numbers(check_counts("counts", counts, counts.size))
    small = rule.is_small(numbers) & (np.arange(numbers.size) < numbers.size - 1)
    return MarginTable(margins, _published(numbers, small, small, margins, rule.threshold))


def publish(rule: Suppression, counts: Ints, margins: Margins) -> MarginTable:
    """The table with small numbers hidden, and others from which sums would fix them.

    What is left where nothing else can be hidden, as of a total of everybody with one cell alone,
    stays disclosed.
    """
    numbers, simple = margins.numbers(counts), hide_small(rule, counts, margins).published
    hidden = protect(numbers, simple.primary, margins)
    return MarginTable(
        margins, _published(numbers, hidden, simple.primary, margins, rule.threshold)
    )


def _published(
    numbers: Ints, hidden: Bools, primary: Bools, margins: Margins, threshold: int
) -> HiddenNumbers:
    shown = np.where(hidden, 0, numbers).astype(np.float64)
    return HiddenNumbers(shown, hidden, primary, margins.sums, threshold)


def protect(numbers: Ints, primary: Bools, margins: Margins) -> Bools:
    """(N,) True for `primary` and for what is hidden so that no sums fix one of these.

    `numbers`: (N,) cells and totals, from 0.
    """
    hidden = primary.copy()
    while True:
        _hide_second(numbers, margins, hidden)
        sums = published_sums(_published(numbers, hidden, primary, margins, 1))
        known = np.zeros(hidden.size, np.bool_)
        known[sums.cells] = disclosed_cells(*bounds(sums))
        (rows,) = np.nonzero(abs(margins.sums[:, known & primary]).sum(axis=1))
        if not sum(_hide_smallest(numbers, margins.row(row), hidden) for row in rows.tolist()):
            return hidden


def _hide_second(numbers: Ints, margins: Margins, hidden: Bools) -> None:
    """Hide a second number in every sum that has one alone, and so on in the sums that it is in."""
    found = True
    while found:
        (alone,) = np.nonzero(abs(margins.sums) @ hidden.astype(np.float64) == 1)
        found = False
        for members in map(margins.row, alone.tolist()):
            if np.count_nonzero(hidden[members]) == 1:  # a row before may have hidden one here
                found |= _hide_smallest(numbers, members, hidden)


def _hide_smallest(numbers: Ints, members: Ints, hidden: Bools) -> bool:
    """Hide the smallest that is not 0, or a 0 if there is nothing else; whether there was any."""
    free = members[~hidden[members] & (members < numbers.size - 1)]
    if free.size:
        hidden[free[np.lexsort((free, numbers[free], numbers[free] == 0))[0]]] = True
    return free.size > 0
