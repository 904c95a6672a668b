"""A published table as its reader sees it: larger cells, noise, rounding, hidden counts.

Larger cells: only the totals of groups of cells are published. Noise of a trusted office (the
central model): two-sided geometric (Ghosh, Roughgarden, Sundararajan 2009). Neighbours are tables
in which one person is elsewhere, as in the local model: two counts move by one, so the noise is
that of ε/2, and the number of people is public. Random rounding to a multiple of a base, right
on average: Statistics New Zealand's to base 3 since the census of 1981, Statistics Canada's to base
5 (2011 Census, confidentiality rules). Hiding: OECD Glossary of Statistical Disclosure Control 2005
(threshold rule, complementary suppression); Fischetti, Salazar 2001. A published table has every
count that is not hidden, and the total of every group of two or more cells.

Errors are in one vocabulary for all: everybody (total variation), small places, and boxes.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from caldp_core.basics.errors import check_counts, check_epsilon, check_whole, require
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Bools, EqualByFields, Floats, Ints, read_only, sums_by
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.projection import simplex_projection
from caldp_core.experiments.metrics import box_error, total_variation
from caldp_core.lecture.counts import GeometricNoise


@dataclass(frozen=True, eq=False)
class Release:
    """A reader's estimate from a published table, in people.

    `estimate`: (k,) people in each cell, as the reader would guess them; they add up to about
    everybody. `hidden`: (k,) True where the cell has no number of its own. Both are read-only.
    """

    estimate: Floats
    hidden: Bools

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


def exact_release(counts: Ints) -> Release:
    """The release of (k,) counts as they are: nothing is done to them."""
    return Release(counts.astype(np.float64), np.zeros(counts.size, np.bool_))


def larger_cells(counts: Ints, labels: Ints) -> Release:
    """The total of each group, which a reader spreads evenly over the group's cells.

    `counts`: (k,) people; `labels`: (k,) number of each cell's group, from 0. A group of one cell
    is published as it is.
    """
    sizes = np.bincount(labels)
    totals = np.bincount(labels, weights=counts, minlength=sizes.size)
    means = np.divide(totals, sizes, out=np.zeros(sizes.size), where=sizes > 0)
    return Release(means[labels], sizes[labels] > 1)


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

    def draw(self, counts: Ints, rng: np.random.Generator) -> Ints:
        """The noisy counts, of the shape of `counts`; whole, unbiased, may be negative."""
        return np.asarray(counts + self.noise.draw(counts.shape, rng), dtype=np.int64)

    def publish(self, counts: Ints, rng: np.random.Generator) -> Release:
        """The table of (k,) counts nearest to the noisy ones with no count below 0.

        It adds up to everybody; mending a published table costs no privacy.
        """
        checked = check_counts("counts", counts, counts.size)
        total = int(checked.sum())
        shares = simplex_projection(self.draw(checked, rng) / max(total, 1))
        return Release(shares * total, np.zeros(checked.size, np.bool_))

    def box_error(self, cells: int) -> float:
        """Root mean square error, in people, of a box of `cells`: √cells·sd of the noise."""
        return math.sqrt(cells * self.noise.variance)

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

    def draw(self, counts: Ints, rng: np.random.Generator) -> Ints:
        """Rounded numbers of the shape of `counts`: n = qb + r goes up with probability r/b."""
        rest = counts % self.base
        up = rng.integers(0, self.base, counts.shape) < rest
        return np.asarray(counts - rest + self.base * up, dtype=np.int64)

    def law(self, count: int) -> dict[int, Fraction]:
        """The published values of a count, each with its probability."""
        low, rest = count - count % self.base, count % self.base
        up = Fraction(rest, self.base)
        return {value: p for value, p in ((low, 1 - up), (low + self.base, up)) if p}

    def variance(self, counts: Ints) -> Floats:
        """r(b − r) for r = n mod b, of the shape of `counts`; 0 for multiples of the base."""
        rest = counts % self.base
        return np.asarray(rest * (self.base - rest), dtype=np.float64)

    def publish(self, counts: Ints, rng: np.random.Generator) -> Release:
        """The table of (k,) counts with every number rounded."""
        checked = check_counts("counts", counts, counts.size)
        rounded = self.draw(checked, rng)
        return Release(rounded.astype(np.float64), np.zeros(checked.size, np.bool_))


@dataclass(frozen=True, eq=False)
class Suppressed(EqualByFields):
    """A table with hidden cells, as it is published.

    `counts`: (k,) published numbers, −1 where hidden. `labels`: (k,) groups; `totals`: (m,) their
    totals, −1 for groups of one cell. `hidden`: (k,); `primary`: (k,) those hidden as they are
    small, the others protect them. `threshold`: small is 1 … threshold − 1.
    """

    counts: Ints
    labels: Ints
    totals: Ints
    hidden: Bools
    primary: Bools
    threshold: int

    def hidden_totals(self) -> Floats:
        """(m,) people in each group's hidden cells; −1 where the total is not published."""
        published = np.bincount(self.labels, np.maximum(self.counts, 0), self.totals.size)
        return np.where(self.totals >= 0, self.totals - published, -1.0)

    def release(self) -> Release:
        """A reader's estimate: the hidden people of a group spread evenly over its cells.

        A hidden cell without a published total counts as half of the threshold.
        """
        left, per_group = (
            self.hidden_totals(),
            np.bincount(self.labels[self.hidden], minlength=self.m),
        )
        even = np.divide(left, per_group, out=np.zeros(self.m), where=per_group > 0)
        even = np.where(self.totals >= 0, even, self.threshold / 2)
        return Release(np.where(self.hidden, even[self.labels], self.counts), self.hidden)

    @property
    def m(self) -> int:
        """Number of groups."""
        return int(self.totals.size)


@dataclass(frozen=True)
class Suppression:
    """Hide counts from 1 to `threshold` − 1; a threshold of 1 hides nothing."""

    threshold: int = 5

    def __post_init__(self) -> None:
        check_whole("threshold", self.threshold, 1, N_MAX)

    def is_small(self, counts: Ints) -> Bools:
        """(k,) True for the counts that the rule hides: 0 < n < threshold."""
        return (counts > 0) & (counts < self.threshold)

    def suppress_small(self, counts: Ints, labels: Ints) -> Suppressed:
        """The table of (k,) counts with its small counts hidden, and nothing else."""
        checked = check_counts("counts", counts, labels.size)
        return self._table(checked, labels, self.is_small(checked))

    def publish(self, counts: Ints, labels: Ints) -> Suppressed:
        """The table with small counts hidden, and a second cell where one could be subtracted.

        In each group with one hidden cell the smallest other count that is not 0 is hidden, too;
        a 0 where there is nothing else. Ties: the first.
        """
        checked = check_counts("counts", counts, labels.size)
        small = self.is_small(checked)
        return self._table(checked, labels, small | complements(checked, labels, small))

    def _table(self, counts: Ints, labels: Ints, hidden: Bools) -> Suppressed:
        sizes = np.bincount(labels)
        totals = np.bincount(labels, counts, sizes.size).astype(np.int64)
        return Suppressed(
            read_only(np.where(hidden, -1, counts)),
            labels,
            read_only(np.where(sizes > 1, totals, -1)),
            read_only(hidden),
            read_only(self.is_small(counts)),
            self.threshold,
        )


def complements(counts: Ints, labels: Ints, hidden: Bools) -> Bools:
    """(k,) True for the second cell of each group that has just one hidden cell."""
    alone = np.bincount(labels[hidden], minlength=int(labels.max(initial=0)) + 1) == 1
    (open_ones,) = np.nonzero(alone[labels] & ~hidden)
    # By group, then counts before zeros, then the smallest: the first of each group is hidden.
    order = np.lexsort((counts[open_ones], counts[open_ones] == 0, labels[open_ones]))
    _, first = np.unique(labels[open_ones][order], return_index=True)
    second = np.zeros(counts.size, np.bool_)
    second[open_ones[order][first]] = True
    return second
