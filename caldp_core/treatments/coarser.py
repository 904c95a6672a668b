"""Larger cells: only the totals of groups of cells are published."""

import numpy as np

from caldp_core.basics.types import Ints
from caldp_core.treatments.release import Release


def larger_cells(counts: Ints, labels: Ints) -> Release:
    """The total of each group, which a reader spreads evenly over the group's cells.

    `counts`: (k,) people; `labels`: (k,) number of each cell's group, from 0. A group of one cell
    is published as it is.
    """
    sizes = np.bincount(labels)
    totals = np.bincount(labels, weights=counts, minlength=sizes.size)
    means = np.divide(totals, sizes, out=np.zeros(sizes.size), where=sizes > 0)
    return Release(means[labels], sizes[labels] > 1)
