"""Domains: cells and degrees find each other, also across the 180th meridian and near points."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import K_MAX
from caldp_core.basics.types import Floats
from caldp_core.collect.protocol import Protocol
from caldp_core.datasets import base_map, read_places
from caldp_core.datasets.base_map import country_labels
from caldp_core.datasets.files.places import people_at_centres
from caldp_core.datasets.own import places_from_counts
from caldp_core.datasets.reading import read_points
from caldp_core.domain.domains import (
    KM_PER_DEGREE,
    US_GRID,
    Area,
    Domain,
    GridDomain,
    wrap_longitude,
)
from caldp_core.domain.partitions import cells_within_km, single_block
from caldp_core.experiments.run import prepare, run
from caldp_core.experiments.table import as_geojson, cell_rings, columns_of, place_columns
from caldp_core.scenarios.blocks import OUTSIDE, BlocksNear, PolygonBlocks, SensitiveNear
from caldp_core.scenarios.scenario import Scenario
from tests.datasets.test_base_map import on_land

SMALL = GridDomain(south=10.0, west=-20.0, cell=0.5, rows=4, columns=6)
GRIDS = st.builds(
    GridDomain,
    south=st.integers(-600, 500).map(lambda d: d / 10),
    west=st.integers(-1700, 1500).map(lambda d: d / 10),
    cell=st.sampled_from([0.1, 0.2, 0.25, 0.5, 1.0]),
    rows=st.integers(1, 30),
    columns=st.integers(1, 30),
)


@pytest.mark.parametrize("k", [0, -1, K_MAX + 1, 2.0, True, "3", None])
def test_a_domain_needs_a_whole_size(k: object) -> None:
    with pytest.raises(CaldpError, match=r"k must be a whole number in \[1, 1,048,576\]"):
        Domain(k)  # type: ignore[arg-type]


def test_a_list_of_names_is_told_how_to_become_a_domain() -> None:
    names: Any = ["yes", "no"]
    with pytest.raises(CaldpError, match=r"one of type list; take Domain\.of\(names\)"):
        Domain(names)
    assert Domain.of(names).names == ("yes", "no")


@given(GRIDS)
def test_centres_are_in_their_cells(grid: GridDomain) -> None:
    latitude = np.repeat(grid.latitudes(), grid.columns)
    longitude = np.tile(grid.longitudes(), grid.rows)
    np.testing.assert_array_equal(grid.locate(latitude, longitude), np.arange(grid.k))
    row, column = grid.row_column(np.arange(grid.k))
    np.testing.assert_array_equal(row * grid.columns + column, np.arange(grid.k))
    np.testing.assert_array_equal(grid.latitudes()[row], latitude)
    np.testing.assert_array_equal(grid.longitudes()[column], longitude)


@given(GRIDS)
def test_edges_belong_to_the_north_and_east(grid: GridDomain) -> None:
    south = grid.south + np.arange(grid.rows) * grid.cell
    inside = np.full(grid.rows, grid.longitudes()[0])
    np.testing.assert_array_equal(
        grid.locate(np.round(south, 6), inside), np.arange(grid.rows) * grid.columns
    )
    assert grid.locate([grid.area.north], inside[:1])[0] == -1
    assert grid.locate([grid.south - 1e-6], inside[:1])[0] == -1
    assert grid.locate(grid.latitudes()[:1], [grid.area.east])[0] == -1
    assert grid.locate(grid.latitudes()[:1], [grid.west - 1e-6])[0] == -1


def test_where_the_earth_ends_the_last_cells_have_their_edges_too() -> None:
    for cell in (0.5, 1 / 3, 30.0):
        earth = GridDomain(-90.0, -180.0, cell, round(180 / cell), round(360 / cell))
        cells = earth.locate([90.0, 90.0, -90.0, 90 - 1e-12, 0.1], [180.0, -180.0, 180.0, 0.1, 180])
        row, column = np.divmod(cells, earth.columns)
        assert row.tolist() == [earth.rows - 1] * 2 + [0, earth.rows - 1, earth.rows // 2]
        last = earth.columns - 1
        assert column.tolist() == [last, 0, last, earth.columns // 2, last]
        beyond = earth.locate([90.1, 0.0, -90.1, np.nan], [0.0, 180.1, 0.0, 0.0])
        assert beyond.tolist() == [-1] * 4
    assert US_GRID.locate([90.0, 40.0], [-100.0, 180.0]).tolist() == [-1, -1]


def test_an_edge_that_binary_cannot_write_is_still_an_edge() -> None:
    # 25 + 3·0.2 is 25.6 on paper but (25.6 − 25)/0.2 = 3.0000000000000071 or a hair less.
    edges = np.round(25 + 0.2 * np.arange(125), 1)
    cells = US_GRID.locate(edges, np.full(125, -129.9))
    np.testing.assert_array_equal(cells // US_GRID.columns, np.arange(125))


@given(GRIDS)
def test_the_area_is_filled_by_the_grid_itself(grid: GridDomain) -> None:
    again = GridDomain.from_area(grid.area, grid.cell)
    assert (again.rows, again.columns) == (grid.rows, grid.columns)
    assert grid.area_mask(grid.area).all()
    assert grid.snap(grid.area) == grid.area


def test_cells_are_inside_by_their_centres() -> None:
    flags = SMALL.area_mask(Area(10.2, 11.3, -19.8, -19.2)).reshape(4, 6)
    expected = np.zeros((4, 6), np.bool_)
    expected[0:3, 0:2] = True  # centres at 10.25, 10.75, 11.25 and −19.75, −19.25
    np.testing.assert_array_equal(flags, expected)
    assert not SMALL.area_mask(Area(10.3, 10.7, -19.7, -19.3)).any()


@given(GRIDS, st.tuples(*[st.floats(0.0, 1.0)] * 4))
def test_snapping_covers_the_area_with_whole_cells(
    grid: GridDomain, corners: tuple[float, ...]
) -> None:
    full = grid.area
    lat = sorted(full.south + t * (full.north - full.south) for t in corners[:2])
    lon = sorted(full.west + t * (full.east - full.west) for t in corners[2:])
    assume(lat[1] - lat[0] > 1e-6)
    assume(lon[1] - lon[0] > 1e-6)
    area = Area(lat[0], lat[1], lon[0], lon[1])
    snapped = grid.snap(area)
    assert snapped is not None
    assert snapped.south <= area.south + 1e-6
    assert snapped.north >= area.north - 1e-6
    assert snapped.west <= area.west + 1e-6
    assert snapped.east >= area.east - 1e-6
    cells = grid.area_mask(snapped).sum()
    sides = np.array([snapped.north - snapped.south, snapped.east - snapped.west]) / grid.cell
    np.testing.assert_allclose(sides, np.rint(sides), atol=1e-6)
    assert cells == np.prod(np.rint(sides))
    assert (sides < np.array([lat[1] - lat[0], lon[1] - lon[0]]) / grid.cell + 2 + 1e-6).all()


def test_snapping_cuts_to_the_map_or_misses_it() -> None:
    assert SMALL.snap(Area(-80, 80, -170, 170)) == SMALL.area
    assert SMALL.snap(Area(50, 60, -20, -18)) is None
    assert SMALL.snap(Area(10, 11, 0, 5)) is None


@given(*[st.floats(-80, 80)] * 2, *[st.floats(-170, 170)] * 2)
def test_areas_are_read_as_they_are_written(a: float, b: float, c: float, d: float) -> None:
    south, north, west, east = (
        *sorted((round(a, 6), round(b, 6))),
        *sorted((round(c, 6), round(d, 6))),
    )
    assume(south < north)
    assume(west < east)
    area = Area(south, north, west, east)
    assert Area.parse(str(area)) == area


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,2,3", "south,north,west,east"),
        ("1,2,3,x", "south,north,west,east"),
        ("", "south,north,west,east"),
        ("2,1,3,4", "south < north"),
        ("1,2,4,4", "west < east"),
        ("1,91,3,4", "north of an area"),
        ("1,2,-181,4", "west of an area"),
        ("nan,2,3,4", "south,north,west,east"),
        ("1,2,3,inf", "south,north,west,east"),
        ("1,2,3,٤", "south,north,west,east"),
        ("1,2,3,1_0", "south,north,west,east"),
        ("-1e400,2,3,4", "south of an area"),
        ("1,2,3,1e400", "east of an area"),
    ],
)
def test_areas_that_are_none(text: str, words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        Area.parse(text)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0.0, 0.0, 0.0001, 5, 5), "cell"),
        ((0.0, 0.0, float("nan"), 5, 5), "cell"),
        ((0.0, 0.0, 1.0, 0, 5), "at least one row"),
        ((0.0, 0.0, 1.0, 5, -1), "at least one row"),
        ((0.0, 0.0, 0.01, 5000, 5000), "k must be"),
        ((91.0, 0.0, 1.0, 5, 5), "south edge"),
        ((0.0, -200.0, 1.0, 5, 5), "west edge"),
        ((-90.0, -180.0, 0.7, 258, 514), "would end at 90.6° N"),
        ((85.0, -10.0, 0.3, 17, 67), "would end at 90.1° N"),
        ((-90.0, -180.0, 0.7, 257, 515), "would end at 180.5° E"),
    ],
)
def test_grids_that_are_none(arguments: tuple[float, float, float, int, int], words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        GridDomain(*arguments)


@pytest.mark.parametrize("symbol", [[-1], [SMALL.k], [0.5], 3])
def test_symbols_off_the_map_have_no_place(symbol: object) -> None:
    with pytest.raises(CaldpError, match="symbol must"):
        SMALL.row_column(symbol)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("edges", "cell", "words"),
    [
        ((0, 1.05, 0, 2.0), 0.5, "2.1 cells high and 4 wide; .* the area 0,1,0,2.$"),
        ((0, 2.0, -1, 0.3), 0.5, "4 cells high and 2.6 wide; .* the area 0,2,-1,0.$"),
        ((25, 50, -130, -60), 0.3, "83.3333 cells high .* the area 25,49.9,-130,-60.1.$"),
        ((0, 1, 0, 0.2), 0.5, "2 cells high and 0.4 wide; .* the area 0,1,0,0.5.$"),
        ((0, 10, 0, 10), 0.33333, "30.0003 cells high"),
    ],
)
def test_cells_that_do_not_fill_the_area_are_refused(
    edges: tuple[float, float, float, float], cell: float, words: str
) -> None:
    with pytest.raises(CaldpError, match=words) as refused:
        GridDomain.from_area(Area(*edges), cell)
    offered = Area.parse(str(refused.value).split()[-1].removesuffix("."))
    grid = GridDomain.from_area(offered, cell)
    assert (grid.area.south, grid.area.west) == (offered.south, offered.west)
    assert grid.area.north == pytest.approx(offered.north, abs=1e-6)
    assert grid.area.east == pytest.approx(offered.east, abs=1e-6)


def test_a_third_of_a_degree_may_be_rounded() -> None:
    assert GridDomain.from_area(Area(0, 10, 0, 20), 0.33333333).k == 30 * 60


@pytest.mark.parametrize("cell", [0.01, 0.1, 0.2, 0.3, 0.5, 1.0, 7.5, 90.0])
def test_maps_may_end_at_the_pole_and_at_the_date_line(cell: float) -> None:
    # 0.3 times 100 is more than 30 by one rounding, which is no overshoot.
    rows, columns = 3 if cell > 5 else 100, 1 if cell > 5 else 100
    rows = min(rows, round(180 / cell))
    grid = GridDomain(90 - rows * cell, 180 - columns * cell, cell, rows, columns)
    assert (grid.area.north, grid.area.east) == (90, 180)


@given(st.floats(-90, 89), st.floats(-180, 179), st.floats(0.5, 180), st.data())
def test_every_grid_there_is_has_an_area(
    south: float, west: float, cell: float, data: st.DataObject
) -> None:
    rows, columns = data.draw(st.integers(1, 400)), data.draw(st.integers(1, 800))
    try:
        grid = GridDomain(south, west, cell, rows, columns)
    except CaldpError:
        return
    assert grid.area.south < grid.area.north <= 90
    assert np.abs(grid.latitudes()).max() < 90
    assert np.abs(grid.longitudes()).max() < 180


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
        each = [
            spec.build(half).labels == spec.build(half).names.index("a") for half in halves(BOTH)
        ]
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


def test_what_is_saved_is_within_180_and_read_again_unchanged() -> None:
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
    polygons = shapely.to_wkb(shapely.polygons(cell_rings(BOTH, numbers)), byte_order=1)
    written = [np.frombuffer(bytes(each)[13:], np.float64) for each in list(polygons)]
    np.testing.assert_array_equal(np.array(written).reshape(ends.shape), ends)
    protocol = Protocol.of(prepare(Scenario(dataset=places).plain()))
    assert place_columns(protocol.domain)["longitude"] == columns["longitude"]
    again = "\n".join(
        [
            "latitude,longitude,people",
            *(f"{lat},{lon},{people}" for lat, lon, people in people_at_centres(places)),
        ]
    )
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


WORLD = GridDomain(-90.0, -180.0, 2.0, 90, 180)
NEAR_NORTH = GridDomain(66.0, 14.0, 0.05, 100, 200)
CITY = GridDomain(48.7, 2.1, 0.01, 36, 60)


def kilometres(one: Floats, other: Floats) -> Floats:
    """By unit vectors: another route than the haversine."""

    def on_sphere(place: Floats) -> Floats:
        latitude, longitude = np.radians(place).T
        return np.stack(
            [
                np.cos(latitude) * np.cos(longitude),
                np.cos(latitude) * np.sin(longitude),
                np.sin(latitude),
            ],
            axis=-1,
        )

    chord = np.linalg.norm(on_sphere(one) - on_sphere(other), axis=-1)
    return np.asarray(np.degrees(2 * np.arcsin(np.clip(chord / 2, 0, 1))) * KM_PER_DEGREE)


@pytest.mark.parametrize(
    ("grid", "point", "km"),
    [
        (WORLD, (10.0, 179.5), 700.0),  # across the date line
        (WORLD, (-87.0, 20.0), 400.0),  # a pole is near
        (NEAR_NORTH, (69.0, 19.0), 30.0),
        (CITY, (48.853, 2.349), 0.3),
        (CITY, (48.69, 2.2), 2.0),  # off the map
    ],
)
def test_near_is_what_a_sphere_says(
    grid: GridDomain, point: tuple[float, float], km: float
) -> None:
    flags = cells_within_km(grid, np.array([point]), km)
    area, rng = grid.area, np.random.default_rng(4)
    people = rng.uniform((area.south, area.west), (area.north, area.east), (200_000, 2))
    apart = kilometres(people, np.array(point))
    cells = grid.locate(people[:, 0], people[:, 1])
    assert flags[cells[apart <= km]].all()  # everybody whom the words speak of
    assert flags.any()
    # Of a cell that counts some part is near: its diagonal away at most.
    diagonal = 1.45 * grid.cell * KM_PER_DEGREE
    assert (apart[flags[cells]] <= km + diagonal).all()
    assert not flags.all()


def test_several_points_are_each_near_and_none_is_nothing() -> None:
    points = np.array([[48.8, 2.2], [48.9, 2.5]])
    each = [cells_within_km(CITY, point[None], 0.5) for point in points]
    np.testing.assert_array_equal(cells_within_km(CITY, points, 0.5), each[0] | each[1])
    assert not cells_within_km(CITY, np.empty((0, 2)), 5.0).any()


def test_points_keep_their_names_and_are_areas_of_a_result() -> None:
    near = SensitiveNear(("48.8,2.2, Clinic A, women ", "48.82,2.2,B; C", "48.9,2.5"), 2.0)
    assert [place.name for place in near.named] == ["Clinic A, women", "B; C"]
    bare = SensitiveNear(("48.8,2.2", "48.82,2.2", "48.9,2.5"), 2.0)
    one_block = single_block(CITY)
    np.testing.assert_array_equal(near.build(CITY, one_block), bare.build(CITY, one_block))
    areas = BlocksNear(near).build(CITY)
    assert areas.names == ("Clinic A, women", "B; C", "48.9, 2.5", OUTSIDE)
    first = cells_within_km(CITY, near.degrees()[:1], 2.0)
    np.testing.assert_array_equal(areas.labels == 0, first)
    np.testing.assert_array_equal(areas.labels == 3, ~near.build(CITY, one_block))
    twice = BlocksNear(SensitiveNear(("48.8,2.2,A", "48.9,2.5,A"), 0.5)).build(CITY)
    assert twice.names == ("A", OUTSIDE)
    link = Scenario().with_context(sensitive=near)
    assert Scenario.from_query(link.to_query()) == link


@pytest.mark.parametrize(
    "text",
    [
        'clinic,lat,lon\nNorth,48.8,2.2\n"River, women",48.9,2.5',
        "48.8;2.2;North\n48.9;2.5;River, women",
        json.dumps(
            {
                "type": "FeatureCollection",
                "features": [
                    {
                        "type": "Feature",
                        "properties": {"name": name},
                        "geometry": {"type": "Point", "coordinates": at},
                    }
                    for name, at in (("North", [2.2, 48.8]), ("River, women", [2.5, 48.9]))
                ],
            }
        ),
    ],
)
def test_points_of_a_file_keep_their_names(text: str) -> None:
    assert read_points(text.encode()) == ("48.8,2.2,North", "48.9,2.5,River, women")


def test_numbers_of_points_are_not_their_names() -> None:
    assert read_points("id,lat,lon,people\n17,48.8,2.2,9\n18,48.9,2.5,8") == (
        "48.8,2.2",
        "48.9,2.5",
    )


def test_no_point_of_a_file_is_lost_without_a_word() -> None:
    """People near it would not be protected."""
    for row in ("North, women,48.8,2.2", "North,,2.2", "North,48.8,x"):
        with pytest.raises(CaldpError, match="got 2 rows, 1 with both"):
            read_points(f"clinic,lat,lon\nRiver,48.9,2.5\n{row}")


@pytest.mark.parametrize(
    ("points", "km", "words"),
    [
        (("48.8",), 1.0, "latitude,longitude in degrees, got '48.8'"),
        (("north,2",), 1.0, "latitude,longitude"),
        (("91,2",), 1.0, "latitude of a point"),
        (("48,8, 2,2",), 1.0, "latitude,longitude"),
        (("1,2",) * 501, 1.0, "At most 500 points, got 501"),
        (("1,2",), -1.0, "km must be a number in"),
    ],
)
def test_what_is_no_point_is_refused(points: tuple[str, ...], km: float, words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        SensitiveNear(points, km)
