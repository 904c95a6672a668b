"""Settings of a release: what is read, and the sentence for each thing that does not fit."""

import copy
import json
import tomllib
from collections.abc import Callable
from typing import Any

import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets.files.source import PAGE_BOUNDS
from caldp_core.release.cells import ELSEWHERE, MapFinder, make_cells
from caldp_core.release.files import files_from_bytes, files_in
from caldp_core.release.settings import MapExtent, Settings
from tests import ROOT
from tests.release.lists import (
    CENTRAL,
    MAP,
    ROUND,
    city_files,
    city_rows,
    city_settings,
    csv_bytes,
    disease_settings,
    released,
    true_counts,
)

EXAMPLE = ROOT / "examples" / "release" / "settings.toml"


def test_settings_are_read_from_toml_and_json_alike() -> None:
    text = EXAMPLE.read_text("utf-8")
    settings = Settings.from_text(text)
    assert settings == Settings.from_file(EXAMPLE)
    assert settings == Settings.from_text(json.dumps(tomllib.loads(text), default=str))
    assert settings == Settings.from_record(settings.to_record())
    assert settings == Settings.from_text("\ufeff" + text)
    for other in (city_settings(CENTRAL), city_settings(ROUND), disease_settings(ROUND)):
        assert other == Settings.from_text(json.dumps(other.to_record()))


def test_the_example_is_released() -> None:
    made = released(Settings.from_file(EXAMPLE), files_in(EXAMPLE.parent))
    assert made.frozen.line.kind == "hide"
    assert made.frozen.releases == 1


Change = Callable[[dict[str, Any]], object]
WRONG: dict[str, tuple[Change, str]] = {
    "no publication": (lambda r: r.pop("publication"), r"\[publication\] is missing"),
    "no purpose": (
        lambda r: r["publication"].pop("purpose"),
        "publication.purpose is not answered",
    ),
    "empty basis": (
        lambda r: r["publication"].update(basis=" "),
        "publication.basis is not answered",
    ),
    "would less do": (
        lambda r: r["publication"].update(smaller=""),
        "publication.smaller is not answered",
    ),
    "no day": (lambda r: r["publication"].update(date="soon"), "must be a day such as 2026-11-28"),
    "unknown part": (lambda r: r.update(policy={}), "settings have no policy"),
    "unknown key": (lambda r: r["list"].update(rows=1), r"settings have no list\.rows"),
    "blocks": (
        lambda r: r["treatment"].update(kind="blocks"),
        "one of central, round, hide, larger",
    ),
    "plain": (lambda r: r["treatment"].update(kind="plain"), "one of central, round, hide, larger"),
    "no epsilon": (lambda r: r["treatment"].pop("epsilon"), "treatment.epsilon is not answered"),
    "epsilon 0": (lambda r: r["treatment"].update(epsilon=0), r"epsilon must be in \[0\.001, 20\]"),
    "text epsilon": (lambda r: r["treatment"].update(epsilon="1"), "epsilon must be a number"),
    "base of noise": (lambda r: r["treatment"].update(base=10), "base does nothing with central"),
    "small base": (
        lambda r: r.update(treatment={"kind": "round", "base": 5}),
        "base must be at least the threshold of 10",
    ),
    "threshold 2": (lambda r: r["treatment"].update(threshold=2), r"threshold must be a whole"),
    "no source": (lambda r: r["cells"].update(source=""), "cells.source is not answered"),
    "no cells": (lambda r: r["cells"].pop("map"), "cells must be a map, or one or two lists"),
    "no extent": (lambda r: r["cells"]["map"].pop("west"), "cells.map.west is not answered"),
    "cut cell": (lambda r: r["cells"]["map"].update(east=7.815), "whole number of cells of 0.01°"),
    "turned map": (lambda r: r["cells"]["map"].update(east=7.0), "from west to east"),
    "huge map": (lambda r: r["cells"]["map"].update(step=0.0001), "at most 1,048,576 cells"),
    "whole degrees": (
        lambda r: r["cells"]["map"].update(extent="whole degrees"),
        "edges must be whole degrees",
    ),
    "most of a row": (lambda r: r["list"].update(most=3), "list.most must be 1"),
    "identifier": (lambda r: r["list"].update(unit="identifier"), "list.column must name"),
    "column of a row": (lambda r: r["list"].update(column="id"), "list.column does nothing"),
    "where of a table": (
        lambda r: r["list"].update(unit="table", column="people"),
        "list.where chooses rows",
    ),
    "missing of rows": (lambda r: r["list"].update(missing="nobody"), "missing is for tables"),
    "no file": (lambda r: r["list"].pop("file"), "list.file is not answered"),
    "where is a list": (lambda r: r["list"].update(where=["bike"]), "list.where must be a table"),
    "where is a text": (lambda r: r["list"].update(where={"bike": "daily"}), "must be a list"),
    "a list of what": (lambda r: r.update(cells=[1]), "cells must be a table"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_one_sentence(name: str) -> None:
    change, words = WRONG[name]
    record = copy.deepcopy(city_settings(CENTRAL).to_record())
    change(record)
    with pytest.raises(CaldpError, match=words):
        Settings.from_record(record)


def test_what_is_neither_toml_nor_json_is_named() -> None:
    for text in ("{", "[list", "[list]\nname = 1\nname = 2", '{"list": 1, "list": 2}'):
        with pytest.raises(CaldpError, match=r"neither TOML nor JSON|key 'list' twice"):
            Settings.from_text(text)


def lists(**change: Any) -> dict[str, Any]:
    return {"column": "a", "values": ["x", "y"], "source": "the form"} | change


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ([lists(values=["x", "x"])], "must differ"),
        ([lists(values=["x", " "])], "must differ"),
        ([lists(source="")], "source is not answered"),
        ([lists(file="f.csv", key="k")], "give one of them"),
        ([lists(values=[])], "give one of them"),
        ([lists(group="g")], "group needs a file"),
        ([lists(), lists()], "must be of two columns"),
        ([lists(), lists(column="b"), lists(column="c")], "no more than two questions"),
        ([lists(column="")], "must name a column"),
    ],
)
def test_lists_that_do_not_fit(made: list[dict[str, Any]], words: str) -> None:
    record = city_settings(CENTRAL).to_record()
    record["cells"] = {"source": "typed", "lists": made}
    with pytest.raises(CaldpError, match=words):
        Settings.from_record(record)


def held(**change: Any) -> Settings:
    record = city_settings(CENTRAL).to_record()
    record["list"] = {"name": "L", "file": "list.csv"} | change
    record["cells"] = {"source": "typed", "lists": [lists()]}
    return Settings.from_record(record)


def counts_of(rows: list[list[Any]], **change: Any) -> list[int]:
    files = files_from_bytes({"list.csv": csv_bytes(rows)}, PAGE_BOUNDS)
    found: list[int] = true_counts(held(**change), files).tolist()
    return found


def test_people_are_counted_not_rows() -> None:
    """Ten rows of two people are two; before noise one in two cells stays in one."""
    rows = [["id", "a"], *([["p", "x"]] * 6), *([["q", "y"], ["q", "z"]] * 2)]
    assert counts_of(rows) == [6, 2, 2]
    several = {"unit": "identifier", "column": "id"}
    assert counts_of(rows, **several, most=2) == [1, 1, 1]
    for _ in range(5):
        assert sum(counts_of(rows, **several, most=1)) == 2


def test_nobody_is_dropped() -> None:
    """Who gave no listed answer, or is not counted, is everybody else."""
    rows = [["a", "b"], ["x", "1"], ["", "1"], ["zzz", "1"], ["y", "2"]]
    assert counts_of(rows) == [1, 1, 2]
    assert counts_of(rows, where={"b": ["1"]}) == [1, 0, 3]


@pytest.mark.parametrize(
    ("rows", "change", "words"),
    [
        ([["a"], ["z"]], {}, "Nobody of the list is in any cell"),
        ([["b"], ["x"]], {}, "has no column 'a'"),
        (
            [["id", "a"], ["", "x"]],
            {"unit": "identifier", "column": "id"},
            "A row of 'list.csv' has no 'id'",
        ),
        ([["a", "n"], ["x", 3]], {"unit": "table", "column": "n"}, "no row for 1 cell of 2"),
        (
            [["a", "n"], ["x", 3], ["y", 1], ["Total", 4]],
            {"unit": "table", "column": "n"},
            "'Total' of the table is in no cell",
        ),
        (
            [["a", "n"], ["x", 3], ["y", "1.5"]],
            {"unit": "table", "column": "n"},
            r"'1\.5' at 'y' is not a count",
        ),
        (
            [["a", "n"], ["x", 3], ["y", ""]],
            {"unit": "table", "column": "n"},
            "'' at 'y' is not a count",
        ),
        (
            [["a", "n"], ["x", 3], ["y", "-4"]],
            {"unit": "table", "column": "n"},
            "'-4' at 'y' is not a count",
        ),
        (
            [["a", "n"], ["x", 3], ["y", "*"]],
            {"unit": "table", "column": "n"},
            "no held list",
        ),
    ],
)
def test_lists_that_are_none(rows: list[list[Any]], change: dict[str, Any], words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        counts_of(rows, **change)


def test_counts_with_thousands_and_missing_cells() -> None:
    rows = [["a", "n"], ["x", "1,234"], ["x", "5.0"]]
    assert counts_of(rows, unit="table", column="n", missing="nobody") == [1_239, 0]


def test_a_line_that_is_no_row_is_not_left_out() -> None:
    files = city_files(city_rows(100))
    broken = files.read_bytes("city.csv") + b'101,"7.6\n'
    with pytest.raises(CaldpError, match="nobody may be left out"):
        true_counts(city_settings(), files_from_bytes({"city.csv": broken}, PAGE_BOUNDS))


def test_points_on_lines_and_across_the_180th_meridian() -> None:
    city = MapFinder(MapExtent(**MAP), ".")
    assert city.find(["7.53", "51.86"]) == 0
    assert city.find(["7.54", "51.86"]) == 1
    assert city.find(["7.53", "51.87"]) == 28
    assert city.find(["7.5299999", "51.86"]) is None
    assert city.find(["7.81", "51.86"]) is None
    for wrong in (["", "51.9"], ["x", "51.9"], ["nan", "51.9"], ["7.6", "inf"], ["51.9", "7.6"]):
        assert city.find(wrong) is None
    fiji = MapFinder(MapExtent("x", "y", 176, 182, -20, -16, 1), ",")
    assert fiji.find(["-179,5", "-19,5"]) == fiji.find(["180,5", "-19,5"]) == 4


def test_everybody_else_is_a_cell_and_a_total_of_all_alone() -> None:
    cells = make_cells(city_settings().cells, city_files(city_rows(10)))
    whole = cells.with_elsewhere()
    assert whole.names[-1] == ELSEWHERE
    assert len(whole.names) == len(cells.names) + 1 == 561
    assert len(whole.levels[0].names) == 24
