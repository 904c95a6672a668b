"""Day by day: the chance that the attacker gives the true place. Two candidates: both errors.

Colour is never alone: dashes, dots and symbols tell the curves apart, too.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go

from caldp_core.basics.types import Floats
from caldp_ui.adversary.beliefs import BeliefData
from caldp_ui.app.theme import Palette

HEIGHT: Final = 360
CURVE: Final = 116
"""Pixels of the chart above the slider of days; `style.css` lays the slider below its axis."""
LEFT: Final = 56
RIGHT: Final = 150
_TICKS: Final = (0, 25, 50, 75, 100)
_APART: Final = 22.0
"""Percentage points between the names of two lines."""


def curve(data: BeliefData, colours: Palette) -> go.Figure:
    """Chance of the true place after each day; its axis is the slider of days below it."""
    ours, plain = data.ours, data.plain
    every = range(len(ours.beliefs))
    fresh = [ours.chance_of_truth(m) for m in every]
    lines = (
        (
            "plain LDP, fresh",
            [plain.chance_of_truth(m) for m in every],
            (colours.plain, "dash", "diamond"),
        ),
        (
            "one stored report",
            [fresh[min(m, 1)] for m in every],
            (colours.ours, "dashdot", "square-open"),
        ),
        ("fresh reports", fresh, (colours.ours, "solid", "circle")),
    )
    layout = {
        "xaxis": {"range": [0, len(fresh) - 1], "visible": False, "fixedrange": True},
        "yaxis": _percent(colours),
        "height": CURVE,
        "margin": {"l": LEFT, "r": RIGHT, "t": 22, "b": 8},
        "showlegend": False,
        "dragmode": False,
        "hovermode": "x unified",
        "annotations": [
            *_names({name: (shares[-1], look[0]) for name, shares, look in lines}),
            _title("Chance given to the true place, day by day", colours),
        ],
    }
    return go.Figure([_line(*line) for line in lines], layout)


def _title(text: str, colours: Palette) -> dict[str, Any]:
    return {
        "text": text,
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"color": colours.text, "size": 14},
    }


def _names(ends: Mapping[str, tuple[float, str]]) -> list[dict[str, Any]]:
    """The lines' names at their right ends, so far apart that each is read."""
    placed, lowest = [], -math.inf
    for name, (share, colour) in sorted(ends.items(), key=lambda end: end[1][0]):
        lowest = max(100 * share, lowest + _APART)
        placed.append((name, colour, lowest))
    over = max(0.0, lowest - 104)
    return [
        {
            "text": f"<b>{name}</b>",
            "x": 1,
            "xref": "paper",
            "xanchor": "left",
            "xshift": 8,
            "y": at - over * (1 if len(placed) == 1 else index / (len(placed) - 1)),
            "showarrow": False,
            "font": {"color": colour, "size": 14},
        }
        for index, (name, colour, at) in enumerate(placed)
    ]


def _percent(colours: Palette) -> dict[str, Any]:
    return {
        "range": [-3, 108],
        "tickvals": _TICKS,
        "ticktext": [f"{tick} %" for tick in _TICKS],
        "fixedrange": True,
        "tickfont": {"color": colours.text, "size": 13},
    }


def limits(data: BeliefData, colours: Palette) -> go.Figure:
    """The most that ε allows the attacker to learn, whatever the noise; and this outcome."""
    ours = data.ours
    every = range(len(ours.beliefs))
    fresh = [ours.chance_of_truth(m) for m in every]
    once = [ours.limits[min(m, 1)] for m in every]
    lines = (
        ("limit, one stored report", once, (colours.faint, "dashdot", "square-open")),
        ("limit, fresh reports", ours.limits, (colours.faint, "dot", "circle")),
        ("this outcome, fresh", fresh, (colours.ours, "solid", "circle")),
    )
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text}
    layout = {
        "xaxis": {"title_text": "days, a report each", "dtick": 1, "fixedrange": True, **texts},
        "yaxis": {**_percent(colours), "title_text": "chance of the true place"},
        "height": HEIGHT,
        "margin": {"l": 70, "r": 190, "t": 10, "b": 45},
        "showlegend": False,
        "dragmode": False,
        "hovermode": "x unified",
        "annotations": _names({name: (shares[-1], look[0]) for name, shares, look in lines}),
    }
    return go.Figure([_line(*line) for line in lines], layout)


def _line(name: str, shares: Sequence[float], look: tuple[str, str, str]) -> dict[str, Any]:
    """Trace of shares in [0, 1] by day. `look`: colour, dash and symbol."""
    colour, dash, symbol = look
    return {
        "type": "scatter",
        "name": name,
        "x": list(range(len(shares))),
        "y": [100 * share for share in shares],
        "mode": "lines+markers",
        "line": {"color": colour, "dash": dash, "width": 2.5},
        "marker": {"symbol": symbol, "size": 7},
        "cliponaxis": False,
        "hovertemplate": "%{y:.3g} %",
    }


def regions(
    claimed: Floats, reached: Floats, places: tuple[str, str], colours: Palette
) -> go.Figure:
    """Both errors of a test of two places, of 100: what ε allows, what this channel reaches.

    `claimed`, `reached`: corners (P_FA, P_MD) from (0, 1) to (1, 0).
    """
    here, there = places
    traces = [
        _errors("a guess without a report", [[0, 1], [1, 0]], (colours.faint, "dot")),
        _errors("what ε allows", claimed.tolist(), (colours.plain, "dash")),
        _errors("what this method reaches", reached.tolist(), (colours.ours, "solid")),
    ]
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text}
    axis: dict[str, Any] = {"range": [-3, 103], "dtick": 25, "zeroline": False, **texts}
    layout = {
        "xaxis": {**axis, "title_text": f"of 100 people in {there}, guessed in {here}"},
        "yaxis": {**axis, "title_text": f"of 100 in {here}, guessed in {there}"},
        "height": HEIGHT,
        "margin": {"l": 0, "r": 10, "t": 60, "b": 0},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        "dragmode": False,
    }
    return go.Figure(traces, layout)


def _errors(name: str, corners: list[list[float]], look: tuple[str, str]) -> dict[str, Any]:
    colour, dash = look
    return {
        "type": "scatter",
        "name": name,
        "x": [100 * corner[0] for corner in corners],
        "y": [100 * corner[1] for corner in corners],
        "mode": "lines+markers",
        "line": {"color": colour, "dash": dash, "width": 2.5},
        "marker": {"size": 7},
        "hovertemplate": "%{x:.1f} and %{y:.1f}",
    }
