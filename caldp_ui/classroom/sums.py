"""Station 2: a sum of bits. The trusted server's error is 1/ε, the local one √n/ε."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from caldp_core.basics.types import Floats, Ints
from caldp_core.lecture.central import CentralCount, GeometricNoise
from caldp_core.mechanisms.direct.binary import BinaryMechanism
from caldp_core.privacy.binary import BinaryPolicy
from caldp_core.theory.variance import variance_given_people
from caldp_ui.app.theme import Palette
from caldp_ui.classroom import charts, dials
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.classroom.picture import Chart, Picture
from caldp_ui.classroom.station import Board, Station
from caldp_ui.words import formats
from caldp_ui.words.headline import Headline

YES: Final = 0.3
_SIZES: Final = 10 ** np.arange(1, 10)
_OUTCOMES: Final = 8
_HALF_NORMAL: Final = math.sqrt(2 / math.pi)
"""E|Z| of a standard normal Z."""


@dataclass(frozen=True, eq=False)
class Sums:
    """Errors in people. (sizes,) `n`; formulas `central`, `local` and `noise_left_in`: E|error|.

    `central_errors`, `local_errors`: (sizes, outcomes) errors of simulated counts. `here`: the two
    formulas at the lesson's n, `noise_left_in_here`: the third. `yes`: true count there, `reports`:
    how many sent yes, `estimate`.
    """

    n: Ints
    central: Floats
    local: Floats
    noise_left_in: Floats
    central_errors: Floats
    local_errors: Floats
    here: tuple[float, float]
    yes: int
    reports: int
    estimate: float
    noise_left_in_here: float


def compute_data(lesson: Lesson) -> Sums:
    """Formulas and outcomes for every number of people."""
    rng = np.random.default_rng(lesson.seed)
    coin = BinaryMechanism(BinaryPolicy(lesson.epsilon, lesson.epsilon))
    noise = GeometricNoise(lesson.epsilon)
    flip_probability = float(coin.flips[0])
    central_errors, local_errors = [], []
    for n in _SIZES.tolist():
        yes = round(YES * n)
        central_errors.append(
            np.abs(CentralCount(n, lesson.epsilon).publish(yes, _OUTCOMES, rng) - yes)
        )
        counts = np.array([n - yes, yes])
        tallies = [coin.sample_tally(counts, rng) for _ in range(_OUTCOMES)]
        local_errors.append([abs(n * coin.estimate(tally)[1] - yes) for tally in tallies])
    yes = round(YES * lesson.n)
    tally = coin.sample_tally(np.array([lesson.n - yes, yes]), rng)
    return Sums(
        _SIZES,
        np.full(_SIZES.size, noise.mean_error),
        np.array([_local(coin, n) for n in _SIZES.tolist()]),
        _SIZES.astype(np.float64) * (flip_probability * (1 - 2 * YES)),
        np.array(central_errors),
        np.array(local_errors),
        (noise.mean_error, _local(coin, lesson.n)),
        yes,
        int(tally.counts[1]),
        lesson.n * float(coin.estimate(tally)[1]),
        lesson.n * flip_probability * (1 - 2 * YES),
    )


def _local(coin: BinaryMechanism, n: int) -> float:
    """E|error| of the local count, the people held fixed; nearly normal."""
    shares = np.array([1 - YES, YES])
    return n * _HALF_NORMAL * float(np.sqrt(variance_given_people(coin, shares, n)[1]))


def open_board(lesson: Lesson) -> Board:
    """Open the station at a lesson: headline, picture, formula and numbers."""
    data = compute_data(lesson)
    central, local = data.here
    naive = data.noise_left_in_here
    broken = f" With the noise left in, it is off by {_off(naive)}." if lesson.broken else ""
    return Board(
        Headline(
            f"With {formats.counted(lesson.n, 'person', 'people')}, a trusted server is off by "
            f"{_off(central)} people, local noise by {_off(local)}.",
            f"With 100 times as many people it is {_off(central)} and {_off(10 * local)}: local "
            f"noise is off by 10 times as many.{broken}",
        ),
        lambda colours: Picture((Chart(figure(data, lesson, colours), "sum", _alt(data)),)),
        lambda: _formula(data, lesson),
        _numbers(data),
    )


def _off(error: float) -> str:
    return formats.digits(error, 1) if error < 1 else formats.people(float(f"{error:.2g}"))


def figure(data: Sums, lesson: Lesson, colours: Palette) -> go.Figure:
    """Errors against the number of people, both logarithmic."""
    ours, other, third, faint = charts.line_styles(colours)
    many = np.repeat(data.n, _OUTCOMES)
    least = 0.3  # an error of 0 has no place on a log scale
    traces = [
        charts.points("", many, np.maximum(data.local_errors.ravel(), least), ours),
        charts.points("", many, np.maximum(data.central_errors.ravel(), least), other),
        charts.line("local, √n/ε", data.n, data.local, ours),
        charts.line("trusted server, 1/ε", data.n, data.central, other),
    ]
    if lesson.broken:
        name = "local, noise left in"
        traces.append(charts.line(name, data.n, data.noise_left_in, third))
    top = max(float(data.local_errors.max()), float(data.noise_left_in[-1]) * lesson.broken)
    y = {
        "title_text": "error, people",
        "type": "log",
        "range": [math.log10(0.9 * least), math.log10(2 * top)],
        "tickvals": [least, *(10**power for power in range(10))],
        "ticktext": [
            "0",
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


def _alt(data: Sums) -> str:
    return (
        "Errors of a count against the number of people from 10 to a billion, both logarithmic. "
        f"The trusted server's stays at {_off(float(data.central[0]))}; the local one grows with "
        f"the square root, from {_off(float(data.local[0]))} to {_off(float(data.local[-1]))}. "
        f"Points: {_OUTCOMES} draws of the noise at each number."
    )


def _formula(data: Sums, lesson: Lesson) -> None:
    st.latex(
        r"\mathbb{E}\Big[\sum_i\tilde x_i\Big]=\frac{e^\varepsilon X+(n-X)}{e^\varepsilon+1}"
        r"\quad\Rightarrow\quad\hat X=\frac{(e^\varepsilon+1)\sum_i\tilde x_i-n}{e^\varepsilon-1}"
    )
    power = math.exp(lesson.epsilon)
    plus, minus = formats.digits(power + 1, 4), formats.digits(power - 1, 4)
    error = formats.digits(math.sqrt(lesson.n * power) / (power - 1), 3)
    st.markdown(
        f"In this draw, {formats.integer(data.reports)} of {formats.integer(lesson.n)} sent yes, "
        f"so X̂ = ({plus} · {formats.integer(data.reports)} − {formats.integer(lesson.n)}) / "
        f"{minus} = **{data.estimate:,.0f}**; truly {formats.integer(data.yes)}. "
        "Its variance is n·e^ε/(e^ε−1)², about n/ε² for small ε: here a standard error of "
        f"{error} people. The trusted server adds Laplace "
        "noise Lap(1/ε) once, on whole numbers (two-sided geometric); E|error| is about 1/ε. With "
        "the noise left in, the false yes of the many “no” are counted, too: an error of "
        "n·(1−2·share)/(e^ε+1), however many people take part."
    )


def _numbers(data: Sums) -> dict[str, dict[str, str]]:
    name = [formats.people(n) for n in data.n.tolist()]
    columns = {
        "trusted server": data.central,
        "local": data.local,
        "local, noise left in": data.noise_left_in,
    }
    return {
        title: {people: _off(error) for people, error in zip(name, values.tolist(), strict=True)}
        for title, values in columns.items()
    }


STATION = Station(
    "Sums",
    open_board,
    lambda _: (dials.EPSILON, dials.people()),
    ("Forget to take the noise out", "Count the yes reports as they come."),
)
