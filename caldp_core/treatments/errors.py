"""How far a published table is from the truth, in one vocabulary for all treatments.

Everybody (total variation), small places, and boxes: what can still be asked of the table.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.types import Floats, Ints, sums_by
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.metrics import box_error, total_variation
from caldp_core.treatments.release import Release

BOX: Final = 5
"""Cells along a side of the boxes of `TableErrors.box`: 1° on the map of the United States."""


@dataclass(frozen=True)
class TableErrors:
    """Errors of one published table.

    `tv`: share of people who would have to be moved, in [0, 1]. `cell`: mean error of a cell, in
    people. `small`: mean error over the small places, 0 where there are none; `small_lost`: share
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

    `small`: places of 1 to so many people are small. `boxes`: a map, cut into boxes of `BOX` cells
    a side, or (k,) groups of a table. Raises `CaldpError` without anybody.
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
