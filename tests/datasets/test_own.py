"""A user's table, places, survey and public map, read as they are meant."""

import csv
import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import N_MAX, OWN_ANSWERS_MAX, OWN_CELLS_USUAL, OWN_TEXT_MAX
from caldp_core.basics.types import Floats
from caldp_core.cli.commands import main
from caldp_core.datasets import (
    Cities,
    OwnPlaces,
    OwnSurvey,
    OwnTable,
    Zipf,
    inspect_data,
    read_places,
)
from caldp_core.datasets.files.answers import count_answers, count_questions
from caldp_core.datasets.files.maps import MapRequest
from caldp_core.datasets.files.numbers import NumberSteps
from caldp_core.datasets.files.places import count_places, count_published_map
from caldp_core.datasets.files.table import Chosen
from caldp_core.datasets.public_map import PublicMap, public_map_from_weights
from caldp_core.domain.domains import US_GRID, Domain, GridDomain, bin_name, scale_of
from caldp_core.experiments.forecast import SAME, invalid_error_reason
from caldp_core.experiments.metrics import total_variation
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.experiments.table import as_csv, as_geojson, columns_of
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Budget
from tests.contract.checks import naming
from tests.datasets.files import read_table
from tests.strategies import examples, own_tables

pytestmark = pytest.mark.usefixtures("one_connection")
PLAIN = OwnTable(("Often", "Never"), (12, 30))
GROUPED = OwnTable(
    ("Often; men", "Often; women", "Never; women"), (1, 2, 3), ("men", "women", "women")
)
READ: dict[str, OwnTable] = {
    "Often,12\nNever,30": PLAIN,
    "answer,count\nOften,12\nNever,30\n": PLAIN,
    "answer;count\r\nOften;12\r\nNever;30\r\n": PLAIN,
    "Often\t12\n\n  \nNever\t 30\t\n": OwnTable(("Often", "Never"), (12, 30)),
    "\ufeffOften, 12,,\nNever, 30,,": PLAIN,
    'Answer,People,Group\n"Often, daily",1,men\nNever,2,men': OwnTable(
        ("Often, daily", "Never"), (1, 2), ("men", "men")
    ),
    "Often,1,men\nOften,2,women\nNever,3,women": GROUPED,
    "Never\nOften\nNever": OwnTable(("Never", "Often"), (2, 1)),
    "answer\nYes, often\nNo\nNo\n": OwnTable(("No", "Yes, often"), (2, 1)),
    'answer\n"Yes, often"\nNo\nNo': OwnTable(("No", "Yes, often"), (2, 1)),
    "No\nYes, often\nNo": OwnTable(("No", "Yes, often"), (2, 1)),
    "age in years\n12\n9\n12": OwnTable(("9", "12"), (1, 2)),
    "population,answer\n12,Often\n30,Never": PLAIN,
    "answer,population\nOften,12.0\nNever,30.0": PLAIN,
    "group,respondents,value\nmen,1,Often\nwomen,2,Often\nwomen,3,Never": GROUPED,
    "answer,people,place\nOften,1,men\nOften,2,women\nNever,3,women": GROUPED,
    "a,1\nb,2\na,3": OwnTable(("a", "b"), (4, 2)),
    "age,answer,people\n20,yes,3\n30,no,4": OwnTable(("yes", "no"), (3, 4)),
    "Antwort;Häufigkeit\nja;1.204,5\nnein;3": OwnTable(("ja", "nein"), (1205, 3)),
    "réponse;effectif\noui;1\u00a0204,5\nnon;3,25": OwnTable(("oui", "non"), (1205, 3)),
    "réponse;effectif;groupe\noui;12;hommes\nnon;1 204;femmes": OwnTable(
        ("oui", "non"), (12, 1204), ("hommes", "femmes")
    ),
    "12\n9\n12\n100": OwnTable(("9", "12", "100"), (1, 2, 1)),
}
TOO_MANY = "a number of people below 0 or above 1,000,000,000,000"
NONE = "1 with no number of people"
WIDE = "1 with too many cells"
LEFT_OUT: dict[str, tuple[str, OwnTable]] = {
    "Often,12\nNever,3O\nSometimes,4\nNever,30": (
        f"1 of 4 rows is not counted: {NONE}. The first is line 2, 'Never | 3O'.",
        OwnTable(("Often", "Sometimes", "Never"), (12, 4, 30)),
    ),
    "a,12\nb,-3\nc,4": (
        f"1 of 3 rows is not counted: 1 with {TOO_MANY}. The first is line 2, 'b | -3'.",
        OwnTable(("a", "c"), (12, 4)),
    ),
    "a,1,x\nb,2\nc,3,y": (
        "1 of 3 rows is not counted: 1 with too few cells. The first is line 2, 'b,2'.",
        OwnTable(("a", "c"), (1, 3), ("x", "y")),
    ),
    "a,1\n,2\nc,3\nd,4,5": (
        f"2 of 4 rows are not counted: 1 with no answer; {WIDE}. The first is line 2, '| 2'.",
        OwnTable(("a", "c"), (1, 3)),
    ),
    "answer,people\na,1\nb,2\nc,1e40": (
        f"1 of 3 rows is not counted: 1 with {TOO_MANY}. The first is line 4, 'c | 1e40'.",
        OwnTable(("a", "b"), (1, 2)),
    ),
    "answer,people\na,1\nb,nan\nb,inf\nb,2": (
        "2 of 4 rows are not counted: 2 with no number of people. The first is line 3, 'b | nan'.",
        OwnTable(("a", "b"), (1, 2)),
    ),
}
REFUSED: dict[str, str] = {
    "": "nothing to read",
    " \n,,\n": "nothing to read",
    "a;12\nb;1,204\nc;4": "'1,204' may have decimals or thousands; say which",
    'a,1\n"b,2\nc,3': "Line 2 of 'the text': a quotation mark opens there",
    "a,0\nb,0": "counts must add up to 1 to",
    f"answer,people\na,{N_MAX}\nb,1": "counts must add up to 1 to",
    "a,0.7\nb,0.3": "holds shares that add up to 1, not people",
    "smokes,0\nno,12\nyes,7": "'smokes', may be a title or an answer; say which",
    "illness\nasthma\nasthma": "'illness', may be a title or an answer; say which",
    "a,1": "needs two answers, got 'a'; take a column, or a file, that has more",
    "\n".join(str(i) for i in range(OWN_ANSWERS_MAX + 1)): "there are 2,001 or more; choose",
    "\n".join(str(i) for i in range(90_000)): "there are 10,001 or more; choose",
    f"{'x' * 200_000},1\nb,2": "more than 100,000 characters; a quotation mark",
    "a\0b,1\nb,2": "is not a text file; in a spreadsheet",
    "a" * (OWN_TEXT_MAX + 1): "may have up to 1,048,576 characters, got 1,048,577",
}


@pytest.mark.slow
def test_what_is_pasted_is_read() -> None:
    for text, wanted in READ.items():
        with naming(text):
            assert read_table(text).table == wanted


@examples(one_in=3)
@given(own_tables(), st.sampled_from(",;\t"))
def test_what_a_spreadsheet_saves_comes_back(table: OwnTable, delimiter: str) -> None:
    file = io.StringIO()
    rows = zip(table.names, table.counts, table.groups or [""] * len(table.names), strict=True)
    writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("answer", "people", "group"), *rows])
    detected = inspect_data(file.getvalue())
    assert count_answers(detected, detected.answers, table.title).table == table


def test_rows_that_say_nothing_are_told_with_their_reasons() -> None:
    for text, (words, wanted) in LEFT_OUT.items():
        with naming(text):
            found = read_table(text)
            assert (found.refused.describe(), found.table) == (words, wanted)


@pytest.mark.slow
def test_what_cannot_be_read_is_one_sentence() -> None:
    for text, words in REFUSED.items():
        with naming(text[:40]), pytest.raises(CaldpError, match=words) as refused:
            read_table(text)
        assert len(str(refused.value)) < 400


WRONG: dict[str, dict[str, Any]] = {
    "names must be 2 to": {"names": ("a",), "counts": (1,)},
    "counts must be one for each of the 2 answers, got 1": {"counts": (1,)},
    "groups must be one for each of the 2 answers, got 1": {"groups": ("x",)},
    "each of counts must be a whole number": {"counts": (1, True)},
    "each of counts must be a whole number in": {"counts": (1, 10**400)},
    "names must differ, 'a' is there twice": {"names": ("a", "a")},
    "title must be texts of one line": {"title": ""},
    "names must be texts of one line": {"names": ("a", " b")},
    "groups must be texts of one line": {"groups": ("a", "b\nc")},
    "names must be texts of one line, 1": {"names": ("a", "\ud800")},
}


def test_tables_that_can_not_be_are_refused() -> None:
    for words, wrong in WRONG.items():
        with naming(words), pytest.raises(CaldpError, match=words):
            OwnTable(**({"names": ("a", "b"), "counts": (1, 2)} | wrong))


def test_the_people_of_a_table_are_those_that_it_counts() -> None:
    data = GROUPED.load()
    assert data.n == 6
    np.testing.assert_array_equal(data.counts, [1, 2, 3])
    assert data.domain == Domain(3, GROUPED.names, GROUPED.groups)
    assert "6 people and 3 answers" in data.note


def test_what_is_there_twice_counts_twice_and_weights_are_rounded_at_the_end() -> None:
    assert read_table("a\nb\n\na\na\nb").table == OwnTable(("a", "b"), (3, 2))
    found = read_table("answer,weight\na,12.25\nb,3.4\na,0.25\nb,0.2")
    assert (found.table, found.rounded) == (
        OwnTable(("a", "b"), (12, 4)),
        True,
    )  # of 12.5 and 3.6, 16.1 in all


def test_records_of_two_columns_are_a_table_in_one_order() -> None:
    rows = ("50+,no", "9,yes", "18-29,no", "50+,yes", "18-29,no", "9,no", "50+,no", "50+,no")
    for head, tail in (("age,smokes", ""), ("age,smokes,weight", ",2")):
        text = "\n".join((head, *(f"{row}{tail}" for row in rows)))
        file = inspect_data(text.encode(), chosen=Chosen(header=True))
        layout = replace(file.answers, answer=1, group=0)
        found = count_answers(file, layout, "Both").table
        assert found.names == ("no; 18-29", "no; 50+", "yes; 50+", "no; 9", "yes; 9")
        assert sum(found.counts) == 8 * (1 + (tail != ""))


def test_answers_of_records_stand_in_their_natural_order() -> None:
    for wanted in (
        ("under 10k", "10-20k", "20-50k", "50k+"),
        ("less than 1,000", "1,000 to 5,000", "5,000 to 20,000", "more than 20,000"),
        ("1 - never", "2 - rarely", "3 - often", "10 - always"),
        ("District 2", "District 9", "District 10"),
        ("-1", "0", "7", "12"),
        ("Never", "Sometimes", "Always"),
        ("strongly disagree", "disagree", "neutral", "agree", "strongly agree", "don't know"),
        ("nie", "selten", "oft", "immer"),
    ):
        rows = [answer for n, answer in enumerate(wanted) for _ in range(n + 1)]
        text = "\n".join(["answer", *(f'"{answer}"' for answer in rows)])
        with naming(wanted[0]):
            assert read_table(text).table.names == wanted
    mixed = "answer\nBus 5\nTram 3\nTram 3"
    assert read_table(mixed).table.names == ("Tram 3", "Bus 5")  # the commonest first


def test_columns_are_crossed_into_one_answer_in_groups() -> None:
    """By a count of the rows themselves; a row without one of the cells is not counted."""
    rng = np.random.default_rng(2)
    cells = ([*"xyz"], [*"ab", ""], [*"ab", ""])
    rows = [tuple(map(str, map(rng.choice, cells))) for _ in range(200)]
    file = inspect_data("\n".join(["district,income,health", *map(",".join, rows)]))
    chosen = Chosen().with_column(1, "answer").with_column(2, "crossed").with_column(0, "group")
    layout = chosen.layout(file, file.answers)
    assert (layout.answer, layout.crossed, layout.group) == (1, (2,), 0)
    assert [chosen.type_of(at, layout, False) for at in range(3)] == ["group", "answer", "crossed"]
    table = count_answers(file, layout, "survey").table
    whole = [row for row in rows if all(row)]
    found = dict(zip(zip(table.names, table.groups, strict=True), table.counts, strict=True))
    assert found == Counter((f"{b}, {c}; {a}", a) for a, b, c in whole)


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


@examples(one_in=6)
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
        "longitude that is not a number; 1 with a place beyond ±90° or ±180°; "
        "1 with the place 0, 0, which lists write where none is known; "
        "1 with too few cells. The first is line 3, 'somewhere | 11 | 1'."
    )
    odd = read_places("lat,lon\n1e308,nan\n-inf,2\n90,180\n-90,-180").places
    assert odd.counts()[[0, -1]].sum() == odd.counts().sum() == 2


PLACES_REFUSED = {
    "": "nothing to read",
    "name,people\na,1": r"known to be the latitude, got 'name \| people'; name one “latitude”",
    "lat,lon\n48,1;11,5\n": "says a place with people: the first is line 2",
    "lat,lon,n\n48,11,0": "says a place with people; give",
    "lat,lon,n\n0,0,1": "says a place with people: the first is line 2",
    "48.1": "known to be the latitude",
}
PLACES_WRONG: dict[str, dict[str, Any]] = {
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
    for text, words in PLACES_REFUSED.items():
        with naming(text), pytest.raises(CaldpError, match=words):
            read_places(text)
    good: dict[str, Any] = {"people": "0:1", "area": "10,12,0,3", "cell": 1.0}
    assert OwnPlaces(**good).load().n == 1
    for words, wrong in PLACES_WRONG.items():
        with naming(words), pytest.raises(CaldpError, match=words):
            OwnPlaces(**(good | wrong))


@pytest.mark.slow
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


def test_rows_of_a_person_are_counted_and_a_cap_keeps_as_many_of_each() -> None:
    """Each person is in a cell of their own; rows without an id are nobody's, and are refused."""
    of_each = [1, 1, 2, 3, 9]
    rows = [f"r{at},48.{at}5,11.5" for at, many in enumerate(of_each) for _ in range(many)]
    order = np.random.default_rng(3).permutation(len(rows))
    text = "\n".join(["rider_id,latitude,longitude", *(rows[at] for at in order), ",48.15,11.5"])
    file = inspect_data(text)
    assert file.places.person == 0
    for cap in (0, 1, 2, 5):
        with naming(f"cap {cap}"):
            found = count_places(file, replace(file.places, cap=cap, unit="trips"), "x")
            kept = [min(many, cap or many) for many in of_each]
            counts = found.places.counts()
            assert sorted(counts[counts > 0].tolist()) == sorted(kept)
            assert found.places.person_rows == (5, sorted(kept)[2], max(kept))
            assert found.places.nouns == ("trip", "trips")
            assert found.refused.count == 1 + sum(of_each) - sum(kept)
    assert read_places(text.replace("rider_id", "colour")).places.person_rows == ()


def test_rows_below_a_cap_are_drawn_evenly_and_always_the_same() -> None:
    """One of four rows of each of 400 people; the first row of each would fail (p < 10⁻⁶)."""
    rows = [f"r{who},48.{at}5,11.5" for who in range(400) for at in range(4)]
    file = inspect_data("\n".join(["rider_id,latitude,longitude", *rows]))
    draws = [count_places(file, replace(file.places, cap=1), "x").places for _ in range(2)]
    assert draws[0] == draws[1]
    counts = draws[0].counts()
    kept = counts[counts > 0]
    assert kept.sum() == 400
    statistic = float(((kept - 100) ** 2 / 100).sum() + 100 * (4 - kept.size))
    assert stats.chi2.sf(statistic, 3) > 1e-6
    assert stats.chi2.sf(float(((np.array([400, 0, 0, 0]) - 100) ** 2 / 100).sum()), 3) < 1e-6


YES = OwnTable(("no", "yes"), (5, 3), title="smokes")
COLOUR = OwnTable(("red", "no", "blue"), (1, 1, 6), title="colour")
SURVEY = OwnSurvey.of((YES, COLOUR), "Both")
AGES = np.random.default_rng(5).integers(18, 96, 400)
RECORDS = "\n".join(
    ["Alter;Betrag;Raucher;Gewicht"]
    + [
        f"{age};{age / 7:.3f};{('ja', 'nein', '')[age % 3]};1.5".replace(".", ",")
        for age in AGES.tolist()
    ]
)


def test_a_survey_is_its_questions() -> None:
    assert SURVEY.tables() == (YES, COLOUR)
    assert replace(SURVEY, selected=1).load().domain == COLOUR.load().domain
    for words, wrong in {
        "questions must name 2 to 10": {"questions": ("a",) * 5},
        "All rows of a question must follow each other": {"questions": tuple("aabba")},
        "names must be one for each of the 5 rows": {"names": ("a",)},
        "names must differ": {"names": ("no", "no", "a", "b", "c")},
        "selected must be": {"selected": 2},
    }.items():
        with naming(words), pytest.raises(CaldpError, match=words):
            replace(SURVEY, **wrong)  # type: ignore[arg-type]


def people_in(table: OwnTable, between: str, numbers: Floats, beyond: float) -> None:
    """Every step has the people whose numbers are in it, at weight 1.5, and so have all."""
    assert sum(table.counts) == int(1.5 * numbers.size + 0.5)
    for name, count in zip(table.names, table.counts, strict=True):
        low, high = (float(end) for end in name.split(between))
        inside = (numbers >= low) & (numbers < high + beyond)
        assert count - 1.5 * inside.sum() in (-0.5, 0.0, 0.5)


def test_columns_are_counted_as_questions_and_many_numbers_in_steps() -> None:
    file = inspect_data(RECORDS.encode())
    found = count_questions(file, replace(file.answers, answer=0, others=(1, 2)), "U")
    ages, amounts, smokes = found.survey.tables()
    people_in(ages, " to ", AGES.astype(np.float64), 1)
    people_in(amounts, " to under ", (AGES / 7).round(3), 0)
    assert (ages.names[0], ages.names[-1]) == ("15 to 19", "95 to 99")
    assert set(smokes.names) == {"ja", "nein"}
    empty = int((AGES % 3 == 2).sum())
    assert found.refused.describe().startswith(
        f"{empty} of 400 rows are not counted: {empty} with no"
    )
    assert found.refused.reasons == (("no answer in “Raucher”", empty),)
    with pytest.raises(CaldpError, match="2 to 10 different questions"):
        count_questions(file, replace(file.answers, answer=0, others=(0,)), "U")


def test_steps_are_as_wide_as_asked_and_none_is_missing() -> None:
    file = inspect_data("amount\n0.3\n0.29\n-0.1\nnone\n0.9\n")
    layout = replace(file.answers, answer=0, count=None, header=True, steps=NumberSteps(0.1))
    found = count_answers(file, layout, "Amounts")
    counts = dict(zip(found.table.names, found.table.counts, strict=True))
    assert list(counts.values()) == [1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1]
    assert counts["0.3 to under 0.4"] == counts["-0.1 to under 0"] == 1
    assert found.refused.reasons == (("no number as an answer", 1),)
    with pytest.raises(CaldpError, match="take wider steps"):
        count_answers(file, replace(layout, steps=NumberSteps(1e-4)), "Amounts")


@examples(one_in=6)
@given(st.integers(-9, 9), st.integers(3, 30), st.sampled_from([1.0, 2.5, 7.0]))
def test_numbers_beyond_the_steps_count_in_the_first_or_last(
    start: int, span: int, width: float
) -> None:
    steps = NumberSteps(width, float(start), start + span * width)
    amounts = np.random.default_rng(span).uniform(start - 20, start + 100, 200).round(1)
    file = inspect_data("amount\n" + "\n".join(map(str, amounts)))
    layout = replace(file.answers, answer=0, count=None, header=True, mark=".", steps=steps)
    found = count_answers(file, layout, "Amounts")
    edges = start + width * np.arange(span + 1)
    within = np.clip(amounts, start, edges[-1] - 1e-6)
    assert found.table.counts == tuple(np.histogram(within, edges)[0])
    assert found.clamped_rows == int(((amounts < start) | (amounts >= edges[-1])).sum())
    assert scale_of(found.table.names) == pytest.approx(edges[:-1] + width / 2)


def test_steps_that_make_no_table_are_refused() -> None:
    for steps, message in (
        (NumberSteps(0.0), "above 0, got 0"),
        (NumberSteps(float("nan")), "The width of steps must be a number"),
        (NumberSteps(1.0, 5.0, 5.0), "to a larger one, got 5 to 5"),
        (NumberSteps(10.0, 0.0, 10.0), "2 to 2,000 steps, got 1 of 10"),
        (NumberSteps(1e-9, 0.0, 10.0), "take another width"),
        (NumberSteps(1.0, float("inf"), None), "From must be a number"),
    ):
        with naming(message), pytest.raises(CaldpError, match=message):
            steps.check()


@settings(max_examples=50)
@given(
    st.integers(-10_000, 10_000),
    st.sampled_from([0.1, 0.5, 1.0, 2.0, 50.0, 1000.0]),
    st.booleans(),
)
def test_a_name_of_a_step_says_its_middle(first: int, width: float, whole: bool) -> None:
    names = [bin_name(number, width, whole) for number in range(first, first + 4)]
    less = 0.5 if whole and width == int(width) else 0.0
    wanted = (first + np.arange(4) + 0.5) * width - less
    found = scale_of(names)
    assert found is not None
    np.testing.assert_allclose(found, wanted.astype(np.float64), atol=1e-9)


def test_what_is_no_scale_is_none() -> None:
    assert scale_of(("18-24", "25–34", "35 to 49")) is not None
    for names in (("1", "2"), ("1", "2", "other"), ("3", "2", "1"), ("18-24", "25-34", "35+")):
        assert scale_of(names) is None


LAST_YEAR = Scenario(Cities(together=5), n=400_000, seed=3).with_context(
    blocks=OneBlock(), epsilon=4.0
)
THIS_YEAR = replace(LAST_YEAR, n=200_000, seed=4).with_context(epsilon=1.0)


@pytest.fixture(scope="module")
def last() -> Result:
    return run(prepare(LAST_YEAR))


def by_points(spec: PublicMap, domain: GridDomain, fine: int = 12) -> Floats:
    """Each cell's part at fine × fine points of it, counted where they lie: the slow route."""
    source, found = spec.grid(), np.zeros(domain.k)
    steps = (np.arange(fine) + 0.5) / fine * source.cell
    for cell, part in enumerate(spec.weights().tolist()):
        row, column = divmod(cell, source.columns)
        latitudes = np.repeat(source.south + row * source.cell + steps, fine)
        longitudes = np.tile(source.west + column * source.cell + steps, fine)
        turned = np.where(longitudes > 180, longitudes - 360, longitudes)
        cells = domain.locate(latitudes, turned)
        np.add.at(found, cells[cells >= 0], part / fine**2)
    return np.asarray(found / found.sum())


def test_a_map_is_spread_evenly_over_its_cells_on_any_other() -> None:
    rng = np.random.default_rng(1)
    source = GridDomain(40.0, -6.0, 0.5, 4, 6)
    spec = public_map_from_weights(rng.integers(0, 9, source.k), source, "a")
    assert spec.shares_on(source) == pytest.approx(spec.weights() / spec.weights().sum())
    grids = {
        "finer": GridDomain(40.0, -6.0, 0.25, 8, 12),
        "coarser": GridDomain(40.0, -6.0, 1.0, 2, 3),
        "shifted, a part": GridDomain(40.25, -5.75, 0.5, 3, 4),
        "one that hides it": GridDomain(0.0, -20.0, 60.0, 1, 1),
    }
    for name, grid in grids.items():
        with naming(name):
            assert spec.shares_on(grid) == pytest.approx(by_points(spec, grid), abs=1e-9)
    across = GridDomain(50.0, 170.0, 1.0, 3, 20)
    west = public_map_from_weights(np.arange(1, 13), GridDomain(50.0, -178.0, 1.0, 3, 4), "b")
    assert west.shares_on(across) == pytest.approx(by_points(west, across))
    assert west.shares_on(across).reshape(3, 20)[:, 12:16].sum() == pytest.approx(1.0)


def test_maps_that_say_nothing_are_refused() -> None:
    spec = PublicMap("0:1", "40,41,-6,-5", 0.5, "Spain")
    with pytest.raises(CaldpError, match="'Spain' has nobody on this map"):
        spec.shares_on(GridDomain(40.0, 10.0, 0.5, 2, 2))
    with pytest.raises(CaldpError, match="on no map"):
        spec.shares_on(Domain(3))
    for parts in ("0:0", "", "5:1", "1:1 0:1", "0:x"):
        with naming(parts), pytest.raises(CaldpError, match="parts must be"):
            PublicMap(parts, "40,41,-6,-5", 0.5)
    with pytest.raises(CaldpError, match="needs a public map"):
        prepare(replace(THIS_YEAR, estimator="cascade-map"))
    with pytest.raises(CaldpError, match="on no map"):
        prepare(replace(Scenario(Zipf(), n=100).with_context(blocks=OneBlock()), prior=spec))


def published(data: bytes, domain: GridDomain, title: str) -> PublicMap:
    detected = inspect_data(data)
    return count_published_map(detected, detected.places, title, domain).published


@pytest.mark.slow
def test_last_years_estimate_is_read_as_it_was_written(last: Result) -> None:
    domain, shares = last.setup.dataset.domain, last.first.estimate
    assert isinstance(domain, GridDomain)
    files = {"csv": as_csv(columns_of(last)), "geojson": as_geojson(last)}
    # Its own cells, which are larger, on the map in its smallest ones.
    fine = prepare(replace(LAST_YEAR, dataset=Cities())).dataset.domain
    assert isinstance(fine, GridDomain)
    for kind, text in files.items():
        with naming(kind):
            found = published(text.encode(), domain, "last year")
            assert total_variation(found.shares_on(domain), shares) < 1e-6
            coarse = published(text.encode(), fine, "last year")
            assert coarse.cell == pytest.approx(domain.cell)
            assert total_variation(coarse.shares_on(domain), shares) < 1e-6
            assert (coarse.shares_on(fine) > 0).mean() == pytest.approx(
                (shares > 0).mean(), abs=0.02
            )
    people = read_places(files["csv"]).places
    assert people.counts().sum() == pytest.approx(last.setup.n, rel=0.01)  # no numbers of cells


def test_points_of_any_list_are_counted_on_the_map_and_what_is_elsewhere_is_told() -> None:
    domain = GridDomain(48.0, 11.0, 0.1, 10, 10)
    text = "lat,lon,people\n48.05,11.05,2.5\n48.05,11.05,1\n48.51,11.95,7\n52.5,13.4,1000\n"
    file = inspect_data(text)
    found = count_published_map(file, file.places, "towns", domain)
    assert found.published.area == str(domain.area)
    assert found.published.shares_on(domain)[[0, 59]] == pytest.approx([1 / 3, 2 / 3])
    assert found.people == 10
    assert (found.refused.count, found.refused.rows) == (1, 4)
    abroad = inspect_data("lat,lon\n52.5,13.4\n52.4,13.5\n")
    with pytest.raises(CaldpError, match="Nobody of 'the text' is on this map"):
        count_published_map(abroad, abroad.places, "Berlin", domain)


@pytest.mark.slow
def test_the_command_takes_last_years_file_and_does_not_judge_the_data_by_themselves(
    last: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Budget, "single", lambda k: Budget(4, 4, 0.01))

    def run_file(*more: str) -> dict[str, object]:
        done = CliRunner().invoke(main, ["run", str(tmp_path / "s.json"), *more])
        assert done.exit_code == 0, done.stderr
        summary: dict[str, object] = json.loads(done.stdout)
        return summary

    (tmp_path / "s.json").write_text(json.dumps(THIS_YEAR.to_dict()), "utf-8")
    (tmp_path / "last year.csv").write_text(as_csv(columns_of(last)), "utf-8")
    alone, knowing = run_file(), run_file("--prior", str(tmp_path / "last year.csv"))
    scenario = Scenario.from_dict(knowing["scenario"])
    assert isinstance(scenario.prior, PublicMap)
    assert (scenario.estimator, scenario.prior.title) == ("cascade-map", "last year")
    assert run(prepare(scenario)).first.errors.tv == knowing["errors"]["tv"]["mean"]  # type: ignore[index]
    assert knowing["expected"]["tv"] < 0.8 * alone["expected"]["tv"]  # type: ignore[index]
    few = run_file("--q", "0.01")
    few_scenario = Scenario.from_dict(few["scenario"])
    assert few_scenario == replace(THIS_YEAR, false_share=0.01)
    assert run(prepare(few_scenario)).first.errors.tv == few["errors"]["tv"]["mean"]  # type: ignore[index]
    assert few["errors"] != alone["errors"]
    truth, domain = last.setup.dataset.distribution, last.setup.dataset.domain
    assert isinstance(domain, GridDomain)
    same = public_map_from_weights(truth, domain, "the data")
    setup = prepare(replace(THIS_YEAR, estimator="cascade-map", prior=same))
    assert invalid_error_reason(setup) == SAME
    assert not invalid_error_reason(prepare(replace(setup.scenario, estimator="cascade")))
    assert not invalid_error_reason(prepare(scenario))


def test_values_take_no_map(tmp_path: Path) -> None:
    scenario = Scenario(Zipf(), n=100).with_context(blocks=OneBlock())
    (tmp_path / "s.json").write_text(json.dumps(scenario.to_dict()), "utf-8")
    (tmp_path / "p.csv").write_text("lat,lon\n1,1\n", "utf-8")
    done = CliRunner().invoke(
        main, ["run", str(tmp_path / "s.json"), "--prior", str(tmp_path / "p.csv")]
    )
    assert done.exit_code == 2
    assert "on none" in done.stderr
