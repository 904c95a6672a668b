"""Files as people have them, from file to number: what is asked, and what is counted then."""

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from caldp_core import prepare, run
from caldp_core.basics.errors import CaldpError
from caldp_core.cli.commands import main
from caldp_core.datasets import OwnPlaces, OwnSurvey, inspect_data, read_places
from caldp_core.datasets.files.checks.run import CHECKS
from caldp_core.datasets.files.maps import MapRequest
from caldp_core.datasets.files.places import count_places
from caldp_core.domain.grid import Area
from caldp_core.experiments.table import as_geoparquet
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from tests.contract.checks import naming
from tests.datasets.check_cases import ASKED, FORMS, NORTHINGS, READ, Case, geojson
from tests.datasets.files import merged_workbook, read_table, workbook
from tests.products import thinned


def count(folder: Path, case: Case, *options: str) -> Any:
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
    refused = count(tmp_path, case)
    assert (refused.exit_code, f"--accept {case.check}=" in refused.stderr) == (2, True)
    assert not (tmp_path / "counts.csv").exists()
    done = count(tmp_path, case, "--accept", f"{case.check}={case.answer}")
    assert list(assert_counted(tmp_path, case, done)["checks"])[-1] == case.check


@pytest.mark.parametrize("name", thinned(READ, one_in=3))
def test_a_file_that_can_be_read_in_one_way_is_read(name: str, tmp_path: Path) -> None:
    case = READ[name]
    assert "checks" not in assert_counted(tmp_path, case, count(tmp_path, case))


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
    done = count(tmp_path, case, "--accept", "one-column", "--accept", "thousands")
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


def test_a_file_of_another_program_is_named_with_the_way_out(tmp_path: Path) -> None:
    shapes, numbers = io.BytesIO(), io.BytesIO()
    for file, names in {shapes: ("a.shp", "a.dbf"), numbers: ("Index/Tables.iwa", "p.jpg")}.items():
        with zipfile.ZipFile(file, "w") as archive:
            for name in names:
                archive.writestr(name, b"x")
    for data, words in {
        b'<?xml version="1.0"?>\n<kml xmlns="a"><Placemark/></kml>': "a KML file; in QGIS",
        b'<?xml version="1.0"?>\n<gpx version="1.1"></gpx>': "a GPX file; in QGIS",
        b'{"locations": [{"latitudeE7": 481982300}]}': "a Google Timeline; convert",
        b'{\n"semanticSegments": [\n]}': "a Google Timeline; convert",
        b"$FL2@(#) SPSS DATA FILE": "a file of SPSS; in SPSS",
        shapes.getvalue(): "a shapefile; in QGIS",
        numbers.getvalue(): "a file of Apple Numbers; in Numbers",
    }.items():
        path = tmp_path / "file"
        path.write_bytes(data)
        with naming(words), pytest.raises(CaldpError, match=words):
            inspect_data(path)


def test_letters_that_are_not_western_are_asked_about(tmp_path: Path) -> None:
    path, out = tmp_path / "a.csv", tmp_path / "counts.csv"
    for codec, words in {
        "cp1251": ("ответ", "люди", "да", "не знаю"),
        "shift_jis": ("回答", "人数", "はい", "いいえ"),
        "gb18030": ("回答", "人数", "是", "不知道"),
    }.items():
        with naming(codec):
            answer, people, yes, other = words
            path.write_bytes(f"{answer};{people}\n{yes};120\n{other};25\n".encode(codec))
            arguments = ["count", str(path), "-o", str(out)]
            refused = CliRunner().invoke(main, arguments)
            assert (refused.exit_code, f"encoding={codec}" in refused.stderr) == (2, True)
            assert f"{answer}, {people}, {yes}" in refused.stderr
            done = CliRunner().invoke(main, [*arguments, "--accept", f"encoding={codec}"])
            assert done.exit_code == 0, done.output
            table = read_table(out).table
            assert dict(zip(table.names, table.counts, strict=True)) == {yes: 120, other: 25}
    path.write_bytes("réponse;effectif\nça va;3\ntrès bon;4\n".encode("cp1252"))
    assert CliRunner().invoke(main, arguments).exit_code == 0


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
    refused = count(tmp_path, case)
    assert refused.exit_code == 2
    assert [f"--accept {name}=" in refused.stderr for name in ("metres", "people")] == [True, True]
    done = count(tmp_path, case, "--accept", "metres", "--accept", "people")
    assert_counted(tmp_path, case, done)


def test_a_file_that_says_that_it_is_not_in_degrees_is_refused() -> None:
    point: tuple[Any, dict[str, Any]] = ({"type": "Point", "coordinates": [35.2, 61.7]}, {})
    for name, fits in {
        "urn:ogc:def:crs:EPSG::3857": False,
        "urn:ogc:def:crs:OGC:1.3:CRS84": True,
    }.items():
        text = geojson(point, point, crs={"type": "name", "properties": {"name": name}})
        if fits:
            assert int(read_places(text).places.counts().sum()) == 2
        else:
            with pytest.raises(CaldpError, match="save it as WGS 84"):
                read_places(text)


def test_an_answer_that_no_check_offers_is_refused(tmp_path: Path) -> None:
    case = ASKED["total row"]
    for accept, words in {
        "total-row=other": "total-row is answered by leave-out, keep, got 'other'",
        "total": "--accept must name a check, one of",
    }.items():
        done = count(tmp_path, case, "--accept", accept)
        assert (done.exit_code, words in done.stderr) == (2, True), done.stderr


def test_a_check_that_is_left_as_it_is_changes_nothing(tmp_path: Path) -> None:
    done = count(tmp_path, ASKED["total row"], "--accept", "total-row=keep")
    assert json.loads(done.stdout)["people"] == 9774


def test_the_documentation_names_each_check_and_what_it_offers() -> None:
    table = (
        Path("docs/own-data.md").read_text("utf-8").partition("| check |")[2].partition("\n\n")[0]
    )
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| `")]
    named = {row[0].strip("| `"): row[-1] for row in rows}
    assert list(named) == list(CHECKS)
    assert {case.check for case in ASKED.values()} | {"metres"} == set(CHECKS) - {
        "sheet",
        "encoding",
    }
    for case in ASKED.values():
        offered = case.answer.isdecimal() or case.answer == "keep"
        assert offered or f"`{case.answer}`" in named[case.check]
