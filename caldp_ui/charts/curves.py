"""Expected errors of this protection and of plain LDP, each line named on the picture.

Colour is never alone: this protection is solid, plain LDP dashed. Figures are built in one go, as
Plotly checks a figure anew each time that something is added to it.
"""

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from caldp_core.experiments.forecast import Curve
from caldp_ui.app.theme import Palette
from caldp_ui.charts import errors
from caldp_ui.charts.labels import Label
from caldp_ui.charts.planes import Words, plane, vertical_line
from caldp_ui.words import formats

HEIGHT: Final = 360
EPSILON_AXIS: Final[dict[str, Any]] = {
    "title_text": "privacy level ε (left: more private; log scale)",
    "type": "log",
    "tickvals": [0.1, 0.2, 0.5, 1, 2, 5, 10, 20],
}
"""The abscissa of curves over ε."""
PEOPLE_AXIS: Final[dict[str, Any]] = {
    "title_text": "number of people (log scale)",
    "type": "log",
    "tickvals": [10**power for power in range(3, 13)],
    "ticktext": [formats.people(10**power) for power in range(3, 13)],
    "tickangle": 0,
}
"""The abscissa of curves over the number of people."""
BLOCKS_AXIS: Final[dict[str, Any]] = {
    "title_text": "number of blocks (right: less hidden; log scale)",
    "type": "log",
    "tickvals": [1, 10, 100, 1000, 10_000],
    "ticktext": ["1", "10", "100", "1,000", "10,000"],
}
"""The abscissa of curves over the number of blocks."""
SENSITIVE_AXIS: Final[dict[str, Any]] = {
    "title_text": "sensitive places (right: more hidden; log scale)",
    "type": "log",
    "tickvals": [10, 100, 1000, 10_000, 43_750],
    "ticktext": ["10", "100", "1,000", "10,000", "43,750"],
}
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
    x = {**abscissa, "range": _range(lines, current_x)}
    marks = [vertical_line(current_x, colours)] if is_there else []
    return plane(traces, x, y, marks, colours, words=Words(ends, notes=here), height=HEIGHT)


def _range(lines: tuple[Line, ...], present: float) -> list[float]:
    """The whole curves and where the reader is, on a log axis, with a little room; 0 is on none."""
    places = [present, *(float(x) for line in lines for x in line.curve.x)]
    places = [place for place in places if place > 0]
    low, high = math.log10(min(places)), math.log10(max(places))
    return [low - 0.02 * (high - low), high + 0.02 * (high - low)]


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
    return {
        "type": "scatter",
        "x": line.curve.x,
        "y": line.curve.tv,
        "mode": "lines",
        "name": line.name,
        "line": {"color": line.colour, "dash": line.dash, "width": 2.5},
        "text": [errors.error_scale(wrong).describe(float(tv)) for tv in line.curve.tv],
        "hovertemplate": "%{text}",
    }


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
