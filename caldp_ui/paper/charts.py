"""Charts of the paper's results: dots with intervals, and curves that fill in.

Room: paper.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go

from caldp_core.audit.adversary import ErrorVertex
from caldp_core.experiments.reproduce import LINES, SIZES, Column
from caldp_core.experiments.turns import Mean
from caldp_ui.app.theme import Palette
from caldp_ui.charts.planes import FIXED
from caldp_ui.paper.words import Rows, off

_TALL: Final = 280
_ABOVE: Final = 30
"""Pixels for the row of names."""
_LINE_COLOURS: Final = ("plain", "ours", "ours", "ours", "ours")
_DASHES: Final = ("dash", "solid", "solid", "solid", "solid")
_SYMBOLS: Final = ("diamond", "circle", "square", "triangle-up", "star")
_FADE: Final = (1.0, 0.7, 0.8, 0.9, 1.0)


def table_1(rows: Rows, columns: Sequence[Column], colours: Palette) -> go.Figure:
    """TV of each column: the printed mark, and the recomputed mean with its interval."""
    printed = {
        "name": "printed",
        "x": [column.paper for column in columns],
        "y": [column.title for column in columns],
        "marker": {"symbol": "diamond-open", "size": 15, "color": colours.plain, "line_width": 2.5},
    }
    here = {
        "name": "recomputed",
        "x": [mean.tv for _, mean in rows],
        "y": [column.title for column, _ in rows],
        "error_x": _interval([2 * (mean.standard_error or 0) for _, mean in rows], colours),
        "marker": {"symbol": "circle", "size": 9, "color": colours.ours},
    }
    traces = [{"type": "scatter", "mode": "markers", **each} for each in (printed, here)]
    top = max([0.65, *(1.1 * mean.tv for _, mean in rows)])
    axis = {"title_text": "error (total variation)", "range": [0, top]}
    return go.Figure(traces, _layout(axis, columns, colours, True))


def differences(rows: Rows, columns: Sequence[Column], colours: Palette) -> go.Figure:
    """The same as per cent of the printed number, where intervals can be seen."""
    gaps = [100 * off(column, mean) for column, mean in rows]
    widths = [200 * (mean.standard_error or 0) / column.paper for column, mean in rows]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": gaps,
        "y": [column.title for column, _ in rows],
        "error_x": _interval(widths, colours),
        "marker": {"symbol": "circle", "size": 9, "color": colours.ours},
        "showlegend": False,
        "hovertemplate": "%{x:.1f} %",
    }
    reach = max([12.0, *(1.25 * abs(gap) + width for gap, width in zip(gaps, widths, strict=True))])
    axis = {
        "title_text": "difference from the printed number, %",
        "range": [-min(reach, 110.0), reach],
        "zeroline": False,
    }
    layout = _layout(axis, columns, colours, False)
    style = {"color": colours.plain, "width": 2.5}
    layout["shapes"] = [
        {"type": "line", "x0": 0, "x1": 0, "y0": 0, "y1": 1, "yref": "y domain", "line": style}
    ]
    return go.Figure([trace], layout)


def _interval(widths: list[float], colours: Palette) -> dict[str, Any]:
    return {"type": "data", "array": widths, "color": colours.ours, "thickness": 2, "width": 6}


def _layout(
    axis: dict[str, Any], columns: Sequence[Column], colours: Palette, legend: bool
) -> dict[str, Any]:
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text, **FIXED}
    return {
        "xaxis": {**axis, **texts},
        "yaxis": {
            "type": "category",
            "categoryorder": "array",
            "categoryarray": [column.title for column in columns][::-1],
            "range": [-0.6, len(columns) - 0.4],
            "tickfont": {"color": colours.text, "size": 14},
        },
        "height": _TALL,
        "margin": {"l": 0, "r": 10, "t": _ABOVE, "b": 50},
        "showlegend": legend,
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        "dragmode": False,
    }


def panel(
    title: str, means: Sequence[Sequence[Mean | None]], least: float, colours: Palette
) -> go.Figure:
    """One panel of Figure 2: TV against people, a line for LDP and one for each m.

    `means`: for each of `LINES`, one a size or None where none has been run yet. `least`: of all
    panels, which share their scale.
    """
    traces = []
    for line, curve in enumerate(LINES):
        there = [(n, mean) for n, mean in zip(SIZES, means[line], strict=True) if mean]
        colour = getattr(colours, _LINE_COLOURS[line])
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": curve.title,
                "x": [n for n, _ in there],
                "y": [mean.tv for _, mean in there],
                "opacity": _FADE[line],
                "line": {"color": colour, "dash": _DASHES[line], "width": 2},
                "marker": {"symbol": _SYMBOLS[line], "size": 7, "color": colour},
                "hovertemplate": "%{y:.3f}",
            }
        )
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text, **FIXED}
    layout = {
        "title": {"text": title, "font": {"size": 15, "color": colours.text}, "y": 0.99, "x": 0.01},
        "xaxis": {
            "type": "log",
            "tickvals": [1000, 10_000, 100_000],
            "ticktext": ["1,000", "10,000", "100,000 people"],
            "range": [2.93, 5.78],
            **texts,
        },
        "yaxis": {
            "type": "log",
            "range": [math.log10(min(0.8 * least, 0.1)), 0.03],
            "tickvals": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1],
            **texts,
        },
        "height": 232,
        "margin": {"l": 52, "r": 8, "t": 42, "b": 28},
        "legend": {
            "orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "font": {"size": 11},
        },
        "dragmode": False,
        "hovermode": "x unified",
    }  # fmt: skip
    return go.Figure(traces, layout)


REGION_HEIGHT: Final = 460


def region(vertex: ErrorVertex, plain: ErrorVertex, colours: Palette) -> go.Figure:
    """The plane of errors: what no rule can get below, and the mechanism at the corner."""
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "all that any rule can do",
            "x": [1, vertex.false_alarm, 0, 1, 1],
            "y": [0, vertex.missed, 1, 1, 0],
            "fill": "toself",
            "opacity": 0.9,
            "line": {"color": colours.ours, "width": 2.5},
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "lines",
            "name": "plain LDP at the smaller ε",
            "x": [1, plain.false_alarm, 0],
            "y": [0, plain.missed, 1],
            "line": {"color": colours.plain, "width": 2, "dash": "dash"},
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "name": "believing the report",
            "x": [vertex.false_alarm],
            "y": [vertex.missed],
            "marker": {"size": 13, "color": colours.ours, "line": {"color": colours.edge}},
            "hovertemplate": "false alarm %{x:.3f}<br>missed %{y:.3f}<extra></extra>",
        },
    ]
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text, **FIXED}
    axis = {"range": [-0.02, 1.02], "constrain": "domain", **texts}
    layout = {
        "xaxis": {"title_text": "false alarm: says x, was x′", **axis},
        "yaxis": {"title_text": "missed: says x′, was x", "scaleanchor": "x", **axis},
        "height": REGION_HEIGHT,
        "margin": {"l": 60, "r": 10, "t": _ABOVE, "b": 50},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        "dragmode": False,
    }
    return go.Figure(traces, layout)
