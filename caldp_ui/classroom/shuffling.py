"""Station 7: shuffling. What mixing reports adds, in blocks too; who has to trust whom."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Floats, Ints
from caldp_core.theory.shuffling import closed_form, numeric
from caldp_ui.app.theme import Palette
from caldp_ui.classroom import charts, dials
from caldp_ui.classroom.picture import Chart, Picture, Words
from caldp_ui.classroom.slot import Lesson
from caldp_ui.classroom.station import Board, Station
from caldp_ui.words import formats
from caldp_ui.words.headline import Headline

DELTA: Final = 1e-9
"""Chance in which the promise after mixing may fail."""
FAKES: Final = 90
"""Of 100 in the crowd, where it is broken."""
_SIZES: Final = np.array([part * 10**power for power in range(1, 10) for part in (1, 3)][:-1])
"""A tenth of one is another: fakes and most blocks need no bound of their own."""
_MASKS: Final = (
    "Phones add masks that cancel in the sum; the server sees the sum only. One trusts the "
    "cryptography, and that enough phones stay to the end. Error 1/ε."
)
TRUST: Final = (
    ("Trusted server", "One server, and all who ever break into it. Error 1/ε."),
    ("Local", "Nobody. Error √n/ε."),
    ("Shuffled", "A shuffler that forgets who sent what, and a crowd of real people. In between."),
    ("Secure aggregation", _MASKS),
)
"""Who has to be trusted, in words."""


@cached
def after(epsilon: float, n: int) -> float:
    """ε after mixing n reports, by the numeric bound."""
    return numeric(epsilon, n, DELTA)


@dataclass(frozen=True, eq=False)
class Mixed:
    """ε after mixing, for each number of people.

    (sizes,) `n`, `best` by the numeric bound, `closed` by the closed form, `block` in blocks of
    n/blocks people, `real` if `FAKES` of 100 in the crowd are. `here`: best, block and real at the
    lesson's n. `crowd`: people of one block there.
    """

    n: Ints
    best: Floats
    closed: Floats
    block: Floats
    real: Floats
    here: tuple[float, float, float]
    crowd: int


def work(lesson: Lesson) -> Mixed:
    """Bounds for every number of people."""
    e, sizes = lesson.epsilon, _SIZES.tolist()

    def mixed(part: int) -> Floats:
        return np.array([after(e, max(1, n // part)) for n in sizes])

    crowd, real = max(1, lesson.n // lesson.blocks), 100 - FAKES
    honest = max(1, lesson.n * real // 100)
    return Mixed(
        _SIZES,
        mixed(1),
        np.array([closed_form(e, n, DELTA) for n in sizes]),
        mixed(lesson.blocks),
        mixed(100 // real),
        (after(e, lesson.n), after(e, crowd), after(e, honest)),
        crowd,
    )


def open_board(lesson: Lesson) -> Board:
    """See `Station`."""
    what = work(lesson)
    best, block, real = what.here
    told = "This may fail, with a chance of one in a billion."
    if lesson.blocks > 1:
        told += (
            f" With {formats.exactly(lesson.blocks)} blocks, only {formats.people(what.crowd)} "
            f"people in the same block hide a report: ε is {formats.digits(block)}."
        )
    if lesson.broken:
        told += f" If {FAKES} of 100 reports are fake, ε is {formats.digits(real)}."
    return Board(
        Headline(
            f"Shuffled among {formats.people(lesson.n)} reports, ε falls from {lesson.epsilon:g} "
            f"to {formats.digits(best)}.",
            told,
        ),
        lambda colours: _picture(what, lesson, colours),
        lambda: _formula(what, lesson),
        _numbers(what),
    )


def _picture(what: Mixed, lesson: Lesson, colours: Palette) -> Picture:
    rows = "".join(f"<p><b>{who}</b><br>{told}</p>" for who, told in TRUST)
    words = f'<div class="trusts"><h2>Whom one has to trust</h2>{rows}</div>'
    drawn = Chart(figure(what, lesson, colours), "mixed", _alt(what))
    return Picture((drawn, Words(words, "trusts")), (2.1, 1))


def figure(what: Mixed, lesson: Lesson, colours: Palette) -> go.Figure:
    """ε after mixing against the crowd, both logarithmic."""
    ours, other, third, faint = charts.looks(colours)
    told = "ε = %{y:.2g}"
    traces: list[Any] = [charts.line("shuffled", what.n, what.best, ours, told)]
    if lesson.blocks > 1:
        traces.append(charts.line("in blocks", what.n, what.block, third, told))
    if lesson.broken:
        traces.append(charts.line(f"{FAKES} of 100 are fake", what.n, what.real, other, told))
    traces.append(charts.line("closed form", what.n, what.closed, faint, told))
    x = {**charts.PEOPLE, "range": [0.9, 9.1]}
    ticks = [0.0001, 0.001, 0.01, 0.1, 1, 10]
    y = {
        "title_text": "ε after shuffling",
        "type": "log",
        "tickvals": ticks,
        "ticktext": [f"{tick:g}" for tick in ticks],
    }
    return charts.figure(traces, x, y, colours, shapes=[charts.upright(lesson.n, faint)])


def _alt(what: Mixed) -> str:
    said = "; ".join(
        f"{formats.people(n)}: {formats.digits(best)}, in blocks {formats.digits(block)}"
        for n, best, block in zip(
            what.n.tolist()[::4], what.best.tolist()[::4], what.block.tolist()[::4], strict=True
        )
    )
    return f"ε after shuffling against the number of people, both logarithmic. {said}."


def _formula(what: Mixed, lesson: Lesson) -> None:
    st.latex(
        r"\varepsilon\le\log\Big(1+\frac{e^{\varepsilon_0}-1}{e^{\varepsilon_0}+1}\Big("
        r"\frac{8\sqrt{e^{\varepsilon_0}\log(4/\delta)}}{\sqrt n}+\frac{8e^{\varepsilon_0}}{n}"
        r"\Big)\Big)"
    )
    closed = formats.digits(closed_form(lesson.epsilon, lesson.n, DELTA), 3)
    best = formats.digits(what.here[0], 3)
    st.markdown(
        f"Feldman, McMillan, Talwar 2021, “Hiding among the clones”, main theorem, δ = 10⁻⁹: "
        f"{closed} here. It holds for ε₀ ≤ log(n/(16·log(2/δ))); for fewer people it says "
        f"nothing, so ε₀ is drawn. The solid line, {best} here, is the divergence of "
        "their reduction to clones (as of 2023) summed up, rounded to the safe side; it holds "
        "for any mechanism. **(ε, δ)**: unlike all other pages, the promise after mixing may fail "
        "with chance δ. **In blocks** a report shows its block, so the crowd is one's own block: "
        f"{formats.people(what.crowd)} people, in blocks of equal size. Against the mixer itself, "
        f"and if all others are fakes, ε₀ = {lesson.epsilon:g} is what is left: that is local."
    )


def _numbers(what: Mixed) -> dict[str, dict[str, str]]:
    columns = {
        "shuffled": what.best,
        "in blocks": what.block,
        f"{FAKES} of 100 are fake": what.real,
        "closed form": what.closed,
    }
    return {
        title: {
            formats.people(n): formats.digits(level, 3)
            for n, level in zip(what.n.tolist()[::2], values.tolist()[::2], strict=True)
        }
        for title, values in columns.items()
    }


_BLOCKS: Final = dials.Dial(
    "blocks",
    "Blocks",
    (1, 10, 50, 100, 1_000, 10_000),
    "Reports show their block: only people of the same block hide a report.",
)
STATION = Station(
    "Shuffling",
    open_board,
    lambda _: (dials.EPSILON, dials.people(), _BLOCKS),
    ("Fill the crowd with fakes", f"The attacker knows {FAKES} of 100 reports: they hide nobody."),
)
