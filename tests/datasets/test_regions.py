"""Cells are in the region that their centre is in, held to another route and to known places."""

from collections import Counter, defaultdict
from functools import cache, reduce
from typing import Any

import numpy as np
import pytest
import shapely

from caldp_core.datasets import AT_SEA, region_labels, us_cities
from caldp_core.datasets.base_map import region_rings, world_cities
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.scenarios.blocks import RegionBlocks, StateBlocks


@cache
def shapes() -> Any:
    """The regions as a geometry library has them."""
    found = []
    for rings in region_rings().values():
        polygons = shapely.make_valid([shapely.Polygon(ring) for ring in rings])
        found.append(reduce(shapely.symmetric_difference, polygons))
    return np.array(found)


def regions_at(longitude: Any, latitude: Any) -> list[set[str]]:
    """The names of all regions that each point is in."""
    names = [name if name == of else f"{name}, {of}" for of, name in region_rings()]
    points, regions = shapely.STRtree(shapes()).query(
        shapely.points(longitude, latitude), predicate="within"
    )
    found: list[set[str]] = [set() for _ in longitude]
    for point, region in zip(points, regions, strict=True):
        found[point].add(names[region])
    return found


@pytest.mark.parametrize(
    ("latitude", "longitude", "name"),
    [
        (48.14, 11.58, "Bayern, Germany"),
        (45.76, 4.84, "Auvergne-Rhône-Alpes, France"),
        (55.95, -3.19, "Scotland, United Kingdom"),
        (51.45, -2.58, "South West England, United Kingdom"),
        (34.05, -118.24, "California, United States"),
        (-23.55, -46.64, "São Paulo, Brazil"),
        (43.06, 141.35, "Hokkaidō, Japan"),
        (9.06, 7.49, "Federal Capital Territory, Nigeria"),
        (67.5, -178.5, "Chukchi Autonomous Okrug, Russia"),  # its far end, east of 180°
        (43.73, 7.42, "Monaco"),
        (0.5, -30.5, AT_SEA),
    ],
)
def test_known_places(latitude: float, longitude: float, name: str) -> None:
    grid = GridDomain(round(latitude - 0.1, 2), round(longitude - 0.1, 2), 0.02, 10, 10)
    labels, names = region_labels(grid)
    assert names[labels[grid.locate([latitude], [longitude])[0]]] == name


@pytest.mark.parametrize(
    "grid",
    [
        pytest.param(GridDomain(45.5, 5.9, 0.05, 48, 92), marks=pytest.mark.thorough),
        GridDomain(0.0, 90.0, 0.5, 60, 100),
        GridDomain(60.0, 170.0, 0.5, 20, 50),  # across 180°
    ],
)
def test_labels_are_those_of_a_geometry_library(grid: GridDomain) -> None:
    labels, names = region_labels(grid)
    x, y = np.meshgrid(grid.wrapped_longitudes(), grid.latitudes())
    found = regions_at(x.ravel(), y.ravel())
    assert [{names[label]} - {AT_SEA} for label in labels] == found


def test_no_two_regions_overlap() -> None:
    one, other = shapely.STRtree(shapes()).query(shapes(), predicate="intersects")
    pairs = one < other
    both = shapely.intersection(shapes()[one[pairs]], shapes()[other[pairs]])
    assert pairs.sum() > 5_000
    assert shapely.area(both).max() < 2.5e-6  # square degrees: half a step by half a kilometre


def test_cities_of_the_world_are_in_regions_of_their_country() -> None:
    cities = world_cities()
    found = regions_at([c.longitude for c in cities], [c.latitude for c in cities])
    countries: dict[str, Counter[str]] = defaultdict(Counter)
    for city, names in zip(cities, found, strict=True):
        assert len(names) < 2
        countries[city.region][names.pop().rpartition(", ")[2] if names else AT_SEA] += 1
    off_shore = sum(each.pop(AT_SEA, 0) for each in countries.values())
    right = sum(max(each.values(), default=0) for each in countries.values())
    assert off_shore < 0.018 * len(cities)
    assert right > 0.996 * (len(cities) - off_shore)


def test_cities_of_the_us_are_in_their_state() -> None:
    states = StateBlocks().build(US_GRID).names
    cities = [city for city in us_cities() if city.region in states]
    found = regions_at([c.longitude for c in cities], [c.latitude for c in cities])
    right = sum(
        names == {f"{city.region}, United States"}
        for city, names in zip(cities, found, strict=True)
    )
    assert len(cities) > 900
    assert right > 0.98 * len(cities)


def test_there_are_as_many_regions_as_countries_have() -> None:
    counts = Counter(country for country, _ in region_rings())
    for country, number in {
        "Germany": 16,
        "France": 18,
        "Italy": 20,
        "Switzerland": 26,
        "United Kingdom": 12,
        "United States": 51,
        "Brazil": 27,
        "Japan": 47,
        "India": 36,
        "Nigeria": 37,
    }.items():
        assert counts[country] == number, country


def test_blocks_are_regions_with_a_cell_and_what_is_at_sea() -> None:
    inland = GridDomain(48.7, 2.1, 0.01, 36, 60)
    assert RegionBlocks().build(inland).names == ("Île-de-France, France",)
    partition = RegionBlocks().build(GridDomain(-35.0, -59.0, 0.25, 8, 12))
    assert partition.names[-1] == AT_SEA
    assert "Montevideo, Uruguay" in partition.names
    assert partition.sizes().min() > 0
