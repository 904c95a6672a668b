"""Which cells of a map lie in a polygon: those whose centre does."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.domain.grid import GridDomain

_TURNS: Final = (0.0, 360.0, -360.0)


def mark_inside(raw: Ints, rings: Sequence[Floats], grid: GridDomain, number: int) -> None:
    """Write `number` into those cells of (rows, columns) `raw` whose centre is inside of the rings.

    `rings`: closed, (points, 2) longitude and latitude in degrees; by the even-odd rule, so that a
    ring within another is a hole. Rings and maps may lie on either side of the 180th meridian.
    """
    points = np.concatenate(rings)
    box = np.array([*points.min(axis=0), *points.max(axis=0)])
    for turn in _TURNS:
        if box[0] + turn >= grid.area.east or box[2] + turn <= grid.west:
            continue
        turned = [_turned(ring, turn) for ring in rings] if turn else rings
        rows, columns = _reach(_turned(box.reshape(2, 2), turn).ravel(), grid)
        raw[rows, columns][_inside(turned, grid, rows, columns)] = number


def in_one_piece(rings: Sequence[Floats]) -> list[Floats]:
    """Rings whose sides jump from 180° E to 180° W or back, as they go on across; others stay.

    A side along all of a parallel, as Antarctica's at the pole, is no jump.
    """
    unrolled = [_unrolled(ring) for ring in rings]
    if all(new is old for new, old in zip(unrolled, rings, strict=True)):
        return unrolled
    middle = float(unrolled[0][:, 0].mean())
    turns = [360.0 * round((middle - float(ring[:, 0].mean())) / 360.0) for ring in unrolled]
    return [_turned(ring, turn) for ring, turn in zip(unrolled, turns, strict=True)]


def _turned(points: Floats, degrees: float) -> Floats:
    """(points, 2) longitude and latitude, so many degrees further to the east."""
    return np.asarray(points + np.array([degrees, 0.0]))


def _unrolled(ring: Floats) -> Floats:
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
    """Of each, how many centres of cells lie before it."""
    before = np.ceil((at - centres[0]) / grid.cell)
    return [int(number) for number in np.clip(before, 0, centres.size)]


def _inside(rings: Sequence[Floats], grid: GridDomain, rows: slice, columns: slice) -> Bools:
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
