"""How far a published table is from the truth, in one vocabulary for all treatments.

Everybody (total variation), small places, and boxes: what can still be asked of the table.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import check_whole, require
from caldp_core.basics.types import Floats, Ints
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.metrics import total_variation
from caldp_core.treatments.release import Release


@dataclass(frozen=True)
class TableErrors:
    """Errors of one published table.

    `tv`: share of people who would have to be moved, in [0, 1]. `cell`: mean error of a cell, in
    people. `small`: the same over the small places, 0 where there are none; `small_lost`: share of
    them of which more than half of the count is wrong. `box`: mean error of a box's total, as a
    share of its people, over boxes with people.
    """

    tv: float
    cell: float
    small: float
    small_lost: float
    box: float


def measure(counts: Ints, release: Release, small: int, boxes: Ints | GridDomain) -> TableErrors:
    """The errors of a release against (k,) true `counts` of at least one person.

    `small`: places of 1 to so many people are small. `boxes`: a map, of which all squares of
    `BOX` cells a side are asked, or (k,) groups of a table, whose totals are.
    """
    n = int(counts.sum())
    require(n > 0, "A table needs at least one person, got none.")
    off = np.abs(release.estimate - counts)
    those = (counts > 0) & (counts <= small)
    lost = off[those] > 0.5 * counts[those]
    return TableErrors(
        total_variation(counts / n, release.shares),
        float(off.mean()),
        float(off[those].mean()) if those.any() else 0.0,
        float(lost.mean()) if those.any() else 0.0,
        _mean_share(*box_errors(counts, release.estimate, boxes)),
    )


BOX: Final = 5
"""Cells along a side of the boxes that are asked: 1° on the map of the United States."""


def box_errors(counts: Ints, estimate: Floats, boxes: Ints | GridDomain) -> tuple[Floats, Floats]:
    """(boxes,) true totals of all boxes, and how far the estimate's totals are off, in people."""
    if isinstance(boxes, GridDomain):
        true, made = (
            _squares(each.reshape(boxes.rows, boxes.columns)) for each in (counts, estimate)
        )
    else:
        true, made = (np.bincount(boxes, each).astype(np.float64) for each in (counts, estimate))
    return true, np.abs(made - true)


def _squares(table: NDArray[np.generic]) -> Floats:
    """Sums over all squares of `BOX` cells a side that fit into the table; the whole if none."""
    rows, columns = (min(BOX, check_whole("cells", size, 1, 2**20)) for size in table.shape)
    sums = np.zeros((table.shape[0] + 1, table.shape[1] + 1))
    sums[1:, 1:] = table.astype(np.float64).cumsum(0).cumsum(1)
    squares = sums[rows:, columns:] - sums[:-rows, columns:] - sums[rows:, :-columns]
    return np.asarray((squares + sums[:-rows, :-columns]).ravel())


def _mean_share(true: Floats, off: Floats) -> float:
    there = true > 0
    return float(off[there].sum() / true[there].sum()) if there.any() else 0.0
