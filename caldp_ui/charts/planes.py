"""The plane on which curves of several pages are drawn, and dotted lines for where the reader is.

Room: charts.
"""

from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go

from caldp_ui.app.theme import Palette

Shape = dict[str, Any]
FIXED: Final = {"automargin": False}
"""Of an axis: it has the room that the chart's margins give it.

Room that Plotly finds by itself, it finds by drawing everything twice."""


def plane(
    traces: Sequence[Any],
    x: dict[str, Any],
    y: dict[str, Any],
    shapes: Sequence[Shape],
    colours: Palette,
    *,
    height: int = 430,
    left: int = 72,
) -> go.Figure:
    """A figure with names of curves above, `height` pixels high; `x` and `y` are its axes.

    `left`: pixels for the numbers of `y` and its title.
    """
    # Streamlit's own grey is too faint to read.
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text, **FIXED}
    layout = {
        "xaxis": {**x, **texts},
        "yaxis": {**y, **texts},
        "height": height,
        "margin": {"l": left, "r": 10, "t": 30, "b": 50},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        "dragmode": False,  # a finger that scrolls the page would zoom
        "hovermode": "x unified",
        "shapes": list(shapes),
    }
    return go.Figure(list(traces), layout)


def upright(x: float, colours: Palette) -> Shape:
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


def level(y: float, colours: Palette) -> Shape:
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


def _dotted(colours: Palette) -> Shape:
    return {"line": {"color": colours.faint, "dash": "dot", "width": 1.5}}
