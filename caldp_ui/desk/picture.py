"""The released table as a picture: a map, a table of two lists, or bars of one.

It shows the frozen numbers and nothing else, so it may be shown to anyone who may see the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from caldp_core.basics.errors import count_text
from caldp_core.release.frozen import Frozen, Row
from caldp_ui.app.texts import read_toml
from caldp_ui.app.theme import Palette
from caldp_ui.app.user_text import UserText
from caldp_ui.charts.curves import bare_layout
from caldp_ui.charts.show import Figure

TEXTS: Final = read_toml(__file__, "picture.toml")
_WORDS: Final = TEXTS["picture"]
CELLS_MAX: Final = 4_000
"""Most cells of a map or of two crossed lists that are drawn."""
BARS_MAX: Final = 40
"""Most bars of a list; a longer one is in the table alone."""
_NAME_MAX: Final = 28
"""Most characters of a name beside a bar or a row."""
_NUMBERS_MAX: Final = 150
"""Most cells of a grid that have their number written in them."""
_ROW: Final = 30
"""Pixels of a bar or of a row of two crossed lists."""


@dataclass(frozen=True)
class Picture:
    """A figure, what it shows in words (`alt`), and a line to stand below it."""

    figure: Figure
    alt: str
    caption: str


@dataclass(frozen=True)
class Grid:
    """Cells in rows and columns, the first row at the top.

    `numbers`: (rows, columns) people, NaN where hidden. `across`, `down`: the names of columns and
    rows, () on a map, whose cells have names of their own: `names`, (rows, columns).
    """

    numbers: np.ndarray[Any, np.dtype[np.float64]]
    names: list[list[str]]
    across: tuple[str, ...]
    down: tuple[str, ...]


def picture_of(frozen: Frozen, colours: Palette) -> Picture | None:
    """The picture of a release that was drawn; None of a grid of more than `CELLS_MAX` cells."""
    cells = [row for row in frozen.rows if row.level == "cell"]
    grid = _grid_of(frozen, cells)
    if grid is not None and grid.numbers.size > CELLS_MAX:
        return None
    if grid is None:
        shown = cells[:BARS_MAX]
        figure = _bars(shown, colours)
        beside = ""
        if len(shown) < len(cells):
            beside = _WORDS["first"].format(shown=BARS_MAX)
    else:
        figure, beside = _heat(grid, colours), _WORDS["colour"]
        if not grid.down:
            beside += _WORDS["north"]
    what = TEXTS["what"][frozen.line.kind]
    is_hidden = any(row.people is None for row in cells)
    caption = f"{_WORDS['caption'].format(what=what)}{beside}"
    if is_hidden:
        caption += _WORDS["hidden"]
    return Picture(figure, _describe(frozen, cells, what), caption)


def _grid_of(frozen: Frozen, cells: Sequence[Row]) -> Grid | None:
    """The cells as a map or as two crossed lists; None for a single list."""
    settings = frozen.settings["cells"]
    is_larger = frozen.line.kind == "larger"
    extent = settings.get("map")
    if extent is not None:
        columns = round((extent["east"] - extent["west"]) / extent["step"])
        if is_larger:
            columns = -(-columns // extent["block"])
        rows = (len(cells)) // columns
        inside = cells[: rows * columns]
        # Cells begin in the south-west corner, and a picture at the top.
        lines = [inside[row * columns : (row + 1) * columns] for row in reversed(range(rows))]
        return Grid(_numbers(lines), [[row.name for row in line] for line in lines], (), ())
    lists = settings["lists"]
    if len(lists) != 2 or is_larger:
        return None
    titles = [listed.get("column") or "title" for listed in lists]
    down, across = (
        tuple(row.name for row in frozen.rows if row.level == title) for title in titles
    )
    columns = len(across)
    if not columns or not down:
        return None  # a list of one value has no totals of its own
    lines = [cells[row * columns : (row + 1) * columns] for row in range(len(down))]
    return Grid(_numbers(lines), [[row.name for row in line] for line in lines], across, down)


def _numbers(lines: Sequence[Sequence[Row]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    people = [[np.nan if row.people is None else row.people for row in line] for line in lines]
    return np.array(people, np.float64)


def _heat(grid: Grid, colours: Palette) -> Figure:
    """A square for each cell, darker for more people; a hidden one is grey, and says so.

    The squares are bars of length 1: charts that are saved as files draw no other kind.
    """
    is_map = not grid.down
    has_text = grid.numbers.size <= _NUMBERS_MAX
    most = max(float(np.nanmax(grid.numbers, initial=1.0)), 1.0)
    # Below 0 there is nobody: negative noisy counts have the colour of none.
    scale = {"cmin": 0, "cmax": most, "colorscale": [[0, colours.edge], [1, colours.ours]]}
    counted = _squares(grid, np.isfinite(grid.numbers), has_text)
    parts = [min(max(number / most, 0.0), 1.0) for number in counted["numbers"]]
    inks = [readable_ink(colours.edge, colours.ours, part) for part in parts]
    counted["insidetextfont"] = {"color": inks}
    counted["marker"] = scale | {"color": counted.pop("numbers")}
    hidden = _squares(grid, np.isnan(grid.numbers), has_text)
    del hidden["numbers"]
    hidden["marker"] = {"color": colours.choose("#DDE1E6", "#2A323C")}
    hidden["insidetextfont"] = {"color": colours.text}
    bare = {"showticklabels": not is_map, "showgrid": False, "zeroline": False, "ticks": ""}
    rows = len(grid.numbers)
    # Without a range of its own: the browser leaves out names of an axis that has one.
    x: dict[str, Any] = bare | {"side": "top"}
    y: dict[str, Any] = bare | {"range": [rows - 0.5, -0.5]}
    if is_map:
        y |= {"scaleanchor": "x", "scaleratio": 1, "constrain": "domain"}
    else:
        x |= _ticks(grid.across) | {"tickangle": -45}
        y |= _ticks(grid.down)
    height = 360 if is_map else _ROW * rows + 120
    # Slanted names of columns need room to the right of the last one.
    margin = (8, 8 if is_map else 70, 8, 8)
    layout = bare_layout(colours, x, y, height, margin, hovermode="closest", barmode="overlay")
    return Figure([counted, hidden], layout)


_DARK_INK: Final = "#000000"
_LIGHT_INK: Final = "#FFFFFF"
"""Of black and white one stands out from any colour by 4.58 to 1 or more."""


def readable_ink(lowest: str, highest: str, part: float) -> str:
    """The ink, dark or light, that stands out more from a colour `part` of the way between two.

    `part`: in [0, 1]; colours as "#RRGGBB". The contrast is that of WCAG 2, "relative luminance".
    """
    low, high = _channels(lowest), _channels(highest)
    ground = [a + part * (b - a) for a, b in zip(low, high, strict=True)]

    def contrast(ink: str) -> float:
        lighter, darker = sorted((_luminance(ground), _luminance(_channels(ink))), reverse=True)
        return (lighter + 0.05) / (darker + 0.05)

    return max((_DARK_INK, _LIGHT_INK), key=contrast)


def _channels(colour: str) -> list[float]:
    """Red, green and blue in [0, 1]."""
    return [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def _luminance(channels: Sequence[float]) -> float:
    linear = []
    for channel in channels:
        linear.append(channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4)
    red, green, blue = linear
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _squares(
    grid: Grid, is_drawn: np.ndarray[Any, np.dtype[np.bool_]], has_text: bool
) -> dict[str, Any]:
    """The cells that are drawn as bars of length 1, row by row; `numbers`: their people."""
    rows, columns = np.nonzero(is_drawn)
    numbers = [grid.numbers[row, column] for row, column in zip(rows, columns, strict=True)]
    texts = ["hidden" if np.isnan(number) else f"{number:,.0f}" for number in numbers]
    names = [
        UserText(grid.names[row][column]).chart for row, column in zip(rows, columns, strict=True)
    ]
    trace = {
        "type": "bar",
        "x": columns.tolist(),
        "y": [1] * columns.size,
        "base": (rows - 0.5).tolist(),
        "width": 0.96,
        "numbers": numbers,
        "customdata": list(zip(names, texts, strict=True)),
        "hovertemplate": "%{customdata[0]}: %{customdata[1]}<extra></extra>",
    }
    if has_text:
        inside = {"textposition": "inside", "insidetextanchor": "middle", "textangle": 0}
        trace |= inside | {"text": texts, "constraintext": "none"}
    return trace


def _ticks(names: Sequence[str]) -> dict[str, Any]:
    """Names at whole numbers: two equal names would share a place as categories."""
    shown = [UserText(name).shortened(_NAME_MAX).chart for name in names]
    return {"tickvals": list(range(len(names))), "ticktext": shown}


def _bars(cells: Sequence[Row], colours: Palette) -> Figure:
    """A bar for each cell, with its number or that it is hidden."""
    names = [UserText(row.name).chart for row in cells]
    people = [0 if row.people is None else row.people for row in cells]
    texts = ["hidden" if row.people is None else f"{row.people:,}" for row in cells]
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": people,
        "y": list(range(len(cells))),
        "text": texts,
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {"color": colours.ours},
        "customdata": names,
        "hovertemplate": "%{customdata}: %{text}<extra></extra>",
    }
    x = {"showticklabels": False, "showgrid": False, "rangemode": "tozero"}
    most = max([*people, 1])
    x["range"] = [min(0, *people), 1.2 * most]
    y = _ticks([row.name for row in cells]) | {"autorange": "reversed", "showgrid": False}
    height = _ROW * len(cells) + 40
    return Figure([bars], bare_layout(colours, x, y, height, (8, 8, 8, 8), hovermode="closest"))


def _describe(frozen: Frozen, cells: Sequence[Row], what: str) -> str:
    """What the picture shows, for those who do not see it."""
    known = [row for row in cells if row.people is not None]
    hidden = len(cells) - len(known)
    parts = [
        _WORDS["alt"].format(
            cells=count_text(len(cells), "cell", "cells"), list=frozen.list, what=what
        )
    ]
    if known:
        most = max(known, key=lambda row: row.people or 0)
        number = count_text(most.people or 0, "person", "people")
        parts.append(_WORDS["most"].format(name=most.name, people=number))
    if hidden:
        verb = "cell is" if hidden == 1 else "cells are"
        parts.append(f"{hidden:,} {verb} hidden.")
    return " ".join([*parts, _WORDS["whole"]])
