"""Expected errors of this protection and of plain LDP, each line named on the picture.

Colour is never alone: this protection is solid, plain LDP dashed. Figures are built in one go, as
Plotly checks a figure anew each time that something is added to it.

The plane on which curves of several pages are drawn, with words on the picture.

The legend of a chart as a row of words that wraps on phones.

A legend of Plotly's own, whose room is found by drawing all again, doubles the time that a new
picture takes; with this one margins can be fixed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from caldp_core.experiments.forecast import Curve
from caldp_ui.app.theme import Palette
from caldp_ui.charts import errors, labels
from caldp_ui.charts.labels import Label, Scale
from caldp_ui.words import formats

Shape = dict[str, Any]
Margin = tuple[float, float, float, float]
FIXED: Final = {"automargin": False}
"""Of an axis: it has the room that the chart's margins give it.

Room that Plotly finds automatically, it finds by drawing everything twice."""
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
    turn = -1 if words.at_starts else 1
    wide, narrow = (
        dict(zip("lrtb", (*pair[::turn], _ABOVE, _BELOW), strict=True)) for pair in sides
    )
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
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "y domain"} | _dot(colours)


def horizontal_line(y: float, colours: Palette) -> Shape:
    """A dotted line from side to side."""
    return {"type": "line", "y0": y, "y1": y, "x0": 0, "x1": 1, "xref": "x domain"} | _dot(colours)


def bare_layout(
    colours: Palette, x: dict[str, Any], y: dict[str, Any], height: int, margin: Margin, **more: Any
) -> dict[str, Any]:
    """The layout of a chart that is not on a `plane`; `margin`: left, right, top, bottom."""
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text}
    return {
        "xaxis": {**texts, **x},
        "yaxis": {**texts, **y},
        "height": height,
        "margin": dict(zip("lrtb", margin, strict=True)),
        "showlegend": False,
        "dragmode": False,
        **more,
    }


def line_trace(
    name: str, x: Any, y: Any, look: tuple[str, str], *, width: float = 2.5, **more: Any
) -> dict[str, Any]:
    """A line through points; `look`: its colour and dash; `more`: other fields of the trace."""
    line = {"color": look[0], "dash": look[1], "width": width}
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "line": line, **more}


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


def _dot(colours: Palette) -> Shape:
    return {"line": {"color": colours.faint, "dash": "dot", "width": 1.5}}


HEIGHT: Final = 360
EPSILON_AXIS: Final = errors.logarithmic(
    "privacy level ε (left: more private; log scale)", [0.1, 0.2, 0.5, 1, 2, 5, 10, 20]
)
"""The abscissa of curves over ε."""
PEOPLE_AXIS: Final = errors.logarithmic(
    "number of people (log scale)",
    [10**power for power in range(3, 13)],
    formats.people,
    tickangle=0,
)
"""The abscissa of curves over the number of people."""
BLOCKS_AXIS: Final = errors.logarithmic(
    "number of blocks (right: less hidden; log scale)", [1, 10, 100, 1000, 10_000], formats.integer
)
"""The abscissa of curves over the number of blocks."""
SENSITIVE_AXIS: Final = errors.logarithmic(
    "sensitive places (right: more hidden; log scale)",
    [10, 100, 1000, 10_000, 43_750],
    formats.integer,
)
"""The abscissa of curves over the size of the sensitive set."""


@dataclass(frozen=True)
class Line:
    """A curve as readers tell it apart; `current_tv`: this outcome at the present setting."""

    name: str
    curve: Curve
    current_tv: float
    colour: str
    dash: str
    symbol: str


def error_curves(
    ours: tuple[Curve, float],
    plain: tuple[Curve, float],
    current_x: float,
    abscissa: dict[str, Any],
    colours: Palette,
    *,
    wrong: str | None = None,
) -> go.Figure:
    """Expected TV of both with 90 % bands, and TV of this outcome at `current_x`.

    `ours`, `plain`: curve, and TV of this outcome. `wrong`: words for where an estimate puts people
    by mistake; None where it is not made of shares.
    """
    lines = (
        Line("plain LDP", *plain, colours.plain, "dash", "diamond"),
        Line("this protection", *ours, colours.ours, "solid", "circle"),
    )
    top = max(float(max(line.curve.high.max(), line.current_tv)) for line in lines)
    low = min(float(min(line.curve.low.min(), line.current_tv)) for line in lines)
    is_log = top > 1.5
    y = (
        errors.log_axis(low, top, errors.error_scale(None), HEIGHT)
        if is_log
        else errors.linear_axis(top, wrong)
    )
    least = errors.FAINTEST if is_log else 0.0
    traces = [
        *(_band(line, least) for line in lines),
        *(_mean(line, wrong) for line in lines),
        *(_mark(line, current_x, colours.edge) for line in lines),
    ]
    high = 10.0 ** y["range"][1] if is_log else y["range"][1]
    is_there = current_x > 0  # none is sensitive, say: no log axis has that place
    here = [Label(current_x, high, "you are here", colours.text, "top center")] if is_there else []
    ends = [
        Label(float(line.curve.x[-1]), float(line.curve.tv[-1]), line.name, line.colour)
        for line in lines
    ]
    places = [current_x, *(float(x) for line in lines for x in line.curve.x)]
    x = {**abscissa, "range": errors.log_range(places)}
    marks = [vertical_line(current_x, colours)] if is_there else []
    return plane(traces, x, y, marks, colours, words=Words(ends, notes=here), height=HEIGHT)


def _band(line: Line, least: float) -> dict[str, Any]:
    curve = line.curve
    return {
        "type": "scatter",
        "x": np.concatenate([curve.x, curve.x[::-1]]),
        "y": np.concatenate([curve.high, np.maximum(curve.low, least)[::-1]]),
        "fill": "toself",
        "fillcolor": line.colour,
        "opacity": 0.22,
        "line": {"width": 0},
        "mode": "lines",
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _mean(line: Line, wrong: str | None) -> dict[str, Any]:
    curve, scale = line.curve, errors.error_scale(wrong)
    text = [scale.describe(float(tv)) for tv in curve.tv]
    look = line.colour, line.dash
    return line_trace(line.name, curve.x, curve.tv, look, text=text, hovertemplate="%{text}")


def _mark(line: Line, present: float, edge: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [present],
        "y": [line.current_tv],
        "mode": "markers",
        "name": f"{line.name}, this draw of noise",
        "showlegend": False,
        "cliponaxis": False,
        "marker": {
            "color": line.colour,
            "symbol": line.symbol,
            "size": 11,
            "line": {"color": edge, "width": 1.5},
        },
        "hovertemplate": "%{y:.3f}",
    }


_SYMBOLS: Final = {"circle": "●", "diamond": "◆", "square": "■", "x": "✕"}


def legend(figure: go.Figure) -> str:
    """HTML: each named trace's sample, in its colour and dash or symbol, and its name."""
    named = [trace for trace in figure.data if trace.name and trace.showlegend is not False]
    rows = "".join(f"<span>{_sample(trace)}{escape(trace.name)}</span>" for trace in named)
    return f'<p class="legend">{rows}</p>'


def _sample(trace: Any) -> str:
    if trace.type == "bar":
        return _coloured(trace.marker.color, _SYMBOLS["square"])
    line = f'<b class="{trace.line.dash or "solid"}"></b>' if "lines" in trace.mode else ""
    mark = _SYMBOLS[trace.marker.symbol or "circle"] if "markers" in trace.mode else ""
    return _coloured(trace.line.color if line else trace.marker.color, line + mark)


def _coloured(colour: str, sample: str) -> str:
    return f'<i style="color: {colour}">{sample}</i>'
