"""A published table as its reader sees it: larger cells, noise, rounding, hidden counts.

Larger cells: only the totals of groups of cells are published. Noise of a trusted office (the
central model): two-sided geometric (Ghosh, Roughgarden, Sundararajan 2009). Neighbours are tables
in which one person is elsewhere, as in the local model: two counts move by one, so the noise is
that of ε/2, and the number of people is public. Random rounding to a multiple of a base, right
on average: Statistics New Zealand's to base 3 since the census of 1981, Statistics Canada's to base
5 (2011 Census, confidentiality rules). Hiding is in `suppression.py`. A published table has every
count that is not hidden, and the total of every group of two or more cells.

Errors are in one vocabulary for all: everybody (total variation), small places, and boxes. So are
the ends of an area's count: bounds that follow from the rule and always hold, or ranges.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import check_counts, check_epsilon, check_whole, require
from caldp_core.basics.types import Bools, EqualByFields, Floats, Ints, Seed, read_only, sums_by
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import LEVEL, Tails
from caldp_core.estimation.projection import simplex_projection
from caldp_core.experiments.metrics import box_error, total_variation
from caldp_core.experiments.regions import ResultAreas, area_limits
from caldp_core.experiments.table import people_column
from caldp_core.lecture.counts import GeometricNoise
from caldp_core.mechanisms.randomness import generator


@dataclass(frozen=True, eq=False)
class Ends(EqualByFields):
    """(a,) least and most people of areas; `always`: (a,) True for a bound that always holds."""

    low: Floats
    high: Floats
    always: Bools


EndsOf: TypeAlias = Callable[[Ints, Tails], Ends]
"""(k,) the area of each cell, and the chances with which ends that are not bounds may be missed."""


@dataclass(frozen=True, eq=False)
class Release(EqualByFields):
    """A reader's estimate from a published table, in people.

    `estimate`: (k,) people in each cell, as the reader would guess them; they add up to about
    everybody. `hidden`: (k,) True where the cell has no number of its own. Both are read-only.
    `ends`: what the table says for sure, or nearly so, of sums over areas.
    """

    estimate: Floats
    hidden: Bools
    ends: EndsOf

    def __post_init__(self) -> None:
        require(
            self.estimate.ndim == 1 and self.estimate.shape == self.hidden.shape,
            "estimate and hidden must be one number and one flag for each cell, got shapes "
            f"{self.estimate.shape} and {self.hidden.shape}.",
        )
        read_only(self.estimate)
        read_only(self.hidden)

    @property
    def shares(self) -> Floats:
        """(k,) shares of all people; 0 for all where nobody is left."""
        total = float(self.estimate.sum())
        return self.estimate / total if total > 0 else np.zeros_like(self.estimate)

    def ends_of_areas(self, areas: Ints, level: float = LEVEL) -> Ends:
        """Ends of each area; `areas`: (k,) numbers from 0. They include the reader's estimate.

        Where they are not bounds, they hold with probability `level`, as in `intervals.ranges` also
        on average for the areas with the most people.
        """
        sums = sums_by(areas, self.estimate, int(areas.max()) + 1)
        found = self.ends(areas, Tails.by_rank(sums, 0.5 * (1.0 - level)))
        return Ends(np.minimum(found.low, sums), np.maximum(found.high, sums), found.always)

    def ends_within(self, groups: Ints, level: float = LEVEL) -> Ends:
        """Ends of each cell's share of its group, in [0, 1]; `groups`: (k,) numbers from 0.

        They follow from those of the cell and of the group, each of which is missed with half of
        1 − `level` at most. 0 to 1 where the group may be nobody.
        """
        ends = []
        for areas in (np.arange(groups.size), groups):
            tails = np.full(int(areas.max()) + 1, 0.25 * (1.0 - level))
            ends.append(self.ends(areas, Tails(tails, tails)))
        cell, (low, high) = ends[0], (each[groups] for each in (ends[1].low, ends[1].high))
        least = np.divide(cell.low, high, out=np.zeros(high.size), where=high > 0)
        most = np.divide(cell.high, low, out=np.ones(high.size), where=cell.high < low)
        return Ends(least, most, cell.always & ends[1].always[groups])


def exact_release(counts: Ints) -> Release:
    """The release of (k,) counts as they are: each cell is a group of its own."""
    return larger_cells(counts, np.arange(counts.size))


def local_release(evidence: Evidence, shares: Floats) -> Release:
    """(k,) estimated `shares` from reports that were randomised one by one, with `evidence`."""
    n = evidence.n

    def ends(areas: Ints, tails: Tails) -> Ends:
        low, high = area_limits(evidence, areas, tails)
        return Ends(n * low, n * high, high - low <= _KNOWN)

    return Release(n * shares, np.zeros(shares.size, np.bool_), ends)


_KNOWN: Final = 1e-9
"""A narrower range of shares is shown as known exactly: the reports show the number."""


def area_columns(release: Release, areas: ResultAreas, n: int) -> dict[str, list[object]]:
    """The columns by name, each (a,): shares of `n` people, and their ends (`ends_of_areas`).

    `kind`: what the numbers are: "exact" where table or reports show them, else an "estimate in a
    bound" or "in a range". `level`: 1 where the ends are a bound that always holds, else the chance
    that a range does.
    """
    people = sums_by(areas.labels, release.estimate, len(areas.names))
    ends = release.ends_of_areas(areas.labels)
    exact = ends.high - ends.low <= _KNOWN * n
    kinds = np.where(ends.always, "estimate in a bound", "estimate in a range")
    return {
        "area": list(areas.names),
        "share": (people / n).tolist(),
        "people": people_column(people),
        "kind": np.where(exact, "exact", kinds).tolist(),
        "low": (ends.low / n).tolist(),
        "high": (ends.high / n).tolist(),
        "level": np.where(ends.always, 1.0, LEVEL).tolist(),
    }


def larger_cells(counts: Ints, labels: Ints) -> Release:
    """The total of each group, which a reader spreads evenly over the group's cells.

    `counts`: (k,) people; `labels`: (k,) number of each cell's group, from 0. A group of one cell
    is published as it is.
    """
    sizes = np.bincount(labels)
    totals = sums_by(labels, counts.astype(np.float64), sizes.size)
    means = np.divide(totals, sizes, out=np.zeros(sizes.size), where=sizes > 0)
    return Release(means[labels], sizes[labels] > 1, partial(_ends_of_groups, totals, labels))


def _ends_of_groups(totals: Floats, labels: Ints, areas: Ints, tails: Tails) -> Ends:
    """All people of groups that lie in an area as a whole, to those of all that it touches."""
    m = tails.low.size
    group, area = np.divmod(np.unique(labels * m + areas), m)
    whole = (np.bincount(group) == 1)[group]
    low = sums_by(area[whole], totals[group[whole]], m)
    return Ends(low, sums_by(area, totals[group], m), np.ones(m, np.bool_))


BOX: Final = 5
"""Cells along a side of the boxes of `TableErrors.box`: 1° on the map of the United States."""


@dataclass(frozen=True)
class TableErrors:
    """Errors of one published table.

    `tv`: share of people who would have to be moved, in [0, 1]. `cell`: mean error of a cell, in
    people. `small`: mean error over the small places, 0 without any; `small_lost`: share
    of them of which more than half of the count is wrong. `box`: share of people in the wrong box,
    see `box_error`.
    """

    tv: float
    cell: float
    small: float
    small_lost: float
    box: float


def table_errors(
    counts: Ints, release: Release, small: int, boxes: Ints | GridDomain
) -> TableErrors:
    """The errors of a release against (k,) true `counts` of at least one person.

    `small`: the most people of a small place. `boxes`: a map, cut into boxes of `BOX` cells a side,
    or (k,) groups of a table. Raises `CaldpError` without anybody.
    """
    n = int(counts.sum())
    require(n > 0, "A table needs at least one person, got none.")
    differences = np.abs(release.estimate - counts)
    is_small = (counts > 0) & (counts <= small)
    lost = differences[is_small] > 0.5 * counts[is_small]
    return TableErrors(
        total_variation(counts / n, release.shares),
        float(differences.mean()),
        float(differences[is_small].mean()) if is_small.any() else 0.0,
        float(lost.mean()) if is_small.any() else 0.0,
        _of_boxes(counts / n, release.shares, boxes),
    )


def _of_boxes(truth: Floats, estimate: Floats, boxes: Ints | GridDomain) -> float:
    if isinstance(boxes, GridDomain):
        return box_error(truth, estimate, boxes, BOX)
    groups = int(boxes.max()) + 1
    return total_variation(sums_by(boxes, truth, groups), sums_by(boxes, estimate, groups))


class CentralTable:
    """A table whose every cell has noise; totals are sums of the published cells, so they agree.

    `epsilon`: for one person who is elsewhere, in [0.001, 20].
    """

    def __init__(self, epsilon: float) -> None:
        self.epsilon = float(check_epsilon(epsilon))
        self.noise = GeometricNoise(self.epsilon / 2)

    def draw(self, counts: Ints, rng: Seed) -> Ints:
        """The noisy counts, of the shape of `counts`; whole, unbiased, may be negative."""
        return np.asarray(counts + self.noise.draw(counts.shape, rng), dtype=np.int64)

    def publish(self, counts: Ints, rng: Seed) -> Release:
        """The table of (k,) counts nearest to the noisy ones with no count below 0.

        It adds up to everybody; post-processing costs no privacy.
        """
        checked = check_counts("counts", counts, counts.size)
        total = int(checked.sum())
        noisy = self.draw(checked, rng)
        people = simplex_projection(noisy / max(total, 1)) * total
        return Release(people, np.zeros(checked.size, np.bool_), partial(self._ends, noisy, total))

    def _ends(self, noisy: Ints, total: int, areas: Ints, tails: Tails) -> Ends:
        """By the exact law of the noise of an area's cells, or of all others if these are fewer."""
        m = tails.low.size
        cells, sums = np.bincount(areas, minlength=m), sums_by(areas, noisy.astype(np.float64), m)
        few = 2 * cells <= noisy.size
        middle = np.where(few, sums, total - (sums.sum() - sums))
        draws, both = np.where(few, cells, noisy.size - cells), np.array([tails.low, tails.high])
        off = np.empty(both.shape)
        for number in np.unique(draws).tolist():
            off[:, draws == number] = self.noise.sum_limits(number, both[:, draws == number])
        low, high = (np.clip(middle + each, 0, total) for each in (-off[0], off[1]))
        return Ends(low, high, cells == noisy.size)

    @property
    def guess_accuracy(self) -> float:
        """How often the best guess between two cells of one person is right, all others known.

        1/(1 + e^{−ε/2}): both counts show only whether they are above what the others make.
        """
        return 1.0 / (1.0 + float(self.noise.alpha))


BASE_MAX: Final = 1000


@dataclass(frozen=True)
class Rounding:
    """To multiples of `base`, a whole number from 2 to 1,000; each number on its own."""

    base: int = 5

    def __post_init__(self) -> None:
        check_whole("base", self.base, 2, BASE_MAX)

    def draw(self, counts: Ints, rng: Seed) -> Ints:
        """Rounded numbers of the shape of `counts`: n = qb + r goes up with probability r/b."""
        rest = counts % self.base
        up = generator(rng).integers(0, self.base, counts.shape) < rest
        return np.asarray(counts - rest + self.base * up, dtype=np.int64)

    def law(self, count: int) -> dict[int, Fraction]:
        """The published values of a count, each with its probability."""
        low, rest = count - count % self.base, count % self.base
        up = Fraction(rest, self.base)
        return {value: p for value, p in ((low, 1 - up), (low + self.base, up)) if p}

    def publish(self, counts: Ints, rng: Seed) -> Release:
        """The table of (k,) counts with every number rounded."""
        checked = check_counts("counts", counts, counts.size)
        rounded = self.draw(checked, rng).astype(np.float64)
        return Release(rounded, np.zeros(checked.size, np.bool_), partial(self._ends, rounded))

    def _ends(self, rounded: Floats, areas: Ints, tails: Tails) -> Ends:
        """Less than the base to each side of every cell; of many cells the range if it is narrower.

        Errors are right on average, within b of each other and independent, so that the sum of c is
        above b√(c·ln(1/t)/2) with chance t at most (Hoeffding 1963, Theorem 2).
        """
        off, ones = self.base - 1, np.ones(rounded.size)
        columns = (np.maximum(rounded - off, 0.0), rounded, rounded + off, ones)
        least, sums, most, cells = (sums_by(areas, each, tails.low.size) for each in columns)
        down, up = (self.base * np.sqrt(cells * np.log(1 / t) / 2) for t in (tails.low, tails.high))
        low, high = np.maximum(sums - down, 0.0), sums + up
        always = most - least <= high - low
        return Ends(np.where(always, least, low), np.where(always, most, high), always)
