"""The map on which places of a file are counted: asked for, or made for them."""

import math
from dataclasses import dataclass
from typing import Final

from caldp_core.basics.errors import check_number, require
from caldp_core.basics.limits import GRID_CELL_MIN, K_MAX, OWN_CELLS_USUAL
from caldp_core.domain.grid import US_GRID, Area, GridDomain

CELLS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Sides of cells in degrees; each divides a quarter of a circle."""
FINE_CELLS: Final = (0.001, 0.002, 0.005)
"""Smaller ones, 110 to 560 m, for maps that ask for them."""
_WIDE: Final = 5.0
"""Degrees from which on places in the United States are shown on the paper's map."""
WHOLE_WITHIN: Final = 1e-6
"""Cells by which a number of them may differ from a whole one."""


@dataclass(frozen=True)
class MapWanted:
    """What is asked of the map. `cell`: side of a cell in degrees, `extent`: what it shows.

    None: chosen for the places.
    """

    cell: float | None = None
    extent: Area | None = None


def map_of(
    wanted: MapWanted, box: tuple[float, float, float, float], cell: float | None
) -> GridDomain:
    """The map for places in a box: south, north, west, east; `cell`: of counts made before.

    Raises `CaldpError` where it would have more than 2²⁰ cells.
    """
    side = cell or wanted.cell
    if wanted.extent is not None:
        return _covering(wanted.extent, side)
    return _around(*box, side)


def _around(south: float, north: float, west: float, east: float, cell: float | None) -> GridDomain:
    corners = US_GRID.locate([south, north], [west, east])
    on_us = bool((corners >= 0).all()) and cell in (None, US_GRID.cell)
    if on_us and max(north - south, east - west) >= _WIDE:
        return US_GRID
    for side in [cell] if cell else CELLS:
        (bottom, top), (left, right) = _span(south, north, side, 90), _span(west, east, side, 180)
        rows, columns = top - bottom, right - left
        if rows * columns <= OWN_CELLS_USUAL:
            break
    _check_number(side, rows, columns)
    return GridDomain(round(bottom * side, 9), round(left * side, 9), side, rows, columns)


def _covering(extent: Area, cell: float | None) -> GridDomain:
    """Whole cells from the south-west corner on; the smallest usual ones if none are wanted."""
    for side in [cell] if cell else CELLS:
        check_number("cell (degrees)", side, GRID_CELL_MIN, 180)
        rows = math.ceil((extent.north - extent.south) / side - WHOLE_WITHIN)
        columns = math.ceil((extent.east - extent.west) / side - WHOLE_WITHIN)
        if rows * columns <= OWN_CELLS_USUAL:
            break
    _check_number(side, rows, columns)
    return GridDomain(extent.south, extent.west, side, max(rows, 1), max(columns, 1))


def _check_number(cell: float, rows: int, columns: int) -> None:
    require(
        rows * columns <= K_MAX,
        f"Cells of {cell:g}° would be {rows:,} × {columns:,} here, a map may have up to "
        f"{K_MAX:,}; take larger cells or a smaller part of the Earth.",
    )


def _span(low: float, high: float, cell: float, most: int) -> tuple[int, int]:
    """First cell and the one after the last, from 0°; one more on each side where there is one."""
    ends = round(most / cell)
    first, last = math.floor(low / cell), math.floor(high / cell)
    return max(first - 1, -ends), min(last + 2, ends)
