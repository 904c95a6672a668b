"""Hiding small counts: the threshold rule, and further cells so that none can be subtracted.

Source: OECD Glossary of Statistical Disclosure Control 2005 (threshold rule, complementary
suppression); Fischetti, Salazar 2001. A published table has every count that is not hidden, and the
total of every group of two or more cells: the total of a group of one would be that cell.
"""

from dataclasses import dataclass

import numpy as np

from caldp_core.basics.errors import check_counts, check_whole
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Bools, Floats, Ints, read_only
from caldp_core.treatments.release import Release


@dataclass(frozen=True, eq=False)
class Suppressed:
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
