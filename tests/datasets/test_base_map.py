"""What lies under maps: land where people live, no line too fine to be seen, names within."""

import numpy as np
import pytest

from caldp_core.basics.types import Bools, Floats
from caldp_core.datasets import base_map
from caldp_core.datasets.base_map import us_cities
from caldp_core.datasets.world_lines import Lines, pack_lines
from caldp_core.domain.grid import US_GRID, GridDomain

WORLD = GridDomain(-60.0, -180.0, 2.0, 70, 180)
PARIS = GridDomain(48.7, 2.1, 0.005, 60, 100)
TOKYO = GridDomain(35.0, 139.0, 0.01, 100, 150)
EUROPE = GridDomain(35.0, -10.0, 0.5, 50, 80)
NEW_YORK = GridDomain(40.4, -74.3, 0.01, 60, 60)


def on_land(rings: Lines, longitudes: Floats, latitudes: Floats) -> Bools:
    """By the even-odd rule: a ray to the east crosses an odd number of sides."""
    x, y = rings
    odd = np.zeros(longitudes.shape, np.bool_)
    with np.errstate(all="ignore"):
        for i in np.flatnonzero(~np.isnan(x[:-1]) & ~np.isnan(x[1:])):
            spans = (y[i] > latitudes) != (y[i + 1] > latitudes)
            reach = x[i] + (latitudes - y[i]) * (x[i + 1] - x[i]) / (y[i + 1] - y[i])
            odd ^= spans & (longitudes < reach)
    return odd


@pytest.mark.parametrize("grid", [WORLD, EUROPE, TOKYO, PARIS, NEW_YORK])
def test_cities_are_on_land_and_in_the_map(grid: GridDomain) -> None:
    under = base_map(grid)
    at = np.array([(city.longitude, city.latitude) for city in under.cities])
    assert (grid.locate(at[:, 1], at[:, 0]) >= 0).all()
    assert len(under.cities) >= 30
    people = [city.population for city in under.cities]
    assert people == sorted(people, reverse=True)
    # Harbours lie on lines that are thinned and coordinates that are rounded.
    assert on_land(under.land, at[:, 0], at[:, 1]).mean() > 0.9


def test_seas_and_the_largest_lake_are_no_land() -> None:
    longitudes = np.array([-40.0, 0.0, 51.0, 139.9, 18.0, 2.35])
    latitudes = np.array([30.0, 0.0, 42.0, 35.4, 35.0, 48.86])
    land = on_land(base_map(WORLD).land, longitudes, latitudes)
    assert land.tolist() == [False, False, False, False, False, True]
    bay = on_land(base_map(TOKYO).land, longitudes, latitudes)
    assert not bay[3]


@pytest.mark.parametrize("grid", [WORLD, EUROPE, TOKYO, PARIS])
def test_lines_are_as_fine_as_the_map_is_large(grid: GridDomain) -> None:
    area = grid.area
    span = max(area.north - area.south, area.east - area.west)
    for x, y in (base_map(grid).land, base_map(grid).outline):
        assert x.size == y.size < 30_000
        longitudes = x[~np.isnan(x)]
        assert longitudes.size == 0 or (
            longitudes.min() >= area.west - 1.01 * span
            and longitudes.max() <= area.east + 1.01 * span
        )


def test_the_paper_s_map_and_large_parts_of_it_show_the_states() -> None:
    assert base_map(US_GRID).cities == us_cities()
    west = GridDomain(30.0, -125.0, 0.5, 30, 40)
    np.testing.assert_array_equal(base_map(west).outline, base_map(US_GRID).outline)
    assert base_map(NEW_YORK).outline[0].size != base_map(US_GRID).outline[0].size


def test_lines_are_packed_as_whole_steps_that_fit_in_two_bytes() -> None:
    lines = {
        "coasts": [np.array([[0.0, 0.0], [0.004, -0.002]]), np.array([[179.0, 0.0], [180, 1]])]
    }
    arrays = pack_lines(lines)
    assert arrays["coasts_starts"].tolist() == [[0, 0], [89_500, 0]]
    assert arrays["coasts_steps"].tolist() == [[2, 500], [-1, 500]]
    with pytest.raises(ValueError, match="too far apart"):
        pack_lines({"coasts": [np.array([[0.0, 0.0], [90.0, 0.0]])]})


def test_rings_that_touch_the_edge_of_what_is_drawn_at_a_point_are_cut() -> None:
    aleutians = GridDomain(51.4, 172.2, 0.2, 102, 270)  # GEOS refused one of its rings
    land = base_map(aleutians).land
    places = np.array([[210.1, 61.2], [185.0, 55.0]])  # Anchorage; the Bering Sea
    assert on_land(land, *places.T).tolist() == [True, False]
