"""Domains: cells and degrees find each other, edges belong to one cell, nonsense is refused."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import K_MAX
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import US_GRID, Area, GridDomain

SMALL = GridDomain(south=10.0, west=-20.0, cell=0.5, rows=4, columns=6)
GRIDS = st.builds(
    GridDomain,
    south=st.integers(-600, 500).map(lambda d: d / 10),
    west=st.integers(-1700, 1500).map(lambda d: d / 10),
    cell=st.sampled_from([0.1, 0.2, 0.25, 0.5, 1.0]),
    rows=st.integers(1, 30),
    columns=st.integers(1, 30),
)


def test_the_paper_s_map() -> None:
    assert US_GRID.k == 43_750
    assert US_GRID.area == Area(25.0, 50.0, -130.0, -60.0)
    assert GridDomain.from_area(US_GRID.area, 0.2) == US_GRID


@pytest.mark.parametrize("k", [0, -1, K_MAX + 1, 2.0, True, "3", None])
def test_a_domain_needs_a_whole_size(k: object) -> None:
    with pytest.raises(CaldpError, match=r"k must be a whole number in \[1, 1,048,576\]"):
        Domain(k)  # type: ignore[arg-type]


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
