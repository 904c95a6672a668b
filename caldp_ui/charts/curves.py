"""Charts that are not maps.

Room: charts. Colour is never alone: this protection is solid, plain LDP dashed. Figures are built
in one go, as Plotly checks a figure anew each time that something is added to it.
"""

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from caldp_core.experiments.forecast import Curve
from caldp_ui.app.theme import Palette
from caldp_ui.charts.planes import FIXED

HEIGHT: Final = 330
_NAMES: Final = 28
"""Pixels of the row with the lines' names."""
_FAINTEST: Final = 1e-6
"""Errors below have no numbers on a log scale."""
_DECADES_IN_FULL: Final = 2.5
"""On a log scale over fewer powers of ten than these, 2 and 5 times a power are named too."""
AGAINST_EPSILON: Final[dict[str, Any]] = {
    "title_text": "privacy level ε (left: more secret)",
    "type": "log",
    "tickvals": [0.1, 0.2, 0.5, 1, 2, 5, 10, 20],
}
"""The abscissa of curves over ε."""
AGAINST_PEOPLE: Final[dict[str, Any]] = {
    "title_text": "number of people",
    "type": "log",
    "tickvals": [10**power for power in range(3, 13)],
    "ticktext": ["1,000", "", "", "1 million", "", "", "1 billion", "", "", "1 trillion"],
    "tickangle": 0,
}
"""The abscissa of curves over the number of people."""
AGAINST_BLOCKS: Final[dict[str, Any]] = {
    "title_text": "number of blocks (right: less hidden)",
    "type": "log",
    "tickvals": [1, 10, 100, 1000, 10_000],
}
"""The abscissa of curves over the number of blocks."""
AGAINST_SENSITIVE: Final[dict[str, Any]] = {
    "title_text": "sensitive places (right: more hidden)",
    "type": "log",
    "tickvals": [10, 100, 1000, 10_000, 43_750],
}
"""The abscissa of curves over the size of the sensitive set."""


@dataclass(frozen=True)
class Line:
    """A curve as readers tell it apart, and `now`: this very outcome at the present setting."""

    name: str
    curve: Curve
    now: float
    colour: str
    dash: str
    symbol: str


def error_curves(
    ours: tuple[Curve, float],
    plain: tuple[Curve, float],
    present: float,
    abscissa: dict[str, Any],
    colours: Palette,
) -> go.Figure:
    """Expected TV of both with 90 % bands, and (curve, TV) of this outcome at `present`."""
    lines = (
        Line("plain LDP", *plain, colours.plain, "dash", "diamond"),
        Line("this protection", *ours, colours.ours, "solid", "circle"),
    )
    traces = [
        *(_band(line) for line in lines),
        *(_mean(line) for line in lines),
        *(_mark(line, present, colours.edge) for line in lines),
    ]
    top = max(float(max(line.curve.high.max(), line.now)) for line in lines)
    ordinate = _logarithmic(lines, top) if top > 1.5 else {"range": [0, min(1.0, 1.08 * top)]}
    # Streamlit's own grey is too faint to read.
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text, **FIXED}
    layout = {
        "xaxis": {**abscissa, **texts},
        "yaxis": {"title_text": "error (total variation)", **ordinate, **texts},
        "height": HEIGHT,
        "margin": {"l": 72, "r": 30, "t": _NAMES, "b": 50},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        "dragmode": False,  # a finger that scrolls the page would zoom
        "hovermode": "x unified",
        "shapes": [_upright(present, colours.faint)],
    }
    return go.Figure(traces, layout)


def _logarithmic(lines: tuple[Line, ...], top: float) -> dict[str, Any]:
    """A log scale whose every number is written in full: Plotly's own reads "2 5 2 5"."""
    low = min(float(min(line.curve.low.min(), line.now)) for line in lines)
    low = max(low, _FAINTEST)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(top))
    parts = (1, 2, 5) if math.log10(top / low) <= _DECADES_IN_FULL else (1,)
    ticks = [part * 10.0**power for power in range(first, last + 1) for part in parts]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:,.9g}" for tick in ticks]}


def _band(line: Line) -> dict[str, Any]:
    curve = line.curve
    return {
        "type": "scatter",
        "x": np.concatenate([curve.x, curve.x[::-1]]),
        "y": np.concatenate([curve.high, curve.low[::-1]]),
        "fill": "toself",
        "fillcolor": line.colour,
        "opacity": 0.22,
        "line": {"width": 0},
        "mode": "lines",
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _mean(line: Line) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": line.curve.x,
        "y": line.curve.tv,
        "mode": "lines",
        "name": line.name,
        "line": {"color": line.colour, "dash": line.dash, "width": 2.5},
        "hovertemplate": "%{y:.3f}",
    }


def _mark(line: Line, present: float, edge: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [present],
        "y": [line.now],
        "mode": "markers",
        "name": f"{line.name}, this outcome",
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


def _upright(x: float, colour: str) -> dict[str, Any]:
    style = {"color": colour, "dash": "dot", "width": 1.5}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "y domain", "line": style}
