"""Stations 5 and 7: counting with short reports, and what mixing reports adds.

Sketches, and responses that need no sketch. Errors are exact standard errors of one item's share,
where all items are equally common; for sketches, over their hash functions, too. Mixing is in
blocks, too, with who has to trust whom.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Floats, Ints
from caldp_core.lecture.counts import CountMeanSketch, HadamardSketch, Hashes
from caldp_core.mechanisms import in_context
from caldp_core.privacy.context import Context
from caldp_core.theory.expected_error import variance_given_people
from caldp_core.theory.mixing import closed_form_epsilon, numeric_epsilon
from caldp_ui.app.texts import read_toml
from caldp_ui.app.theme import Palette
from caldp_ui.charts.curves import ChartLabel, logarithmic
from caldp_ui.charts.show import Figure
from caldp_ui.classroom import station
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.classroom.station import TYPE, LineStyle, Station, StationView
from caldp_ui.words import formats, promise
from caldp_ui.words.accuracy import terms
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


@cached
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
    return MethodCost(f"{formats.integer(m)} cells", sketch.bits, off)


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
        details += f" With one hash function for all it is never below {formats.points(floor)}."
        figures["floor"] = 100 * floor
    numbers = _numbers(data)
    return StationView(
        Headline(
            f"Galois reports of {formats.count(short.bits, 'bit', 'bits')} are off by "
            f"{formats.points(short.off)}, RAPPOR's {formats.count(wide.bits, 'bit', 'bits')} by "
            f"{formats.digits(100 * wide.off)}.",
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


def figure(data: MethodCosts, lesson: Lesson, colours: Palette) -> Figure:
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
    look: dict[str, Any] = {"tickangle": 0, "range": [-0.35, 3.15]}
    x = logarithmic("bits per report", _BITS, formats.integer, **look)
    y = _decades(data, lesson)
    better = ChartLabel(1, 1.03 * 10.0 ** y["range"][0], "↙ better", colours.text, "top center")
    return station.figure(traces, x, y, colours, labels=[better], hovermode="closest")


def _decades(data: MethodCosts, lesson: Lesson) -> dict[str, Any]:
    """A logarithmic axis of whole decades, so that what is nearly as good looks so."""
    sketches = (*data.sketch, *data.hadamard, *data.single) if lesson.broken else ()
    offs = [100 * cost.off for cost in (*data.responses, *sketches)]
    low, high = math.floor(math.log10(min(offs))), math.ceil(math.log10(max(offs)))
    ticks = [part * 10.0**power for power in range(low, high + 1) for part in (1, 2, 5)]
    ends = [low - _EDGE, high + _EDGE]
    return logarithmic("standard error, percentage points", ticks, formats.digits, range=ends)


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
        "hovertemplate": "%{text}: %{x:,} bits, off by %{y:.3g} percentage points",
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
        "bits per report": {name: formats.integer(cost.bits) for name, cost in rows},
        "standard error of a share": {name: formats.points(cost.off) for name, cost in rows},
    }


BITS_STATION = Station(
    "Shorter reports",
    open_board,
    station.item_dials("Different values to count."),
    (
        "One hash function for all",
        "Adds sketches. With one function, values that share a cell are counted together.",
    ),
    has_draws=lambda _: False,
)


DELTA: Final = 1e-9
"""Most by which the chance of any outcome may exceed what ε after mixing allows."""
FAKES: Final = 90
"""Fakes among 100 in the crowd, in the naive version."""
_FAKE: Final = f"{FAKES} of 100 are fake"
_SIZES: Final = np.array([part * 10**power for power in range(1, 10) for part in (1, 3)][:-1])
"""A tenth of one is another: fakes and most blocks need no bound of their own."""
TRUST: Final[str] = read_toml(__file__, "trust.toml")["text"]


@cached
def mixed_epsilon(epsilon: float, n: int) -> float:
    """ε after mixing n reports, by the numeric bound."""
    return numeric_epsilon(epsilon, n, DELTA)


@dataclass(frozen=True, eq=False)
class ShufflingBounds:
    """ε after mixing.

    `curves`: (sizes, 4) over the numbers of people n: by the numeric bound ("shuffled") and by the
    closed form; in blocks of n/blocks people, and there if `FAKES` of 100 reports are fake.
    `lesson_bounds`: the three of the numeric bound at the lesson's n. `crowd`: people of one block
    there.
    """

    curves: pd.DataFrame
    lesson_bounds: tuple[float, float, float]
    crowd: int


@cached
def mixing_data(lesson: Lesson) -> ShufflingBounds:
    """Bounds for every number of people."""
    e, sizes = lesson.epsilon, _SIZES.tolist()

    def mixed(part: int) -> Floats:
        return np.array([mixed_epsilon(e, max(1, n // part)) for n in sizes])

    crowd, real = max(1, lesson.n // lesson.blocks), 100 - FAKES
    honest = max(1, crowd * real // 100)
    curves = {
        "shuffled": mixed(1),
        "in blocks": mixed(lesson.blocks),
        _FAKE: mixed(lesson.blocks * 100 // real),
        "closed form": [closed_form_epsilon(e, n, DELTA) for n in sizes],
    }
    return ShufflingBounds(
        pd.DataFrame(curves, index=_SIZES),
        (mixed_epsilon(e, lesson.n), mixed_epsilon(e, crowd), mixed_epsilon(e, honest)),
        crowd,
    )


def open_mixing(lesson: Lesson) -> StationView:
    """Open the station at a lesson: headline, picture, formula and numbers."""
    data = mixing_data(lesson)
    whole, block, real = data.lesson_bounds
    reports, blocks = formats.counted(lesson.n, "report", "reports"), ""
    figures, details, verb = {"mixed": block}, "", "is" if lesson.n == 1 else "are"
    if lesson.blocks > 1:
        blocks = f" in {formats.integer(lesson.blocks)} blocks"
        figures |= {"crowd": float(data.crowd), "one block": whole}
        details = (
            "Only the reports of a block hide each other: "
            f"{formats.counted(data.crowd, 'report', 'reports')}. In a single block ε is "
            f"{formats.digits(whole)}. "
        )
    if lesson.broken:
        figures["fakes"] = real
        details += f"If {FAKES} of 100 reports are fake, ε is {formats.digits(real)}. "
    numbers = station.table(data.curves[::2], formats.digits)
    change = promise.shuffled_epsilon_text(lesson.epsilon, block)
    return StationView(
        Headline(
            f"Once {reports}{blocks} {verb} shuffled, ε {change}.",
            f"{details}{promise.DELTA_TEXT}",
            figures=figures,
        ),
        lambda: _mixing_formula(data, lesson),
        numbers,
        lambda colours: mixing_figure(data, lesson, colours),
        "mixed",
        station.alt_text("ε after shuffling against the number of people.", numbers),
        {"envelopes": envelopes(lesson)},
        (1, 1.6),
    )


def envelopes(lesson: Lesson) -> str:
    """Ten envelopes that are mixed, all or within two blocks; all but one may be fake."""
    state = f"{'in-blocks' if lesson.blocks > 1 else ''} {'fakes' if lesson.broken else ''}"
    return station.PICTURES["envelopes"].format(state=state)


def mixing_figure(data: ShufflingBounds, lesson: Lesson, colours: Palette) -> Figure:
    """ε after mixing against the crowd, both logarithmic."""
    ours, other, third, faint = station.line_styles(colours)
    looks = {"shuffled": ours}
    if lesson.blocks > 1:
        looks["in blocks"] = third
    if lesson.broken:
        looks[_FAKE] = other
    looks["closed form"] = faint
    traces = station.lines(data.curves, looks, "ε = %{y:.2g}")
    x = {**station.PEOPLE, "range": [0.9, 9.1]}
    y = logarithmic("ε after shuffling", [0.0001, 0.001, 0.01, 0.1, 1, 10], "{:g}".format)
    return station.figure(
        traces, x, y, colours, shapes=[station.upright(lesson.n, colours, station.MIDDLE)]
    )


def _mixing_formula(data: ShufflingBounds, lesson: Lesson) -> None:
    station.formula(
        "shuffling",
        closed=formats.digits(closed_form_epsilon(lesson.epsilon, lesson.n, DELTA), 3),
        best=formats.digits(data.lesson_bounds[0], 3),
        crowd=formats.counted(data.crowd, "person", "people"),
        epsilon=lesson.epsilon,
    )
    terms("δ")
    st.markdown(TRUST)


_BLOCKS: Final = station.dial(
    "blocks",
    "Blocks",
    (1, 10, 50, 100, 1_000, 10_000),
    "Reports show their block: only people of the same block hide a report.",
)
SHUFFLING_STATION = Station(
    "Shuffling",
    open_mixing,
    lambda _: (station.EPSILON, station.people(), _BLOCKS),
    ("Fill the crowd with fakes", f"The attacker knows {FAKES} of 100 reports: they hide nobody."),
    has_draws=lambda _: False,
)
