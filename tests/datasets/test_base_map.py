"""What lies under maps: land, names, countries, regions and hexagons, each by another route."""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache, reduce
from pathlib import Path
from typing import Any

import h3
import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import HEXAGONS_MAX
from caldp_core.basics.types import Bools, Floats
from caldp_core.datasets import (
    OwnTable,
    base_map,
    country_labels,
    hexagon_km,
    hexagon_labels,
    hexagon_resolutions,
    inspect_data,
    shipped,
)
from caldp_core.datasets.base_map import (
    AT_SEA,
    WORLD_COUNTRIES,
    WORLD_LINES,
    WORLD_REGIONS,
    Lines,
    _countries,
    _load_lines,
    areas_on_map,
    main_view,
    named_areas,
    pack_lines,
    region_labels,
    region_rings,
    us_cities,
    world_cities,
)
from caldp_core.datasets.files.answers import CountedAnswers, count_answers
from caldp_core.datasets.files.area_names import match_names
from caldp_core.datasets.files.checks.record import Resolved, resolve
from caldp_core.datasets.files.checks.run import CHECKS
from caldp_core.domain.domains import US_GRID, Domain, GridDomain
from caldp_core.scenarios.blocks import CountryBlocks, HexagonBlocks, RegionBlocks
from caldp_core.scenarios.scenario import Scenario
from tests.strategies import examples

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


SWISS = [area for area in named_areas().values() if area.country == "Switzerland"]


def read(text: str, **answers: str) -> Resolved:
    file = inspect_data(text)
    named = {name.replace("_", "-"): answer for name, answer in answers.items()}
    return resolve(file, file.answers, tuple(CHECKS.values()), named)


def counted(text: str, **answers: str) -> CountedAnswers:
    done = read(text, **answers)
    assert not done.unanswered
    return count_answers(done.reading.file, done.reading.layout, "t")


def people(found: CountedAnswers) -> dict[str, int]:
    return dict(zip(found.table.areas, found.table.counts, strict=True))


@pytest.mark.parametrize(
    ("names", "of", "key"),
    [
        ("California Texas Ohio", "United States", "California, United States"),
        ("CA TX OH NV AZ", "United States", "California, United States"),
        ("06 48 39 32 04", "United States", "California, United States"),
        ("US-CA US-TX US-OH US-NV", "United States", "California, United States"),
        ("Kalifornien Texas Ohio", "United States", "California, United States"),
        ("ZÜRICH bern Genf", "Switzerland", "Zürich, Switzerland"),
        ("CH040 CH021 CH070", "Switzerland", "Zürich, Switzerland"),
        ("ITC1 ITC4 ITF3", "Italy", "Piemonte, Italy"),
        ("DE FR IT CH AT", "countries", "Germany"),
        ("DEU FRA ITA CHE AUT", "countries", "Germany"),
        ("Deutschland Frankreich Schweiz", "countries", "Germany"),
        ("Georgia Texas Ohio", "United States", "Georgia, United States"),
        ("Georgia Armenia Turkey", "countries", "Georgia"),
    ],
)
def test_names_and_codes_in_use_are_known(names: str, of: str, key: str) -> None:
    first, *_ = match_names(names.split()).items()
    assert (first[0], first[1][names.split(maxsplit=1)[0]].key) == (of, key)


def test_words_that_answers_are_made_of_are_no_areas() -> None:
    for words in ("yes no maybe", "North South East West", "1 2 3 4 5", "male female", "in at on"):
        assert not match_names(words.split())
    for words in ("North South", "Aa Bb", "on off", "in TX"):
        assert not match_names(words.split(), "state")


def test_few_codes_and_names_are_areas_below_a_title_that_says_so() -> None:
    for names, of in {
        "TX OH": "United States",
        "ZH BE GE": "Switzerland",
        "01 09": "Germany",
    }.items():
        assert next(iter(match_names(names.split(), "Kanton or state"))) == of
        assert not match_names(names.split(), "answer")
    assert "countries" in match_names(["Germany", "France"], "Pays")


def test_spellings_of_one_area_are_added_up_and_everybody_is_accounted_for() -> None:
    text = (
        "Kanton;Einwohner\nZürich;100\nKanton Zürich;20\nZH;5\nBern;7\nGenf;3\nAargauu;4\nFoo;2\n"
    )
    asked = read(text, areas="Switzerland").unanswered
    assert [check.name for check in asked] == ["unknown-areas"]
    assert "“Aargauu” (nearest: Aargau), “Foo”: " in asked[0].sentence
    out = counted(text, areas="", unknown_areas="keep")
    assert people(out) == dict(
        zip([f"{n}, Switzerland" for n in ("Zürich", "Bern", "Genève")], (125, 7, 3), strict=True)
    )
    assert (out.off_map, sum(out.table.counts) + out.off_map) == (6, 141)
    near = counted(text, areas="", unknown_areas="nearest")
    assert (people(near)["Aargau, Switzerland"], near.off_map) == (4, 2)
    assert "2 other spellings added up" in near.table.reading


def test_names_of_two_countries_are_asked_about() -> None:
    text = "place,people\nLimburg,4\nUtrecht,5\nGroningen,6\nAntwerpen,3\nHainaut,2\nNamur,1\n"
    (check,) = read(text).unanswered
    assert {offer.name for offer in check.offers} >= {"several countries"}
    both = "place,people\nAmazonas,1\nBolívar,2\nSucre,3\n"
    (check,) = read(both).unanswered
    assert {offer.name for offer in check.offers} == {"Colombia", "Venezuela"}
    for of in ("Colombia", "Venezuela"):
        assert set(people(counted(both, areas=of))) == {
            f"{name}, {of}" for name in ("Amazonas", "Bolívar", "Sucre")
        }


def test_records_with_a_column_of_areas_are_counted_by_area() -> None:
    rows = ["Bayern,yes", "Hessen,no", "Berlin,yes", "Bayern,no"] * 3
    text = "state,answer\n" + "\n".join(rows) + "\n"
    assert people(counted(text, areas="")) == {
        "Bayern, Germany": 6,
        "Berlin, Germany": 3,
        "Hessen, Germany": 3,
    }
    assert counted(text, areas="keep").table.names == ("no", "yes")


def test_groups_are_the_files_own_or_parts_of_the_country() -> None:
    text = "state,group,people\nTexas,a,1\nOhio,b,2\nIowa,b,3\n"
    assert counted(text, areas="").table.groups == ("a", "b", "b")
    assert counted(text.replace("Iowa,b,3", "Iowa,b,3\nTexas,b,4"), areas="").table.groups == (
        "South",
        "Midwest",
        "Midwest",
    )


@examples(one_in=6)
@given(
    st.lists(
        st.tuples(st.sampled_from(SWISS), st.integers(0, 9), st.integers(0, 10**6)),
        min_size=1,
        max_size=40,
    )
)
def test_any_spellings_in_any_order_add_up(rows: list[tuple[Any, int, int]]) -> None:
    wanted = Counter[str]()
    lines = ["Zürich;1", "Bern;1", "Genève;1"]
    wanted.update({f"{line[:-2]}, Switzerland": 1 for line in lines})
    for area, spelling, number in rows:
        names = sorted(area.names)
        lines.append(f"{names[spelling % len(names)]};{number}")
        wanted[area.key] += number
    found = counted("Kanton;Einwohner\n" + "\n".join(lines) + "\n", areas="Switzerland")
    assert (people(found), found.off_map) == (dict(wanted), 0)


def test_each_area_has_the_cells_that_are_in_it_and_one_at_least() -> None:
    keys = tuple(area.key for area in SWISS)
    grid, labels = areas_on_map(keys)
    regions, names = region_labels(grid)
    centres = np.array([*keys, "-"])[labels]
    own = np.array(names)[regions]
    assert set(labels.tolist()) == set(range(len(keys) + 1))
    inside = np.isin(own, keys)
    assert ((centres == own) | ~inside).all()
    assert (centres[~inside] == "-").all()
    small = ("Holy See", "France") if "Holy See" in named_areas() else ("Monaco", "France")
    assert set(areas_on_map(small)[1].tolist()) == {0, 1, 2}


def test_a_square_of_a_users_own_lies_where_it_was_drawn() -> None:
    grid, labels = areas_on_map(("48,11 48,12 49,12 49,11", "50,11 50,12 51,12"))
    at = grid.locate([48.5, 49.5, 50.2], [11.5, 11.5, 11.9])
    assert labels[at].tolist() == [0, 2, 1]


def test_a_record_holds_the_areas_and_refuses_others() -> None:
    table = OwnTable(("a", "b"), (1, 2), areas=("Bayern, Germany", "48,11 48,12 49,12"))
    scenario = Scenario(dataset=table).plain()
    assert Scenario.from_dict(scenario.to_dict()) == scenario
    for areas in (("Bayern, Germany",), ("Bayern, Germany", "Atlantis"), ("France", "1,2 3")):
        with pytest.raises(CaldpError):
            OwnTable(("a", "b"), (1, 2), areas=areas)


@pytest.mark.parametrize(
    ("country", "view", "beyond"),
    [
        ("United States", (24.4, 49.4, 235.1, 293.1), ["Alaska", "Hawaii"]),
        ("Switzerland", (45.8, 47.9, 5.9, 10.5), []),
        ("Spain", (35.1, 43.9, -9.4, 4.4), ["Canarias"]),
    ],
)
def test_the_view_leaves_out_what_lies_far_away(
    country: str, view: tuple[float, ...], beyond: list[str]
) -> None:
    areas = [area for area in named_areas().values() if area.country == country]
    found, numbers = main_view(tuple(area.key for area in areas))
    assert (found.south, found.north, found.west, found.east) == pytest.approx(view, abs=0.9)
    assert [areas[number].name for number in numbers] == beyond


def test_few_areas_and_areas_far_from_each_other_are_all_in_view() -> None:
    few = ("Alaska, United States", "Texas, United States", "Ohio, United States")
    spread = "Fiji Japan India Kenya France Brazil Canada Mexico Chile Iceland Australia"
    for areas in (few, tuple(spread.split())):
        grid, _ = areas_on_map(areas)
        found, beyond = main_view(areas)
        assert beyond == ()
        assert found.north - found.south == pytest.approx(
            grid.cell * grid.rows, abs=4.1 * grid.cell
        )


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


def test_blocks_are_countries_with_a_cell_and_what_is_at_sea() -> None:
    partition = CountryBlocks().build(US_GRID)
    assert partition.names == ("Bahamas", "Canada", "Mexico", "United States of America", AT_SEA)
    assert partition.sizes().sum() == US_GRID.k
    inland = GridDomain(48.7, 2.1, 0.01, 36, 60)
    assert CountryBlocks().build(inland).names == ("France",)


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
        GridDomain(0.2, 90.2, 1.0, 30, 50),
        GridDomain(60.0, 170.0, 0.5, 20, 50),  # across 180°
    ],
)
@pytest.mark.slow
def test_regions_labels_are_those_of_a_geometry_library(grid: GridDomain) -> None:
    labels, names = region_labels(grid)
    x, y = np.meshgrid(grid.wrapped_longitudes(), grid.latitudes())
    found = regions_at(x.ravel(), y.ravel())
    assert [{names[label]} - {AT_SEA} for label in labels] == found


@pytest.mark.slow
@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.thorough)])
def test_no_two_regions_overlap(every: int) -> None:
    one, other = shapely.STRtree(shapes()).query(shapes(), predicate="intersects")
    pairs = np.flatnonzero(one < other)
    assert pairs.size > 5_000
    pairs = pairs[::every]
    both = shapely.intersection(shapes()[one[pairs]], shapes()[other[pairs]])
    assert shapely.area(both).max() < 2.5e-6  # square degrees: half a step by half a kilometre


@pytest.mark.slow
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


HEXAGONS_EUROPE = GridDomain(42.0, -4.0, 0.5, 24, 40)
JAPAN = GridDomain(34.9, 138.9, 0.05, 20, 30)
FIJI = GridDomain(-20.0, 176.0, 0.2, 20, 40)  # across 180°
HEXAGONS_WORLD = GridDomain(-90.0, -180.0, 2.0, 90, 180)


def index_of(name: str) -> str:
    return name.rpartition(" ")[2].strip("()")


@pytest.mark.parametrize(("grid", "resolution"), [(HEXAGONS_EUROPE, 2), (JAPAN, 5), (FIJI, 4)])
def test_cells_are_in_the_polygon_of_their_hexagon(grid: GridDomain, resolution: int) -> None:
    # Sides are great circles, here straight lines in degrees: within some hundredths of a side.
    labels, names = hexagon_labels(grid, resolution)
    x, y = np.meshgrid(grid.longitudes(), grid.latitudes())
    points = shapely.points(x.ravel(), y.ravel())
    for block, name in enumerate(names):
        corners = np.array(h3.cell_to_boundary(index_of(name)))[:, ::-1]
        corners[:, 0] += 360.0 * (corners[:, 0] < grid.west - 90)
        polygon = shapely.Polygon(corners)
        near = 0.05 * np.sqrt(polygon.area)
        inside = shapely.contains(shapely.buffer(polygon, -near), points)
        outside = ~shapely.contains(shapely.buffer(polygon, near), points)
        assert (labels[inside] == block).all()
        assert (labels[outside] != block).all()


def test_blocks_are_the_worlds_hexagons() -> None:
    partition = HexagonBlocks(0).build(HEXAGONS_WORLD)
    assert {index_of(name) for name in partition.names} <= set(h3.get_res0_cells())
    assert partition.m > 115  # of 122: those that hold the middle of a cell of 2°
    assert partition.sizes().min() > 0
    names = HexagonBlocks(2).build(HEXAGONS_EUROPE).names
    assert "Paris and around (821fb7fffffffff)" in names


@pytest.mark.parametrize("resolution", range(HEXAGONS_MAX + 1))
def test_sizes_are_those_of_h3(resolution: int) -> None:
    area = h3.average_hexagon_area(resolution, "km^2")  # without the twelve pentagons
    expected = np.sqrt(area * 2 / np.sqrt(3))
    assert hexagon_km(resolution) == pytest.approx(expected, rel=0.025 if resolution == 0 else 4e-3)


@pytest.mark.parametrize("grid", [HEXAGONS_EUROPE, JAPAN, FIJI, HEXAGONS_WORLD, US_GRID])
def test_the_sizes_offered_are_blocks_of_some_cells(grid: GridDomain) -> None:
    offered = hexagon_resolutions(grid)
    assert offered == tuple(range(offered[0], offered[-1] + 1))
    for resolution in offered:
        assert 2 <= HexagonBlocks(resolution).build(grid).m <= grid.k
    finest = HexagonBlocks(offered[-1]).build(grid)
    assert 2 < grid.k / finest.m < 2 * 7 * 1.5  # the next are a seventh of it, and too small


@pytest.mark.parametrize("grid", [HEXAGONS_EUROPE, JAPAN, FIJI, HEXAGONS_WORLD, US_GRID])
def test_hexagons_smaller_than_a_cell_are_refused_before_they_are_found(grid: GridDomain) -> None:
    with pytest.raises(CaldpError, match="smaller than the map's cells; at most") as refusal:
        HexagonBlocks(HEXAGONS_MAX).build(grid)
    most = int(str(refusal.value).rpartition(" ")[2].strip("."))
    assert most >= hexagon_resolutions(grid)[-1]
    with pytest.raises(CaldpError, match="smaller than"):
        HexagonBlocks(most + 1).build(grid)
    assert HexagonBlocks(most).build(grid).m <= grid.k


def test_maps_of_few_cells_have_none() -> None:
    assert hexagon_resolutions(GridDomain(0.0, 0.0, 1.0, 1, 2)) == ()


@pytest.mark.parametrize("resolution", [-1, 16, 2.5, True])
def test_no_other_resolutions(resolution: Any) -> None:
    with pytest.raises(CaldpError, match="resolution of hexagons must be"):
        HexagonBlocks(resolution)


def test_what_hexagons_need() -> None:
    with pytest.raises(CaldpError, match="Hexagon blocks need a map; choose"):
        HexagonBlocks().build(Domain(4))


def test_without_the_package_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "h3.api.basic_int", None)
    with pytest.raises(CaldpError, match=r"needs h3; run pip install '\.\[dashboard\]'"):
        HexagonBlocks(3).build(GridDomain(1.0, 1.0, 0.5, 4, 4))


@pytest.mark.parametrize("change", ["cut", "empty", "wrong"])
def test_a_broken_file_of_lines_is_a_sentence(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cut archive had ended pages: what it raises is no `ValueError`."""
    readers: dict[str, Callable[[], object]] = {
        WORLD_LINES: lambda: _load_lines.__wrapped__("coasts"),
        WORLD_COUNTRIES: _countries.__wrapped__,
        WORLD_REGIONS: region_rings.__wrapped__,
    }
    for name, read in readers.items():
        whole = (shipped.DATA_FOLDER / name).read_bytes()
        contents = {"cut": whole[: len(whole) // 2], "empty": b"", "wrong": b"a,b\n1,2\n"}
        (tmp_path / name).write_bytes(contents[change])
        monkeypatch.setattr(shipped, "DATA_FOLDER", tmp_path)
        with pytest.raises(CaldpError, match=f"{name} can't be read .*install caldp again"):
            read()
        monkeypatch.undo()
