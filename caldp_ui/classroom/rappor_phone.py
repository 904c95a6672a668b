"""Station 4, one phone: its bits day by day, and what a day, a month and a changing value leak."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.cache import cached
from caldp_core.basics.types import Floats
from caldp_core.lecture.rappor import Phone, Rappor
from caldp_core.mechanisms.randomness.coins import seeded_words
from caldp_ui.app.theme import Palette
from caldp_ui.classroom import charts
from caldp_ui.classroom.page_state import DAYS_MOST, Lesson
from caldp_ui.classroom.picture import Chart, HtmlPart, Picture
from caldp_ui.classroom.rappor_terms import BITS, HASHES, PAGES, build_rappor, formula
from caldp_ui.classroom.station import Board
from caldp_ui.words import formats
from caldp_ui.words.headline import Headline

_SHOWN_DAYS: Final = 9
_HEIGHT: Final = 330
"""Pixels of the chart, so that a phone shows it together with the bits."""
_DAYS: Final = (1, 2, 4, 7, 14, 30, 60)


@dataclass(frozen=True, eq=False)
class OnePhone:
    """A phone's reports, and how well an attacker guesses from them.

    `rows`: titles and (k,) shares of ones, from the Bloom filter to the average of all days.
    `days`: days of the curves; `stored`, `redrawn`, `changing`: chances of a right guess from 50:50
    with one permanent response, with a new one every day, and with `Lesson.values` values one after
    the other. `at_lesson_days`: the three at the lesson's days. `stored_limit`: the chance with
    the permanent responses of all values after any number of days.
    """

    rows: list[tuple[str, Floats]]
    days: tuple[int, ...]
    stored: tuple[float, ...]
    redrawn: tuple[float, ...]
    changing: tuple[float, ...]
    at_lesson_days: tuple[float, float, float]
    stored_limit: float


@cached
def _curves(epsilon: float, values: int) -> tuple[tuple[float, float, float], ...]:
    """Chances of a right guess on the curves' days: stored, redrawn, several values."""
    return tuple(
        _guesses(epsilon, days, values) for days in range(1, DAYS_MOST + 1) if days in _DAYS
    )


@cached
def _guesses(epsilon: float, days: int, values: int) -> tuple[float, float, float]:
    mechanism = Rappor(BITS, HASHES, epsilon)
    stored = mechanism.history_guess_accuracy([mechanism.law_memoised(days)])
    redrawn = mechanism.history_guess_accuracy([mechanism.law_redrawn(days)])
    if values == 1:
        return stored, redrawn, stored
    parts = [days // values + (i < days % values) for i in range(values)]
    changing = [mechanism.law_memoised(part) for part in parts if part]
    return stored, redrawn, mechanism.history_guess_accuracy(changing)


def compute_data(lesson: Lesson) -> OnePhone:
    """Draw one phone's reports, and compute the curves of right guesses."""
    mechanism = build_rappor(lesson)
    curves = _curves(lesson.epsilon, lesson.values)
    stored, redrawn, changing = zip(*curves, strict=True)
    return OnePhone(
        _reports(mechanism, lesson),
        _DAYS,
        stored,
        redrawn,
        changing,
        _guesses(lesson.epsilon, lesson.days, lesson.values),
        mechanism.history_guess_accuracy([mechanism.law_of_permanent] * lesson.values),
    )


def page_on(day: int, lesson: Lesson) -> str:
    """The phone's home page on a day, counted from 0: each value for as many days."""
    return PAGES[day * lesson.values // lesson.days % len(PAGES)]


def _reports(mechanism: Rappor, lesson: Lesson) -> list[tuple[str, Floats]]:
    """The rows of bits: of a phone that remembers, or of one that forgets every night."""
    words = seeded_words(np.random.default_rng(lesson.seed))
    phone, sent, first_day = Phone(mechanism, words), [], 0
    for day in range(lesson.days):
        page = page_on(day, lesson)
        if lesson.broken:
            phone = Phone(mechanism, words)
        elif page not in phone.permanent_bits:
            first_day = day
        sent.append(phone.report(page))
    today = page_on(lesson.days - 1, lesson)
    title = "drawn today" if lesson.broken else "stored"
    rows = [("Bloom filter", mechanism.bloom(today)), (title, phone.permanent_bits[today])]
    rows += [(f"day {day + 1}", bits) for day, bits in enumerate(sent[:_SHOWN_DAYS])]
    average = np.mean(sent[first_day:], axis=0)
    return [(name, bits.astype(np.float64)) for name, bits in rows] + [("average", average)]


def open_board(lesson: Lesson) -> Board:
    """Open the view of one phone: headline, picture, formula and numbers."""
    data = compute_data(lesson)
    days = formats.count(lesson.days, "day", "days")
    pages = formats.count(lesson.values, "page", "pages")
    after = f"{days} and {pages}" if lesson.values > 1 else days
    _, redrawn, changing = data.at_lesson_days
    figures = {"right": 100 * changing, "limit": 100 * data.stored_limit}
    details = (
        f"With ever more days it tends to {formats.hundred(data.stored_limit)} for {pages}, from "
        "even odds."
    )
    if lesson.broken:
        details += (
            f" With new noise every day it is {formats.hundred(redrawn)} by now, and "
            f"{formats.hundred(data.redrawn[-1])} after 60 days."
        )
        figures |= {"redrawn": 100 * redrawn, "redrawn in the end": 100 * data.redrawn[-1]}
    return Board(
        Headline(
            "If the phone stores its noise, an attacker is right "
            f"{formats.hundred(changing)} times in 100 after {after}.",
            details,
            figures=figures,
        ),
        lambda colours: _picture(data, lesson, colours),
        lambda: formula(lesson),
        _numbers(data),
    )


def _picture(data: OnePhone, lesson: Lesson, colours: Palette) -> Picture:
    chart = Chart(leak(data, lesson, colours), "leak", _alt_leak(data))
    return Picture((HtmlPart(bits(data, lesson), "bits"), chart), (1, 1.15))


def bits(data: OnePhone, lesson: Lesson) -> str:
    """Rows of bits: full is 1; the average of all days is as full as its share of ones."""
    rows = "".join(
        f"<p><span>{title}</span>{''.join(map(_cell, shares.tolist()))}</p>"
        for title, shares in data.rows
    )
    return (
        f'<div class="bits" role="img" aria-label="{_alt_bits(data)}">{rows}'
        f"<small>{BITS} bits, {page_on(lesson.days - 1, lesson)}</small></div>"
    )


def _cell(share: float) -> str:
    if share in (0.0, 1.0):
        return "<i></i>" if share else "<s></s>"
    return f'<s><i style="opacity: {share:.2f}"></i></s>'


def leak(data: OnePhone, lesson: Lesson, colours: Palette) -> go.Figure:
    """Chart of right guesses against days."""
    ours, other, third, faint = charts.line_styles(colours)
    most = 100 * max_guess_accuracy(lesson.epsilon)
    hover = "%{y:.1f} times in 100"
    traces: list[Any] = [
        charts.line("most that ε allows, one value", [1, DAYS_MOST], [most, most], faint, hover),
        charts.line("stored noise", data.days, 100 * np.array(data.stored), ours, hover),
    ]
    if lesson.values > 1:
        name = f"{lesson.values} values"
        traces.append(charts.line(name, data.days, 100 * np.array(data.changing), third, hover))
    if lesson.broken:
        traces.append(
            charts.line(
                "new noise every day", data.days, 100 * np.array(data.redrawn), other, hover
            )
        )
    x = {"title_text": "days", "type": "log", "tickvals": [1, 3, 7, 14, 30, 60]}
    y = {"title_text": "attacker is right, times in 100", "range": [48, 102]}
    mark = charts.upright(lesson.days, faint)
    return charts.figure(traces, x, y, colours, shapes=[mark], height=_HEIGHT)


def _alt_bits(data: OnePhone) -> str:
    ones = ", ".join(f"{title}: {bits.sum():.3g} of {BITS} set" for title, bits in data.rows)
    return f"Rows of bits of one phone. {ones}."


def _alt_leak(data: OnePhone) -> str:
    chances = "; ".join(
        f"day {day}: {100 * stored:.0f} with stored noise, {100 * redrawn:.0f} with new noise"
        for day, stored, redrawn in zip(data.days, data.stored, data.redrawn, strict=True)
    )
    return f"How often in 100 an attacker is right, from even odds, against days. {chances}."


def _numbers(data: OnePhone) -> dict[str, dict[str, str]]:
    columns = {
        "stored noise": data.stored,
        "new noise every day": data.redrawn,
        "several values": data.changing,
    }
    return {
        title: {
            formats.count(day, "day", "days"): f"{100 * share:.1f} of 100"
            for day, share in zip(data.days, shares, strict=True)
        }
        for title, shares in columns.items()
    }
