"""`caldp count`: what was read is printed, what is written is counts alone, and all can be said."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from caldp_core.cli.commands import main
from caldp_core.datasets import OwnSurvey, read_places
from caldp_core.datasets.files.places import people_at_centres
from caldp_core.domain.answers import scale_of
from caldp_core.domain.grid import Area, GridDomain
from caldp_core.scenarios.scenario import Scenario
from tests.contract.checks import naming
from tests.datasets.files import read_table

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
        "18 to 37": 28, "38 to 57": 20, "58 to 77": 42,
    }  # fmt: skip
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
        "20; Mitte": 1, "20; Weg": 1, "30; Mitte": 1,
    }  # fmt: skip
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
        ("answer\r\r\nyes\r\r\nno\r\r\n", "-o out.csv", "must end alike"),
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
