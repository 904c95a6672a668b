"""Station 4: RAPPOR's two layers. What a day, a month and a changing value leak; what it counts.

Room: classroom. ε is the ε∞ of all reports of one value.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from caldp_core.audit.adversary import guessed_right
from caldp_core.basics.types import Floats, Ints
from caldp_core.lecture.rappor import Collector, Phone, Rappor
from caldp_core.mechanisms.randomness.coins import seeded_words
from caldp_ui.app.theme import Palette, palette
from caldp_ui.charts.show import show
from caldp_ui.classroom import charts, dials
from caldp_ui.classroom.slot import DAYS_MOST, SLOT, Lesson
from caldp_ui.classroom.station import Board, Station
from caldp_ui.words import formats

BITS: Final = 32
HASHES: Final = 2
COHORTS: Final = 8
_NAMES: Final = (
    *("news", "mail", "maps", "films", "music", "games"),
    *("books", "shop", "weather", "bank", "jobs", "doctor"),
)
PAGES: Final = tuple(f"{name}.example" for name in _NAMES)
"""Candidate home pages, the most popular first."""
_SHOWN_DAYS: Final = 9
_DAYS: Final = (1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60)


@dataclass(frozen=True, eq=False)
class OnePhone:
    """A phone's reports and what they say.

    `rows`: titles and (k,) shares of ones, from the Bloom filter to the average of all days.
    `days`: days of the curves; `kept`, `anew`, `changing`: chances of a right guess from 50:50 with
    one permanent response, with a new one every day, and with `Lesson.values` values one after the
    other. `now`: the three at the lesson's days. `never_more`: of one value, after any number of
    days, by `known` in truth and by the promise.
    """

    rows: list[tuple[str, Floats]]
    days: tuple[int, ...]
    kept: tuple[float, ...]
    anew: tuple[float, ...]
    changing: tuple[float, ...]
    now: tuple[float, float, float]
    known: float


@dataclass(frozen=True, eq=False)
class Crowd:
    """Home pages of n people: (pages,) `truth`, `decoded` and its standard errors `deviation`."""

    truth: Ints
    decoded: Floats
    deviation: Floats


@lru_cache(maxsize=64)
def _curves(epsilon: float, values: int) -> tuple[tuple[float, float, float], ...]:
    """Right guesses at all days of the curves: kept, drawn anew, several values."""
    return tuple(
        _guesses(epsilon, days, values) for days in range(1, DAYS_MOST + 1) if days in _DAYS
    )


def _guesses(epsilon: float, days: int, values: int) -> tuple[float, float, float]:
    made = Rappor(BITS, HASHES, epsilon)
    parts = [days // values + (i < days % values) for i in range(values)]
    return (
        made.guessed_right([made.law_memoised(days)]),
        made.guessed_right([made.law_redrawn(days)]),
        made.guessed_right([made.law_memoised(part) for part in parts if part]),
    )


def one_phone(lesson: Lesson) -> OnePhone:
    """Everything about one phone."""
    made = Rappor(BITS, HASHES, lesson.epsilon)
    curves = _curves(lesson.epsilon, lesson.values)
    kept, anew, changing = zip(*curves, strict=True)
    return OnePhone(
        _reports(made, lesson),
        _DAYS,
        kept,
        anew,
        changing,
        _guesses(lesson.epsilon, lesson.days, lesson.values),
        made.guessed_right([made.law_of_permanent]),
    )


def _reports(made: Rappor, lesson: Lesson) -> list[tuple[str, Floats]]:
    """A phone that remembers, or one that forgets every night."""
    words = seeded_words(np.random.default_rng(lesson.seed))
    phone, sent, first_day = Phone(made, words), [], 0
    for day in range(lesson.days):
        page = PAGES[day * lesson.values // lesson.days % len(PAGES)]
        if lesson.broken:
            phone = Phone(made, words)
        elif page not in phone.kept:
            first_day = day
        sent.append(phone.report(page))
    today = PAGES[(lesson.days - 1) * lesson.values // lesson.days % len(PAGES)]
    title = "drawn today" if lesson.broken else "kept for ever"
    rows = [("Bloom filter", made.bloom(today)), (title, phone.kept[today])]
    rows += [(f"day {day + 1}", bits) for day, bits in enumerate(sent[:_SHOWN_DAYS])]
    average = np.mean(sent[first_day:], axis=0)
    return [(name, bits.astype(np.float64)) for name, bits in rows] + [("average", average)]


def crowd(lesson: Lesson) -> Crowd:
    """One report from each of n phones, decoded."""
    rng = np.random.default_rng(lesson.seed)
    popular = 1 / np.arange(1, len(PAGES) + 1)
    people = rng.multinomial(lesson.n, popular / popular.sum())
    server = Collector(Rappor(BITS, HASHES, lesson.epsilon), PAGES, COHORTS)
    found = server.estimate(server.sample_tally(people, rng))
    return Crowd(people, found, np.sqrt(server.variance(people)))


def open_board(lesson: Lesson) -> Board:
    """See `Station`."""
    return _crowd_board(lesson) if lesson.view == "crowd" else _phone_board(lesson)


def _phone_board(lesson: Lesson) -> Board:
    what = one_phone(lesson)
    days = formats.count(lesson.days, "day", "days")
    kept, anew, changing = (formats.hundred(share) for share in what.now)
    told = (
        f"**A phone that flips its bits once and keeps them: after {days} an onlooker guesses "
        f"{kept} of 100 right, and never more than {formats.hundred(what.known)}.**"
    )
    if lesson.broken:
        told += (
            f" Drawn anew every day: {anew} by now, {formats.hundred(what.anew[-1])} in 60 days."
        )
    elif lesson.values > 1:
        told += f" With {lesson.values} different values one after the other: {changing}."
    return Board(
        told,
        lambda: _draw_phone(what, lesson),
        lambda: _formula(lesson, what),
        _phone_numbers(what),
    )


def _draw_phone(what: OnePhone, lesson: Lesson) -> None:
    colours = palette()
    left, right = st.columns([1, 1.15], gap="medium")
    with left:
        show(bits(what, colours), SLOT.key("bits"), _alt_bits(what))
    with right:
        show(leak(what, lesson, colours), SLOT.key("leak"), _alt_leak(what))


def bits(what: OnePhone, colours: Palette) -> go.Figure:
    """Rows of bits: full is 1."""
    titles, rows = zip(*reversed(what.rows), strict=True)
    heat = {
        "type": "heatmap",
        "z": np.array(rows),
        "y": [f"{title} " for title in titles],
        "x": np.arange(1, BITS + 1),
        "zmin": 0,
        "zmax": 1,
        "xgap": 1,
        "ygap": 3,
        "colorscale": [[0, "rgba(128,140,152,0.16)"], [1, colours.ours]],
        "showscale": False,
        "hovertemplate": "%{y}, bit %{x}: %{z:.2f}<extra></extra>",
    }
    x = {"title_text": f"{BITS} bits", "showgrid": False, "tickvals": [1, 8, 16, 24, 32]}
    return charts.figure([heat], x, {"showgrid": False}, colours, hovermode="closest")


def leak(what: OnePhone, lesson: Lesson, colours: Palette) -> go.Figure:
    """Right guesses against days."""
    ours, other, third, faint = charts.looks(colours)
    most = 100 * guessed_right(lesson.epsilon)
    told = "%{y:.1f} of 100"
    traces: list[Any] = [
        charts.line("most allowed", [1, DAYS_MOST], [most, most], faint, told),
        charts.line("kept", what.days, 100 * np.array(what.kept), ours, told),
    ]
    if lesson.values > 1:
        name = f"{lesson.values} values"
        traces.append(charts.line(name, what.days, 100 * np.array(what.changing), third, told))
    if lesson.broken:
        traces.append(
            charts.line("new every day", what.days, 100 * np.array(what.anew), other, told)
        )
    x = {"title_text": "days", "type": "log", "tickvals": [1, 3, 7, 14, 30, 60]}
    y = {"title_text": "guessed right of 100, from 50:50", "range": [48, 102]}
    return charts.figure(traces, x, y, colours, shapes=[charts.upright(lesson.days, faint)])


def _alt_bits(what: OnePhone) -> str:
    ones = ", ".join(f"{title}: {bits.sum():.3g} of {BITS} set" for title, bits in what.rows)
    return f"Rows of bits of one phone. {ones}."


def _alt_leak(what: OnePhone) -> str:
    said = "; ".join(
        f"day {day}: {100 * kept:.0f} kept, {100 * anew:.0f} drawn anew"
        for day, kept, anew in zip(what.days, what.kept, what.anew, strict=True)
    )
    return f"Right guesses of 100, from 50:50, against days. {said}."


def _phone_numbers(what: OnePhone) -> dict[str, dict[str, str]]:
    columns = {
        "kept": what.kept,
        "new every day": what.anew,
        "several values": what.changing,
    }
    return {
        title: {
            formats.count(day, "day", "days"): f"{100 * share:.1f} of 100"
            for day, share in zip(what.days, shares, strict=True)
        }
        for title, shares in columns.items()
    }


def _crowd_board(lesson: Lesson) -> Board:
    what = crowd(lesson)
    first = 100 * what.decoded[0] / lesson.n
    sure = sum(what.truth > 2 * what.deviation)
    told = (
        f"**One day's reports of {formats.people(lesson.n)} phones: {PAGES[0]} is home for "
        f"{first:.3g} %** (truly {100 * what.truth[0] / lesson.n:.3g} %); "
        f"{sure} of {len(PAGES)} pages stand out of the noise."
    )
    return Board(
        told,
        lambda: show(pages(what, lesson, palette()), SLOT.key("pages"), _alt_pages(what)),
        lambda: _formula(lesson, one_phone(lesson)),
        _crowd_numbers(what),
    )


def pages(what: Crowd, lesson: Lesson, colours: Palette) -> go.Figure:
    """Truth as bars, decoded counts as points with two standard errors."""
    ours, other, _, _ = charts.looks(colours)
    names, n = list(_NAMES), lesson.n
    truth = {"type": "bar", "name": "truth", "x": names, "y": 100 * what.truth / n}
    decoded = {
        "type": "scatter",
        "mode": "markers",
        "name": "decoded ± 2 standard errors",
        "x": names,
        "y": 100 * what.decoded / n,
        "error_y": {"array": 200 * what.deviation / n, "thickness": 2.5, "width": 6},
        "marker": {"color": ours.colour, "size": 12},
    }
    truth["marker"] = {"color": other.colour, "opacity": 0.55}
    y = {"title_text": "people with this home page, %"}
    return charts.figure([truth, decoded], {"type": "category"}, y, colours, hovermode="x")


def _alt_pages(what: Crowd) -> str:
    n = int(what.truth.sum())
    said = ", ".join(
        f"{page}: {100 * got / n:.1f} for {100 * true / n:.1f}"
        for page, got, true in zip(PAGES, what.decoded, what.truth, strict=True)
    )
    return f"Decoded and true shares of home pages in percent. {said}."


def _crowd_numbers(what: Crowd) -> dict[str, dict[str, str]]:
    columns = {"truth": what.truth, "decoded": what.decoded, "standard error": what.deviation}
    return {
        title: {page: f"{value:,.0f}" for page, value in zip(PAGES, values, strict=True)}
        for title, values in columns.items()
    }


def _formula(lesson: Lesson, what: OnePhone) -> None:
    made = Rappor(BITS, HASHES, lesson.epsilon)
    st.latex(
        r"\varepsilon_\infty = 2h\log\frac{1-f/2}{f/2}\qquad"
        r"\varepsilon_1 = h\log\frac{q^*(1-p^*)}{p^*(1-q^*)}"
    )
    st.markdown(
        f"h = {HASHES} of {BITS} bits are set by a value (Bloom filter). **Permanent**: each is "
        f"flipped with f/2 = {1 - float(made.kept):.3f} and kept. **Daily**: sent as 1 with ¾ "
        f"where the kept bit is 1, else with ¼. All days together keep ε∞ = {lesson.epsilon:g}; "
        f"one report alone keeps ε₁ = {made.epsilon_one_day:.2f}. The daily layer is no further "
        "promise: it makes reports of one phone harder to link, and averages away, down to the kept "
        f"bits ({formats.hundred(what.known)} of 100 guessed right) and no further. Every new "
        "value has kept bits of its own and costs ε∞ again: v values promise v·ε∞. **Decoding**: "
        f"phones are in {COHORTS} cohorts with hash functions of their own; the sums of bits are "
        "freed of noise and regressed on the candidates' Bloom filters (least squares; the paper's "
        "Lasso is for more candidates than bits). Erlingsson, Pihur, Korolova 2014, Theorems 1, 2."
    )


def _dials(lesson: Lesson) -> None:
    st.segmented_control(
        "Look at",
        ("phone", "crowd"),
        format_func={"phone": "One phone", "crowd": "All phones"}.__getitem__,
        label_visibility="collapsed",
        required=True,
        **SLOT.bind("view", lesson.view, lambda r, v: replace(r, view=v, broken=False)),
    )
    with st.container(key=SLOT.key("dials")):
        dials.epsilon(lesson)
        if lesson.view == "crowd":
            dials.people(lesson, 1_000)
        else:
            told = "One report a day."
            dials.pick("days", "Days", (1, 2, 3, 5, 7, 14, 30, 60), lesson.days, told)
    if lesson.view == "phone":
        told = "How often the home page changed, with kept bits of its own each time."
        dials.pick("values", "Different values", (1, 2, 3, 5), lesson.values, told)


STATION = Station(
    "RAPPOR",
    open_board,
    _dials,
    ("Forget every night", "The permanent response is drawn anew each day."),
    breaks=lambda lesson: lesson.view == "phone",
)
