"""Which hexagon of H3, the world's grid of nearly equal hexagons, each cell of a map is in.

H3 (Brodsky 2018, h3geo.org) cuts the Earth into 2 + 120·7^r cells at resolution r, all but twelve
of them hexagons. The package h3 finds them; it is imported only here.
"""

from typing import Any, Final

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import require
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.limits import HEXAGONS_MAX
from caldp_core.basics.types import Ints, read_only
from caldp_core.datasets.base_map import world_cities
from caldp_core.domain.grid import KM_PER_DEGREE, Area, GridDomain

_CELLS_MIN: Final = 2
"""Fewest cells of the map in a hexagon, on average: a report from one of one cell would name it."""


@cached
def hexagon_labels(grid: GridDomain, resolution: int) -> tuple[Ints, tuple[str, ...]]:
    """(k,) block of each cell, read-only, and the blocks' names: H3's hexagons with a cell.

    A cell belongs to the hexagon that its centre is in; blocks are in the order of H3's numbers. A
    name is that number as H3 writes it, with the largest town in the hexagon: "Paris and around
    (841fb47ffffffff)". Raises `CaldpError` where hexagons are smaller than the map's cells, on
    average, and where the package h3 is missing.
    """
    finest = max((r for r in range(HEXAGONS_MAX + 1) if _km2(r) >= _cell_km2(grid)), default=0)
    require(
        resolution <= finest,
        f"Hexagons at resolution {resolution} are smaller than the map's cells; at most {finest}.",
    )
    h3 = _h3()
    latitudes, longitudes = grid.latitudes().tolist(), grid.wrapped_longitudes().tolist()
    indices = (h3.latlng_to_cell(y, x, resolution) for y in latitudes for x in longitudes)
    numbers = np.fromiter(indices, np.uint64, grid.k)
    present, labels = np.unique(numbers, return_inverse=True)
    towns: dict[int, str] = {}
    for city in world_cities():  # the largest first
        number = h3.latlng_to_cell(city.latitude, city.longitude, resolution)
        towns.setdefault(number, city.name)
    return read_only(labels.astype(np.int64)), tuple(
        _name(h3.int_to_str(number), towns.get(number)) for number in present.tolist()
    )


def _name(index: str, town: str | None) -> str:
    return f"{town} and around ({index})" if town else f"hexagon {index}"


def hexagon_km(resolution: int) -> float:
    """Kilometres across a hexagon, from side to side, on average over the Earth.

    H3's hexagons differ by a factor of two in area, some 40 % across.
    """
    return float(np.sqrt(_km2(resolution) * 2.0 / np.sqrt(3.0)))


def hexagon_resolutions(grid: GridDomain) -> tuple[int, ...]:
    """H3's resolutions at which a map has some two hexagons or more, of some two cells or more.

    By areas alone, largest hexagons first.
    """
    least, most = _CELLS_MIN * _cell_km2(grid), _km2_of(grid.area) / 2
    return tuple(r for r in range(HEXAGONS_MAX + 1) if least <= _km2(r) <= most)


def _cell_km2(grid: GridDomain) -> float:
    """Square kilometres of a cell, on average."""
    return _km2_of(grid.area) / grid.k


def _km2(resolution: int) -> float:
    """Square kilometres of a hexagon, on average."""
    earth = _km2_of(Area(-90.0, 90.0, -180.0, 180.0))
    return earth / (2 + 120 * 7.0**resolution)


def _km2_of(area: Area) -> float:
    south, north = np.sin(np.radians([area.south, area.north]))
    radius = float(np.degrees(KM_PER_DEGREE))
    return float(np.radians(area.east - area.west) * (north - south)) * radius**2


def _h3() -> Any:
    with explain_missing("A grid of hexagons"):
        import h3.api.basic_int as h3
    return h3
