"""Stations 4 and 6, asked every day: RAPPOR with stored noise, and the mean of a number.

The data are made up: minutes in an app, 0 to 240, a habit and days around it.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import pandas as pd

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Floats, Ints
from caldp_core.lecture import daily as daily_counts
from caldp_core.mechanisms.randomness import generator, seeded_words
from caldp_ui.app.theme import Palette
from caldp_ui.charts.curves import axis, dots_trace
from caldp_ui.charts.show import Figure
from caldp_ui.classroom import station
from caldp_ui.classroom.page_state import DAYS_MOST, WIDTHS, Lesson
from caldp_ui.classroom.station import Station, StationView
from caldp_ui.words import accuracy, formats
from caldp_ui.words.formats import Headline

BITS: Final = 32
HASHES: Final = 2
COHORTS: Final = 8
_NAMES: Final = (
    *("news", "mail", "maps", "films", "music", "games"),
    *("books", "shop", "weather", "bank", "jobs", "doctor"),
)
PAGES: Final = tuple(f"{name}.example" for name in _NAMES)
"""Candidate home pages, the most popular first."""


def build_rappor(lesson: Lesson) -> daily_counts.LastingRappor:
    """The mechanism at the lesson's ε."""
    return daily_counts.LastingRappor(BITS, HASHES, lesson.epsilon)


def formula(lesson: Lesson) -> None:
    """Draw the formulas: both layers, what each promises, and how reports are decoded."""
    mechanism = build_rappor(lesson)
    known = mechanism.history_guess_accuracy([mechanism.law_of_permanent])
    station.formula(
        "rappor",
        hashes=HASHES,
        bits=BITS,
        cohorts=COHORTS,
        flip=1 - float(mechanism.keep_probability),
        epsilon=lesson.epsilon,
        one_day=mechanism.epsilon_one_day,
        known=formats.hundred(known),
    )


_OFF: Final = "standard error"
_SHORT: Final = [page.partition(".")[0] for page in PAGES]


@cached
def ask_crowd(lesson: Lesson) -> pd.DataFrame:
    """Draw one report from each of n phones, and decode them.

    People by home page: `truth`, `decoded`, and its `standard error`; the 95 % range of an estimate
    is 1.96 of them to either side.
    """
    rng = generator(lesson.seed)
    popular = 1 / np.arange(1, len(PAGES) + 1)
    people = rng.multinomial(lesson.n, popular / popular.sum())
    server = daily_counts.RapporCollector(build_rappor(lesson), PAGES, COHORTS)
    counts = server.estimate(server.sample_tally(people, rng))
    columns = {"truth": people, "decoded": counts, _OFF: np.sqrt(server.variance(people))}
    return pd.DataFrame(columns, index=PAGES)


def _crowd_board(lesson: Lesson) -> StationView:
    """Open the view of all phones: headline, picture, formula and numbers."""
    data = ask_crowd(lesson)
    estimate, figures = _first_page(data, lesson)
    sure = int((data["decoded"] > accuracy.Z95 * data[_OFF]).sum())
    have = "has" if sure == 1 else "have"
    numbers = station.table(data, lambda people: formats.integer(round(people)), str)
    return StationView(
        Headline(
            estimate,
            f"{'± is a 95 % range. ' if 'range' in figures else ''}{sure} of {len(PAGES)} pages "
            f"{have} a range above 0, from one report per phone.",
            figures={**figures, "above 0": float(sure)},
        ),
        lambda: formula(lesson),
        numbers,
        lambda colours: pages(data, lesson, colours),
        "pages",
        station.alt_text("People by home page.", numbers),
    )


def _first_page(data: pd.DataFrame, lesson: Lesson) -> tuple[str, dict[str, float]]:
    """What all reports say of the first page's share, as a sentence, and its numbers."""
    true, first, error = (data.iloc[0] / lesson.n).tolist()
    off = accuracy.Z95 * error
    if accuracy.is_all_shares(first - off, first + off):
        needed = accuracy.reports_needed(lesson.n, error)
        return accuracy.nothing_yet(lesson.n, error, f"about {PAGES[0]}"), {"needed": needed}
    return (
        f"From {formats.counted(lesson.n, 'phone', 'phones')} we estimate that {PAGES[0]} is home "
        f"for {formats.digits(100 * first, 3)} %, ± {formats.points(off)}, truly "
        f"{formats.digits(100 * true, 3)} %."
    ), {"estimate": 100 * first, "true": 100 * true, "range": 100 * off}


def pages(data: pd.DataFrame, lesson: Lesson, colours: Palette) -> Figure:
    """Truth as bars, decoded counts as points with their 95 % ranges."""
    ours, other, _, _ = station.line_styles(colours)
    percent = 100 * data / lesson.n
    truth = {"type": "bar", "name": "truth", "x": _SHORT, "y": percent["truth"]}
    name, look = "estimate and its 95 % range", {"color": ours.colour, "size": 12}
    reach = {"array": accuracy.Z95 * percent[_OFF], "thickness": 2.5, "width": 6}
    decoded = dots_trace(name, _SHORT, percent["decoded"], look, error_y=reach)
    truth["marker"] = {"color": other.colour, "opacity": 0.55}
    y = {"title": "people with this home page, %"}
    return station.figure([truth, decoded], {"type": "category"}, y, colours, hovermode="x")


_SHOWN_DAYS: Final = 9
_HEIGHT: Final = 330
"""Pixels of the chart, so that a phone shows it together with the bits."""
_STORED, _REDRAWN = "stored noise", "new noise every day"
_CURVE_DAYS: Final = (1, 2, 4, 7, 14, 30, 60)


@dataclass(frozen=True, eq=False)
class OnePhone:
    """A phone's reports, and how well an attacker guesses from them.

    `rows`: titles and (k,) shares of ones, from the page's true bits to the average of all days.
    `curves`: (days, 3) chances of a right guess from 50:50 over the days: with stored noise, which
    is one permanent response, with a new one every day, and with `Lesson.values` values one after
    the other. `at_lesson_days`: the three at the lesson's days. `stored_limit`: the chance with
    the permanent responses of all values after any number of days.
    """

    rows: list[tuple[str, Floats]]
    curves: pd.DataFrame
    at_lesson_days: tuple[float, float, float]
    stored_limit: float


@cached
def _guesses(epsilon: float, days: int, values: int) -> tuple[float, float, float]:
    """Chances of a right guess after some days: stored, redrawn, several values."""
    mechanism = daily_counts.LastingRappor(BITS, HASHES, epsilon)
    stored = mechanism.history_guess_accuracy([mechanism.law_memoised(days)])
    redrawn = mechanism.history_guess_accuracy([mechanism.law_redrawn(days)])
    if values == 1:
        return stored, redrawn, stored
    parts = [days // values + (i < days % values) for i in range(values)]
    changing = [mechanism.law_memoised(part) for part in parts if part]
    return stored, redrawn, mechanism.history_guess_accuracy(changing)


@cached
def follow_phone(lesson: Lesson) -> OnePhone:
    """Draw one phone's reports, and compute the curves of right guesses."""
    mechanism = build_rappor(lesson)
    curves = [_guesses(lesson.epsilon, days, lesson.values) for days in _CURVE_DAYS]
    return OnePhone(
        _reports(mechanism, lesson),
        pd.DataFrame(curves, _CURVE_DAYS, [_STORED, _REDRAWN, "several values"]),
        _guesses(lesson.epsilon, lesson.days, lesson.values),
        mechanism.history_guess_accuracy([mechanism.law_of_permanent] * lesson.values),
    )


def page_on(day: int, lesson: Lesson) -> str:
    """The phone's home page on a day, counted from 0: each value for as many days."""
    return PAGES[day * lesson.values // lesson.days % len(PAGES)]


def _reports(mechanism: daily_counts.LastingRappor, lesson: Lesson) -> list[tuple[str, Floats]]:
    """The rows of bits: of a phone that remembers, or of one that forgets every night."""
    words = seeded_words(lesson.seed)
    phone, sent, first_day = daily_counts.Phone(mechanism, words), [], 0
    for day in range(lesson.days):
        page = page_on(day, lesson)
        if lesson.broken:
            phone = daily_counts.Phone(mechanism, words)
        elif page not in phone.permanent_bits:
            first_day = day
        sent.append(phone.report(page))
    today = page_on(lesson.days - 1, lesson)
    title = "drawn today" if lesson.broken else "stored"
    rows = [("true bits", mechanism.bloom(today)), (title, phone.permanent_bits[today])]
    rows += [(f"day {day + 1}", bits) for day, bits in enumerate(sent[:_SHOWN_DAYS])]
    average = np.mean(sent[first_day:], axis=0)
    return [(name, bits.astype(np.float64)) for name, bits in rows] + [("average", average)]


def _phone_board(lesson: Lesson) -> StationView:
    """Open the view of one phone: headline, picture, formula and numbers."""
    data = follow_phone(lesson)
    days = formats.count(lesson.days, "day", "days")
    one = "one page that never changes"
    pages = one if lesson.values == 1 else f"{lesson.values} pages"
    seen = min(lesson.values, lesson.days)  # a page takes a day at least
    after = f"{days} and {seen} pages" if seen > 1 else days
    _, redrawn, changing = data.at_lesson_days
    figures = {"right": 100 * changing, "limit": 100 * data.stored_limit}
    details = (
        f"That is about {pages}, from even odds; the limit after many days is "
        f"{formats.hundred(data.stored_limit)}."
    )
    if lesson.broken:
        end = float(data.curves[_REDRAWN].iloc[-1])
        details += (
            f" With new noise every day it is {formats.hundred(redrawn)} by now, and "
            f"{formats.hundred(end)} after 60 days."
        )
        figures |= {"redrawn": 100 * redrawn, "redrawn in the end": 100 * end}
    numbers = station.table(
        data.curves,
        lambda p: f"{formats.hundred(p) if p >= 0.9995 else f'{100 * p:.1f}'} of 100",
        lambda day: formats.count(day, "day", "days"),
    )
    return StationView(
        Headline(
            "If the phone stores its noise, an attacker is right "
            f"{formats.hundred(changing)} times in 100 after {after}.",
            details,
            figures=figures,
        ),
        lambda: formula(lesson),
        numbers,
        lambda colours: leak(data, lesson, colours),
        "leak",
        station.alt_text("How often an attacker is right, from even odds.", numbers),
        {"bits": bits(data, lesson)},
        (1, 1.15),
    )


def bits(data: OnePhone, lesson: Lesson) -> str:
    """Rows of bits: full is 1; the average of all days is as full as its share of ones.

    The columns of the page's true bits are framed.
    """
    true = data.rows[0][1] == 1
    rows = "".join(
        f"<p><span>{title}</span>{''.join(map(_cell, shares.tolist(), true.tolist()))}</p>"
        for title, shares in data.rows
    )
    ones = ", ".join(f"{title}: {bits.sum():.3g} of {BITS} set" for title, bits in data.rows)
    alt = f"Rows of bits of one phone. {ones}."
    return (
        f'<div class="bits" role="img" aria-label="{alt}">{rows}<small>{BITS} bits, '
        f"framed: the {true.sum()} of {page_on(lesson.days - 1, lesson)}</small></div>"
    )


def _cell(share: float, is_true: bool) -> str:
    frame = ' class="true"' if is_true else ""
    if share in (0.0, 1.0):
        return f"<i{frame}></i>" if share else f"<s{frame}></s>"
    return f'<s{frame}><i style="opacity: {share:.2f}"></i></s>'


def leak(data: OnePhone, lesson: Lesson, colours: Palette) -> Figure:
    """Chart of right guesses against days."""
    ours, other, third, faint = station.line_styles(colours)
    limit = 100 * data.stored_limit
    hover = "%{y:.1f} times in 100"
    several = f"{lesson.values} values"
    curves, looks = 100 * data.curves.rename(columns={"several values": several}), {_STORED: ours}
    if lesson.values > 1:
        looks[several] = third
    if lesson.broken:
        looks[_REDRAWN] = other
    flat = station.line("limit of stored noise", [1, DAYS_MOST], [limit, limit], faint, hover)
    traces = [flat, *station.lines(curves, looks, hover)]
    x = {"title": "days", "type": "log", "tickvals": [1, 3, 7, 14, 30, 60]}
    y = {"title": "attacker is right, times in 100", "range": [48, 102]}
    mark = station.upright(lesson.days, colours, 8)
    return station.figure(traces, x, y, colours, shapes=[mark], height=_HEIGHT)


_TITLES: Final = {"phone": "One phone", "crowd": "All phones"}
_DAYS: Final = station.dial("days", "Days", (1, 2, 3, 5, 7, 14, 30, 60), "One report per day.")
_VALUES: Final = station.dial(
    "values",
    "Different pages",
    (1, 2, 3, 5),
    "How many home pages the phone had, each with stored bits of its own.",
)


RAPPOR_STATION = Station(
    "RAPPOR",
    lambda lesson: (_crowd_board if lesson.view == "crowd" else _phone_board)(lesson),
    lambda lesson: (
        (station.EPSILON, station.people(1_000))
        if lesson.view == "crowd"
        else (station.EPSILON, _DAYS, _VALUES)
    ),
    ("Forget every night", "The stored bits are drawn anew each day."),
    can_break=lambda lesson: lesson.view == "phone",
    show_choice=lambda lesson: station.show_views(lesson, _TITLES),
)


MOST: Final = WIDTHS[-1]
DAYS: Final = 60
RANDOM: Final = "standard error, rounded at random"
NEAREST: Final = "standard error, to the nearest"
COINS: Final = f"random bits in {DAYS} days"
_PHONES: Final = 1_000
_WANDER: Final = 8.0
"""Standard deviation of a day from the habit, in minutes."""


@dataclass(frozen=True, eq=False)
class Means:
    """`curves`: (widths, 3) over the width of a bucket, and the mean of one outcome.

    Standard errors in minutes, roots of the mean squared error with people held fixed: `RANDOM`
    with random rounding, `NEAREST` with the nearest multiple; `COINS`: mean number of coins that a
    phone draws in 60 days. `truth`, `estimate`: the mean, and this outcome's estimate.
    """

    curves: pd.DataFrame
    truth: float
    estimate: float


def shares() -> Floats:
    """(241,) people by today's minutes: few minutes are common, long days rare."""
    minutes = np.arange(MOST + 1)
    weights = (minutes + 2.0) * np.exp(-minutes / 28.0)
    return np.asarray(weights / weights.sum())


@cache
def _days() -> tuple[Ints, Ints]:
    """(phones, 60) minutes and (phones,) uniform numbers for their offsets; never redrawn."""
    rng = generator(0)
    habit = rng.choice(MOST + 1, _PHONES, p=shares())
    days = np.rint(habit[:, None] + _WANDER * rng.standard_normal((_PHONES, DAYS)))
    return np.clip(days, 0, MOST).astype(np.int64), rng.integers(0, MOST, _PHONES)


@cache
def coins_by_width() -> Floats:
    """(widths,) mean number of coins that a phone draws in 60 days."""
    numbers, offset = _days()
    return np.array(
        [daily_counts.coins_used(numbers, offset % width, width).mean() for width in WIDTHS]
    )


@cached
def means_data(lesson: Lesson) -> Means:
    """Errors by formula for every width, and one outcome."""
    rng = generator(lesson.seed)
    mechanism, n = daily_counts.OneBitMean(MOST, lesson.epsilon), lesson.n
    people = rng.multinomial(n, shares())
    minutes = np.arange(MOST + 1)
    truth = float(people @ minutes) / n
    # Over the offsets a phone's bit has one law for every width: that of the exact number.
    random_error = math.sqrt(mechanism.variance(people))
    nearest_errors = []
    for width in WIDTHS:
        moved = np.bincount(
            daily_counts.round_to_nearest(minutes, width).clip(0, MOST), people, MOST + 1
        )
        counts = moved.astype(np.int64)
        off = float(counts @ minutes) / n - truth
        nearest_errors.append(math.hypot(off, math.sqrt(mechanism.variance(counts))))
    curves = {RANDOM: random_error, NEAREST: nearest_errors, COINS: coins_by_width()}
    return Means(
        pd.DataFrame(curves, WIDTHS),
        truth,
        mechanism.estimate(mechanism.sample_ones(people, rng), n),
    )


def open_means(lesson: Lesson) -> StationView:
    """Open the station at a lesson: headline, picture, formula and numbers."""
    data = means_data(lesson)
    random, naive, coins = data.curves.loc[[lesson.width]].to_numpy()[0].tolist()
    budget, daily = coins * lesson.epsilon, DAYS * lesson.epsilon
    details = (
        f"These are standard errors, of {formats.counted(lesson.n, 'phone', 'phones')}. In {DAYS} "
        f"days a phone draws {formats.digits(coins, 3)} random bits on average. Each may cost ε: "
        f"{formats.digits(budget, 3)} in all."
    )
    figures = {"random": random, "nearest": naive, "bits": coins, "budget": budget}
    if lesson.broken:
        details += f" With a new bit every day, ε adds up to {formats.digits(daily, 3)}."
        figures["daily budget"] = daily
    errors, coins_drawn = data.curves[[RANDOM, NEAREST]], data.curves[[COINS]]
    numbers = {
        **station.table(errors, _minutes, _minutes_of_width),
        **station.table(coins_drawn, "{:.1f}".format, _minutes_of_width),
    }
    return StationView(
        Headline(
            f"Rounded at random, the mean time in an app is off by {_minutes(random)}; rounded to "
            f"the nearest, by {formats.digits(naive)}.",
            details,
            figures=figures,
        ),
        lambda: station.formula("means", estimate=data.estimate, truth=data.truth, wander=_WANDER),
        numbers,
        lambda colours: means_figure(data, lesson, colours),
        "means",
        station.alt_text("Errors of the mean, and random bits, by bucket width.", numbers),
        {"day": day_html(lesson.width)},
        (1, 1.7),
    )


_DAY: Final = 47
"""Minutes of the day that is rounded as a picture."""


def day_html(width: int) -> str:
    """One day's minutes as bars: as they are, rounded at random, and rounded to the nearest."""
    low = _DAY // width * width
    above = round(100 * (_DAY - low) / width)
    ends = {"low": low, "high": low + width}
    ends["nearest"] = int(daily_counts.round_to_nearest(np.array([_DAY]), width)[0])
    shares = {f"{name}_end": minutes / MOST for name, minutes in ends.items()}
    shares |= {"exact": _DAY / MOST, "bucket": width / MOST}
    phones = {"below": 100 - above, "above": above}
    return station.PICTURES["day"].format(day=_DAY, **ends, **shares, **phones)


def _minutes_of_width(width: int) -> str:
    return formats.count(width, "minute", "minutes")


def _minutes(error: float) -> str:
    return formats.count(formats.digits(error), "minute", "minutes")


def means_figure(data: Means, lesson: Lesson, colours: Palette) -> Figure:
    """Errors above, coins below, against the width of a bucket."""
    ours, other, third, faint = station.line_styles(colours)
    traces: list[Any] = [
        station.line("rounded at random: error", WIDTHS, data.curves[RANDOM], ours),
        station.line("to the nearest: error", WIDTHS, data.curves[NEAREST], other),
        {**station.line("random bits, stored", WIDTHS, data.curves[COINS], third), "yaxis": "y2"},
    ]
    if lesson.broken:
        naive = station.line("a new bit every day", WIDTHS, [DAYS] * len(WIDTHS), faint)
        traces.append({**naive, "yaxis": "y2"})
    x = {"title": "bucket width, minutes", "type": "log", "tickvals": WIDTHS, "anchor": "y2"}
    y = {"title": "error, minutes", "domain": [0.56, 1], "rangemode": "tozero"}
    below = {"title": f"bits in {DAYS} days", "domain": [0, 0.46], "rangemode": "tozero"}
    coins = axis(below, colours, station.TYPE)
    mark = {**station.upright(lesson.width, colours, 20), "yref": "paper"}
    return station.figure(traces, x, y, colours, yaxis2=coins, shapes=[mark])


_WIDTH: Final = station.dial(
    "width", "Bucket width (minutes)", WIDTHS, "Numbers are rounded to multiples of it."
)
MEANS_STATION = Station(
    "Means",
    open_means,
    lambda _: (station.EPSILON, _WIDTH, station.people(100)),
    ("Draw a new bit every day", "Nothing is stored: every report costs another ε."),
)
