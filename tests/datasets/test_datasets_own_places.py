"""Places of one's own: every place is counted in its cell, what is none is left out and told."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import OWN_CELLS_USUAL
from caldp_core.datasets import OwnPlaces, inspect_data, read_places
from caldp_core.datasets.files.maps import MapRequest
from caldp_core.datasets.files.places import count_places
from caldp_core.domain.grid import US_GRID, GridDomain
from tests.contract.checks import naming
from tests.strategies import examples

PLACES = [(48.137, 11.575), (48.137, 11.575), (48.205, 16.372), (47.372, 8.542)]
WAYS = {
    "a header": "name,lat,lon\nx,48.137,11.575\ny,48.137,11.575\nz,48.205,16.372\nu,47.372,8.542",
    "counts": "longitude;latitude;people\n11.575;48.137;2\n16.372;48.205;1\n8.542;47.372;1\n",
    "population": "lat,lon,population\n48.137,11.575,2.0\n48.205,16.372,1\n47.372,8.542,1",
    "no header": "48.137\t11.575\n\n48.137\t11.575\n48.205\t16.372\n47.372\t8.542",
    "counts, no header": "48.137,11.575,2\n48.205, 16.372 ,1\n47.372,8.542,1",
}


def counted(grid: GridDomain, places: list[tuple[float, float]]) -> list[int]:
    """By another way than the reader's: cell by cell."""
    found = [0] * grid.k
    for latitude, longitude in places:
        row = int((latitude - grid.south) / grid.cell + 1e-9)
        column = int((longitude - grid.west) / grid.cell + 1e-9)
        found[row * grid.columns + column] += 1
    return found


def test_places_are_read_however_the_columns_are_told() -> None:
    for way, text in WAYS.items():
        with naming(way):
            found = read_places(text, "Cities")
            assert found.refused.describe() == ""
            data = found.places.load()
            assert (data.name, data.n) == ("Cities", 4)
            assert data.counts is not None
            assert data.counts.tolist() == counted(found.places.grid(), PLACES)


POINTS = st.tuples(
    st.floats(-90, 90, exclude_max=True).map(lambda x: round(x, 4)).filter(lambda x: x < 90),
    st.floats(-180, 180).map(lambda x: round(x, 4)).filter(lambda x: x < 180),
).filter(lambda place: place != (0, 0))


@examples(one_in=3)
@given(st.lists(POINTS, min_size=1, max_size=8))
def test_the_map_holds_all_places_and_no_more_cells_than_it_may(
    places: list[tuple[float, float]],
) -> None:
    file = inspect_data("\n".join(f"{lat:.4f},{lon:.4f}" for lat, lon in places))
    found = count_places(file, file.places, "anywhere").places
    grid = found.grid()
    assert grid.k <= OWN_CELLS_USUAL
    assert found.counts().sum() == len(places)
    rows, columns = grid.row_column(np.flatnonzero(found.counts()))
    # No row or column but the outermost is there for nobody's sake.
    if grid != US_GRID:
        for ends, size in ((rows, grid.rows), (columns, grid.columns)):
            assert int(ends.min()) <= 1
            assert int(ends.max()) >= size - 2


def test_the_paper_s_map_is_taken_for_places_all_over_it_and_only_there() -> None:
    coasts = "lat,lon\n40.71,-74.0\n34.05,-118.24\n"
    assert read_places(coasts).places.grid() == US_GRID
    town = read_places("lat,lon\n40.71,-74.0\n40.9,-73.8").places.grid()
    assert (town.cell, town.k < 1_000) == (0.01, True)
    world = read_places(f"{coasts}-33.87,151.2\n48.86,2.35").places.grid()
    assert world.cell == 1.0  # half as large, they would be about four times as many
    assert world.k <= OWN_CELLS_USUAL < 4 * world.k


def test_columns_are_known_by_name_in_other_languages_and_by_content() -> None:
    for text, people in {
        "user;Breitengrad;Längengrad;Einwohner\na;48,1;11,5;3\nb;48,2;11,6;4,4": 7,
        "\ufeffville;latitude;longitude;effectif\nx;48,1;11,5;3\ny;48,2;11,6;1 000": 1003,
        "ciudad,latitud,longitud,población\nx,48.1,11.5,3\ny,48.2,11.6,4": 7,
        "id,where,how far\n7,48.1,111.5\n8,48.2,111.6": 2,
        "id,how far,where\n7,111.5,48.1\n8,111.6,48.2": 2,
    }.items():
        with naming(text):
            found = read_places(text).places
            assert int(found.counts().sum()) == people
            assert 48 < found.grid().latitudes().mean() < 48.3


def test_what_is_no_place_is_left_out_and_told() -> None:
    text = (
        "lat,lon,count\n48.1,11.5,3\nsomewhere,11,1\n91,11,1\n0,0,9\n,,\n48.1,11.6\n48.1,11.6,2\n"
    )
    found = read_places(text)
    assert int(found.places.counts().sum()) == 5
    assert found.refused.describe() == (
        "5 of 7 rows are not counted: 1 with no latitude or longitude; 1 with a latitude or "
        "longitude that is no number; 1 with a place beyond ±90° or ±180°; 1 with the place 0, 0, "
        "which lists write where none is known; "
        "1 with too few cells. The first is line 3, 'somewhere | 11 | 1'."
    )
    odd = read_places("lat,lon\n1e308,nan\n-inf,2\n90,180\n-90,-180").places
    assert odd.counts()[[0, -1]].sum() == odd.counts().sum() == 2


REFUSED = {
    "": "nothing to read",
    "name,people\na,1": r"known to be the latitude, got 'name \| people'; name one “latitude”",
    "lat,lon\n48,1;11,5\n": "says a place with people: the first is line 2",
    "lat,lon,n\n48,11,0": "says a place with people; give",
    "lat,lon,n\n0,0,1": "says a place with people: the first is line 2",
    "48.1": "known to be the latitude",
}
WRONG: dict[str, dict[str, Any]] = {
    "got '2'": {"people": "1:1 2"},
    "got '1:5'": {"people": "2:1 1:5"},
    "got '6:1'": {"people": "6:1"},
    "got ''": {"people": ""},
    "at least one person": {"people": "1:0"},
    "k must be .* 1,048,576": {"area": "-90,90,-180,180", "cell": 0.1},
    "must fill the area exactly": {"cell": 0.7},
    "title must be texts": {"title": " x"},
    "people must add up to at most": {"people": "0:9999999999999"},
}


def test_what_can_not_be_is_told_in_one_sentence() -> None:
    for text, words in REFUSED.items():
        with naming(text), pytest.raises(CaldpError, match=words):
            read_places(text)
    good: dict[str, Any] = {"people": "0:1", "area": "10,12,0,3", "cell": 1.0}
    assert OwnPlaces(**good).load().n == 1
    for words, wrong in WRONG.items():
        with naming(words), pytest.raises(CaldpError, match=words):
            OwnPlaces(**(good | wrong))


def test_a_sorted_list_is_counted_on_the_map_of_all_its_places() -> None:
    """The first thousand rows lead to a small map, the last one to one of half the world."""
    near = [(48.0 + i % 40 / 400, 11.0 + i % 70 / 700) for i in range(1_500)]
    for far in ((48.3, 11.4), (-33.87, 151.2), (25.0, -100.0)):
        places = [*near, far, far]
        found = read_places("\n".join(f"{lat:.6f},{lon:.6f}" for lat, lon in places)).places
        with naming(str(far)):
            assert found.counts().tolist() == counted(found.grid(), places)
    on = GridDomain(48.0, 11.0, 0.05, 2, 1)
    file = inspect_data("\n".join(f"{lat:.6f},{lon:.6f}" for lat, lon in [*near, (1.0, 1.0)]))
    kept = count_places(file, replace(file.places, wanted=MapRequest(0.05, on.area)), "On a map")
    inside = [place for place in near if on.locate([place[0]], [place[1]])[0] >= 0]
    assert kept.places.counts().tolist() == counted(on, inside)
    assert kept.refused.count == 1_501 - len(inside)
