"""What options of `caldp count` choose is read so, stands in the record, and is not asked about."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from caldp_core.cli.commands import main
from caldp_core.datasets import OwnSurvey, OwnTable, inspect_data
from caldp_core.datasets.files.answers import count_answers
from caldp_core.datasets.files.by_hand import COLUMN_TYPES, Chosen
from caldp_core.datasets.files.checks.record import resolve
from caldp_core.datasets.files.checks.run import CHECKS
from caldp_core.scenarios.scenario import Scenario
from tests.datasets.check_cases import BODIES, DUTCH, FORMS
from tests.datasets.files import read_table, workbook
from tests.products import thinned

Sheet = tuple[str, list[list[object]]]
NOW: Sheet = ("Now", [["answer", "people"], ["yes", 3], ["no", 4], ["other", 5]])
BEFORE: Sheet = ("Before", [["answer", "people"], ["yes", 30], ["no", 40]])


def count(folder: Path, data: str | bytes, *options: str, out: str = "counts.csv") -> Any:
    """The command's end on a file of these bytes."""
    path = folder / "file"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return CliRunner().invoke(main, ["count", str(path), "-o", str(folder / out), *options])


def counted(folder: Path, data: str | bytes, *options: str) -> dict[str, int]:
    """People by answer."""
    done = count(folder, data, *options)
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
    assert "exchanged" in count(tmp_path, DUTCH).stderr
    lines = DUTCH.replace("lat,lon", "b,a")
    done = count(tmp_path, lines, "--column", "a=latitude", "--column", "b=longitude")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["columns"] == {
        "latitude": "a", "longitude": "b", "count": "people",
    }  # fmt: skip


def test_questions_by_hand_are_a_survey_whose_record_says_so(tmp_path: Path) -> None:
    data = "age;smokes;town\n33;yes;a\n44;no;b\n55;no;b\n"
    types = ("--column", "smokes=question", "--column", "town=question")
    refused = count(tmp_path, data, *types)
    assert (refused.exit_code, "must end in .json" in refused.stderr) == (2, True)
    done = count(tmp_path, data, *types, "--delimiter", ";", "--decimal", ",", out="s.json")
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
        (text, ("--accept", "encoding=cp9"), "The encoding must be one of utf_8, utf_16, cp1252"),
    ):
        done = count(tmp_path, data, *options)
        assert (done.exit_code, done.stderr.count("\n"), words in done.stderr) == (2, 1, True), (
            done.stderr
        )


def test_a_workbook_s_cells_are_never_taken_apart(tmp_path: Path) -> None:
    """Each row of two cells has one semicolon, which was taken for what is between cells."""
    rows: list[list[object]] = [["town", "way; now"], ["A", "Bus; 1"], ["B", "Car; 2"]]
    done = count(tmp_path, workbook(("Data", rows)), "--header", "--answer", "way; now")
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
