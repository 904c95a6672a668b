"""The picture of a plan: people needed against ε, one line a protection."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go

from caldp_ui.app.theme import Palette
from caldp_ui.charts.curves import (
    EPSILON_AXIS,
    Words,
    gap_arrow,
    horizontal_line,
    plane,
    vertical_line,
)
from caldp_ui.charts.labels import Label
from caldp_ui.compute import runs
from caldp_ui.controls.choices import PLAIN
from caldp_ui.plan import words
from caldp_ui.plan.page_state import Plan
from caldp_ui.plan.people_needed import Need
from caldp_ui.words import formats

HEIGHT: Final = 520
_DASHES: Final = ("dash", "solid", "dashdot", "longdash", "dot")
_SYMBOLS: Final = ("diamond", "circle", "square", "triangle-up", "star")
_APART: Final = "\N{NO-BREAK SPACE}" * 2
_MIN_DISTANCE: Final = 0.15
"""Two levels of ε that are nearer (as logarithms) have no room for a text each."""
_RANGE: Final = (0.1, 10.0)
"""ε's of the picture, two whole powers of ten."""


def figure(
    record: Plan, points: Mapping[str, Sequence[Need]], pinned: Need | None, colours: Palette
) -> go.Figure:
    """The picture of a record: its own protection bold, its ε and people dotted.

    `pinned`: another plan's need, as a point.
    """
    people = runs.people(record.scenario)
    traces = [
        _line(
            words.protection_title(record, name), needs, number, name == record.protection, colours
        )
        for number, (name, needs) in enumerate(points.items())
    ]
    if pinned is not None and pinned.people is not None:
        traces.append(_point(pinned, colours))
    notes = [_your_people(people, colours), *_sufficient_labels(record, points, people, colours)]
    pair = _pair(record, points)
    if pair is not None:
        ours, plain = ((need.epsilon, float(need.people or 1)) for need in pair)
        traces.append(gap_arrow((ours, plain), colours))
        # Until more points are known, the lines' names stand at the left of this one.
        names_here = points[record.protection][0].epsilon == record.epsilon
        notes += _gap_labels(pair, "bottom right" if names_here else "bottom left", colours)
    y = _ordinate([each.people for needs in points.values() for each in needs], people)
    top = 10.0 ** y["range"][1]
    notes.append(
        Label(record.epsilon, top, f"you: ε = {record.epsilon:g}", colours.text, "top center")
    )
    x = {**EPSILON_AXIS, "range": [math.log10(e) for e in _epsilon_range(record)]}
    labels = Words(at_starts=_names(record, points, colours), notes=notes)
    shapes = [vertical_line(record.epsilon, colours), horizontal_line(people, colours)]
    return plane(traces, x, y, shapes, colours, words=labels, height=HEIGHT, left=104)


def _epsilon_range(record: Plan) -> tuple[float, float]:
    low, high = min(_RANGE[0], record.epsilon), max(_RANGE[1], record.epsilon)
    return 0.94 * low, 1.06 * high


def _ordinate(needed: Sequence[int | None], people: int) -> dict[str, Any]:
    """The axis of people: whole powers of ten around all needs and the reader's people."""
    known = [float(each) for each in (*needed, people) if each]
    first, last = math.floor(math.log10(min(known))), math.ceil(math.log10(max(known)))
    last = max(last, first + 1)
    ticks = [10**power for power in range(first, last + 1)]
    room = 0.02 * (last - first)
    return {
        "title_text": "people needed (log scale)",
        "type": "log",
        "range": [first - room, last + room],
        "tickvals": ticks,
        "ticktext": [formats.people(tick) for tick in ticks],
    }


def _names(record: Plan, points: Mapping[str, Sequence[Need]], colours: Palette) -> list[Label]:
    """Each line's name at its left end: at the right, all come together."""
    return [
        Label(
            first.epsilon,
            first.people or 1,
            words.protection_title(record, name),
            _ink(name, colours),
        )
        for name, needs in points.items()
        for first in needs[:1]
    ]


def _your_people(people: int, colours: Palette) -> Label:
    text = f"you: {formats.people(people)}"
    return Label(_RANGE[1], people, text, colours.text, "bottom left", lift=-3)


def _sufficient_labels(
    record: Plan, points: Mapping[str, Sequence[Need]], people: int, colours: Palette
) -> list[Label]:
    """The ε at which the reader's people are enough, where their level meets the line.

    On a narrow chart it would stand on other numbers; the headline says it.
    """
    enough = words.sufficient_epsilon(record, points)
    if enough is None or abs(math.log(enough / record.epsilon)) < _MIN_DISTANCE:
        return []
    text = f"ε ≈ {formats.digits(enough)} is enough"
    side = "bottom left" if enough < record.epsilon else "top right"
    lift = -4 if "bottom" in side else 2
    return [Label(enough, people, text, colours.ours, side, lift, wide_only=True)]


def _pair(record: Plan, points: Mapping[str, Sequence[Need]]) -> tuple[Need, Need] | None:
    """The needs of the reader's protection and of plain LDP at the reader's ε, if they differ."""
    ours, plain = (
        next((n for n in points.get(name, ()) if n.epsilon == record.epsilon), None)
        for name in (record.protection, PLAIN)
    )
    if ours is None or plain is None or not ours.people or not plain.people:
        return None
    return (ours, plain) if plain.people > 1.05 * ours.people else None


def _gap_labels(pair: tuple[Need, Need], side: str, colours: Palette) -> list[Label]:
    """The numbers of people at both ends of the gap, and how many times as many that is.

    `side`: where the lower number stands.
    """
    ours, plain = (float(need.people or 1) for need in pair)
    at = pair[0].epsilon
    text = f"{_APART}{formats.times(plain / ours)} as many"
    return [
        Label(at, ours, f"{_APART}{words.rounded_people_text(ours)}{_APART}", colours.ours, side),
        Label(at, plain, f"{_APART}{words.rounded_people_text(plain)}", colours.plain, "top right"),
        Label(at, math.sqrt(ours * plain), text, colours.text, "middle right"),
    ]


def _ink(name: str, colours: Palette) -> str:
    return colours.plain if name == PLAIN else colours.ours


def _point(need: Need, colours: Palette) -> dict[str, Any]:
    looks = {"size": 15, "symbol": "square-open", "color": colours.pinned, "line": {"width": 3}}
    return {
        "type": "scatter",
        "x": [need.epsilon],
        "y": [need.people],
        "mode": "markers+text",
        "name": "pinned",
        "text": ["pinned"],
        "textposition": "bottom center",
        "textfont": {"color": colours.pinned},
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
        "text": [words.people_text(each.people or 0) for each in needs],
        "hovertemplate": "%{text}",
    }
