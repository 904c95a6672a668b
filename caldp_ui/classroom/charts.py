"""Charts in type that the last row can read.

Colour is never alone: each line has a dash and each cloud of points a symbol.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from caldp_ui.app.theme import DARK, Palette

HEIGHT: Final = 425
_TYPE: Final = 17
_LETTER: Final = 8.5
"""Pixels of a letter of a tick's label, at most."""
_LETTERS: Final = 5
"""Of a label that Plotly writes itself."""
PEOPLE: Final[dict[str, Any]] = {
    "title_text": "people",
    "type": "log",
    "tickvals": [10**power for power in range(10)],
    "ticktext": ["1", "", "", "1,000", "", "", "1 million", "", "", "1 billion"],
    "tickangle": 0,
}
"""An abscissa of people, in full words."""


@dataclass(frozen=True)
class LineStyle:
    """Colour, dash and symbol of a line or a cloud of points."""

    colour: str
    dash: str = "solid"
    symbol: str = "circle"


def line_styles(colours: Palette) -> tuple[LineStyle, LineStyle, LineStyle, LineStyle]:
    """Styles of our line, the other, a third, and a faint one."""
    third = "#FF9CCB" if colours is DARK else "#98256B"
    return (
        LineStyle(colours.ours),
        LineStyle(colours.plain, "dash", "diamond"),
        LineStyle(third, "dashdot", "square"),
        LineStyle(colours.faint, "dot", "x"),
    )


def line(
    name: str, x: ArrayLike, y: ArrayLike, style: LineStyle, hover_template: str = "%{y:,.3~g}"
) -> Any:
    """Trace of a curve through (n,) `x` and `y`."""
    return {
        "type": "scatter",
        "name": name,
        "x": np.asarray(x),
        "y": np.asarray(y),
        "mode": "lines",
        "line": {"color": style.colour, "dash": style.dash, "width": 4},
        "hovertemplate": hover_template,
    }


def points(name: str, x: ArrayLike, y: ArrayLike, style: LineStyle, size: int = 7) -> Any:
    """Trace of outcomes at (n,) `x` and `y`; in the legend only its curve is named."""
    return {
        "type": "scatter",
        "name": name,
        "x": np.asarray(x),
        "y": np.asarray(y),
        "mode": "markers",
        "showlegend": False,
        "marker": {"color": style.colour, "symbol": style.symbol, "size": size, "opacity": 0.55},
        "hoverinfo": "skip",
    }


def upright(x: float, line_style: LineStyle) -> dict[str, Any]:
    """Shape of a vertical line at x, from the bottom to the top."""
    style = {"color": line_style.colour, "dash": "dot", "width": 2}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "y domain", "line": style}


def figure(
    traces: Sequence[Any],
    x: dict[str, Any],
    y: dict[str, Any],
    colours: Palette,
    **more: Any,
) -> go.Figure:
    """A figure of the page's size and type. `x`, `y`: axes; `more`: further keys of the layout.

    Margins are fixed: Plotly would draw everything twice to find them.
    """
    texts = {
        "tickfont": {"size": _TYPE - 2, "color": colours.text},
        "title_font": {"size": _TYPE, "color": colours.text},
        "title_standoff": 8,
    }
    letters = max(map(len, y.get("ticktext", ["0" * _LETTERS])))
    below = 62 if "title_text" in x else 76  # names may stand upright
    layout = {
        "xaxis": {**x, **texts},
        "yaxis": {**y, **texts},
        "height": HEIGHT,
        "margin": {"l": 40 + _LETTER * letters, "r": 24, "t": 8, "b": below, "autoexpand": False},
        "showlegend": False,
        "dragmode": False,
        "modebar": {"remove": ["zoom", "pan", "zoomin", "zoomout", "resetscale"]},
        "hovermode": "x unified",
        **more,
    }
    return go.Figure(list(traces), layout)
