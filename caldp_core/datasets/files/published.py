"""A published map from a file of points or counts, on the cells of the map it is a prior for."""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core.basics.errors import excerpt, require
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets.files import numbers
from caldp_core.datasets.files.answers import UNIT
from caldp_core.datasets.files.geojson import SIDE_COLUMN
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.maps import MapRequest
from caldp_core.datasets.files.places import count_parts_by_cell
from caldp_core.datasets.files.refused_rows import RefusedRows
from caldp_core.datasets.public_map import PublicMap, public_map_from_weights
from caldp_core.domain.grid import GridDomain

_STEP_TOLERANCE: Final = 2e-6
"""Degrees by which steps of a grid may differ: files have six decimals."""
_ALONG: Final = 0.5
"""Of the rows of a file that goes along a grid, those that are one step from the row before."""
_ROWS: Final = 8


@dataclass(frozen=True)
class CountedMap:
    """A published map, its number of `people` on the map it is a prior for, and rows left out.

    `rounded` is always False: parts of people are parts of a map as well.
    """

    published: PublicMap
    people: int
    refused: RefusedRows
    rounded: bool = False


def count_published_map(
    file: DetectedFile,
    layout: Layout,
    title: str,
    domain: GridDomain,
    progress: Progress = no_progress,
) -> CountedMap:
    """The people of a file in the cells of `domain`, or in its own where those are larger.

    Its own cells: of squares in GeoJSON, of `cell_degrees`, and of rows that go along a grid, as
    those of estimate.csv do. Raises `CaldpError` where it has nobody on that map.
    """
    side = _side_of(file, layout)
    on = (
        domain
        if side is None or side <= domain.cell + _STEP_TOLERANCE
        else _aligned_grid(file, layout, side, domain)
    )
    wanted = replace(layout, wanted=MapRequest(on.cell, on.area), cell=None)
    parts, grid, refused, _ = count_parts_by_cell(file, wanted, None, progress)
    weights = np.zeros(grid.k)
    for cell, part in parts.items():
        weights[cell] = part / UNIT
    require(
        float(weights.sum()) > 0,
        f"Nobody of {excerpt(file.table.source.name)} is on this map, {domain.area}; take a file "
        "of "
        "the same part of the Earth.",
    )
    return CountedMap(
        public_map_from_weights(weights, grid, title), round(float(weights.sum())), refused
    )


def _side_of(file: DetectedFile, layout: Layout) -> float | None:
    """Side of the file's own cells in degrees; None where it has none."""
    at = file.names.index(SIDE_COLUMN) if SIDE_COLUMN in file.names else layout.cell
    if at is not None:
        return numbers.parse_number(file.rows[0][at], layout.mark or ".")
    steps = np.abs(np.diff(file.first_places(layout), axis=0))
    for here, other in ((1, 0), (0, 1)):
        along = steps[steps[:, other] <= _STEP_TOLERANCE, here]
        if len(along) < max(_ROWS, _ALONG * len(steps)):
            continue
        side = float(np.median(along))
        if side > _STEP_TOLERANCE and (
            np.abs(along - side) <= _STEP_TOLERANCE
        ).sum() >= _ALONG * len(steps):
            return round(side, 6)
    return None


def _aligned_grid(
    file: DetectedFile, layout: Layout, side: float, domain: GridDomain
) -> GridDomain:
    """The file's own cells that cover the map of `domain`."""
    (latitude, longitude), area = file.first_places(layout)[0], domain.area
    south, west = (
        _edge_before(middle - side / 2, side, low, least)
        for middle, low, least in ((latitude, area.south, -90.0), (longitude, area.west, -180.0))
    )
    rows, columns = (
        max(1, math.ceil((high - low) / side - _STEP_TOLERANCE))
        for low, high in ((south, area.north), (west, area.east))
    )
    rows = min(rows, math.floor((90.0 - south) / side + _STEP_TOLERANCE))
    if not area.crosses_antimeridian:
        columns = min(columns, math.floor((180.0 - west) / side + _STEP_TOLERANCE))
    return GridDomain(south, west, side, rows, columns)


def _edge_before(edge: float, side: float, low: float, least: float) -> float:
    """The last edge of cells at or before `low`, no less than `least`."""
    before = edge + side * math.floor((low - edge) / side + _STEP_TOLERANCE)
    return round(before if before >= least - _STEP_TOLERANCE else before + side, 9)
