"""The picture of a released table: each number is in its place, and words say what it shows."""

from typing import Any

import numpy as np
import pytest

from caldp_core.release.frozen import Frozen, Line, Row
from caldp_ui.app.theme import LIGHT
from caldp_ui.desk.picture import BARS_MAX, Picture, picture_of

MAP = {
    "source": "the map",
    "map": {"west": 0.0, "east": 3.0, "south": 0.0, "north": 2.0, "step": 1.0, "block": 2},
}
CROSSED = {"source": "-", "lists": [{"column": "office"}, {"column": "answer"}]}
ONE = {"source": "-", "lists": [{"column": "answer"}]}
ELSEWHERE = Row("cell", "everybody else in the list", 3, "exact")


def frozen(kind: str, cells: dict[str, Any], rows: list[Row]) -> Frozen:
    line = Line("0123456789ab", "2026-11-28", kind, 1.0 if kind == "central" else None, 10)
    whole = Row("all", "all people of the list", 100, "exact")
    settings = {"cells": cells}
    return Frozen(line, "A <b>list", {}, (), settings, "cells", None, (*rows, whole))


def numbers_of(picture: Picture) -> np.ndarray[Any, Any]:
    return np.array(picture.figure.traces[0]["z"], np.float64)


def test_a_map_has_the_north_at_the_top_and_the_west_on_the_left() -> None:
    names = [f"{lat} N {lon} E" for lat in range(2) for lon in range(3)]
    rows = [Row("cell", name, 10 * at, "noisy") for at, name in enumerate(names)]
    rows[5] = Row("cell", names[5], -4, "noisy")
    picture = picture_of(frozen("central", MAP, [*rows, ELSEWHERE]), LIGHT)
    assert numbers_of(picture).tolist() == [[30, 40, -4], [0, 10, 20]]
    counted = picture.figure.traces[0]
    assert counted["customdata"][0][0] == "1 N 0 E"
    assert counted["zmin"] == 0, "a negative count is drawn as nobody"
    assert picture.figure.layout["yaxis"]["autorange"] == "reversed"
    assert "7 cells, noisy counts" in picture.alt
    assert "Most people: 1 N 1 E, 40 people." in picture.alt
    assert "North is up" in picture.caption


def test_a_map_of_blocks_has_the_columns_of_blocks() -> None:
    rows = [Row("cell", "block a", 40, "exact"), Row("cell", "block b", None, "hidden")]
    picture = picture_of(frozen("larger", MAP, [*rows, ELSEWHERE]), LIGHT)
    assert np.isnan(numbers_of(picture)).tolist() == [[False, True]]
    assert "1 cell is hidden." in picture.alt


def test_two_lists_are_rows_and_columns_and_hidden_cells_say_so() -> None:
    people = [12, None, 30, 40, 50, None]
    names = [f"{office} · {answer}" for office in "AB" for answer in ("x", "y", "z%{a}")]
    rows = [
        Row("cell", name, number, "hidden" if number is None else "exact")
        for name, number in zip(names, people, strict=True)
    ]
    rows += [ELSEWHERE, Row("office", "A", 50, "exact"), Row("office", "B", 92, "exact")]
    rows += [Row("answer", answer, 60, "exact") for answer in ("x", "y", "z%{a}")]
    picture = picture_of(frozen("hide", CROSSED, rows), LIGHT)
    counted, hidden = picture.figure.traces
    assert numbers_of(picture).tolist() == [
        [12, pytest.approx(np.nan, nan_ok=True), 30],
        [40, 50, pytest.approx(np.nan, nan_ok=True)],
    ]
    assert hidden["text"] == [["", "hidden", ""], ["", "", "hidden"]]
    assert counted["text"] == [["12", "", "30"], ["40", "50", ""]]
    layout = picture.figure.layout
    assert layout["yaxis"]["ticktext"] == ["A", "B"]
    # What people wrote fills in no template of the chart.
    assert layout["xaxis"]["ticktext"] == ["x", "y", "z%&#123;a}"]
    assert "2 cells are hidden." in picture.alt
    assert "Most people: B · y, 50 people." in picture.alt


def test_a_list_is_bars_and_a_long_one_says_how_many_it_shows() -> None:
    rows = [Row("cell", f"<b>{at}", at, "rounded") for at in range(BARS_MAX + 3)]
    picture = picture_of(frozen("round", ONE, [*rows, ELSEWHERE]), LIGHT)
    (bars,) = picture.figure.traces
    assert bars["x"] == list(range(BARS_MAX))
    assert bars["customdata"][0] == "&lt;b&gt;0"
    assert f"The first {BARS_MAX} of a longer list." in picture.caption
    short = picture_of(frozen("hide", ONE, [Row("cell", "a", None, "hidden"), ELSEWHERE]), LIGHT)
    assert short.figure.traces[0]["text"] == ["hidden", "3"]
    assert "The first" not in short.caption
    assert "no number is published" in short.caption
