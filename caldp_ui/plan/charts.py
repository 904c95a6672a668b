"""The picture of a plan: people needed against ε, one line a protection.

Room: plan.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go

from caldp_ui.app.theme import Palette
from caldp_ui.charts.curves import AGAINST_EPSILON, AGAINST_PEOPLE
from caldp_ui.plan.work import Need

_DASHES: Final = ("dash", "solid", "dashdot", "longdash", "dot")
_SYMBOLS: Final = ("diamond", "circle", "square", "triangle-up", "star")


def people_against_epsilon(
    points: Mapping[str, Sequence[Need]],
    titles: Mapping[str, str],
    chosen: str,
    here: tuple[float, int],
    colours: Palette,
) -> go.Figure:
    """All protections; the chosen one strong. `here`: the reader's ε and people, dotted."""
    traces = [
        _line(titles[name], needs, number, name == chosen, colours)
        for number, (name, needs) in enumerate(points.items())
    ]
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text}
    style = {"color": colours.faint, "dash": "dot", "width": 1.5}
    epsilon, people = here
    axis = {key: value for key, value in AGAINST_PEOPLE.items() if key != "title_text"}
    layout = {
        "xaxis": {**AGAINST_EPSILON, **texts},
        "yaxis": {**axis, "title_text": "people needed", **texts},
        "height": 430,
        "margin": {"l": 0, "r": 10, "t": 30, "b": 0},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        "dragmode": False,
        "hovermode": "x unified",
        "shapes": [
            {
                "type": "line", "x0": epsilon, "x1": epsilon, "y0": 0, "y1": 1,
                "yref": "y domain", "line": style,
            },
            {
                "type": "line", "y0": people, "y1": people, "x0": 0, "x1": 1,
                "xref": "x domain", "line": style,
            },
        ],
    }  # fmt: skip
    return go.Figure(traces, layout)


def _line(
    title: str, needs: Sequence[Need], number: int, chosen: bool, colours: Palette
) -> dict[str, Any]:
    ink = colours.plain if number == 0 else colours.ours
    return {
        "type": "scatter",
        "x": [each.epsilon for each in needs],
        "y": [each.people for each in needs],
        "mode": "lines+markers",
        "name": title,
        "opacity": 1.0 if chosen or number == 0 else 0.7,
        "line": {"color": ink, "dash": _DASHES[number], "width": 4 if chosen else 2},
        "marker": {"symbol": _SYMBOLS[number], "size": 9 if chosen else 7, "color": ink},
        "hovertemplate": "%{y:,.3s} people",
    }
