"""Maps that go on across the 180th meridian: each part is what an ordinary map of it says."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.collect.protocol import Protocol
from caldp_core.datasets import base_map, read_places
from caldp_core.datasets.base_map import country_labels
from caldp_core.datasets.files.places import people_at_centres
from caldp_core.datasets.own import places_from_counts
from caldp_core.domain.grid import Area, GridDomain, wrap_longitude
from caldp_core.domain.partitions import LargerCells
from caldp_core.domain.polygons import cells_within_km
from caldp_core.experiments.run import prepare, run
from caldp_core.experiments.table import _polygons, as_geojson, columns_of, place_columns
from caldp_core.scenarios.blocks import PolygonBlocks
from caldp_core.scenarios.scenario import Scenario
from tests.datasets.test_base_map import on_land

WEST = GridDomain(-20.0, 170.0, 0.5, 20, 20)
EAST = GridDomain(-20.0, -180.0, 0.5, 20, 30)
BOTH = GridDomain(-20.0, 170.0, 0.5, 20, 50)
NORTH = GridDomain(60.0, 170.0, 0.5, 20, 50)
"""Chukotka lies on both sides."""


def halves(grid: GridDomain) -> tuple[GridDomain, GridDomain]:
    """The ordinary maps to the west and to the east of the 180th meridian."""
    before = round((180 - grid.west) / grid.cell)
    west = GridDomain(grid.south, grid.west, grid.cell, grid.rows, before)
    return west, GridDomain(grid.south, -180.0, grid.cell, grid.rows, grid.columns - before)


def join(grid: GridDomain, of: Sequence[Any]) -> Any:
    """(k,) what is said of the cells of both halves."""
    parts = [part.reshape(half.rows, -1) for part, half in zip(of, halves(grid), strict=True)]
    return np.concatenate(parts, axis=1).ravel()


@given(st.integers(1, 8), st.integers(1, 12), st.sampled_from([0.01, 0.3, 7.5]))
def test_every_cell_is_found_by_both_names_of_its_meridian(
    before: int, after: int, cell: float
) -> None:
    grid = GridDomain(10.0, round(180 - before * cell, 9), cell, 3, before + after)
    middles = np.repeat(grid.latitudes(), grid.columns), np.tile(grid.longitudes(), 3)
    assert grid.area.crosses_antimeridian
    for longitudes in (middles[1], wrap_longitude(middles[1])):
        assert grid.locate(middles[0], longitudes).tolist() == list(range(grid.k))
    assert np.abs(grid.wrapped_longitudes()).max() <= 180
    beside = wrap_longitude(np.array([grid.west - 0.5 * cell, grid.area.east + 0.5 * cell]))
    assert grid.locate([10.0, 10.0], beside).tolist() == [-1, -1]


def test_a_cell_must_end_there_and_no_map_goes_around_twice() -> None:
    with pytest.raises(CaldpError, match=r"would end at 182\.4° E, beyond 180°; choose"):
        GridDomain(0.0, 179.9, 0.5, 1, 5)
    with pytest.raises(CaldpError, match="beyond 530°"):
        GridDomain(0.0, 170.0, 10.0, 1, 37)
    with pytest.raises(CaldpError, match="at most 360° wide"):
        Area(0.0, 1.0, -170.0, 191.0)


def test_areas_are_read_and_found_by_either_name() -> None:
    area = Area.parse("-19,-15,176,-178")
    assert area == Area(-19.0, -15.0, 176.0, 182.0) == Area.parse(str(area))
    for mistaken in ("0,10,-60,-130", "0,10,10,-5"):  # ends that were swapped
        with pytest.raises(CaldpError, match="west < east"):
            Area.parse(mistaken)
    far, near_by = Area(-18.0, -16.0, -178.0, -175.5), Area(-18.0, -16.0, 182.0, 184.5)
    assert far.is_same_region(near_by)
    assert BOTH.area_mask(far).tolist() == BOTH.area_mask(near_by).tolist()
    assert BOTH.area_mask(far).sum() == 4 * 5 == EAST.area_mask(far).sum()
    assert BOTH.snap(far) == BOTH.snap(near_by) == near_by
    assert BOTH.subgrid(far) == BOTH.subgrid(near_by) == GridDomain(-18.0, -178.0, 0.5, 4, 5)
    assert BOTH.subgrid(area).area == area
    assert BOTH.area_mask(Area(-90, 90, -180, 180)).all()
    assert BOTH.snap(Area(-19.0, -18.0, 0.0, 10.0)) is None
    with pytest.raises(CaldpError, match="end between its cells"):
        BOTH.subgrid(Area(-18.2, -16.0, -178.0, -175.5))


def test_distances_go_the_short_way() -> None:
    row = BOTH.locate([-17.9, -17.9], [179.9, -179.9])
    assert row[1] == row[0] + 1
    assert BOTH.km_from(int(row[0]))[row[1]] < 60
    flags = cells_within_km(BOTH, np.array([[-17.0, 179.99]]), 30.0)
    each = [cells_within_km(half, np.array([[-17.0, 179.99]]), 30.0) for half in halves(BOTH)]
    assert flags.tolist() == join(BOTH, each).tolist()
    assert all(part.any() for part in each)


def test_one_polygon_three_ways() -> None:
    """Cut in two, jumping from 180° E to 180° W, and with a hole on the other side."""
    cut = "-18,178 -18,180 -15,180 -15,178 / -18,-180 -18,-177 -15,-177 -15,-180"
    jumps = "-18,178 -18,-177 -15,-177 -15,178"
    hole = " / -17,-179 -17,-178 -16,-178 -16,-179"
    found = [PolygonBlocks(("a",), (text,)).build(BOTH).labels == 0 for text in (cut, jumps)]
    assert found[0].sum() == 6 * 10
    assert found[0].tolist() == found[1].tolist()
    holed = PolygonBlocks(("a",), (jumps + hole,)).build(BOTH).labels == 0
    assert holed.sum() == found[0].sum() - 2 * 2
    for text, flags in ((jumps, found[0]), (jumps + hole, holed)):
        spec = PolygonBlocks(("a",), (text,))
        each = [spec.build(half).labels == spec.build(half).names.index("a")
                for half in halves(BOTH)]  # fmt: skip
        assert flags.tolist() == join(BOTH, each).tolist()


@pytest.mark.parametrize("grid", [BOTH, NORTH])
def test_countries_and_land_are_those_of_both_halves(grid: GridDomain) -> None:
    labels, names = country_labels(grid)
    countries = [
        np.array(country_labels(half)[1])[country_labels(half)[0]] for half in halves(grid)
    ]
    assert np.array(names)[labels].tolist() == join(grid, countries).tolist()
    under = base_map(grid)
    for half, turn in zip(halves(grid), (0.0, 360.0), strict=True):
        at = np.repeat(half.latitudes(), half.columns), np.tile(half.longitudes(), half.rows)
        land = on_land(under.land, at[1] + turn, at[0])
        assert (land == on_land(base_map(half).land, at[1], at[0])).mean() > 0.99
    x, y = under.outline
    seams = (x[:-1] == 180) & (x[1:] == 180) & (np.abs(np.diff(y)) > 0.05)
    assert not seams.any()
    assert (np.abs(under.land[0] - 180) < 1e-6).any()  # land is cut there: the seam was taken out
    cities = np.array([(city.latitude, city.longitude) for city in under.cities])
    if grid == BOTH:
        assert (grid.locate(*cities.T) >= 0).all()
        assert cities[:, 1].min() > 170


def test_larger_cells_end_there_too() -> None:
    fine = GridDomain(0.0, 179.5, 0.1, 4, 12)
    cells = LargerCells(fine, 3)
    assert cells.grid == GridDomain(0.0, 179.4, 0.3, 2, 5)
    middles = np.repeat(fine.latitudes(), fine.columns), np.tile(fine.longitudes(), fine.rows)
    assert cells.larger_cell_of.tolist() == cells.grid.locate(*middles).tolist()


def test_what_is_saved_is_within_180_and_read_again_alike() -> None:
    counts = np.random.default_rng(4).integers(0, 30, BOTH.k)
    places = places_from_counts(counts, BOTH, "Islands")
    result = run(prepare(Scenario(dataset=places).with_context(epsilon=2.0).plain()))
    columns = columns_of(result)
    at = np.array([columns["latitude"], columns["longitude"]], np.float64)
    assert BOTH.locate(*at).tolist() == list(range(BOTH.k))
    assert np.abs(at[1]).max() <= 180
    rings = {
        each["properties"]["number"]: each["geometry"]["coordinates"][0]
        for each in json.loads(as_geojson(result))["features"]
    }
    ends = np.array(list(rings.values()))
    assert (np.abs(ends[:, :, 0]) <= 180).all()
    np.testing.assert_allclose(np.ptp(ends[:, :, 0], axis=1), 0.5)
    numbers = np.array(list(rings))
    written = [np.frombuffer(each[13:], np.float64) for each in _polygons(BOTH, numbers)]
    np.testing.assert_array_equal(np.array(written).reshape(ends.shape), ends)
    protocol = Protocol.of(prepare(Scenario(dataset=places).plain()))
    assert place_columns(protocol.domain)["longitude"] == columns["longitude"]
    again = "\n".join(["latitude,longitude,people", *(
        f"{lat},{lon},{people}" for lat, lon, people in people_at_centres(places)
    )])  # fmt: skip
    assert again.count(",-") > 100
    found = read_places(again, "Islands").places
    assert found.grid().area.crosses_antimeridian
    assert found.counts().sum() == counts.sum()
    assert np.count_nonzero(found.counts()) == np.count_nonzero(counts)


def test_a_file_is_on_the_narrower_map_only_where_it_would_go_around_the_earth() -> None:
    fiji = "lat,lon\n-18.1,178.4\n-16.8,-179.9\n-17.2,-178.9\n-16.9,180\n-16.9,-180"
    found = read_places(fiji)
    grid = found.places.grid()
    assert (found.refused.describe(), grid.cell, grid.area.crosses_antimeridian) == ("", 0.01, True)
    assert found.places.counts().sum() == 5
    assert grid.columns * grid.cell < 3
    assert found.places.counts()[grid.locate([-16.9], [180.0])] == [2]
    far = "lat,lon\n40.7,-74.0\n-33.9,151.2\n"
    assert not read_places(far).places.grid().area.crosses_antimeridian
    around = "lat,lon\n" + "\n".join(f"{x / 9:.1f},{x}" for x in range(-178, 180, 4))
    assert not read_places(around).places.grid().area.crosses_antimeridian
