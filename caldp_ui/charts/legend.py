"""The legend of a chart as a row of words that wraps on phones.

A legend of Plotly's own, whose room is found by drawing all again, doubles the time that a new
picture takes; with this one margins can be fixed.
"""

from html import escape
from typing import Any, Final

import plotly.graph_objects as go

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
