"""Cells are in the country that their centre is in, held to another route and to known places."""

import numpy as np
import pytest
import shapely

from caldp_core.datasets import country_labels
from caldp_core.datasets.base_map import AT_SEA, _countries
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.scenarios.blocks import CountryBlocks

ALPS = GridDomain(45.5, 5.9, 0.05, 48, 92)
PACIFIC = GridDomain(-30.0, -180.0, 1.0, 100, 360)


def country_at(grid: GridDomain, latitude: float, longitude: float) -> str:
    labels, names = country_labels(grid)
    (cell,) = grid.locate([latitude], [longitude])
    return names[labels[cell]]


@pytest.mark.parametrize(
    ("latitude", "longitude", "name"),
    [
        (46.95, 7.45, "Switzerland"),
        (47.14, 9.52, "Liechtenstein"),
        (47.27, 11.39, "Austria"),
        (45.07, 7.69, "Italy"),
    ],
)
def test_cities_are_in_their_countries(latitude: float, longitude: float, name: str) -> None:
    assert country_at(GridDomain(45.0, 5.9, 0.02, 145, 320), latitude, longitude) == name


def test_the_date_line_and_seas() -> None:
    assert country_at(PACIFIC, 67.5, -178.5) == "Russia"  # its far end, east of 180°
    assert country_at(PACIFIC, 67.5, 178.5) == "Russia"
    assert country_at(PACIFIC, 0.5, -140.5) == AT_SEA
    assert country_at(PACIFIC, -28.5, 29.5) == "South Africa"
    assert country_at(PACIFIC, -29.5, 28.5) == "Lesotho"  # a hole in another


@pytest.mark.parametrize("grid", [ALPS, GridDomain(0.0, 90.0, 0.5, 60, 100)])
def test_labels_are_those_of_a_geometry_library(grid: GridDomain) -> None:
    labels, names = country_labels(grid)
    x, y = np.meshgrid(grid.longitudes(), grid.latitudes())
    for name, rings in _countries():
        if name in names:
            inside = np.zeros(x.shape, np.bool_)
            for ring in rings:
                inside ^= shapely.contains_xy(shapely.Polygon(ring), x, y)
            np.testing.assert_array_equal(labels.reshape(x.shape) == names.index(name), inside)


def test_blocks_are_countries_with_a_cell_and_what_is_at_sea() -> None:
    partition = CountryBlocks().build(US_GRID)
    assert partition.names == ("Bahamas", "Canada", "Mexico", "United States of America", AT_SEA)
    assert partition.sizes().sum() == US_GRID.k
    inland = GridDomain(48.7, 2.1, 0.01, 36, 60)
    assert CountryBlocks().build(inland).names == ("France",)
