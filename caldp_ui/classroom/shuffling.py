"""Station 7: shuffling. What mixing reports adds, in blocks too; who has to trust whom."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Floats, Ints
from caldp_core.theory.mixing import closed_form_epsilon, numeric_epsilon
from caldp_ui.app.texts import read_toml
from caldp_ui.app.theme import Palette
from caldp_ui.classroom import station
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.classroom.station import Station, StationView
from caldp_ui.words import formats, promise
from caldp_ui.words.accuracy import terms
from caldp_ui.words.formats import Headline

DELTA: Final = 1e-9
"""Most by which the chance of any outcome may exceed what ε after mixing allows."""
FAKES: Final = 90
"""Fakes among 100 in the crowd, in the naive version."""
_SIZES: Final = np.array([part * 10**power for power in range(1, 10) for part in (1, 3)][:-1])
"""A tenth of one is another: fakes and most blocks need no bound of their own."""
TRUST: Final[str] = read_toml(__file__, "trust.toml")["text"]


@cached
def mixed_epsilon(epsilon: float, n: int) -> float:
    """ε after mixing n reports, by the numeric bound."""
    return numeric_epsilon(epsilon, n, DELTA)


@dataclass(frozen=True, eq=False)
class ShufflingBounds:
    """ε after mixing, for each number of people.

    (sizes,) `n`, `numeric_bound` by the numeric bound, `closed` by the closed form, `block` in
    blocks of n/blocks people, `honest_bound` there if `FAKES` of 100 reports are fake.
    `lesson_bounds`: the three at the lesson's n. `crowd`: people of one block there.
    """

    n: Ints
    numeric_bound: Floats
    closed: Floats
    block: Floats
    honest_bound: Floats
    lesson_bounds: tuple[float, float, float]
    crowd: int


def compute_data(lesson: Lesson) -> ShufflingBounds:
    """Bounds for every number of people."""
    e, sizes = lesson.epsilon, _SIZES.tolist()

    def mixed(part: int) -> Floats:
        return np.array([mixed_epsilon(e, max(1, n // part)) for n in sizes])

    crowd, real = max(1, lesson.n // lesson.blocks), 100 - FAKES
    honest = max(1, crowd * real // 100)
    return ShufflingBounds(
        _SIZES,
        mixed(1),
        np.array([closed_form_epsilon(e, n, DELTA) for n in sizes]),
        mixed(lesson.blocks),
        mixed(lesson.blocks * 100 // real),
        (mixed_epsilon(e, lesson.n), mixed_epsilon(e, crowd), mixed_epsilon(e, honest)),
        crowd,
    )


def open_board(lesson: Lesson) -> StationView:
    """Open the station at a lesson: headline, picture, formula and numbers."""
    data = compute_data(lesson)
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
    numbers = _numbers(data)
    change = promise.shuffled_epsilon_text(lesson.epsilon, block)
    return StationView(
        Headline(
            f"Once {reports}{blocks} {verb} shuffled, ε {change}.",
            f"{details}{promise.DELTA_TEXT}",
            figures=figures,
        ),
        lambda: _formula(data, lesson),
        numbers,
        lambda colours: figure(data, lesson, colours),
        "mixed",
        station.alt_text("ε after shuffling against the number of people.", numbers),
        {"envelopes": envelopes(lesson)},
        (1, 1.6),
    )


def envelopes(lesson: Lesson) -> str:
    """Ten envelopes that are mixed, all or within two blocks; all but one may be fake."""
    state = f"{'in-blocks' if lesson.blocks > 1 else ''} {'fakes' if lesson.broken else ''}"
    return station.PICTURES["envelopes"].format(state=state)


def figure(data: ShufflingBounds, lesson: Lesson, colours: Palette) -> go.Figure:
    """ε after mixing against the crowd, both logarithmic."""
    ours, other, third, faint = station.line_styles(colours)
    hover = "ε = %{y:.2g}"
    traces: list[Any] = [station.line("shuffled", data.n, data.numeric_bound, ours, hover)]
    if lesson.blocks > 1:
        traces.append(station.line("in blocks", data.n, data.block, third, hover))
    if lesson.broken:
        traces.append(
            station.line(f"{FAKES} of 100 are fake", data.n, data.honest_bound, other, hover)
        )
    traces.append(station.line("closed form", data.n, data.closed, faint, hover))
    x = {**station.PEOPLE, "range": [0.9, 9.1]}
    ticks = [0.0001, 0.001, 0.01, 0.1, 1, 10]
    y = {
        "title_text": "ε after shuffling",
        "type": "log",
        "tickvals": ticks,
        "ticktext": [f"{tick:g}" for tick in ticks],
    }
    return station.figure(
        traces, x, y, colours, shapes=[station.upright(lesson.n, faint, station.MIDDLE)]
    )


def _formula(data: ShufflingBounds, lesson: Lesson) -> None:
    station.formula(
        "shuffling",
        closed=formats.digits(closed_form_epsilon(lesson.epsilon, lesson.n, DELTA), 3),
        best=formats.digits(data.lesson_bounds[0], 3),
        crowd=formats.counted(data.crowd, "person", "people"),
        epsilon=lesson.epsilon,
    )
    terms("δ")
    st.markdown(TRUST)


def _numbers(data: ShufflingBounds) -> station.Table:
    columns = {
        "shuffled": data.numeric_bound,
        "in blocks": data.block,
        f"{FAKES} of 100 are fake": data.honest_bound,
        "closed form": data.closed,
    }
    tens = {title: levels[::2] for title, levels in columns.items()}
    return station.table(list(map(formats.people, data.n.tolist()[::2])), tens, formats.digits)


_BLOCKS: Final = station.dial(
    "blocks",
    "Blocks",
    (1, 10, 50, 100, 1_000, 10_000),
    "Reports show their block: only people of the same block hide a report.",
)
STATION = Station(
    "Shuffling",
    open_board,
    lambda _: (station.EPSILON, station.people(), _BLOCKS),
    ("Fill the crowd with fakes", f"The attacker knows {FAKES} of 100 reports: they hide nobody."),
    has_draws=lambda _: False,
)
