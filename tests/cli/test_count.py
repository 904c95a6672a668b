"""`caldp count`: from files as people have them to counts; options, questions and records."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from caldp_core import prepare, run
from caldp_core.cli.commands import main
from caldp_core.datasets import OwnPlaces, OwnSurvey, OwnTable, inspect_data, read_places
from caldp_core.datasets.files.answers import count_answers
from caldp_core.datasets.files.checks.record import resolve
from caldp_core.datasets.files.checks.run import CHECKS
from caldp_core.datasets.files.maps import MapRequest
from caldp_core.datasets.files.places import count_places, people_at_centres
from caldp_core.datasets.files.table import COLUMN_TYPES, Chosen
from caldp_core.domain.domains import Area, GridDomain, scale_of
from caldp_core.experiments.table import as_geoparquet
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from tests.contract.checks import naming
from tests.datasets.check_cases import (
    ASKED,
    BODIES,
    DUTCH,
    FORMS,
    NORTHINGS,
    OFFICE_ASKED,
    READ,
    UNSEEN_ASKED,
    Case,
)
from tests.datasets.files import merged_workbook, read_table, workbook
from tests.strategies import thinned

pytestmark = pytest.mark.usefixtures("one_connection")
ROWS = """Ort;Alter;Breite;Länge;Gewicht
Mitte;20;52,52;13,40;1,5
Mitte;30;52,53;13,41;2
Weg;20;0;0;1
"""


def count(folder: Path, *options: str) -> Any:
    """What the command prints; the file is there already."""
    done = CliRunner().invoke(main, ["count", str(folder / "rows.csv"), *options])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_a_file_becomes_counts(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(ROWS, "cp1252")
    out = tmp_path / "counts.parquet"
    summary = count(tmp_path, "-o", str(out))
    assert summary["columns"] == {"latitude": "Breite", "longitude": "Länge", "count": "Gewicht"}
    assert (summary["people"], summary["rows"], sum(summary["not_counted"].values())) == (4, 3, 1)
    assert int(read_places(out).places.counts().sum()) == 4
    assert b"Mitte" not in out.read_bytes()
    on = ("--area", "52,53,13,14", "--cell", "0.5", "--count", "-")
    assert count(tmp_path, "-o", str(out), *on)["people"] == 2
    back = read_places(out).places
    (cell,) = back.grid().locate([52.52], [13.4])
    assert (back.cell, int(back.counts()[cell])) == (0.5, 2)


@pytest.mark.slow
def test_several_questions_become_a_scenario_file(tmp_path: Path) -> None:
    rows = [f"{20 + x % 47};{('no', 'yes')[x % 3 == 0]};{'abc'[x % 3]}" for x in range(94)]
    (tmp_path / "rows.csv").write_text("\n".join(["age;smokes;town", *rows, "30;;a"]))
    out = tmp_path / "survey.json"
    options = ("--question", "smokes", "--question", "age")
    summary = count(tmp_path, "-o", str(out), *options)
    assert summary["questions"]["smokes"] == {"people": 94, "answers": 2}
    assert summary["questions"]["age"]["people"] == 95
    scenario = Scenario.from_file(str(out))
    assert isinstance(scenario.dataset, OwnSurvey)
    smokes, age = scenario.dataset.tables()
    assert dict(zip(smokes.names, smokes.counts, strict=True)) == {"no": 62, "yes": 32}
    assert (age.names[0], scale_of(age.names) is not None) == ("20 to 24", True)
    assert "town" not in out.read_text("utf-8")
    done = CliRunner().invoke(main, ["run", str(out)])
    assert (done.exit_code, json.loads(done.stdout)["k"]) == (0, 2)
    for wrong, words in {
        ("-o", str(tmp_path / "a.csv"), *options): "must end in .json",
        ("-o", str(out), "--question", "age"): "2 to 10 different questions",
        ("-o", str(out), *options, "--question", "car"): "must name a column, one of age, smokes",
    }.items():
        with naming(words):
            done = CliRunner().invoke(main, ["count", str(tmp_path / "rows.csv"), *wrong])
            assert (done.exit_code, words in done.output) == (2, True)


def test_steps_go_from_and_to_where_one_says(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("age\n" + "\n".join(map(str, range(10, 100))))
    out = tmp_path / "counts.csv"
    steps = ("-o", str(out), "--answer", "age", "--count", "-", "--step", "20")
    summary = count(tmp_path, *steps, "--from", "18", "--to", "78")
    assert (summary["people"], summary["beyond_the_steps"]) == (90, 8 + 22)
    table = read_table(out).table
    assert dict(zip(table.names, table.counts, strict=True)) == {
        "18 to 37": 28,
        "38 to 57": 20,
        "58 to 77": 42,
    }
    assert count(tmp_path, *steps)["answers"] == 5
    for wrong, words in {
        (*steps[:4], "--from", "3"): "say by --step how wide they are",
        (*steps, "--from", "9", "--to", "9"): "to a larger one, got 9 to 9",
        ("-o", str(tmp_path / "a.json"), "--question", "age", "--step", "5"): "is for one question",
    }.items():
        with naming(words):
            done = CliRunner().invoke(main, ["count", str(tmp_path / "rows.csv"), *wrong])
            assert (done.exit_code, words in done.output) == (2, True)


def test_columns_and_numbers_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(ROWS, "cp1252")
    out = tmp_path / "counts.csv"
    summary = count(tmp_path, "-o", str(out), "--answer", "Alter", "--group", "Ort", "--count", "-")
    assert (summary["answers"], summary["people"]) == (3, 3)
    table = read_table(out).table
    assert dict(zip(table.names, table.counts, strict=True)) == {
        "20; Mitte": 1,
        "20; Weg": 1,
        "30; Mitte": 1,
    }
    assert table.groups == ("Mitte", "Mitte", "Weg")
    for wrong, words in {
        ("-o", str(out), "--answer", "Haus"): "--answer must name a column, one of Ort, Alter",
        ("-o", str(tmp_path / "counts.xls")): "must end in .csv or .parquet",
        ("-o", str(out), "--cell", "0.001", "--area", "40,60,0,20"): "take larger cells or",
    }.items():
        with naming(words):
            done = CliRunner().invoke(main, ["count", str(tmp_path / "rows.csv"), *wrong])
            assert (done.exit_code, words in done.output) == (2, True)
    (tmp_path / "rows.csv").write_text("a;1,204\nb;3\n")
    assert (
        CliRunner().invoke(main, ["count", str(tmp_path / "rows.csv"), "-o", str(out)]).exit_code
        == 2
    )
    assert count(tmp_path, "-o", str(out), "--decimal", ".")["people"] == 1207
    assert count(tmp_path, "-o", str(out), "--decimal", ",")["people"] == 4
    (tmp_path / "rows.csv").write_text("illness\nflu\nflu\ncold\n")
    assert count(tmp_path, "-o", str(out), "--header")["answers"] == 2
    assert count(tmp_path, "-o", str(out), "--no-header")["answers"] == 3


@pytest.mark.parametrize("area", ["-90,90,-180,180", "0,60,-180,0", "-30,90,120,240"])
def test_places_on_edges_are_in_the_cells_that_a_client_reports(tmp_path: Path, area: str) -> None:
    grid = GridDomain.from_area(Area.parse(area), 10.0)
    places = np.array([(y, x) for y in range(-90, 91, 15) for x in range(-180, 181, 15) if x or y])
    lines = "".join(f"{latitude},{longitude}\n" for latitude, longitude in places)
    (tmp_path / "rows.csv").write_text(f"latitude,longitude\n{lines}")
    out = tmp_path / "out.csv"
    count(tmp_path, "-o", str(out), "--cell", "10", "--area", area)
    *centres, people = zip(*people_at_centres(read_places(out).places), strict=True)
    counted = np.bincount(grid.locate(*centres), people, grid.k)
    cells = grid.locate(*places.T)
    assert counted.tolist() == np.bincount(cells[cells >= 0], minlength=grid.k).tolist()


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        ("answer\nyes\nno\n", "-o rows.csv", "is read by this command and would be lost"),
        ("answer\nyes\nno\n", "-o no/out.csv", "can't be written"),
        ("answer\nyes\nno\n", "-o out.txt", "must end in .csv or .parquet"),
        ("answer\nyes\nno\n", "-o out.csv --cell 1", "--cell does nothing where answers"),
        ("answer\nyes\nno\n", "-o out.csv --area 1,2,3,4", "--area does nothing where answers"),
        ("a,b\n1,2\n", "-o out.json --question a --question b --group c", "--group does nothing"),
        ("a,b\n1,2\n", "-o out.json --question a --question c", "--question must name a column"),
        ("a,b\n1,2\n", "-o out.json --question a --question a", "Two options name the column 'a'"),
        ("a,b\n1,2\n", "-o out.json --question a --question b --count b", "name the column 'b'"),
        ("a,b\n1,2\n", "-o out.csv --answer a --count a", "Two options name the column 'a'"),
        ("answer,count\nyes,nan\nno,3\n", "-o out.csv", "no number of people in 1 of 2 rows"),
        ("latitude,longitude\n1,2\n3,4\n", "-o out.csv --cell nan", "must be a number in"),
        ("latitude,longitude\n1,2\n3,4\n", "-o out.csv --cell 1e-9", "must be a number in"),
    ],
)
def test_it_refuses_in_one_sentence_and_leaves_nothing_behind(
    rows: str, options: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(rows, "utf-8")
    done = CliRunner().invoke(main, ["count", "rows.csv", *options.split()])
    assert (done.exit_code, done.output.count("\n")) == (2, 1), done.output
    assert done.output.startswith("Error: ")
    assert words in done.output
    assert [each.read_bytes().decode() for each in tmp_path.iterdir()] == [rows]


def test_a_column_named_as_a_question_is_never_people(tmp_path: Path) -> None:
    """The ages of 300 respondents were added up: 16,606 people."""
    rows = [f"r{x},{20 + x * 7 % 60},{('no', 'yes')[x % 3 == 0]}" for x in range(300)]
    (tmp_path / "rows.csv").write_text("\n".join(["respondent,age,smokes", *rows]))
    asked = ("--question", "age", "--question", "smokes")
    summary = count(tmp_path, "-o", str(tmp_path / "survey.json"), *asked)
    assert summary["columns"] == {}
    assert [each["people"] for each in summary["questions"].values()] == [300, 300]
    for column in ("age", "smokes"):
        summary = count(tmp_path, "-o", str(tmp_path / "counts.csv"), "--answer", column)
        assert (summary["people"], "count" in summary["columns"]) == (300, False)


def test_a_column_of_weights_is_named_beside_several_questions(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("age,smokes,weight\n33,yes,2\n44,no,1\n55,no,1\n")
    asked = ("-o", str(tmp_path / "survey.json"), "--question", "age", "--question", "smokes")
    for options, people in ((), 4), (("--count", "weight"), 4), (("--count", "-"), 3):
        summary = count(tmp_path, *asked, *options)
        assert [each["people"] for each in summary["questions"].values()] == [people, people]
        assert summary["columns"] == ({"count": "weight"} if people == 4 else {})
    summary = count(tmp_path, *asked, "--question", "weight")
    assert (summary["questions"]["weight"]["people"], summary["columns"]) == (3, {})


def test_the_command_of_the_documentation_counts_its_rows(tmp_path: Path) -> None:
    """It made 132 people of three rows."""
    (tmp_path / "rows.csv").write_text(
        "age,smokes,region\n33,yes,north\n44,no,south\n55,no,south\n"
    )
    text = Path("docs/scenario.md").read_text("utf-8")
    (line,) = (each for each in text.splitlines() if "count survey.csv --question" in each)
    options = line.split("survey.csv ")[1].replace("survey.json", str(tmp_path / "survey.json"))
    summary = count(tmp_path, *options.split())
    assert {each["people"] for each in summary["questions"].values()} == {3}
    assert len(summary["questions"]) == 3


def test_a_column_that_numbers_the_rows_is_not_people(tmp_path: Path) -> None:
    for name, first in (("id", 0), ("Id", 1), ("number", 1), ("n", 0)):
        rows = [f"{first + x},{('bus', 'car', 'foot', 'bicycle', 'train')[x]}" for x in range(5)]
        (tmp_path / "rows.csv").write_text("\n".join([f"{name},way", *rows]))
        with naming(name):
            assert count(tmp_path, "-o", str(tmp_path / "counts.csv"))["people"] == 5
    (tmp_path / "rows.csv").write_text("\n".join(["n,way", *(row + "s" for row in rows[::-1])]))
    assert count(tmp_path, "-o", str(tmp_path / "counts.csv"))["people"] == sum(range(5))


def test_ids_of_people_are_named_and_their_rows_capped(tmp_path: Path) -> None:
    rows = ["a;yes", "a;no", "a;no", "b;yes", "c;no"]
    (tmp_path / "rows.csv").write_text("\n".join(["who;answer", *rows]))
    options = ("-o", str(tmp_path / "counts.csv"), "--column", "who=person-id")
    found = [count(tmp_path, *options, *more) for more in ((), ("--most-rows", "2"))]
    names = ("people_with_rows", "median_rows_of_a_person", "most_rows_of_a_person", "people")
    assert [[each[name] for name in names] for each in found] == [[3, 1, 3, 5], [3, 1, 2, 4]]
    assert sum(found[1]["not_counted"].values()) == 1
    assert [each["unit"] for each in found] == ["rows", "rows"]  # what is called people there
    (tmp_path / "rows.csv").write_text("\n".join(["user;answer", *rows]))
    as_named = count(tmp_path, "-o", str(tmp_path / "counts.csv"))
    assert (as_named["people_with_rows"], as_named["unit"]) == (3, "rows")
    (tmp_path / "rows.csv").write_text("\n".join(["who;answer", *rows]))
    refused = CliRunner().invoke(
        main, ["count", str(tmp_path / "rows.csv"), "-o", options[1], "--most-rows", "2"]
    )
    assert refused.exit_code != 0
    assert "--column NAME=person-id" in refused.output


Sheet = tuple[str, list[list[object]]]
NOW: Sheet = ("Now", [["answer", "people"], ["yes", 3], ["no", 4], ["other", 5]])
BEFORE: Sheet = ("Before", [["answer", "people"], ["yes", 30], ["no", 40]])


def count_as_chosen(folder: Path, data: str | bytes, *options: str, out: str = "counts.csv") -> Any:
    """The command's end on a file of these bytes."""
    path = folder / "file"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return CliRunner().invoke(main, ["count", str(path), "-o", str(folder / out), *options])


def counted(folder: Path, data: str | bytes, *options: str) -> dict[str, int]:
    """People by answer."""
    done = count_as_chosen(folder, data, *options)
    assert done.exit_code == 0, done.output
    table = read_table(folder / "counts.csv").table
    return dict(zip(table.names, table.counts, strict=True))


CHOSEN: dict[str, tuple[str | bytes, tuple[str, ...], dict[str, int]]] = {
    "sheet": (workbook(NOW, BEFORE), ("--sheet", "Before"), {"yes": 30, "no": 40}),
    "hidden sheet": (
        workbook(NOW, BEFORE, hidden=["Before"]),
        ("--sheet", "Before"),
        {"yes": 30, "no": 40},
    ),
    "encoding": (
        "ответ;люди\nда;120\nнет;340\n".encode("koi8_r"),
        ("--encoding", "koi8_r"),
        {"да": 120, "нет": 340},
    ),
    "an encoding that was detected otherwise": (
        "odpowiedź;liczba\ndużo;3\nźle;4\n".encode("cp1250"),
        ("--encoding", "cp1250"),
        {"dużo": 3, "źle": 4},
    ),
    "UTF-16 that says so": (
        "answer,people\nyes,3\nno,4\n".encode("utf-16"),
        ("--encoding", "utf_16"),
        {"yes": 3, "no": 4},
    ),
    "delimiter": (
        "answer|a;people\nyes|b;3\nno|b;4\n",
        ("--delimiter", ";", "--header"),
        {"yes|b": 3, "no|b": 4},
    ),
    "no delimiter": (
        "answer\na,1\nb,2\na,1\n",
        ("--delimiter", "none", "--header"),
        {"a,1": 2, "b,2": 1},
    ),
    "delimiter below sep=": ("sep=,\na;3\nc;4\n", ("--delimiter", ";"), {"a": 3, "c": 4}),
    "answer and people": (
        "x,y,z\na,b,3\na,c,4\n",
        ("--column", "y=answer", "--column", "z=weight"),
        {"b": 3, "c": 4},
    ),
    "only some rows": (
        "mode,answer\nbike,yes\ncar,no\nbike,no\non foot,yes\n bike ,yes\n",
        ("--answer", "answer", "--only", "mode=bike"),
        {"yes": 2, "no": 1},
    ),
    "only some rows of a table": (
        "mode,answer,people\nbike,yes,40\nbike,no,30\ncar,yes,7\nfoot,no,9\n",
        ("--only", "mode=bike", "--only", "mode=foot"),
        {"yes; bike": 40, "no; bike": 30, "no; foot": 9},
    ),
    "a group": (
        "answer,town\nyes,A\nno,B\nyes,B\n",
        ("--column", "town=group"),
        {"yes; A": 1, "no; B": 1, "yes; B": 1},
    ),
    "an id is not people": (
        "answer,people\nyes,3\nno,4\nno,9\n",
        ("--column", "people=id"),
        {"yes": 1, "no": 2},
    ),
    "body weight is a weight": (
        BODIES,
        ("--answer", "alter", "--column", "gewicht=weight"),
        {"30": 276, "31": 280, "32": 284, "33": 288, "34": 292},
    ),
}


@pytest.mark.parametrize("name", thinned(CHOSEN, one_in=2))
def test_a_file_is_read_as_it_is_chosen_and_not_asked_about(name: str, tmp_path: Path) -> None:
    data, options, counts = CHOSEN[name]
    assert counted(tmp_path, data, *options) == counts


def test_latitude_and_longitude_by_hand_are_not_asked_about(tmp_path: Path) -> None:
    assert "exchanged" in count_as_chosen(tmp_path, DUTCH).stderr
    lines = DUTCH.replace("lat,lon", "b,a")
    done = count_as_chosen(tmp_path, lines, "--column", "a=latitude", "--column", "b=longitude")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["columns"] == {
        "latitude": "a",
        "longitude": "b",
        "count": "people",
    }


def test_questions_by_hand_are_a_survey_whose_record_says_so(tmp_path: Path) -> None:
    data = "age;smokes;town\n33;yes;a\n44;no;b\n55;no;b\n"
    types = ("--column", "smokes=question", "--column", "town=question")
    refused = count_as_chosen(tmp_path, data, *types)
    assert (refused.exit_code, "must end in .json" in refused.stderr) == (2, True)
    done = count_as_chosen(
        tmp_path, data, *types, "--delimiter", ";", "--decimal", ",", out="s.json"
    )
    assert done.exit_code == 0, done.output
    survey = Scenario.from_file(str(tmp_path / "s.json")).dataset
    assert isinstance(survey, OwnSurvey)
    assert survey.reading == (
        "chosen by hand: delimiter “;”, decimals after “,”, “smokes” as answer, “town” as question"
    )


def test_what_can_t_be_chosen_is_refused_in_one_sentence(tmp_path: Path) -> None:
    book, text = workbook(NOW, BEFORE), "answer,people\nyes,3\nno,4\n"
    for data, options, words in (
        (book, ("--sheet", "After"), "has the sheets Now, Before, got 'After'"),
        (text, ("--column", "answer=colour"), "--column must be NAME=TYPE, the type one of answer"),
        (text, ("--column", "colour=answer"), "--column must name a column, one of answer, people"),
        (text, ("--column", "answer=id", "--answer", "answer"), "Two options name the column"),
        ("é,1\nb,2\n".encode("cp1252"), ("--encoding", "utf_8"), "is not a text in UTF-8; choose"),
        (
            text,
            ("--accept", "encoding=cp9"),
            "The encoding must be one of utf_8, utf_16, utf_32, cp1252",
        ),
    ):
        done = count_as_chosen(tmp_path, data, *options)
        assert (done.exit_code, done.stderr.count("\n"), words in done.stderr) == (2, 1, True), (
            done.stderr
        )


def test_a_workbook_s_cells_are_never_taken_apart(tmp_path: Path) -> None:
    """Each row of two cells has one semicolon, which was taken for what is between cells."""
    rows: list[list[object]] = [["town", "way; now"], ["A", "Bus; 1"], ["B", "Car; 2"]]
    done = count_as_chosen(tmp_path, workbook(("Data", rows)), "--header", "--answer", "way; now")
    assert done.exit_code == 0, done.output
    table = read_table(tmp_path / "counts.csv").table
    assert dict(zip(table.names, table.counts, strict=True)) == {"Bus; 1": 1, "Car; 2": 1}


def test_each_type_names_the_field_that_it_fills_and_comes_back() -> None:
    file = inspect_data("a,b,c\n1,2,x\n3,4,y\n5,6,y\n", chosen=Chosen(header=True))
    for kind, role in COLUMN_TYPES.items():
        chosen = Chosen().with_column(0, kind)
        layout = chosen.layout(file, file.answers)
        value = getattr(layout, role or "count")
        assert (value in (0, (0,))) == (role != ""), kind
        assert chosen.type_of(0, layout, kind == "id") == kind


def test_choices_go_on_when_checks_have_answers() -> None:
    file = inspect_data(FORMS)
    layout = Chosen().with_column(2, "answer").layout(file, file.answers)
    found = resolve(file, layout, tuple(CHECKS.values()), {"several-choices": "combinations"})
    table = count_answers(found.reading.file, found.reading.layout, "t").table
    assert isinstance(table, OwnTable)
    assert table.reading == "combinations of choices counted, in any order"


def count_checked(folder: Path, case: Case, *options: str) -> Any:
    """The command's end on a case's file."""
    path = folder / case.name
    path.write_text(case.text, "utf-8", newline="")
    arguments = ["count", str(path), "-o", str(folder / "counts.csv"), *case.options, *options]
    return CliRunner().invoke(main, arguments)


def assert_counted(folder: Path, case: Case, done: Any) -> dict[str, Any]:
    """The summary, whose people and counts must be those of the case."""
    assert done.exit_code == 0, done.output
    summary: dict[str, Any] = json.loads(done.stdout)
    assert summary["people"] == case.people
    if case.at is None:
        table = read_table(folder / "counts.csv").table
        found = dict(zip(table.names, table.counts, strict=True))
        assert case.counts in (None, found)
    else:
        places = read_places(folder / "counts.csv").places
        cell = places.grid().locate(*([degrees] for degrees in case.at))
        assert places.counts()[cell].item() > 0
    return summary


@pytest.mark.parametrize("name", thinned(ASKED, one_in=2))
def test_a_file_that_can_be_read_in_two_ways_is_asked_about(name: str, tmp_path: Path) -> None:
    case = ASKED[name]
    first = count_checked(tmp_path, case)
    if first.exit_code:
        assert (first.exit_code, f"--accept {case.check}=" in first.stderr) == (2, True)
        assert not (tmp_path / "counts.csv").exists()
    else:  # it is plain enough to be taken unasked, and said
        assert f"--accept {case.check}=" in json.loads(first.stdout)["taken_unasked"][case.check]
    done = count_checked(tmp_path, case, "--accept", f"{case.check}={case.answer}")
    assert list(assert_counted(tmp_path, case, done)["checks"])[-1] == case.check


@pytest.mark.parametrize("name", thinned(READ, one_in=3))
def test_a_file_that_can_be_read_in_one_way_is_read(name: str, tmp_path: Path) -> None:
    case = READ[name]
    assert "checks" not in assert_counted(tmp_path, case, count_checked(tmp_path, case))


def test_choices_become_questions_with_yes_and_no(tmp_path: Path) -> None:
    (tmp_path / "forms.csv").write_text(FORMS, "utf-8")
    out = tmp_path / "survey.json"
    arguments = [
        "count",
        str(tmp_path / "forms.csv"),
        "-o",
        str(out),
        "--accept",
        "several-choices",
    ]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    survey = Scenario.from_file(str(out)).dataset
    assert isinstance(survey, OwnSurvey)
    assert survey.reading == "3 of 3 choices read as questions, yes or no each"
    yes = {t.title: t.counts[t.names.index("yes")] for t in survey.tables()}
    assert yes == {"Bus": 5, "On foot": 3, "Bicycle": 2}
    assert all(sum(table.counts) == 6 for table in survey.tables())


def test_answers_of_two_checks_that_change_columns_both_hold(tmp_path: Path) -> None:
    places = 'place,coordinates,Personen\na,"48.8606, 2.3376",1.234\nb,"48.86, 2.3266",15.000\n'
    case = Case(places, "", "", 16234, at=(48.8606, 2.3376))
    done = count_checked(tmp_path, case, "--accept", "one-column", "--accept", "thousands")
    assert list(assert_counted(tmp_path, case, done)["checks"]) == ["one-column", "thousands"]


def test_our_own_geoparquet_is_read(tmp_path: Path) -> None:
    data = OwnPlaces("0:50 5:100 11:30", "48,48.3,11,11.4", 0.1)
    result = run(prepare(Scenario(dataset=data, policy=ContextPolicy(OneBlock()))))
    path, out = tmp_path / "estimate.parquet", tmp_path / "counts.csv"
    path.write_bytes(as_geoparquet(result))
    arguments = ["count", str(path), "-o", str(out), "--area", data.area, "--cell", "0.1"]
    refused = CliRunner().invoke(main, arguments)
    assert (refused.exit_code, "--accept one-column=split" in refused.stderr) == (2, True)
    done = CliRunner().invoke(main, [*arguments, "--accept", "one-column"])
    assert done.exit_code == 0, done.output
    file = inspect_data(out)
    layout = replace(file.places, wanted=MapRequest(0.1, Area.parse(data.area)))
    counts = count_places(file, layout, "t")
    wanted = 180 * result.first.estimate
    assert np.abs(counts.places.counts() - wanted).max() <= 1
    assert wanted.max() > 10


@pytest.mark.slow
def test_sheets_with_tables_are_asked_about_and_hidden_ones_are_not(tmp_path: Path) -> None:
    rows: list[list[object]] = [["answer", "people"], ["yes", 3], ["no", 4]]
    options = ("_options", [["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"]])
    path, out = tmp_path / "a.xlsx", tmp_path / "counts.csv"
    arguments = ["count", str(path), "-o", str(out)]
    path.write_bytes(
        workbook(options, ("Cover", [["A survey"]]), ("Data", rows), hidden=["_options"])
    )
    done = CliRunner().invoke(main, arguments)
    assert (done.exit_code, json.loads(done.stdout)["people"]) == (0, 7), done.output
    path.write_bytes(workbook(("Data", [*rows, ["other", 5]]), ("Last year", rows)))
    refused = CliRunner().invoke(main, arguments)
    assert (refused.exit_code, "sheet=Last year" in refused.stderr) == (2, True)
    for sheet, people in {"sheet": 12, "sheet=Last year": 7}.items():
        done = CliRunner().invoke(main, [*arguments, "--accept", sheet])
        assert (done.exit_code, json.loads(done.stdout)["people"]) == (0, people), done.output


def test_merged_cells_are_filled(tmp_path: Path) -> None:
    rows: list[list[object]] = [
        ["A survey", "", ""],
        ["group", "answer", "people"],
        ["North", "yes", 3],
        ["", "no", 4],
        ["South", "yes", 5],
        ["", "no", 6],
    ]
    path, out = tmp_path / "a.xlsx", tmp_path / "counts.csv"
    for column in ("A", "C"):
        ranges = (f"{column}{at}:{column}{at + 1}" for at in (3, 5))
        path.write_bytes(merged_workbook(rows, *ranges, column=column))
        done = CliRunner().invoke(main, ["count", str(path), "-o", str(out)])
        summary = json.loads(done.stdout)
        assert (summary["people"], summary["not_counted"]) == (18, {})
        assert "merged cells filled" in summary["file"]
        table = read_table(out).table
        assert table.groups == ("North", "North", "South", "South")
        assert table.names == ("yes; North", "no; North", "yes; South", "no; South")
        assert table.counts == (3, 4, 5, 6)


def test_metres_are_no_people(tmp_path: Path) -> None:
    case = Case(NORTHINGS, "", "", 20)
    refused = count_checked(tmp_path, case)
    assert refused.exit_code == 2
    assert [f"--accept {name}=" in refused.stderr for name in ("metres", "people")] == [True, True]
    done = count_checked(tmp_path, case, "--accept", "metres", "--accept", "people")
    assert_counted(tmp_path, case, done)


def test_an_answer_that_no_check_offers_is_refused(tmp_path: Path) -> None:
    case = ASKED["total row"]
    for accept, words in {
        "total-row=other": "total-row is answered by leave-out, keep, got 'other'",
        "total": "--accept must name a check, one of",
    }.items():
        done = count_checked(tmp_path, case, "--accept", accept)
        assert (done.exit_code, words in done.stderr) == (2, True), done.stderr


def test_a_check_that_is_left_as_it_is_changes_nothing(tmp_path: Path) -> None:
    done = count_checked(tmp_path, ASKED["total row"], "--accept", "total-row=keep")
    assert json.loads(done.stdout)["people"] == 9774


def test_the_documentation_names_each_check_and_what_it_offers() -> None:
    page = Path("docs/reading-files.md").read_text("utf-8")
    table = page.partition("| check |")[2].partition("\n\n")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| `")]
    named = {row[0].strip("| `"): row[-1] for row in rows}
    assert list(named) == list(CHECKS)
    parts = OFFICE_ASKED["parts of rows above"]
    cases = [*ASKED.values(), *UNSEEN_ASKED.values(), parts]
    elsewhere = {"sheet", "encoding", "codes"}
    assert {case.check for case in cases} | {"metres", "minutes"} == set(CHECKS) - elsewhere
    for case in cases:
        offered = case.answer.isdecimal() or case.answer == "keep"
        assert offered or f"`{case.answer}`" in named[case.check]


FAR = {
    "a total": ("answer,people", "yes,9\nno,9", "Total,9", "total-row", 360_000),
    "a total of Eurostat": (
        "unit,geo\\time\t2020",
        "NR,AT\t9\nNR,BE\t9",
        "NR,Total\t9",
        "total-row",
        40_000,
    ),
    "a code": ("age", "41\n37", "-99", "no-answer-codes", 40_000),
    "a note": ("answer,town", "yes,a\nno,b", "Source: our office,", "notes", 40_000),
    "a date": ("age,town", "20-24,a\n25-29,b", "14-Oct,a", "bands-as-dates", 40_001),
    "capital letters": ("answer,town", "yes,a\nno,b", "Yes,a", "spellings", 40_001),
    "thousands": ("answer,people", "yes,9\nno,9", "no,1.234", "thousands", 361_234),
    "no area": (
        "state,people",
        "Texas,9\nOhio,9\nIowa,9\nUtah,9",
        "Texxas,9",
        "unknown-areas",
        360_009,
    ),
}
"""Titles, rows again and again, one in a place where no check looks, what asks, and people then."""


@pytest.mark.slow
@pytest.mark.parametrize("name", thinned(FAR, one_in=2))
def test_a_row_that_only_counting_meets_is_asked_about(name: str, tmp_path: Path) -> None:
    titles, usual, odd, check, people = FAR[name]
    rows = usual.split("\n") * (40_000 // len(usual.split("\n")))
    rows.insert(18_103, odd)
    path, out = tmp_path / "a.csv", tmp_path / "counts.csv"
    path.write_text("\n".join([titles, *rows, ""]))
    file = inspect_data(path)
    areas = {"no area": "United States", "a total of Eurostat": "keep"}
    answers = {"areas": areas[name]} if name in areas else {}
    at_first = resolve(file, file.answers, tuple(CHECKS.values()), answers)
    assert not at_first.unanswered
    arguments = ["count", str(path), "-o", str(out)]
    arguments += ["--step", "10"] if name == "a code" else []
    for each, answer in answers.items():
        arguments += ["--accept", f"{each}={answer}"]
    refused = CliRunner().invoke(main, arguments)
    assert (refused.exit_code, f"--accept {check}=" in refused.stderr) == (2, True), refused.output
    assert not out.exists()
    done = CliRunner().invoke(main, [*arguments, "--accept", check])
    assert (done.exit_code, json.loads(done.stdout)["people"]) == (0, people), done.output
    kept = CliRunner().invoke(main, [*arguments, "--accept", f"{check}=keep"])
    assert kept.exit_code == 0, kept.output
