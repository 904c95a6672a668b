"""Names of cities to show on maps.

Made by `scripts/make_cities.py` from GeoNames (CC-BY 4.0).
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np

from caldp_core.datasets.shipped import explain_file_errors, read_rows
from caldp_core.domain.grid import Area

_TILE_SHARE: Final = 1 / 350
"""Of an area's longer side: of cities that are closer, the largest is enough."""
_CITIES_MAX: Final = 2000


@dataclass(frozen=True)
class City:
    """A city: degrees of its middle, number of inhabitants; `region`: its state or country."""

    name: str
    region: str
    latitude: float
    longitude: float
    population: int


@cache
def us_cities() -> tuple[City, ...]:
    """The cities on `US_GRID`, in the order in which to label them: the largest first.

    Those abroad are ranked by a quarter of their inhabitants. At least 15,000 inhabitants; of
    places within 0.2° of each other only the first is kept. Raises `CaldpError` if the file is
    gone.
    """
    return _read("us_cities.csv.gz")


@cache
def world_cities() -> tuple[City, ...]:
    """Places on Earth with at least 15,000 inhabitants, and smaller capitals, the largest first.

    Raises `CaldpError` if the file is gone.
    """
    return _read("world_cities.csv.gz")


def cities_in(area: Area) -> tuple[City, ...]:
    """The largest cities of an area, at most 2,000, the largest first.

    Only one of those too close to be told apart on a screen. Raises `CaldpError` if the file is
    gone.
    """
    cities = world_cities()
    at = np.array([(city.latitude, city.longitude) for city in cities])
    if area.crosses_antimeridian:  # degrees go on, as the map's do
        at[at[:, 1] < area.west, 1] += 360.0
    south_west, north_east = (area.south, area.west), (area.north, area.east)
    inside = np.flatnonzero(((at >= south_west) & (at < north_east)).all(axis=1))
    tile = _TILE_SHARE * max(area.north - area.south, area.east - area.west)
    tiles = np.floor((at[inside] - south_west) / tile).astype(np.int64)
    _, first = np.unique(tiles, axis=0, return_index=True)
    labelled = inside[np.sort(first)][:_CITIES_MAX]
    return tuple(replace(cities[i], longitude=float(at[i, 1])) for i in labelled)


def _read(name: str) -> tuple[City, ...]:
    with explain_file_errors(name):
        return tuple(
            City(name, region, float(latitude), float(longitude), int(population))
            for name, region, latitude, longitude, population in read_rows(name)
        )
