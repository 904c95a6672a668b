"""Areas of the Earth: what people call regions and countries, and where they lie on a map."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import excerpt, require
from caldp_core.basics.types import Bools, Floats, Ints, read_only
from caldp_core.datasets.base_map import region_rings
from caldp_core.datasets.files import maps
from caldp_core.datasets.shipped import read_rows
from caldp_core.domain.domains import Area, GridDomain
from caldp_core.domain.partitions import AreaPart, cells_of_parts, parse_polygon

AREA_NAMES: Final = "area_names.csv.gz"
_CELLS_MAX: Final = 300_000
"""Cells in which areas are drawn: the world has them of 0.5°."""
_MANY, _GAP_MIN, _GAIN_MIN, _LOSS_MAX = 10, 0.03, 0.15, 0.4
"""Areas of which some may be out of view; of the map's length the gap to them and what leaving
them out saves; the share of areas that this may cost, in parts of that."""


@dataclass(frozen=True)
class NamedArea:
    """A first-order region, such as a state or canton, or a country.

    `key`: "Bayern, Germany" or "Germany"; `country`: of a region, "" for countries; `part`: of the
    country or of the Earth. `names`, `codes`: as `normalize_name` writes them; codes are short, or
    words that name parts of any place.
    """

    key: str
    name: str
    country: str
    part: str
    names: frozenset[str]
    codes: frozenset[str]


@cache
def named_areas() -> Mapping[str, NamedArea]:
    """All regions and countries by their keys; raises `CaldpError` if the file is gone."""
    return {
        key: NamedArea(key, name, country, part, _spellings(names), _spellings(codes))
        for key, name, country, part, names, codes in read_rows(AREA_NAMES)
    }


@cache
def areas_by_spelling() -> Mapping[str, list[NamedArea]]:
    """The areas that have each name or code, as `normalize_name` writes it."""
    found = defaultdict[str, list[NamedArea]](list)
    for area in named_areas().values():
        for spelling in area.names | area.codes:
            found[spelling].append(area)
    return found


def _spellings(text: str) -> frozenset[str]:
    return frozenset(filter(None, text.split("|")))


def area_parts(area: str) -> tuple[AreaPart, ...]:
    """The parts of a named area by its key, or of a polygon as `PolygonBlocks` writes it.

    Raises `CaldpError` for any other text.
    """
    if area[:1].isdigit() or area[:1] == "-":
        return parse_polygon(area)
    require(area in named_areas(), f"areas must ship or be polygons, got {excerpt(area)}.")
    own, rings = named_areas()[area], region_rings()
    if own.country:
        return (AreaPart(rings[own.country, own.name]),)
    return tuple(AreaPart(each) for (country, _), each in rings.items() if country == own.name)


@cached
def areas_on_map(areas: tuple[str, ...]) -> tuple[GridDomain, Ints]:
    """A map around areas, and (cells,) the number of the area of each cell, read-only.

    A cell is in the area that its centre is in; an area without a centre gets one cell. The number
    of areas stands for none.
    """
    parts = [(number, part) for number, area in enumerate(areas) for part in area_parts(area)]
    points = [np.concatenate(part.rings) for _, part in parts]
    x, y = np.concatenate(points).T
    ends = [float(each) for each in (x.min(), x.max(), (x % 360).min(), (x % 360).max())]
    south, north, west, east = float(y.min()), float(y.max()), *maps.shortest_longitude_range(*ends)
    cell = next(
        side
        for side in (*maps.FINE_CELLS, *maps.CELLS)
        if ((north - south) / side + 3) * ((east - west) / side + 3) <= _CELLS_MAX
    )
    grid = maps.map_for_places(maps.MapRequest(cell), (south, north, west, east), None)
    labels = np.full(grid.k, len(areas), np.int64)
    for at, cells in cells_of_parts([part for _, part in parts], grid):
        labels[cells] = parts[at][0]
    for (number, _), corners in zip(parts, points, strict=True):
        if not (labels == number).any():
            longitude, latitude = corners.mean(axis=0)
            labels[grid.locate([latitude], [longitude])] = number
    return grid, read_only(labels)


@cached
def main_view(areas: tuple[str, ...]) -> tuple[Area, tuple[int, ...]]:
    """The part of the map that shows most areas in a useful size, and numbers of areas beyond it.

    Few areas beyond a wide gap, such as Alaska and Hawaii, are beyond it; so are such parts.
    """
    grid, labels = areas_on_map(areas)
    cells = np.flatnonzero(labels < len(areas))
    weights = 1.0 / np.bincount(labels)[labels]
    positions = grid.row_column(np.arange(grid.k))
    for at in positions if len(areas) >= _MANY else ():
        while (far := _far_cells(at[cells], weights[cells])).any():
            cells = cells[~far]
    near = np.bincount(labels[cells], weights[cells], len(areas))
    beyond = np.isin(np.arange(len(areas)), labels) & (near < 0.5)
    rows, columns = (at[cells] for at in positions)
    ends = [rows.min(), rows.max() + 1, columns.min(), columns.max() + 1]
    corner = np.repeat([grid.south, grid.west], 2)
    view = Area(*(corner + np.multiply(ends, grid.cell)).tolist())
    return view, tuple(np.flatnonzero(beyond).tolist())


def _far_cells(at: Ints, weights: Floats) -> Bools:
    """(cells,) those beyond a wide gap in their rows or columns `at`, if few areas are there."""
    used = np.unique(at)
    span = int(np.ptp(used))
    for end in used[:-1][np.diff(used) > max(1.0, _GAP_MIN * span)]:
        far: Bools = at <= end
        if weights[far].sum() > weights[~far].sum():
            far = ~far
        saved, cost = 1 - np.ptp(at[~far]) / span, weights[far].sum() / weights.sum()
        if saved >= _GAIN_MIN and cost <= _LOSS_MAX * saved:
            return far
    return np.zeros(at.size, np.bool_)
