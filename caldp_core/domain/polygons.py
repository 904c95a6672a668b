"""Which cells of a map lie in a polygon: those whose centre does."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.domain.grid import GridDomain

_TURNS: Final = (0.0, 360.0, -360.0)


@dataclass(frozen=True)
class AreaPart:
    """A part of an area: inside of `rings`, by the even-odd rule, and of none of its `holes`.

    Rings and holes: closed, (points, 2) longitude and latitude in degrees.
    """

    rings: Sequence[Floats]
    holes: Sequence[Floats] = ()


def cells_by_area(areas: Sequence[Sequence[Floats]], grid: GridDomain) -> tuple[Ints, Ints]:
    """(k,) block of each cell, and (m,) the number of the area that each block is, rising.

    Each area is the rings of one `AreaPart`. Rings and maps may lie on either side of the 180th
    meridian. A later area wins where two overlap; those without a cell are no blocks; cells in none
    are one more, with the number of areas.
    """
    raw = np.full(grid.k, len(areas), np.int64)
    for number, cells in cells_of_parts([AreaPart(rings) for rings in areas], grid):
        raw[cells] = number
    present, labels = np.unique(raw, return_inverse=True)
    return np.asarray(labels, np.int64), present


def cells_of_parts(parts: Sequence[AreaPart], grid: GridDomain) -> Iterator[tuple[int, Ints]]:
    """Parts in their order: number and (n,) cells whose centre is inside.

    A part comes more than once where it lies on both sides of a map of the whole Earth, and not at
    all where it is elsewhere.
    """
    for number, turn, box in _meeting([part.rings for part in parts], grid):
        rows, columns = _reach(box, grid)
        part = parts[number]
        inside = _inside_mask(_shift_rings(part.rings, turn), grid, rows, columns)
        for hole in part.holes:
            inside &= ~_inside_mask(_shift_rings([hole], turn), grid, rows, columns)
        row, column = np.nonzero(inside)
        yield number, (row + rows.start) * grid.columns + column + columns.start


def _shift_rings(rings: Sequence[Floats], degrees: float) -> Sequence[Floats]:
    return [_shift_east(ring, degrees) for ring in rings] if degrees else rings


def _meeting(
    areas: Sequence[Sequence[Floats]], grid: GridDomain
) -> Iterator[tuple[int, float, Floats]]:
    """Areas that may have a cell: number, degrees to shift it to the east, and its shifted box."""
    edges, turns = grid.area, np.array(_TURNS)
    boxes = _boxes(areas)[:, None] + turns[:, None] * (1.0, 0.0, 1.0, 0.0)
    west, south, east, north = np.moveaxis(boxes, -1, 0)
    meets = (
        (west < edges.east) & (east > edges.west) & (south < edges.north) & (north > edges.south)
    )
    for number, turn in np.argwhere(meets).tolist():
        yield number, _TURNS[turn], boxes[number, turn]


def _boxes(areas: Sequence[Sequence[Floats]]) -> Floats:
    """(areas, 4) their west, south, east and north."""
    if not areas:
        return np.empty((0, 4))
    rings = [ring for area in areas for ring in area]
    points = np.concatenate(rings)
    corners = [sum(map(len, area)) for area in areas]
    first = np.cumsum([0, *corners[:-1]])
    ends = np.minimum.reduceat(points, first), np.maximum.reduceat(points, first)
    return np.concatenate(ends, axis=1)


def unwrap_rings(rings: Sequence[Floats]) -> list[Floats]:
    """Rings without jumps from 180° E to 180° W or back: their degrees go on; others stay.

    Each ring: (points, 2) longitude and latitude in degrees. A side along all of a parallel, as
    Antarctica's at the pole, is no jump.
    """
    unwrapped = [_unwrap_ring(ring) for ring in rings]
    if all(new is old for new, old in zip(unwrapped, rings, strict=True)):
        return unwrapped
    middle = float(unwrapped[0][:, 0].mean())
    turns = [360.0 * round((middle - float(ring[:, 0].mean())) / 360.0) for ring in unwrapped]
    return [_shift_east(ring, turn) for ring, turn in zip(unwrapped, turns, strict=True)]


def _shift_east(points: Floats, degrees: float) -> Floats:
    """(points, 2) longitude and latitude, so many degrees further to the east."""
    return np.asarray(points + np.array([degrees, 0.0]))


def _unwrap_ring(ring: Floats) -> Floats:
    steps = np.diff(ring[:, 0])
    jumps = (np.abs(steps) > 180.0) & (np.abs(steps) < 360.0)
    # Where it does not end where it began it goes around a pole.
    turns = np.cumsum(np.where(jumps, -360.0 * np.sign(steps), 0.0))
    if not jumps.any() or turns[-1] != 0.0:
        return ring
    return np.asarray(ring + np.stack([np.append(0.0, turns), np.zeros(len(ring))], axis=1))


def _reach(box: Floats, grid: GridDomain) -> tuple[slice, slice]:
    """Rows and columns of the cells whose centre may be in a box; none where it is elsewhere."""
    west, south, east, north = box
    return (
        slice(*_from(np.array([south, north]), grid.latitudes(), grid)),
        slice(*_from(np.array([west, east]), grid.longitudes(), grid)),
    )


def _from(at: Floats, centres: Floats, grid: GridDomain) -> list[int]:
    """How many centres of cells lie before each of `at`."""
    before = np.ceil((at - centres[0]) / grid.cell)
    return [int(number) for number in np.clip(before, 0, centres.size)]


def _inside_mask(rings: Sequence[Floats], grid: GridDomain, rows: slice, columns: slice) -> Bools:
    """(rows, columns) cells whose centre is inside, by the even-odd rule.

    The parallel of each row's centres is cut by the rings' sides; from each cut on to the east,
    what was outside is inside and the other way round.
    """
    latitudes, longitudes = grid.latitudes()[rows], grid.longitudes()[columns]
    turns = np.zeros((latitudes.size, longitudes.size + 1), np.int64)
    if not latitudes.size or not longitudes.size:
        return turns[:, :-1] > 0
    for ring in rings:
        (x0, y0), (x1, y1) = ring[:-1].T, ring[1:].T
        low, high = (
            np.clip(np.ceil((y - latitudes[0]) / grid.cell), 0, latitudes.size).astype(np.int64)
            for y in (np.minimum(y0, y1), np.maximum(y0, y1))
        )
        times = high - low
        side = np.repeat(np.arange(times.size), times)
        row = low[side] + np.arange(side.size) - np.repeat(np.cumsum(times) - times, times)
        share = (latitudes[row] - y0[side]) / (y1[side] - y0[side])
        cut = np.ceil((x0[side] + share * (x1[side] - x0[side]) - longitudes[0]) / grid.cell)
        np.add.at(turns, (row, np.clip(cut, 0, longitudes.size).astype(np.int64)), 1)
    return np.asarray(np.cumsum(turns, axis=1)[:, :-1] % 2 == 1)
