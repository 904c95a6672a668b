"""The plane of errors (CALDP Figure 1), and what many reports leave likely as dots.

Room: yesno. Colour is never alone: this protection is a solid line and circles, Warner's coin
dashes and diamonds.
"""

from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from caldp_core.basics.types import Floats
from caldp_ui.app.theme import Palette
from caldp_ui.yesno.shown import Coin, Shown

HEIGHT: Final = 340
_COLUMNS: Final = 26
"""Columns of dots over the range that is shown."""
_STACK_MIN: Final = 8
"""Dots of a column that fill its row at least, so that few dots are not drawn as a tower."""
_ROWS: Final = ((1.4, "this protection"), (0.0, "Warner's coin"))
_MARGIN: Final = {"r": 8, "t": 6, "b": 48, "autoexpand": False}
"""Room that Plotly finds by itself, it finds by drawing twice."""


def plane(what: Shown, pinned: Shown | None, colours: Palette) -> go.Figure:
    """Both kinds of error of a guess from a report, as people of 100: what the promise allows.

    The triangle: every pair of errors that some mechanism of this promise reaches. Its corner is
    this very mechanism. `pinned`: another coin to see beside it.
    """
    kept = []
    if pinned is not None:
        kept = [
            _border(pinned.ours, colours.pinned, "dashdot"),
            _point("pinned", pinned.ours, colours.pinned, "square", colours, at="bottom right"),
        ]
    traces = [
        _region(what.ours, colours),
        _border(what.warner, colours.plain, "dash"),
        _guess(colours),
        *kept,
        _point("Warner's", what.warner, colours.plain, "diamond", colours),
        _point("this", what.ours, colours.ours, "circle", colours),
    ]
    axis: dict[str, Any] = {"range": [-4, 104], "dtick": 25, "zeroline": False, **_texts(colours)}
    layout = {
        "xaxis": {**axis, "title_text": "of 100 with yes, taken for no", "constrain": "domain"},
        "yaxis": {
            **axis,
            "title_text": "of 100 with no, taken for yes",
            "scaleanchor": "x",
            "constrain": "domain",
            "constraintoward": "top",
        },
        "height": HEIGHT,
        "margin": {**_MARGIN, "l": 56},
        "dragmode": False,
        "showlegend": False,
        "annotations": [
            _note(72, 96, "guessing without a report", colours.text, "center"),
            _note(2, 3, "out of reach", colours.text, "left"),
        ],
    }
    return go.Figure(traces, layout)


def _texts(colours: Palette) -> dict[str, str]:
    return {"tickfont_color": colours.text, "title_font_color": colours.text}


def _note(x: float, y: float, text: str, colour: str, anchor: str) -> dict[str, Any]:
    font = {"size": 12, "color": colour}
    return {"x": x, "y": y, "text": text, "font": font, "showarrow": False, "xanchor": anchor}


def _corners(coin: Coin) -> tuple[list[float], list[float]]:
    """Always no, the corner, always yes: in people of 100."""
    vertex = coin.vertex
    return [0.0, 100 * vertex.false_alarm, 100.0], [100.0, 100 * vertex.missed, 0.0]


def _region(coin: Coin, colours: Palette) -> dict[str, Any]:
    x, y = _corners(coin)
    return {
        "type": "scatter",
        "x": [*x, 0.0],
        "y": [*y, 100.0],
        "mode": "lines",
        "fill": "toself",
        "fillcolor": _faint(colours.ours),
        "line": {"color": colours.ours, "width": 2.5},
        "hoverinfo": "skip",
    }


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.22)"


def _border(coin: Coin, colour: str, dash: str) -> dict[str, Any]:
    x, y = _corners(coin)
    line = {"color": colour, "width": 2, "dash": dash}
    return {"type": "scatter", "x": x, "y": y, "mode": "lines", "line": line, "hoverinfo": "skip"}


def _guess(colours: Palette) -> dict[str, Any]:
    line = {"color": colours.faint, "width": 1.5, "dash": "dot"}
    ends = {"x": [0, 100], "y": [100, 0]}
    return {"type": "scatter", **ends, "mode": "lines", "line": line, "hoverinfo": "skip"}


def _point(
    name: str, coin: Coin, colour: str, symbol: str, colours: Palette, *, at: str = "top right"
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [100 * coin.errors.false_alarm],
        "y": [100 * coin.errors.missed],
        "mode": "markers+text",
        "name": name,
        "text": name,
        "textposition": at,
        "textfont_color": colours.text,
        "cliponaxis": False,
        "marker": {
            "color": colour,
            "symbol": symbol,
            "size": 14,
            "line": {"color": colours.edge, "width": 1.5},
        },
        "hovertemplate": "%{x:.1f} of 100 with yes taken for no,<br>"
        "%{y:.1f} of 100 with no taken for yes",
    }


def likely(what: Shown, colours: Palette) -> go.Figure:
    """50 dots each: equally likely shares of yes, given the reports; the truth as a line."""
    low, high = _range(what)
    styles = ((what.ours, colours.ours, "circle"), (what.warner, colours.plain, "diamond"))
    texts, traces = [], []
    for (base, name), (coin, colour, symbol) in zip(_ROWS, styles, strict=True):
        traces.append(_dots(coin.dots, (low, high), base, colour, symbol))
        said = f"<b>{name}</b>: {100 * coin.low:.1f} to {100 * coin.high:.1f} %"
        told = _note(low, base + 1.02, said, colours.text, "left")
        texts.append({**told, "yanchor": "bottom", "bgcolor": colours.edge})
    truth = 100 * what.truth
    line = {"color": colours.text, "dash": "dot", "width": 1.5}
    upright = {"type": "line", "x0": truth, "x1": truth, "y0": -0.04, "y1": 2.75, "line": line}
    near_end = truth > (low + high) / 2
    side = "right" if near_end else "left"
    told = _note(truth, 2.95, f"truth: {truth:.3g} %", colours.text, side)
    texts.append({**told, "xshift": -5 if near_end else 5, "yanchor": "top"})
    layout = {
        "xaxis": {"range": [low, high], "title_text": "people with yes, %", **_texts(colours)},
        "yaxis": {"range": [-0.06, 2.95], "visible": False},
        "height": HEIGHT,
        "margin": {**_MARGIN, "l": 4},
        "dragmode": False,
        "showlegend": False,
        "shapes": [upright],
        "annotations": texts,
    }
    return go.Figure(traces, layout)


def _range(what: Shown) -> tuple[float, float]:
    """Percent from the least dot to the largest, with a little air."""
    every = np.concatenate([what.ours.dots, what.warner.dots, [what.truth]])
    low, high = 100 * float(every.min()), 100 * float(every.max())
    air = max(0.06 * (high - low), 0.01)
    return low - air, high + air


def _dots(
    shares: Floats, span: tuple[float, float], base: float, colour: str, symbol: str
) -> dict[str, Any]:
    width = (span[1] - span[0]) / _COLUMNS
    column = np.floor((100 * shares - span[0]) / width).astype(int)
    level = np.arange(column.size) - np.searchsorted(column, column)  # they ascend
    tallest = max(int(level.max()) + 1, _STACK_MIN)
    return {
        "type": "scatter",
        "x": span[0] + (column + 0.5) * width,
        "y": base + (level + 0.5) / tallest,
        "mode": "markers",
        "marker": {"color": colour, "symbol": symbol, "size": 9},
        "customdata": 100 * shares,
        "hovertemplate": "1 of 50 equally likely shares: %{customdata:.1f} %<extra></extra>",
    }
