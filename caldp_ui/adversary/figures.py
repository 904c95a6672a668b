"""Day by day: the chance that the onlooker puts on the true place. Two candidates: both errors.

Room: adversary. Colour is never alone: dashes, dots and symbols tell the curves apart, too.
"""

from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go

from caldp_core.basics.types import Floats
from caldp_ui.adversary.beliefs import Shown
from caldp_ui.app.theme import Palette

HEIGHT: Final = 360


def days(what: Shown, colours: Palette) -> go.Figure:
    """Fresh and memoised noise, plain LDP with fresh noise, and the most that is allowed."""
    ours, plain = what.ours, what.plain
    every = list(range(len(ours.after)))
    fresh = [ours.on_truth(m) for m in every]
    memoised = [fresh[min(m, 1)] for m in every]
    once = [ours.most[min(m, 1)] for m in every]
    others = [plain.on_truth(m) for m in every]
    traces = [
        _line("the most, new noise (m · ε)", ours.most, (colours.faint, "dot", "circle"), "lines"),
        _line("the most, memoised", once, (colours.faint, "dashdot", "circle"), "lines"),
        _line("plain LDP, new noise", others, (colours.plain, "dash", "diamond")),
        _line("this, new noise", fresh, (colours.ours, "solid", "circle")),
        _line("this, memoised", memoised, (colours.ours, "dashdot", "square-open")),
    ]
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text}
    now = {"color": colours.faint, "dash": "dot", "width": 1.5}
    layout = {
        "xaxis": {"title_text": "days, a report each", "dtick": 1, **texts},
        "yaxis": {"title_text": "put on the true place, of 100", "range": [0, 104], **texts},
        "height": HEIGHT,
        "margin": {"l": 0, "r": 10, "t": 60, "b": 0},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        "dragmode": False,
        "hovermode": "x unified",
        "shapes": [
            {
                "type": "line",
                "x0": what.record.days,
                "x1": what.record.days,
                "y0": 0,
                "y1": 1,
                "yref": "y domain",
                "line": now,
            }
        ],
    }
    return go.Figure(traces, layout)


def _line(
    name: str, shares: Sequence[float], look: tuple[str, str, str], mode: str = "lines+markers"
) -> dict[str, Any]:
    """`look`: colour, dash and symbol."""
    colour, dash, symbol = look
    return {
        "type": "scatter",
        "name": name,
        "x": list(range(len(shares))),
        "y": [100 * share for share in shares],
        "mode": mode,
        "line": {"color": colour, "dash": dash, "width": 2.5},
        "marker": {"symbol": symbol, "size": 8},
        "hovertemplate": "%{y:.1f}",
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
        "xaxis": {**axis, "title_text": f"of 100 in {there}, taken for {here}"},
        "yaxis": {**axis, "title_text": "of 100 the other way round"},
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
