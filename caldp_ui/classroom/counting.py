"""Station 5: counting with short reports. Sketches, and responses that need no sketch.

Errors are exact standard errors of one item's share, where all items are equally
common; for sketches, over their hash functions, too.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from caldp_core.basics.types import Ints
from caldp_core.lecture.counts import CountMeanSketch, HadamardSketch, Hashes
from caldp_core.mechanisms import in_context
from caldp_core.privacy.context import Context
from caldp_core.theory.expected_error import variance_given_people
from caldp_ui.app.theme import Palette
from caldp_ui.charts.curves import ChartLabel
from caldp_ui.classroom import station
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.classroom.station import TYPE, LineStyle, Station, StationView
from caldp_ui.words import formats
from caldp_ui.words.formats import Headline

FUNCTIONS: Final = 256
_BITS: Final = (1, 3, 10, 30, 100, 300, 1000)
_CELLS: Final = (4, 16, 64, 256, 1024)
_EDGE: Final = 0.01
"""Margin of the axis in decades, without which the first and last tick are left out."""
_FAMILIES: Final = {
    "randomized-response": ("randomized response", "top center"),
    "rappor": ("RAPPOR", "bottom right"),
    "oue": ("optimized unary encoding", "bottom center"),
    "hadamard": ("Hadamard", "middle left"),
    "galois": ("Galois", "bottom left"),
}
"""The catalogue's families by their names in the picture, and where these are written there."""


_LONG: Final = 100
"""Bits of a report from which on there is no room for a name at its right."""
_LEFT_OF_LONG: Final = {"bottom right": "top left", "bottom center": "bottom left"}


@dataclass(frozen=True)
class MethodCost:
    """The cost of a method for a phone, and its accuracy for the server.

    `bits`: of a report. `off`: standard error of an item's share, in [0, 1]. `place`: of its
    name in the picture.
    """

    name: str
    bits: int
    off: float
    place: str = ""


@dataclass(frozen=True)
class MethodCosts:
    """The costs of all methods, sketches for each number of cells.

    `responses`: of the catalogue. `sketch`, `hadamard`: with many functions; `single`: the plain
    sketch with one function for everybody.
    """

    responses: tuple[MethodCost, ...]
    sketch: tuple[MethodCost, ...]
    hadamard: tuple[MethodCost, ...]
    single: tuple[MethodCost, ...]

    def named(self, name: str) -> MethodCost:
        """The response of that title."""
        return next(cost for cost in self.responses if cost.name == name)


def compute_data(lesson: Lesson) -> MethodCosts:
    """Bits and errors of every method."""
    d, n = lesson.items, lesson.n
    people = np.full(d, n // d)
    people[: n % d] += 1
    kinds = (CountMeanSketch, FUNCTIONS), (HadamardSketch, FUNCTIONS), (CountMeanSketch, 1)
    sketches = [
        tuple(_sketched(kind, functions, m, people, lesson) for m in _CELLS)
        for kind, functions in kinds
    ]
    responses = tuple(_response(name, people, lesson) for name in _FAMILIES)
    return MethodCosts(responses, *sketches)


def _sketched(
    kind: type[CountMeanSketch] | type[HadamardSketch],
    functions: int,
    m: int,
    people: Ints,
    lesson: Lesson,
) -> MethodCost:
    # The error is over all hash functions: none has to be drawn.
    sketch = kind(Hashes(np.broadcast_to(0, (functions, people.size)), m), lesson.epsilon)
    off = float(np.sqrt(sketch.variance(people).mean())) / lesson.n
    return MethodCost(f"{m} cells", sketch.bits, off)


def _response(family: str, people: Ints, lesson: Lesson) -> MethodCost:
    response = in_context(Context.plain(people.size, lesson.epsilon), family)
    variances = variance_given_people(response, people / lesson.n, lesson.n)
    bits, (name, place) = response.oracles.report_bits(0), _FAMILIES[family]
    return MethodCost(name, bits, float(np.sqrt(variances.mean())), place)


def open_board(lesson: Lesson) -> StationView:
    """Open the station at a lesson: headline, picture, formula and numbers."""
    data = compute_data(lesson)
    wide, short = data.named("RAPPOR"), data.named("Galois")
    figures = {"short": 100 * short.off, "wide": 100 * wide.off}
    figures |= {"short bits": float(short.bits), "wide bits": float(wide.bits)}
    floor = _floor(lesson)
    details = (
        f"{formats.integer(lesson.items)} items and "
        f"{formats.counted(lesson.n, 'person', 'people')}."
    )
    if lesson.broken:
        details += f" With one hash function for all it is never below {_off(floor)}."
        figures["floor"] = 100 * floor
    numbers = _numbers(data)
    return StationView(
        Headline(
            f"Galois reports of {_bits(short.bits)} are off by {_off(short.off)}, RAPPOR's "
            f"{_bits(wide.bits)} by {formats.digits(100 * wide.off)}.",
            f"This is the standard error of one item's share. There are {details}",
            figures=figures,
        ),
        lambda: station.formula("bits", functions=FUNCTIONS),
        numbers,
        lambda colours: figure(data, lesson, colours),
        "counting",
        station.alt_text("Standard error of a share against the bits per report.", numbers),
    )


def _floor(lesson: Lesson) -> float:
    """Error that collisions leave with one function, the most cells and any number of people."""
    d = lesson.items
    return float(np.sqrt((d - 1) / d**2 / (_CELLS[-1] - 1)))


def _bits(bits: int) -> str:
    return formats.count(bits, "bit", "bits")


def _off(share: float) -> str:
    return formats.count(formats.digits(100 * share), "percentage point", "percentage points")


def figure(data: MethodCosts, lesson: Lesson, colours: Palette) -> go.Figure:
    """Error against bits, both logarithmic; sketches come with the naive one among them."""
    ours, other, third, faint = station.line_styles(colours)
    traces = []
    if lesson.broken:
        traces = [
            _dots("sketch", data.sketch, other, "lines+markers"),
            _dots("one-bit Hadamard sketch", data.hadamard, third, "lines+markers"),
            _dots("one function for all", data.single, faint, "lines+markers"),
        ]
    traces += [_named(cost, ours) for cost in data.responses]
    x = {
        "title_text": "bits per report",
        "type": "log",
        "tickvals": _BITS,
        "ticktext": [formats.integer(bits) for bits in _BITS],
        "tickangle": 0,
        "range": [-0.35, 3.15],
    }
    y = {"title_text": "standard error, percentage points", **_decades(data, lesson)}
    better = ChartLabel(1, 1.03 * 10.0 ** y["range"][0], "↙ better", colours.text, "top center")
    return station.figure(traces, x, y, colours, labels=[better], hovermode="closest")


def _decades(data: MethodCosts, lesson: Lesson) -> dict[str, Any]:
    """A logarithmic axis of whole decades, so that what is nearly as good looks so."""
    sketches = (*data.sketch, *data.hadamard, *data.single) if lesson.broken else ()
    offs = [100 * cost.off for cost in (*data.responses, *sketches)]
    low, high = math.floor(math.log10(min(offs))), math.ceil(math.log10(max(offs)))
    ticks = [part * 10.0**power for power in range(low, high + 1) for part in (1, 2, 5)]
    return {
        "type": "log",
        "range": [low - _EDGE, high + _EDGE],
        "tickvals": ticks,
        "ticktext": [formats.digits(tick) for tick in ticks],
    }


def _dots(name: str, costs: Sequence[MethodCost], look: LineStyle, mode: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "mode": mode,
        "x": [cost.bits for cost in costs],
        "y": [100 * cost.off for cost in costs],
        "text": [cost.name for cost in costs],
        "line": {"color": look.colour, "dash": look.dash, "width": 3},
        "marker": {"color": look.colour, "symbol": look.symbol, "size": 11},
        "hovertemplate": "%{text}: %{x} bits, off by %{y:.3g} percentage points",
    }


def _named(cost: MethodCost, look: LineStyle) -> dict[str, Any]:
    lines = cost.name.removesuffix(" encoding").replace(" ", "<br>", 1)
    place = _LEFT_OF_LONG.get(cost.place, cost.place) if cost.bits > _LONG else cost.place
    if place == "bottom center":  # below what stands beside the same point
        lines, place = "<br>" + lines.replace("<br>", " "), "bottom right"
    font = {"size": TYPE, "color": look.colour}
    text = {"text": [lines], "textposition": place, "textfont": font}
    dots = _dots(cost.name, [cost], look, "markers+text")
    hover = dots["hovertemplate"].replace("%{text}", cost.name)  # without breaks of lines
    options = {"showlegend": False, "cliponaxis": False, "hovertemplate": hover}
    return {**dots, **text, **options}


def _numbers(data: MethodCosts) -> dict[str, dict[str, str]]:
    rows = [(cost.name, cost) for cost in data.responses]
    rows += [(f"sketch, {cost.name}", cost) for cost in data.sketch]
    rows += [(f"Hadamard sketch, {cost.name}", cost) for cost in data.hadamard]
    return {
        "bits per report": {name: str(cost.bits) for name, cost in rows},
        "standard error of a share": {name: _off(cost.off) for name, cost in rows},
    }


STATION = Station(
    "Shorter reports",
    open_board,
    station.item_dials("Different values to count."),
    (
        "One hash function for all",
        "Adds sketches. With one function, values that share a cell are counted together.",
    ),
    has_draws=lambda _: False,
)
