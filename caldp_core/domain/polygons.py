"""Which cells of a map lie in a polygon: those whose centre does.

Cells of which any part is within a distance of given points. Polygons written as texts.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import CaldpError, excerpt, require
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.domain.grid import KM_PER_DEGREE, GridDomain, degrees_apart

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


def cells_enclosed_twice(ring: Floats, grid: GridDomain) -> Ints:
    """(n,) cells whose centre a ring goes around 2, 4, … times, so outside by the even-odd rule."""
    found = [np.zeros(0, np.int64)]
    for _, turn, box in _meeting([[ring]], grid):
        rows, columns = _reach(box, grid)
        windings = _windings(_shift_rings([ring], turn), grid, rows, columns)
        row, column = np.nonzero((windings != 0) & (windings % 2 == 0))
        found.append((row + rows.start) * grid.columns + column + columns.start)
    return np.concatenate(found)


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
    """(points, 2) longitude and latitude, shifted to the east by `degrees`."""
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
    """(rows, columns) cells whose centre is inside, by the even-odd rule."""
    return np.asarray(_windings(rings, grid, rows, columns) % 2 == 1)


def _windings(rings: Sequence[Floats], grid: GridDomain, rows: slice, columns: slice) -> Ints:
    """(rows, columns) how often rings go around the centre of each cell, opposite turns less.

    The parallel of each row's centres is cut by the rings' sides; each cut adds 1 to all that is
    east of it, or −1, by the side's direction.
    """
    latitudes, longitudes = grid.latitudes()[rows], grid.longitudes()[columns]
    turns = np.zeros((latitudes.size, longitudes.size + 1), np.int64)
    if not latitudes.size or not longitudes.size:
        return turns[:, :-1]
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
        column = np.clip(cut, 0, longitudes.size).astype(np.int64)
        np.add.at(turns, (row, column), np.sign(y1 - y0).astype(np.int64)[side])
    return np.asarray(np.cumsum(turns, axis=1)[:, :-1])


_SLACK: Final = 1 + 1e-9
"""Factor on a distance, so that rounding leaves nobody out."""


def cells_within_km(grid: GridDomain, points: Floats, km: float) -> Bools:
    """(k,) True for cells of which any part is within `km` of a point, on the sphere.

    `points`: (p, 2) latitude and longitude in degrees; points off the map count as well. So
    everybody within `km` of a point is in such a cell.
    """
    flags = np.zeros((grid.rows, grid.columns), np.bool_)
    south = np.asarray(grid.south + grid.cell * np.arange(grid.rows), np.float64)
    west = np.asarray(grid.west + grid.cell * np.arange(grid.columns), np.float64)
    reach = _SLACK * km / KM_PER_DEGREE
    for latitude, longitude in points:
        rows = _within(south, grid.cell, latitude, reach)
        for turned in longitude + np.array([-360.0, 0.0, 360.0]):
            columns = _within(west, grid.cell, turned, _half_width(latitude, reach))
            beside = np.clip(turned, west[columns], west[columns] + grid.cell) - turned
            nearest = np.clip(
                _nearest_latitude(latitude, beside)[None, :],
                south[rows, None],
                south[rows, None] + grid.cell,
            )
            flags[rows, columns] |= degrees_apart(nearest, latitude, beside[None, :]) <= reach
    return flags.ravel()


def _within(edges: Floats, cell: float, at: float, reach: float) -> slice:
    """The intervals [edge, edge + cell] that come within `reach` of a place on their line."""
    indices = np.flatnonzero((edges <= at + reach) & (edges + cell >= at - reach))
    return slice(int(indices[0]), int(indices[-1]) + 1) if indices.size else slice(0, 0)


def _half_width(latitude: float, reach: float) -> float:
    """Degrees of longitude that a circle of `reach` degrees covers on each side."""
    if abs(latitude) + reach >= 90.0:  # there is a pole in it
        return 180.0
    part = np.sin(np.radians(reach)) / np.cos(np.radians(latitude))
    return float(np.degrees(np.arcsin(part))) * _SLACK


def _nearest_latitude(latitude: float, beside: Floats) -> Floats:
    """The nearest latitude on each meridian `beside` degrees away from a point."""
    ahead = np.cos(np.radians(beside))
    nearest = np.degrees(np.arctan2(np.tan(np.radians(latitude)), np.maximum(ahead, 0.0)))
    return np.asarray(np.where(ahead > 0.0, nearest, 90.0 * np.sign(latitude)))


_NUMBER: Final = r"-?[0-9]{1,3}(?:\.[0-9]{1,12})?"
_RING: Final = re.compile(rf"{_NUMBER},{_NUMBER}(?: {_NUMBER},{_NUMBER})*")
_CORNERS_MIN: Final = 3


@cached
def parse_polygon(text: str) -> tuple[AreaPart, ...]:
    """The parts that a text of `PolygonBlocks` unites; raises `CaldpError` for any other text."""
    return tuple(_part(part) for part in text.split(" + "))


def _part(text: str) -> AreaPart:
    area, *holes = text.split(" - ")
    rings = area.split(" / ")
    require(
        len({frozenset(ring.split(" ")) for ring in rings}) == len(rings),
        "A ring of a polygon stands twice after “ / ”, where two copies cancel each other; leave "
        f"one out, got {excerpt(text)}.",
    )
    whole = unwrap_rings([_ring(ring) for ring in (*rings, *holes)])
    return AreaPart(whole[: len(rings)], whole[len(rings) :])


def _ring(text: str) -> Floats:
    """A closed ring, (points, 2) longitude and latitude; raises `CaldpError` for other texts."""
    if _RING.fullmatch(text) is None:
        raise CaldpError(
            "A polygon is written as corners “latitude,longitude” in degrees with spaces "
            f"between them, got {excerpt(text)}."
        )
    points = np.array(re.split("[ ,]", text), dtype=np.float64).reshape(-1, 2)
    inside = (np.abs(points) <= (90.0, 180.0)).all()
    require(
        bool(inside) and len(points) >= _CORNERS_MIN,
        f"A polygon needs {_CORNERS_MIN} corners or more within ±90° and ±180°, got "
        f"{excerpt(text)}.",
    )
    return np.asarray(np.vstack([points, points[:1]])[:, ::-1])
