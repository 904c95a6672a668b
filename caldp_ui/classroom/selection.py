"""Station 3: who has most votes? The lead that it takes, centrally and in two local ways.

Votes for three items, whose bits' majorities spell one that nobody chose.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Floats, Ints
from caldp_core.lecture.counts import (
    EXACT_PEOPLE,
    BitwiseResponse,
    NoisyMax,
    OneHotResponse,
    even_votes,
)
from caldp_core.mechanisms.randomness import generator
from caldp_ui.app.theme import Palette
from caldp_ui.charts.curves import ChartLabel
from caldp_ui.charts.show import Figure
from caldp_ui.classroom import station
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.classroom.station import Station, StationView, two_digits
from caldp_ui.words import formats
from caldp_ui.words.formats import Headline

EXAMPLE: Final = {"011": 34, "101": 33, "110": 33}
"""Votes of 100 people for three items of three bits each."""
_PLACES: Final = ("first", "second", "third")
_PALE: Final = "rgba(128,140,152,0.3)"


_ONES: Final = [
    sum(votes for item, votes in EXAMPLE.items() if item[i] == "1") for i in range(len(_PLACES))
]
ELECTED: Final = "".join("1" if 2 * ones > sum(EXAMPLE.values()) else "0" for ones in _ONES)
"""The item that the majorities of the bits spell."""


def example_headline() -> Headline:
    """The headline of the example."""
    chosen = [f"{votes} chose {item}" for item, votes in EXAMPLE.items()]
    bits = [f"{one} have {place} bit 1" for one, place in zip(_ONES, _PLACES, strict=True)]
    return Headline(
        f"Even without noise, bit by bit elects {ELECTED}, which nobody chose.",
        f"Of 100 people, {', '.join(chosen)}. Yet {', '.join(bits)}.",
        figures={f"votes of {item}": votes for item, votes in EXAMPLE.items()}
        | {f"{place} bit": one for place, one in zip(_PLACES, _ONES, strict=True)},
    )


def example_figure(colours: Palette) -> Figure:
    """Votes for all items, that of the winner among them, and the majorities of their bits."""
    ours, other, _, _ = station.line_styles(colours)
    items, bits = [*EXAMPLE, ELECTED], [f"bit {i}" for i, _ in enumerate(_PLACES, 1)]
    traces = [
        _bars("votes", items, [*EXAMPLE.values(), 0], (ours.colour, colours.edge)),
        _bars("say 0", bits, [100 - one for one in _ONES], (_PALE, colours.text)),
        _bars("say 1", bits, _ONES, (other.colour, colours.edge)),
    ]
    y = {"title": "people, of 100", "range": [0, 104]}
    more: dict[str, Any] = {"barmode": "stack", "hovermode": False}
    return station.figure(traces, {"type": "category"}, y, colours, **more)


def _bars(name: str, x: list[str], y: Sequence[float], looks: tuple[str, str]) -> dict[str, object]:
    """Bars with their numbers inside; `looks`: colours of bar and text."""
    return {
        "type": "bar",
        "name": name,
        "x": x,
        "y": y,
        "text": [f"{value:.0f} {name}" for value in y],
        "textfont": {"size": 18, "color": looks[1]},
        "textposition": "auto",
        "marker": {"color": looks[0]},
    }


SURE: Final = 0.95
_NAMES: Final = ("trusted server", "one bit per item", "bit by bit")
_POINTS: Final = 90
_ELECTIONS_AT: Final = 11
_ELECTIONS: Final = 100
"""Elections at each lead, unless there are many items."""
_DRAWS: Final = 10_000
"""Simulated tallies of one item, for each lead and method, at most."""


@dataclass(frozen=True, eq=False)
class Selection:
    """`curves`: (leads, 3) chances of the true winner in [0, 1] over its lead in votes, by formula.

    `simulated_leads`: (few,) leads at which elections were held, `simulated_shares`: (few, 3)
    shares that were right.
    `needed_leads`: for each method the least lead that is right in 95 of 100 elections, None if
    even all votes are too few. `lecture_thresholds`: the lecture's thresholds for the three, in
    votes.
    """

    curves: pd.DataFrame
    simulated_leads: Ints
    simulated_shares: Floats
    needed_leads: tuple[int | None, int | None, int | None]
    lecture_thresholds: tuple[float, float, float]


@cached
def compute_data(lesson: Lesson) -> Selection:
    """Chances by formula over all leads, and elections at some."""
    n, d, rng = lesson.n, lesson.items, generator(lesson.seed)
    e = lesson.epsilon
    noisy, one_hot, bitwise = NoisyMax(d, e), OneHotResponse(d, e), BitwiseResponse(d, e)
    lead = np.unique(np.rint(np.geomspace(1, n, _POINTS)).astype(np.int64))
    laws: tuple[Callable[[Ints], Floats], ...] = (
        noisy.chance,
        lambda leads: one_hot.chance(leads, n),
        lambda leads: bitwise.chance(leads, n),
    )
    few = lead[:: max(1, lead.size // _ELECTIONS_AT)]
    elections = min(_ELECTIONS, max(20, _DRAWS // d))

    def simulate(counts: Ints) -> list[float]:
        """Shares of the elections with these (d,) votes that each method got right."""
        chosen = (
            noisy.choose(counts, elections, rng),
            np.argmax(one_hot.sample_tally(counts, rng, elections), axis=1),
            bitwise.winner(bitwise.sample_tally(counts, rng, elections), int(counts.sum())),
        )
        return [float((each == np.argmax(counts)).mean()) for each in chosen]

    right = np.array([simulate(even_votes(n, d, at)) for at in few.tolist()])
    b, width = d.bit_length() - 1, math.sqrt(n) / lesson.epsilon
    return Selection(
        pd.DataFrame({name: law(lead) for name, law in zip(_NAMES, laws, strict=True)}, lead),
        few,
        right,
        (_needed(lead, laws[0]), _needed(lead, laws[1]), _needed(lead, laws[2])),
        (math.log(d) / lesson.epsilon, width * math.log(d), width * b),
    )


def _needed(lead: Ints, law: Callable[[Ints], Floats]) -> int | None:
    """Least lead whose chance by `law` is `SURE`, to 1 in 500; None if that of the last is not."""
    sure = np.flatnonzero(law(lead) >= SURE)
    if not sure.size:
        return None
    low, high = int(lead[sure[0] - 1]) if sure[0] else 0, int(lead[sure[0]])
    while high - low > max(1, high // 500):
        middle = (low + high) // 2
        low, high = (low, middle) if law(np.array([middle]))[0] >= SURE else (middle, high)
    return high


def open_board(lesson: Lesson) -> StationView:
    """Open the station at a lesson: headline, picture, formula and numbers."""
    data = compute_data(lesson)
    numbers = _numbers(data)
    if lesson.broken:
        headline = example_headline()
        return StationView(
            headline,
            lambda: _formula(data, lesson),
            numbers,
            example_figure,
            "example",
            headline.whole,
        )
    central, _, bitwise = data.needed_leads
    unit = " of all" if lesson.view == "percent" and bitwise is not None else ""
    local = "That is with local noise, one random bit per item; bit by bit it takes "
    local = f"{local}{_lead_text(bitwise, lesson)}{unit}. " * (central is not None)
    return StationView(
        Headline(
            _leads(data, lesson),
            f"{local}There are {formats.integer(lesson.items)} items and "
            f"{formats.counted(lesson.n, 'person', 'people')}.",
            figures={
                name: _in_unit(lead, lesson)
                for name, lead in zip(_NAMES, data.needed_leads, strict=True)
                if lead is not None
            },
        ),
        lambda: _formula(data, lesson),
        numbers,
        lambda colours: figure(data, lesson, colours),
        "selection",
        station.alt_text("Chance to choose the true winner against its lead.", numbers),
    )


def _leads(data: Selection, lesson: Lesson) -> str:
    """The sentence on the leads that are needed, locally and with a trusted server."""
    central, one_hot, _ = data.needed_leads
    if central is None:
        return "With so few people no lead is large enough, even with a trusted server."
    enough = _lead_text(central, lesson)
    if one_hot is None:
        return f"With a trusted server a lead of {enough} is enough; with local noise no lead is."
    return (
        "To win 95 of 100 noisy counts, a favourite must lead by "
        f"{_lead_text(one_hot, lesson)}, with a trusted server by {enough.removesuffix(' votes')}."
    )


def _in_unit(lead: float, lesson: Lesson) -> float:
    """A lead in votes, or in percent of all."""
    return 100 * lead / lesson.n if lesson.view == "percent" else lead


def _lead_text(lead: int | None, lesson: Lesson) -> str:
    if lead is None:
        return "more votes than there are"
    if lesson.view == "percent":
        return f"{formats.digits(_in_unit(lead, lesson))} %"
    return "1 vote" if lead == 1 else f"{two_digits(lead)} votes"


def figure(data: Selection, lesson: Lesson, colours: Palette) -> Figure:
    """Chance of the true winner against its lead, with the leads that the headline asks for."""
    ours, other, third, _ = station.line_styles(colours)
    hover = "%{y:.0f} of 100"
    styles, unit = (other, ours, third), _in_unit(1, lesson)
    traces = [
        station.points("", unit * data.simulated_leads, 100 * y, look, 9)
        for y, look in zip(data.simulated_shares.T, styles, strict=True)
    ]
    percent = (100 * data.curves).set_index(unit * data.curves.index)
    lines = station.lines(percent, dict(zip(_NAMES, styles, strict=True)), hover)
    x = {**station.PEOPLE, "title": "votes by which the favourite leads"}
    if lesson.view == "percent":
        title = "lead of the favourite, % of all votes"
        x = {**station.PERCENT, "title": title, "range": [math.log10(unit), 2]}
    y = {"title": "right winner, of 100 elections", "range": [0, 128]}
    y["tickvals"] = list(range(0, 101, 20))
    leads = [lead and unit * lead for lead in data.needed_leads]
    named = zip(lines, leads, ("right", "left", "right"), strict=True)
    labels = [label for each in named for label in _labels(*each)]
    shapes = [station.dotted(at, look.colour) for at, look in zip(leads, styles, strict=True) if at]
    return station.figure([*traces, *lines], x, y, colours, labels=labels, shapes=shapes)


def _labels(line: dict[str, Any], lead: float | None, side: str) -> list[ChartLabel]:
    """A curve's name and the lead at which it reaches `SURE`, at the top, or at the curve's end."""
    name, colour = line["name"], line["line"]["color"]
    if lead is None:
        return [ChartLabel(line["x"][-1], line["y"][-1], name, colour, "top left", wide_only=True)]
    words = (120, name, True), (107, two_digits(lead), False)
    return [
        ChartLabel(lead, y, f" {text} ", colour, f"middle {side}", wide_only=wide)
        for y, text, wide in words
    ]


def _formula(data: Selection, lesson: Lesson) -> None:
    bits, names = lesson.items.bit_length() - 1, ("central", "one_hot", "bitwise")
    votes = dict(zip(names, map(two_digits, data.lecture_thresholds), strict=True))
    station.formula("selection", how=how(lesson.n), bits=bits, **votes)


def how(n: int) -> str:
    """How the curves are computed, for n people."""
    if n <= EXACT_PEOPLE:
        return "The curves are exact: every sum of coins, with its chance."
    few = formats.people(EXACT_PEOPLE)
    return (
        f"The trusted server's curve is exact; the local ones take sums of more than {few} coins "
        "as normal (up to that number they are exact, too)."
    )


def _numbers(data: Selection) -> station.Table:
    return {
        title: {
            "lead for 95 of 100": "none is enough" if lead is None else two_digits(lead),
            "the notes' threshold": two_digits(note),
        }
        for title, lead, note in zip(
            _NAMES, data.needed_leads, data.lecture_thresholds, strict=True
        )
    }


_ITEM_DIALS: Final = station.item_dials("Candidates to choose from.")
STATION = Station(
    "Selection",
    open_board,
    lambda lesson: () if lesson.broken else _ITEM_DIALS(lesson),  # the three items' votes are given
    ("Three items, bit by bit", "No noise at all, and still a winner whom nobody chose."),
    show_choice=lambda lesson: None if lesson.broken else station.show_views(lesson, station.UNITS),
    has_draws=lambda lesson: not lesson.broken,
)
