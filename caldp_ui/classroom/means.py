"""Station 6: the mean of a number that changes a little every day; buckets too fine, too coarse.

The data are made up: minutes in an app, 0 to 240, a habit and days around it.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from caldp_core.basics.types import Floats, Ints
from caldp_core.lecture.daily import OneBitMean, coins_used, round_to_nearest
from caldp_ui.app.theme import Palette
from caldp_ui.classroom import charts, station
from caldp_ui.classroom.page_state import WIDTHS, Lesson
from caldp_ui.classroom.station import Board, Chart, Picture, Station
from caldp_ui.words import formats
from caldp_ui.words.formats import Headline

MOST: Final = WIDTHS[-1]
DAYS: Final = 60
_PHONES: Final = 1_000
_WANDER: Final = 8.0
"""Standard deviation of a day from the habit, in minutes."""


@dataclass(frozen=True, eq=False)
class Means:
    """(widths,) standard errors of the mean in minutes, and coins that a phone draws in 60 days.

    `by_offset`, `to_nearest`: roots of the mean squared error, with random rounding, and with the
    nearest multiple, people held fixed.
    `coins`: mean number of coins. `truth`, `estimate`: the mean, and this outcome's estimate.
    """

    by_offset: Floats
    to_nearest: Floats
    coins: Floats
    truth: float
    estimate: float

    def at(self, width: int) -> tuple[float, float, float]:
        """Both errors and the coins at one width."""
        i = WIDTHS.index(width)
        return float(self.by_offset[i]), float(self.to_nearest[i]), float(self.coins[i])


def shares() -> Floats:
    """(241,) people by today's minutes: few minutes are common, long days rare."""
    minutes = np.arange(MOST + 1)
    weights = (minutes + 2.0) * np.exp(-minutes / 28.0)
    return np.asarray(weights / weights.sum())


@cache
def _days() -> tuple[Ints, Ints]:
    """(phones, 60) minutes and (phones,) uniform numbers for their offsets; never redrawn."""
    rng = np.random.default_rng(0)
    habit = rng.choice(MOST + 1, _PHONES, p=shares())
    days = np.rint(habit[:, None] + _WANDER * rng.standard_normal((_PHONES, DAYS)))
    return np.clip(days, 0, MOST).astype(np.int64), rng.integers(0, MOST, _PHONES)


@cache
def coins_by_width() -> Floats:
    """(widths,) mean number of coins that a phone draws in 60 days."""
    numbers, offset = _days()
    return np.array([coins_used(numbers, offset % width, width).mean() for width in WIDTHS])


def compute_data(lesson: Lesson) -> Means:
    """Errors by formula for every width, and one outcome."""
    rng = np.random.default_rng(lesson.seed)
    mechanism, n = OneBitMean(MOST, lesson.epsilon), lesson.n
    people = rng.multinomial(n, shares())
    minutes = np.arange(MOST + 1)
    truth = float(people @ minutes) / n
    # Over the offsets a phone's bit has one law for every width: that of the exact number.
    random_error = math.sqrt(mechanism.variance(people))
    nearest_errors = []
    for width in WIDTHS:
        moved = np.bincount(round_to_nearest(minutes, width).clip(0, MOST), people, MOST + 1)
        counts = moved.astype(np.int64)
        off = float(counts @ minutes) / n - truth
        nearest_errors.append(math.hypot(off, math.sqrt(mechanism.variance(counts))))
    return Means(
        np.full(len(WIDTHS), random_error),
        np.array(nearest_errors),
        coins_by_width(),
        truth,
        mechanism.estimate(mechanism.sample_ones(people, rng), n),
    )


def open_board(lesson: Lesson) -> Board:
    """Open the station at a lesson: headline, picture, formula and numbers."""
    data = compute_data(lesson)
    random, naive, coins = data.at(lesson.width)
    budget, daily = coins * lesson.epsilon, DAYS * lesson.epsilon
    details = (
        f"These are standard errors, of {formats.counted(lesson.n, 'phone', 'phones')}. In buckets "
        f"of {formats.count(lesson.width, 'minute', 'minutes')}, a phone draws "
        f"{formats.digits(coins, 3)} random bits in {DAYS} days on average. Each may cost ε: "
        f"{formats.digits(budget, 3)} in all."
    )
    figures = {"random": random, "nearest": naive, "bits": coins, "budget": budget}
    if lesson.broken:
        details += f" With a new bit every day, ε adds up to {formats.digits(daily, 3)}."
        figures["daily budget"] = daily
    numbers = _numbers(data)
    alt = station.alt_text("Errors of the mean, and random bits, by bucket width.", numbers)
    return Board(
        Headline(
            f"Rounded at random, the mean is off by {_minutes(random)}; rounded to the nearest, by "
            f"{formats.digits(naive)}.",
            details,
            figures=figures,
        ),
        lambda colours: Picture((Chart(figure(data, lesson, colours), "means", alt),)),
        lambda: station.formula("means", estimate=data.estimate, truth=data.truth, wander=_WANDER),
        numbers,
    )


def _minutes(error: float) -> str:
    return formats.count(formats.digits(error), "minute", "minutes")


def figure(data: Means, lesson: Lesson, colours: Palette) -> go.Figure:
    """Errors above, coins below, against the width of a bucket."""
    ours, other, third, faint = charts.line_styles(colours)
    traces: list[Any] = [
        charts.line("rounded at random: error", WIDTHS, data.by_offset, ours),
        charts.line("to the nearest: error", WIDTHS, data.to_nearest, other),
        {**charts.line("random bits, stored", WIDTHS, data.coins, third), "yaxis": "y2"},
    ]
    if lesson.broken:
        naive = charts.line("a new bit every day", WIDTHS, [DAYS] * len(WIDTHS), faint)
        traces.append({**naive, "yaxis": "y2"})
    x = {"title_text": "bucket width, minutes", "type": "log", "tickvals": WIDTHS, "anchor": "y2"}
    texts = {"tickfont": {"size": 15, "color": colours.text}}
    y = {"title_text": "standard error, minutes", "domain": [0.56, 1], "rangemode": "tozero"}
    coins = {
        "title": {"text": f"bits in {DAYS} days", "font": {"size": 17, "color": colours.text}},
        "domain": [0, 0.46],
        "rangemode": "tozero",
        **texts,
    }
    mark = {**charts.upright(lesson.width, faint), "yref": "paper"}
    return charts.figure(traces, x, y, colours, yaxis2=coins, shapes=[mark])


def _numbers(data: Means) -> station.Table:
    errors = {
        "standard error, rounded at random": data.by_offset,
        "standard error, to the nearest": data.to_nearest,
    }
    coins = {f"random bits in {DAYS} days": data.coins}
    widths = [formats.count(width, "minute", "minutes") for width in WIDTHS]
    bits = station.table(widths, coins, lambda number: f"{number:.1f}")
    return {**station.table(widths, errors, _minutes), **bits}


_WIDTH: Final = station.dial(
    "width", "Bucket width (minutes)", WIDTHS, "Numbers are rounded to multiples of it."
)
STATION = Station(
    "Means",
    open_board,
    lambda _: (station.EPSILON, _WIDTH, station.people(100)),
    ("Draw a new bit every day", "Nothing is stored: every report costs another ε."),
)
