"""The odds by distance: noise, blocks and plain LDP as curves.

Colour is never alone: dashes and symbols tell the curves apart, too.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from caldp_core.audit.adversary import guess_accuracy, max_guess_accuracy
from caldp_core.basics.types import Floats, Ints
from caldp_ui.app.theme import Palette
from caldp_ui.charts.curves import FIXED
from caldp_ui.distances.page_data import DistanceData, right_guess_probability

HEIGHT: Final = 340
_LABEL_HEIGHTS: Final = {"lines": 88.0, "markers": 60.0}
"""Heights of the names of curves and dots, in right guesses of 100."""
_POINTS: Final = 12
"""Most pairs of places for which the odds are computed from the channel."""


def odds_figure(data: DistanceData, colours: Palette) -> go.Figure:
    """Chart of right guesses between two equally likely places, by their distance."""
    record = data.record
    km = np.geomspace(1.0, 1000.0, 61)
    at, right = exact_odds(data)
    traces = [
        _line("limit by distance", km, [right_guess_probability(record, d) for d in km.tolist()],
              (colours.ours, "solid")),
        _dots("this noise", at, right, colours),
        _line("within one block", km, [max_guess_accuracy(data.blocks_epsilon)] * km.size,
              (colours.faint, "dot")),
        _line("across a block's border", km, [1.0] * km.size, (colours.faint, "dashdot")),
        _line("plain LDP", km, [max_guess_accuracy(record.policy.epsilon)] * km.size,
              (colours.plain, "dash")),
    ]  # fmt: skip
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text, **FIXED}
    ticks = [1, 5, 20, 100, 500]
    layout = {
        "xaxis": {
            "type": "log", "tickvals": ticks, "ticktext": [f"{t} km" for t in ticks],
            "title_text": "distance between two equally likely places", **texts,
        },
        "yaxis": {"title_text": "right guesses of 100", "range": [48, 103], **texts},
        "height": HEIGHT,
        "margin": {"l": 56, "r": 10, "t": 20, "b": 50},
        "showlegend": False,
        "annotations": [_curve_label(trace) for trace in traces if len(trace["x"])],
        "dragmode": False,
    }  # fmt: skip
    return go.Figure(traces, layout)


def _curve_label(trace: Mapping[str, Any]) -> dict[str, Any]:
    """Label with a curve's name on it: at the left where it is flat, else where it is steep."""
    x, y = np.asarray(trace["x"]), np.asarray(trace["y"])
    flat = bool(np.ptp(y) == 0)
    steepest = 0 if flat else int(np.abs(y - _LABEL_HEIGHTS[trace["mode"]]).argmin())
    return {
        "text": f"<b>{trace['name']}</b>",
        "x": float(np.log10(x[steepest])),
        "y": float(y[steepest]),
        "xanchor": "left",
        "yanchor": "bottom" if flat else "top",
        "xshift": 0 if flat else 12,
        "showarrow": False,
        "font": {"color": (trace.get("line") or trace["marker"])["color"], "size": 13},
    }


def exact_odds(data: DistanceData) -> tuple[Floats, Floats]:
    """(pairs,) kilometres and (pairs,) chances of the best guess from one report, in [0.5, 1].

    Exact from the channel, for the record's place and others due north or south of it.
    """
    others = _places_north_south(data)
    place = data.record.place
    right = [guess_accuracy(data.setup.mechanism, place, other) for other in others.tolist()]
    return data.domain.km_from(place)[others], np.array(right)


def _places_north_south(data: DistanceData) -> Ints:
    domain, place = data.domain, data.record.place
    row, column = divmod(place, domain.columns)
    steps = np.unique(np.rint(np.geomspace(1, domain.rows, _POINTS)).astype(np.int64))
    north = np.where(row + steps < domain.rows, row + steps, row - steps)
    return (north * domain.columns + column)[north >= 0]


def _line(name: str, x: Floats, y: list[float], style: tuple[str, str]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "x": x,
        "y": [100 * each for each in y],
        "mode": "lines",
        "line": {"color": style[0], "dash": style[1], "width": 2.5},
        "hovertemplate": "%{x:.3g} km: %{y:.1f} of 100",
    }


def _dots(name: str, x: Floats, y: Floats, colours: Palette) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "x": x,
        "y": 100 * y,
        "mode": "markers",
        "marker": {"color": colours.ours, "symbol": "circle-open", "size": 9},
        "hovertemplate": "%{x:.3g} km: %{y:.1f} of 100, exactly",
    }
