"""Which country each cell of a map is in.

Made by `scripts/make_world_map.py` from Natural Earth's 1:50m borders (public domain): countries as
they are in fact ruled; others see some borders otherwise.
"""

from functools import cache, lru_cache
from typing import Final

import numpy as np

from caldp_core.basics.types import Bools, Floats, Ints, read_only
from caldp_core.datasets.shipped import DATA_FOLDER, own_file
from caldp_core.datasets.world_lines import unpacked
from caldp_core.domain.grid import GridDomain

WORLD_COUNTRIES: Final = "world_countries.npz"
AT_SEA: Final = "At sea"


@lru_cache(maxsize=8)
def country_labels(grid: GridDomain) -> tuple[Ints, tuple[str, ...]]:
    """(k,) block of each cell, read-only, and the blocks' names: countries with a cell, in order.

    A cell belongs to the country that its centre is in, by borders true to a few kilometres; cells
    whose centre is in none are in the last block, `AT_SEA`, if there are any. Raises `CaldpError`
    if the file is gone.
    """
    raw = np.zeros((grid.rows, grid.columns), np.int64)
    countries = _countries()
    for number, (_, rings, box) in enumerate(countries, start=1):
        rows, columns = _reach(box, grid)
        raw[rows, columns][_inside(rings, grid, rows, columns)] = number
    raw[raw == 0] = len(countries) + 1
    present, labels = np.unique(raw.ravel(), return_inverse=True)
    names = [*(name for name, *_ in countries), AT_SEA]
    return read_only(labels.astype(np.int64)), tuple(names[number - 1] for number in present)


@cache
def _countries() -> tuple[tuple[str, tuple[Floats, ...], Floats], ...]:
    """Name, rings (points, 2), and the (4,) west, south, east and north of each."""
    path = DATA_FOLDER / WORLD_COUNTRIES
    with own_file(WORLD_COUNTRIES), np.load(path, allow_pickle=False) as file:
        found = []
        for number, name in enumerate(file["names"]):
            rings = unpacked(file, str(number))
            points = np.concatenate(rings)
            found.append((str(name), rings, np.array([*points.min(axis=0), *points.max(axis=0)])))
    return tuple(found)


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


def _inside(rings: tuple[Floats, ...], grid: GridDomain, rows: slice, columns: slice) -> Bools:
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
