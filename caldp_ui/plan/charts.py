"""The picture of a plan: people needed against ε, one line a protection.

Room: plan.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go

from caldp_ui.app.theme import Palette
from caldp_ui.charts.curves import AGAINST_EPSILON, AGAINST_PEOPLE
from caldp_ui.charts.planes import level, plane, upright
from caldp_ui.compute import runs
from caldp_ui.controls.choices import NAMES
from caldp_ui.plan import words
from caldp_ui.plan.slot import Plan
from caldp_ui.plan.work import Need

_DASHES: Final = ("dash", "solid", "dashdot", "longdash", "dot")
_SYMBOLS: Final = ("diamond", "circle", "square", "triangle-up", "star")


def of(
    record: Plan, points: Mapping[str, Sequence[Need]], pinned: Need | None, colours: Palette
) -> go.Figure:
    """The picture of a record: its own protection strong, its ε and people dotted."""
    titles = {name: words.title(record, name) for name in NAMES}
    here = (record.epsilon, runs.people(record.scenario))
    return people_against_epsilon(points, titles, record.protection, here, colours, pinned=pinned)


def people_against_epsilon(
    points: Mapping[str, Sequence[Need]],
    titles: Mapping[str, str],
    chosen: str,
    here: tuple[float, int],
    colours: Palette,
    *,
    pinned: Need | None = None,
) -> go.Figure:
    """All protections; the chosen one strong. `here`: the reader's ε and people, dotted.

    `pinned`: another plan's need, as a point.
    """
    traces = [
        _line(titles[name], needs, number, name == chosen, colours)
        for number, (name, needs) in enumerate(points.items())
    ]
    if pinned is not None and pinned.people is not None:
        traces.append(_point(pinned, colours))
    epsilon, people = here
    needed = {**AGAINST_PEOPLE, "title_text": "people needed"}
    shapes = [upright(epsilon, colours), level(people, colours)]
    return plane(traces, AGAINST_EPSILON, needed, shapes, colours, left=92)


def _point(need: Need, colours: Palette) -> dict[str, Any]:
    looks = {"size": 15, "symbol": "square-open", "color": colours.pinned, "line": {"width": 3}}
    return {
        "type": "scatter",
        "x": [need.epsilon],
        "y": [need.people],
        "mode": "markers",
        "name": "pinned",
        "marker": looks,
        "hovertemplate": "%{y:,.3s} people",
    }


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
