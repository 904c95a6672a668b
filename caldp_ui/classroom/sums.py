"""Station 2: a sum of bits. For small ε the server's error is about √2/ε, the local one √n/ε."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import plotly.graph_objects as go

from caldp_core.basics.types import Floats, Ints
from caldp_core.lecture.counts import CentralCount
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.privacy.matrix import BinaryPolicy
from caldp_ui.app.theme import Palette
from caldp_ui.classroom import charts, station
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.classroom.station import Board, Chart, Picture, Station, two_digits
from caldp_ui.words import formats
from caldp_ui.words.formats import Headline

YES: Final = 0.3
_SIZES: Final = 10 ** np.arange(1, 10)
_OUTCOMES: Final = 8


@dataclass(frozen=True, eq=False)
class Sums:
    """Errors in people. (sizes,) `n`; `central`, `local` and `noise_left_in`: standard errors.

    They are exact roots of the mean squared error. `central_errors`, `local_errors`:
    (sizes, outcomes) errors of simulated counts. `here`: the three at the lesson's n. `yes`: true
    count there, `reports`: how many sent yes, `estimate`.
    """

    n: Ints
    central: Floats
    local: Floats
    noise_left_in: Floats
    central_errors: Floats
    local_errors: Floats
    here: tuple[float, float, float]
    yes: int
    reports: int
    estimate: float


def compute_data(lesson: Lesson) -> Sums:
    """Formulas and outcomes for every number of people."""
    rng = np.random.default_rng(lesson.seed)
    coin = BinaryMechanism(BinaryPolicy(lesson.epsilon, lesson.epsilon))
    central_errors, local_errors = [], []
    for n in _SIZES.tolist():
        yes = round(YES * n)
        central_errors.append(
            np.abs(CentralCount(n, lesson.epsilon).publish(yes, _OUTCOMES, rng) - yes)
        )
        counts = np.array([n - yes, yes])
        tallies = [coin.sample_tally(counts, rng) for _ in range(_OUTCOMES)]
        local_errors.append([abs(n * coin.estimate(tally)[1] - yes) for tally in tallies])
    central, local, left_in = zip(*(_errors(coin, lesson, n) for n in _SIZES.tolist()), strict=True)
    yes = round(YES * lesson.n)
    tally = coin.sample_tally(np.array([lesson.n - yes, yes]), rng)
    return Sums(
        _SIZES,
        np.array(central),
        np.array(local),
        np.array(left_in),
        np.array(central_errors),
        np.array(local_errors),
        _errors(coin, lesson, lesson.n),
        yes,
        int(tally.counts[1]),
        lesson.n * float(coin.estimate(tally)[1]),
    )


def _errors(coin: BinaryMechanism, lesson: Lesson, n: int) -> tuple[float, float, float]:
    """Standard errors of n people's count: trusted server, local, and with the noise left in."""
    flip, yes = float(coin.flips[0]), round(YES * n)
    errors, chances = CentralCount(n, lesson.epsilon).error_law(yes)
    flips = math.sqrt(n * flip * (1 - flip))
    moved = flip * (n - 2 * yes)
    return math.sqrt(float(chances @ errors**2)), flips / (1 - 2 * flip), math.hypot(flips, moved)


def open_board(lesson: Lesson) -> Board:
    """Open the station at a lesson: headline, picture, formula and numbers."""
    data = compute_data(lesson)
    central, local, naive = data.here
    central_text = formats.count(two_digits(central), "person", "people")
    share = 100 * local / lesson.n
    figures = {"central": central, "local": local, "share": share}
    figures |= {"local, more people": 10 * local, "share, more people": share / 10}
    broken = ""
    if lesson.broken:
        broken = f" With the noise left in, it is off by {two_digits(naive)} with {_count(lesson)}."
        figures["noise left in"] = naive
    errors = {"trusted server": data.central, "local": data.local}
    errors["local, noise left in"] = data.noise_left_in
    numbers = station.table(list(map(formats.people, data.n.tolist())), errors, two_digits)
    alt = station.alt_text("Errors of a count against the number of people.", numbers)
    return Board(
        Headline(
            f"With {_count(lesson)}, a trusted server is off by {central_text}, local "
            f"noise by {two_digits(local)}: {_percent(share)} of all.",
            f"With 100 times as many people local noise is off by {two_digits(10 * local)}, but by "
            f"{_percent(share / 10)} of all.{broken} These are standard errors.",
            figures=figures,
        ),
        lambda colours: Picture((Chart(figure(data, lesson, colours), "sum", alt),)),
        lambda: _formula(data, lesson),
        numbers,
    )


def _count(lesson: Lesson) -> str:
    return formats.counted(lesson.n, "person", "people")


def _percent(percent: float) -> str:
    return f"{formats.digits(percent)} %"


def figure(data: Sums, lesson: Lesson, colours: Palette) -> go.Figure:
    """Errors against the number of people, both logarithmic."""
    ours, other, third, faint = charts.line_styles(colours)
    many = np.repeat(data.n, _OUTCOMES)
    lowest = math.floor(math.log10(min(1.0, data.central.min(), data.local.min())))
    least = 0.3 * 10.0**lowest  # an error of 0 has no place on a log scale
    traces = [
        charts.points("", many, np.maximum(data.local_errors.ravel(), least), ours),
        charts.points("", many, np.maximum(data.central_errors.ravel(), least), other),
        charts.line("local: grows with √n", data.n, data.local, ours),
        charts.line("trusted server", data.n, data.central, other),
    ]
    if lesson.broken:
        name = "local, noise left in"
        traces.append(charts.line(name, data.n, data.noise_left_in, third))
    top = max(float(data.local_errors.max()), float(data.noise_left_in[-1]) * lesson.broken)
    y = {
        "title_text": "error, people",
        "type": "log",
        "range": [math.log10(0.9 * least), math.log10(2 * top)],
        "tickvals": [least, *(10.0**power for power in range(lowest, 10))],
        "ticktext": [
            "0",
            *(f"{10.0**power:g}" for power in range(lowest, 0)),
            "1",
            "10",
            "100",
            "1,000",
            "10,000",
            "",
            "1 million",
            "",
            "100 million",
            "",
        ],
    }
    x = {**charts.PEOPLE, "range": [0.9, 9.1]}
    return charts.figure(traces, x, y, colours, shapes=[charts.upright(lesson.n, faint)])


def _formula(data: Sums, lesson: Lesson) -> None:
    power = math.exp(lesson.epsilon)
    error = formats.digits(math.sqrt(lesson.n * power) / (power - 1), 3)
    station.formula(
        "sum",
        reports=formats.integer(data.reports),
        n=formats.integer(lesson.n),
        plus=formats.digits(power + 1, 4),
        minus=formats.digits(power - 1, 4),
        estimate=data.estimate,
        yes=formats.integer(data.yes),
        error=formats.count(error, "person", "people"),
    )


STATION = Station(
    "Sums",
    open_board,
    lambda _: (station.EPSILON, station.people()),
    ("Forget to take the noise out", "Count the yes reports as they come."),
)
