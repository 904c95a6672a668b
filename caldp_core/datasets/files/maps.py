"""The map on which places of a file are counted: asked for, or made for them."""

import math
from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.errors import check_number, require
from caldp_core.basics.limits import GRID_CELL_MIN, K_MAX, OWN_CELLS_USUAL
from caldp_core.domain.domains import US_GRID, Area, GridDomain

CELLS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Sides of cells in degrees; each divides a quarter of a circle."""
FINE_CELLS: Final = (0.001, 0.002, 0.005)
"""Smaller ones, 110 to 560 m, for maps that ask for them."""
_AROUND: Final = 240.0
_NARROWER: Final = 0.9
_WIDE: Final = 5.0
"""Degrees from which on places in the United States are shown on the paper's map."""
WHOLE_WITHIN: Final = 1e-6
"""Cells by which a number of them may differ from a whole one."""


@dataclass(frozen=True)
class MapRequest:
    """The map that is asked for. `cell`: side of a cell in degrees, `extent`: the area it covers.

    None: chosen for the places; the cell is the first of `sides` of which there are at most `most`.
    """

    cell: float | None = None
    extent: Area | None = None
    sides: tuple[float, ...] = CELLS
    most: int = OWN_CELLS_USUAL


def map_for_places(
    request: MapRequest, box: tuple[float, float, float, float], cell: float | None
) -> GridDomain:
    """The map for places in a `box`: south, north, west, east, in degrees.

    `cell`: side of the cells of counts made before, in degrees; None if there are none.

    Raises `CaldpError` where it would have more than 2²⁰ cells.
    """
    if request.cell is not None:
        check_number("cell (degrees)", request.cell, GRID_CELL_MIN, 180)
    side = cell or request.cell
    request = request if side is None else replace(request, sides=(side,))
    if request.extent is not None:
        return _map_covering(request.extent, request)
    return _map_around(*box, request)


def _map_around(
    south: float, north: float, west: float, east: float, request: MapRequest
) -> GridDomain:
    corners = US_GRID.locate([south, north], [west, east])
    on_us = bool((corners >= 0).all()) and US_GRID.cell in request.sides
    if on_us and max(north - south, east - west) >= _WIDE:
        return US_GRID
    for side in request.sides:
        bottom, top = _span(south, north, side, 90)
        left, right = _span(west, east, side, 180)
        if east > 180:  # places on both sides of 180°
            left, last = math.floor(west / side) - 1, math.floor(east / side) + 2
            right = min(last, left + round(360 / side))
        rows, columns = top - bottom, right - left
        if rows * columns <= request.most:
            break
    _check_number(side, rows, columns)
    return GridDomain(round(bottom * side, 9), round(left * side, 9), side, rows, columns)


def _map_covering(extent: Area, request: MapRequest) -> GridDomain:
    """Whole cells from the south-west corner on; the smallest usual ones if none are wanted.

    Across 180° from as much farther west as lets a cell end there.
    """
    for side in request.sides:
        rows = math.ceil((extent.north - extent.south) / side - WHOLE_WITHIN)
        west = extent.west
        if extent.crosses_antimeridian:
            west = round(180 - side * math.ceil((180 - west) / side - WHOLE_WITHIN), 9)
        columns = math.ceil((extent.east - west) / side - WHOLE_WITHIN)
        if rows * columns <= request.most:
            break
    _check_number(side, rows, columns)
    return GridDomain(extent.south, west, side, max(rows, 1), max(columns, 1))


def _check_number(cell: float, rows: int, columns: int) -> None:
    require(
        rows * columns <= K_MAX,
        f"Cells of {cell:g}° would be {rows:,} × {columns:,} here, a map may have up to "
        f"{K_MAX:,}; take larger cells or a smaller part of the Earth.",
    )


def shortest_longitude_range(
    west: float, east: float, turned_west: float, turned_east: float
) -> tuple[float, float]:
    """Western and eastern end of places: as they are, or with those west of 0° a turn further on.

    The latter, across 180°, only for places that would reach around most of the Earth otherwise,
    and where it is narrower by a tenth and more.
    """
    around = east - west > _AROUND and turned_east > 180
    if around and turned_east - turned_west < _NARROWER * (east - west):
        return turned_west, turned_east
    return west, east


def _span(low: float, high: float, cell: float, most: int) -> tuple[int, int]:
    """First cell and the one after the last, from 0°; one more on each side where there is one."""
    ends = round(most / cell)
    first, last = math.floor(low / cell), math.floor(high / cell)
    return max(first - 1, -ends), min(last + 2, ends)
