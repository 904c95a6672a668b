"""The plane on which curves of several pages are drawn, with words on the picture."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import plotly.graph_objects as go

from caldp_ui.app.theme import Palette
from caldp_ui.charts import labels
from caldp_ui.charts.labels import Label, Scale

Shape = dict[str, Any]
FIXED: Final = {"automargin": False}
"""Of an axis: it has the room that the chart's margins give it.

Room that Plotly finds by itself, it finds by drawing everything twice."""
_ABOVE: Final = 28
"""Pixels over the plane, for what stands on an upright line."""
_BELOW: Final = 50
_LEGEND_ROW: Final = 20
_PLOT: Final = 220
"""Pixels that lines need; narrower charts have names above them."""


@dataclass(frozen=True)
class Words:
    """What is written on a plane. `names`: of lines, beside their ends; `notes`: all else.

    `at_starts`: names at the left ends of lines, where these are further apart than at the right.
    """

    names: Sequence[Label] = ()
    at_starts: Sequence[Label] = ()
    notes: Sequence[Label] = ()


def plane(
    traces: Sequence[Any],
    x: dict[str, Any],
    y: dict[str, Any],
    shapes: Sequence[Shape],
    colours: Palette,
    *,
    words: Words = Words(),
    height: int = 430,
    left: int = 72,
) -> go.Figure:
    """A figure `height` pixels high; `x` and `y` are its axes, with their ranges.

    Names stand at the ends of lines, or in a legend where they are too long for that or the chart
    is too narrow. `left`: pixels for the numbers of `y` and its title, which are at the right where
    names are at the left.
    """
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text, **FIXED}
    names = [*words.names, *(replace(n, side="middle left") for n in words.at_starts)]
    room = labels.label_width([each.words for each in names]) if names else 10
    scale = Scale(tuple(y["range"]), height - _ABOVE - _BELOW, y.get("type") == "log")
    notes = [labels.place_note(note, scale) for note in words.notes]
    named = labels.spread_names(names, scale) if room is not None else []
    sides = (left, room or 10), (left - 12, 10)
    wide, narrow = (_margin(pair[:: -1 if words.at_starts else 1]) for pair in sides)
    legend = _legend(len(names), height)
    layout = {
        "xaxis": {**x, **texts},
        "yaxis": {**y, "side": "right" if words.at_starts else "left", **texts},
        "height": height,
        "margin": wide if room is not None else {**wide, **legend["margin"]},
        "showlegend": room is None,
        "legend": legend["legend"],
        "dragmode": False,  # a finger that scrolls the page would zoom
        "hovermode": "x unified",
        "shapes": list(shapes),
        "meta": {
            "below": _PLOT + left + (room or 0),
            "narrow": {**legend, "margin": {**narrow, **legend["margin"]}},
        },
    }
    return go.Figure([*traces, *labels.traces([*notes, *named])], layout)


def _margin(sides: tuple[int, ...]) -> dict[str, int]:
    left, right = sides
    return {"l": left, "r": right, "t": _ABOVE, "b": _BELOW}


def _legend(rows: int, height: int) -> dict[str, Any]:
    """A legend above the plane and what stands on it, and the margin that both take."""
    above = _ABOVE + _LEGEND_ROW * rows
    y = 1 + _ABOVE / (height - above - _BELOW)
    return {
        "legend": {"orientation": "h", "y": y, "yanchor": "bottom", "x": 0},
        "margin": {"t": above},
        "showlegend": rows > 0,
    }


def vertical_line(x: float, colours: Palette) -> Shape:
    """A dotted line from bottom to top."""
    return {
        "type": "line",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "yref": "y domain",
        **_dotted(colours),
    }


def horizontal_line(y: float, colours: Palette) -> Shape:
    """A dotted line from side to side."""
    return {
        "type": "line",
        "y0": y,
        "y1": y,
        "x0": 0,
        "x1": 1,
        "xref": "x domain",
        **_dotted(colours),
    }


def gap_arrow(
    ends: tuple[tuple[float, float], tuple[float, float]], colours: Palette
) -> dict[str, Any]:
    """A double arrow between two `ends`, (x, y) each, drawn as one trace."""
    (x0, y0), (x1, y1) = ends
    heads = ["triangle-left", "triangle-right"] if y0 == y1 else ["triangle-down", "triangle-up"]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [x0, x1],
        "y": [y0, y1],
        "line": {"color": colours.text, "width": 2},
        "marker": {"symbol": heads, "size": 11, "color": colours.text},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _dotted(colours: Palette) -> Shape:
    return {"line": {"color": colours.faint, "dash": "dot", "width": 1.5}}
