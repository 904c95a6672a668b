"""Station 3: who has most votes? The lead that it takes, centrally and in two local ways.

The lecture's votes for four items, whose bits' majorities spell another than the favourite.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import plotly.graph_objects as go

from caldp_core.basics.types import Floats, Ints
from caldp_core.lecture.counts import (
    EXACT_PEOPLE,
    BitwiseResponse,
    NoisyMax,
    OneHotResponse,
    even_votes,
)
from caldp_ui.app.theme import Palette
from caldp_ui.classroom import charts, station
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.classroom.station import Board, Chart, Picture, Station, two_digits
from caldp_ui.words import formats
from caldp_ui.words.formats import Headline

EXAMPLE: Final = (40, 30, 0, 30)
"""Votes of 100 people for 00, 01, 10, 11: the lecture's example."""
_PALE: Final = "rgba(128,140,152,0.3)"


def bit_shares() -> tuple[float, float]:
    """Shares of the example's people whose item has the first bit set, and the last."""
    return (EXAMPLE[2] + EXAMPLE[3]) / 100, (EXAMPLE[1] + EXAMPLE[3]) / 100


def elected() -> int:
    """The item that the majorities of the bits spell."""
    first, last = bit_shares()
    return 2 * (first > 0.5) + (last > 0.5)


def example_headline() -> Headline:
    """The headline of the example."""
    first, last = bit_shares()
    won, best = elected(), int(np.argmax(EXAMPLE))
    return Headline(
        f"Even without noise, bit by bit elects {won:02b} with {EXAMPLE[won]} votes, though "
        f"{EXAMPLE[best]} of 100 chose {best:02b}.",
        f"{100 * (1 - first):.0f} of 100 votes have first bit 0, and {100 * last:.0f} have last "
        "bit 1. Four items, 100 people, no noise.",
    )


def example_figure(colours: Palette) -> go.Figure:
    """Votes for four items, and what their two bits' majorities are."""
    ours, other, _, _ = charts.line_styles(colours)
    items, bits = [f"item {i:02b}" for i in range(4)], ["first bit", "last bit"]
    ones = [100 * share for share in bit_shares()]
    traces = [
        _bars("votes", items, list(EXAMPLE), (ours.colour, colours.edge)),
        _bars("say 0", bits, [100 - one for one in ones], (_PALE, colours.text)),
        _bars("say 1", bits, ones, (other.colour, colours.edge)),
    ]
    y = {"title_text": "people, of 100", "range": [0, 104]}
    more = {"barmode": "stack", "hovermode": False}
    return charts.figure(traces, {"type": "category"}, y, colours, **more)


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
    """(leads,) `lead` in votes and chances of the true winner in [0, 1], by formula.

    `simulated_leads`: (few,) leads at which elections were held, `simulated_shares`: (few, 3)
    shares that were right.
    `needed_leads`: for each method the least lead that is right in 95 of 100 elections, None if
    even all votes are too few. `lecture_thresholds`: the lecture's thresholds for the three, in
    votes.
    """

    lead: Ints
    central: Floats
    one_hot: Floats
    bitwise: Floats
    simulated_leads: Ints
    simulated_shares: Floats
    needed_leads: tuple[int | None, int | None, int | None]
    lecture_thresholds: tuple[float, float, float]


@dataclass(frozen=True)
class SelectionMethods:
    """The three methods of choosing a winner, for one d and ε."""

    central: NoisyMax
    one_hot: OneHotResponse
    bitwise: BitwiseResponse

    def simulate(self, counts: Ints, elections: int, rng: np.random.Generator) -> list[float]:
        """Shares of so many elections with these (d,) votes that each got right."""
        best, n = int(np.argmax(counts)), int(counts.sum())
        chosen = (
            self.central.choose(counts, elections, rng),
            np.argmax(self.one_hot.sample_tally(counts, rng, elections), axis=1),
            self.bitwise.winner(self.bitwise.sample_tally(counts, rng, elections), n),
        )
        return [float((each == best).mean()) for each in chosen]


def compute_data(lesson: Lesson) -> Selection:
    """Chances by formula over all leads, and elections at some."""
    n, d, rng = lesson.n, lesson.items, np.random.default_rng(lesson.seed)
    e = lesson.epsilon
    methods = SelectionMethods(NoisyMax(d, e), OneHotResponse(d, e), BitwiseResponse(d, e))
    lead = np.unique(np.rint(np.geomspace(1, n, _POINTS)).astype(np.int64))
    laws: tuple[Callable[[Ints], Floats], ...] = (
        methods.central.chance,
        lambda leads: methods.one_hot.chance(leads, n),
        lambda leads: methods.bitwise.chance(leads, n),
    )
    central, one_hot, bitwise = (law(lead) for law in laws)
    few = lead[:: max(1, lead.size // _ELECTIONS_AT)]
    elections = min(_ELECTIONS, max(20, _DRAWS // d))
    right = np.array(
        [methods.simulate(even_votes(n, d, at), elections, rng) for at in few.tolist()]
    )
    b, width = d.bit_length() - 1, math.sqrt(n) / lesson.epsilon
    return Selection(
        lead,
        central,
        one_hot,
        bitwise,
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


def open_board(lesson: Lesson) -> Board:
    """Open the station at a lesson: headline, picture, formula and numbers."""
    data = compute_data(lesson)
    numbers = _numbers(data)
    if lesson.broken:
        headline = example_headline()
        return Board(
            headline,
            lambda colours: Picture((Chart(example_figure(colours), "example", headline.whole),)),
            lambda: _formula(data, lesson),
            numbers,
        )
    alt = station.alt_text("Chance to choose the true winner against its lead.", numbers)
    bitwise = _votes_text(data.needed_leads[2])
    return Board(
        Headline(
            _leads(data),
            "Sure means right in 95 of 100 elections. That is with one random bit per item; bit by "
            f"bit it takes {bitwise}. There are {formats.integer(lesson.items)} items and "
            f"{formats.counted(lesson.n, 'person', 'people')}.",
            figures={
                name: float(lead)
                for name, lead in zip(_NAMES, data.needed_leads, strict=True)
                if lead is not None
            },
        ),
        lambda colours: Picture((Chart(figure(data, lesson, colours), "selection", alt),)),
        lambda: _formula(data, lesson),
        numbers,
    )


def _leads(data: Selection) -> str:
    """The sentence on the leads that are needed, locally and with a trusted server."""
    central, one_hot, _ = data.needed_leads
    if central is None:
        return "With so few people no lead is large enough, even with a trusted server."
    enough = _votes_text(central)
    if one_hot is None:
        return f"With a trusted server a lead of {enough} is enough; with local noise no lead is."
    return (
        f"To be sure to win with local noise, the favourite must lead by {_votes_text(one_hot)}, "
        f"with a trusted server by {enough}."
    )


def _votes_text(lead: int | None) -> str:
    if lead is None:
        return "more votes than there are"
    return "1 vote" if lead == 1 else f"{two_digits(lead)} votes"


def figure(data: Selection, lesson: Lesson, colours: Palette) -> go.Figure:
    """Chance of the true winner against its lead."""
    ours, other, third, _ = charts.line_styles(colours)
    hover = "%{y:.0f} of 100"
    formulas = (data.central, data.one_hot, data.bitwise)
    styles = (other, ours, third)
    traces = [
        charts.points("", data.simulated_leads, 100 * y, look, 9)
        for y, look in zip(data.simulated_shares.T, styles, strict=True)
    ]
    traces += [
        charts.line(name, data.lead, 100 * y, look, hover)
        for name, y, look in zip(_NAMES, formulas, styles, strict=True)
    ]
    shapes = [
        charts.upright(at, look)
        for at, look in zip(data.lecture_thresholds, styles, strict=True)
        if 1 <= at <= lesson.n
    ]
    x = {**charts.PEOPLE, "title_text": "votes by which the favourite leads"}
    y = {"title_text": "right winner, of 100 elections", "range": [0, 104]}
    return charts.figure(traces, x, y, colours, shapes=shapes)


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


def _dials(lesson: Lesson) -> station.Dials:
    """No dials for the lecture's four items: their votes are given."""
    return () if lesson.broken else station.item_dials("Candidates to choose from.")(lesson)


STATION = Station(
    "Selection",
    open_board,
    _dials,
    ("The lecture's four items", "No noise at all, and still the wrong winner."),
)
