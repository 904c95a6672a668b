"""Areas of the Earth: what people call regions and countries, and where areas lie on a map.

Names and codes are Natural Earth's (public domain) and CLDR's (`scripts/make_area_names.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import require
from caldp_core.basics.types import Floats, Ints, read_only
from caldp_core.datasets.base_map import region_rings
from caldp_core.datasets.files.maps import (
    CELLS,
    FINE_CELLS,
    MapRequest,
    map_for_places,
    shortest_longitude_range,
)
from caldp_core.datasets.shipped import read_rows
from caldp_core.domain.grid import GridDomain
from caldp_core.domain.polygons import AreaPart, cells_of_parts, parse_polygon

AREA_NAMES: Final = "area_names.csv.gz"
_CELLS_MAX: Final = 300_000
"""Cells in which areas are drawn: the world has them of 0.5°."""


@dataclass(frozen=True)
class NamedArea:
    """A first-order region, such as a state or canton, or a country, whose `region` is "".

    `part`: of the country, such as "West", "" where it has none. `spellings`: names and codes as
    `normalize_name` writes them, its own name first.
    """

    country: str
    region: str
    part: str
    spellings: tuple[str, ...]

    @property
    def key(self) -> str:
        """What it is called in records: "Bayern, Germany" or "Germany"."""
        return f"{self.region}, {self.country}" if self.region else self.country

    @property
    def name(self) -> str:
        """What readers call it."""
        return self.region or self.country


@cache
def named_areas() -> Mapping[str, NamedArea]:
    """All regions and countries by their keys; raises `CaldpError` if the file is gone."""
    rows = (NamedArea(*row[:3], tuple(row[3].split("|"))) for row in read_rows(AREA_NAMES))
    return {area.key: area for area in rows}


def area_parts(area: str) -> tuple[AreaPart, ...]:
    """The parts of a named area by its key, or of a polygon as `PolygonBlocks` writes it.

    Raises `CaldpError` for any other text.
    """
    if area[:1].isdigit() or area[:1] == "-":
        return parse_polygon(area)
    known = named_areas().get(area)
    require(known is not None, f"An area must be a polygon or one that ships, got {area[:60]!r}.")
    assert known is not None
    regions = ((country, region) for country, region in region_rings() if country == known.country)
    return tuple(
        AreaPart(region_rings()[each]) for each in regions if known.region in ("", each[1])
    )


@cached
def areas_on_map(areas: tuple[str, ...]) -> tuple[GridDomain, Ints]:
    """A map around areas, and (cells,) the number of the area of each cell, read-only.

    A cell is in the area that its centre is in, or else in the first that has no other cell; the
    number of areas stands for none.
    """
    parts = [(number, part) for number, area in enumerate(areas) for part in area_parts(area)]
    grid = _map_around(np.concatenate([ring for _, part in parts for ring in part.rings]))
    labels = np.full(grid.k, len(areas), np.int64)
    for at, cells in cells_of_parts([part for _, part in parts], grid):
        labels[cells] = parts[at][0]
    for number in set(range(len(areas))) - set(labels.tolist()):
        rings = [ring for at, part in parts if at == number for ring in part.rings]
        x, y = max(rings, key=_width)[:-1].mean(axis=0)
        labels[grid.locate([y], [x])] = number
    return grid, read_only(labels)


def _width(ring: Floats) -> float:
    return float(np.ptp(ring, axis=0).max())


def _map_around(points: Floats) -> GridDomain:
    """A map of (points, 2) longitudes and latitudes, in the smallest usual cells."""
    (x, y), turned = points.T, points[:, 0] % 360.0
    ends = (float(each) for each in (x.min(), x.max(), turned.min(), turned.max()))
    west, east = shortest_longitude_range(*ends)
    south, north = float(y.min()), float(y.max())
    sides: Sequence[float] = (*FINE_CELLS, *CELLS)
    cell = next(
        side
        for side in sides
        if ((north - south) / side + 3) * ((east - west) / side + 3) <= _CELLS_MAX
    )
    return map_for_places(MapRequest(cell), (south, north, west, east), None)
