"""The chart of many curves: expected errors with bands, measured runs, and what is proved.

Room: curves. Colour is never alone: every curve has its own dash and mark.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go

from caldp_ui.app.theme import Palette
from caldp_ui.charts.planes import plane, upright
from caldp_ui.curves.axes import AXES
from caldp_ui.curves.drawn import FAINTEST, Drawn, present
from caldp_ui.curves.lines import Bound, proved
from caldp_ui.curves.slot import Curves

_LIGHT: Final = (
    "#C44E00", "#0072B2", "#007A5A", "#A03E79", "#8A5A00", "#3D6FB5", "#B03A2E", "#4A5663",
)  # fmt: skip
_DARK: Final = (
    "#E69F00", "#56B4E9", "#3CC79B", "#E79AC4", "#F0E442", "#9FC5F8", "#FF9B6A", "#C8D0DC",
)  # fmt: skip
_DASHES: Final = ("dash", "solid", "solid", "dashdot", "longdash", "solid", "dashdot", "longdash")
_SYMBOLS: Final = (
    "diamond", "circle", "square", "triangle-up", "star", "cross", "x", "hexagon",
)  # fmt: skip
_BAND: Final = 1.6449


def of(record: Curves, drawn: Sequence[Drawn], colours: Palette) -> go.Figure:
    """The chart of a record."""
    lines = [each.line for each in drawn]
    here = present(record, lines[0])
    return chart(drawn, proved(lines), AXES[record.against].ticks, here, colours)


def chart(
    drawn: Sequence[Drawn],
    proved: Sequence[Bound],
    ticks: dict[str, Any],
    here: float,
    colours: Palette,
) -> go.Figure:
    """All lines on logarithmic axes, and a dotted upright where the reader is."""
    inks = _DARK if colours.edge == "#0B0F14" else _LIGHT
    traces: list[dict[str, Any]] = []
    for number, each in enumerate(drawn):
        traces += [_band(each, inks[number]), _mean(each, number, inks[number])]
        if any(each.measured):
            traces.append(_measured(each, number, inks[number]))
    traces += [_bound(bound, inks[bound.line]) for bound in proved]
    x = {**ticks, "range": _range([each.line.places for each in drawn])}
    y = {
        "type": "log",
        "title_text": "error (total variation)",
        "tickvals": [0.0001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 10, 100],
    }
    return plane(traces, x, y, [upright(here, colours)], colours, height=450)


def _range(places: Sequence[Sequence[float]]) -> list[float]:
    """All places with a little room, so that the axis stays as curves grow."""
    low, high = math.log10(min(map(min, places))), math.log10(max(map(max, places)))
    return [low - 0.03 * (high - low), high + 0.03 * (high - low)]


def _band(each: Drawn, ink: str) -> dict[str, Any]:
    there = each.there()
    high = [error.tv + _BAND * error.deviation for _, error in there]
    low = [max(error.tv - _BAND * error.deviation, FAINTEST) for _, error in there]
    x = [place for place, _ in there]
    return {
        "type": "scatter",
        "x": x + x[::-1],
        "y": high + low[::-1],
        "fill": "toself",
        "fillcolor": ink,
        "opacity": 0.2,
        "line": {"width": 0},
        "mode": "lines",
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _mean(each: Drawn, number: int, ink: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [x for x, _ in each.there()],
        "y": [error.tv for _, error in each.there()],
        "mode": "lines+markers",
        "name": each.line.title,
        "line": {"color": ink, "dash": _DASHES[number], "width": 2.5},
        "marker": {"symbol": _SYMBOLS[number], "size": 7, "color": ink},
        "hovertemplate": "%{y:.3g}",
    }


def _measured(each: Drawn, number: int, ink: str) -> dict[str, Any]:
    there = [(x, mean) for x, mean in zip(each.line.places, each.measured, strict=True) if mean]
    return {
        "type": "scatter",
        "x": [x for x, _ in there],
        "y": [mean.tv for _, mean in there],
        "error_y": {
            "type": "data",
            "array": [2 * (mean.standard_error or 0) for _, mean in there],
            "color": ink,
        },
        "mode": "markers",
        "name": f"{each.line.title}, runs",
        "showlegend": False,
        "marker": {
            "symbol": f"{_SYMBOLS[number]}-open", "size": 13, "color": ink, "line": {"width": 2},
        },
        "hovertemplate": "%{y:.3g} in runs",
    }  # fmt: skip


def _bound(bound: Bound, ink: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": bound.x,
        "y": bound.tv,
        "mode": "lines",
        "name": bound.title,
        "line": {"color": ink, "dash": "dot", "width": 1.5},
        "hovertemplate": "%{y:.3g} proved",
    }
