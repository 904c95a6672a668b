"""The picture of a released table: each number is in its place, and words say what it shows."""

from typing import Any

import numpy as np
import pytest

from caldp_core.release.frozen import Frozen, Line, Row
from caldp_ui.app.theme import DARK, LIGHT, Palette
from caldp_ui.desk.picture import BARS_MAX, CELLS_MAX, Picture, picture_of, readable_ink

MAP: dict[str, Any] = {
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


def picture(made: Frozen) -> Picture:
    found = picture_of(made, LIGHT)
    assert found is not None
    return found


def texts_of(picture: Picture) -> dict[tuple[int, int], str]:
    """What stands in the squares by row from the top and column from the left."""
    found = {}
    for trace in picture.figure.traces:
        for x, base, (_, text) in zip(trace["x"], trace["base"], trace["customdata"], strict=True):
            found[round(base + 0.5), x] = text
    return found


def test_a_map_has_the_north_at_the_top_and_the_west_on_the_left() -> None:
    names = [f"{lat} N {lon} E" for lat in range(2) for lon in range(3)]
    rows = [Row("cell", name, 10 * at, "noisy") for at, name in enumerate(names)]
    rows[5] = Row("cell", names[5], -4, "noisy")
    drawn = picture(frozen("central", MAP, [*rows, ELSEWHERE]))
    north, south = ["30", "40", "-4"], ["0", "10", "20"]
    expected = {(0, at): text for at, text in enumerate(north)}
    assert texts_of(drawn) == expected | {(1, at): text for at, text in enumerate(south)}
    counted = drawn.figure.traces[0]
    assert counted["customdata"][0][0] == "1 N 0 E"
    assert counted["marker"]["cmin"] == 0, "a negative count is drawn as nobody"
    assert drawn.figure.layout["yaxis"]["range"] == [1.5, -0.5], "the first row at the top"
    assert "7 cells, noisy counts" in drawn.alt
    assert "Most people: 1 N 1 E, 40 people." in drawn.alt
    assert "North is up" in drawn.caption
    large = MAP | {"map": MAP["map"] | {"east": 100.0, "north": 50.0}}
    many = [Row("cell", str(at), 1, "noisy") for at in range(CELLS_MAX + 1_000)]
    assert picture_of(frozen("central", large, [*many, ELSEWHERE]), LIGHT) is None


def test_a_map_of_blocks_has_the_columns_of_blocks() -> None:
    rows = [Row("cell", "block a", 40, "exact"), Row("cell", "block b", None, "hidden")]
    drawn = picture(frozen("larger", MAP, [*rows, ELSEWHERE]))
    assert texts_of(drawn) == {(0, 0): "40", (0, 1): "hidden"}
    assert "1 cell is hidden." in drawn.alt


def test_two_lists_are_rows_and_columns_and_hidden_cells_say_so() -> None:
    people = [12, None, 30, 40, 50, None]
    names = [f"{office} · {answer}" for office in "AB" for answer in ("x", "y", "z%{a}")]
    rows = [
        Row("cell", name, number, "hidden" if number is None else "exact")
        for name, number in zip(names, people, strict=True)
    ]
    rows += [ELSEWHERE, Row("office", "A", 50, "exact"), Row("office", "B", 92, "exact")]
    rows += [Row("answer", answer, 60, "exact") for answer in ("x", "y", "z%{a}")]
    drawn = picture(frozen("hide", CROSSED, rows))
    expected = [["12", "hidden", "30"], ["40", "50", "hidden"]]
    assert texts_of(drawn) == {
        (row, column): text for row, line in enumerate(expected) for column, text in enumerate(line)
    }
    counted, hidden = drawn.figure.traces
    assert (counted["text"], hidden["text"]) == (["12", "30", "40", "50"], ["hidden", "hidden"])
    layout = drawn.figure.layout
    assert layout["yaxis"]["ticktext"] == ["A", "B"]
    # What people wrote fills in no template of the chart.
    assert layout["xaxis"]["ticktext"] == ["x", "y", "z%&#123;a}"]
    assert "2 cells are hidden." in drawn.alt
    assert "Most people: B · y, 50 people." in drawn.alt


def test_a_list_is_bars_and_a_long_one_says_how_many_it_shows() -> None:
    rows = [Row("cell", f"<b>{at}", at, "rounded") for at in range(BARS_MAX + 3)]
    drawn = picture(frozen("round", ONE, [*rows, ELSEWHERE]))
    (bars,) = drawn.figure.traces
    assert bars["x"] == list(range(BARS_MAX))
    assert bars["customdata"][0] == "&lt;b&gt;0"
    assert f"The first {BARS_MAX} of a longer list." in drawn.caption
    short = picture(frozen("hide", ONE, [Row("cell", "a", None, "hidden"), ELSEWHERE]))
    assert short.figure.traces[0]["text"] == ["hidden", "3"]
    assert "The first" not in short.caption
    assert "no number is published" in short.caption


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_every_number_stands_out_from_its_square(colours: Palette) -> None:
    """At least 4.5 to 1 between ink and ground (WCAG 2, 1.4.3)."""
    for step in range(101):
        ink = readable_ink(colours.edge, colours.ours, step / 100)
        ground = mixed(colours.edge, colours.ours, step / 100)
        assert contrast(ink, ground) >= 4.5, step


def test_the_contrast_of_the_test_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#FFFFFF") == 21.0
    assert round(contrast("#777777", "#FFFFFF"), 2) == 4.48, "the known pair just below 4.5"


def mixed(first: str, second: str, part: float) -> str:
    both = zip(bytes.fromhex(first[1:]), bytes.fromhex(second[1:]), strict=True)
    return "#" + bytes(round(a + part * (b - a)) for a, b in both).hex()


def contrast(one: str, other: str) -> float:
    """The ratio of the standard, by numpy's powers over an array of both colours."""
    channels = np.array([list(bytes.fromhex(text[1:])) for text in (one, other)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    dark, light = sorted(linear @ np.array([0.2126, 0.7152, 0.0722]))
    return float((light + 0.05) / (dark + 0.05))
