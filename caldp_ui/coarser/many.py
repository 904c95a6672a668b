"""Many tables about everybody's secret answer: how many answers an attacker reconstructs.

Dinur and Nissim's attack; the slider is the number of tables, along the chart's own axis.
"""

from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from caldp_core.attacks import reconstruct
from caldp_core.attacks.reconstruction import Noisy, Publishing, Rounded, as_they_are
from caldp_core.basics.cache import cached
from caldp_core.basics.types import Progress
from caldp_ui.app.theme import Palette, palette
from caldp_ui.charts import drawing
from caldp_ui.charts.drawing import Frame
from caldp_ui.coarser import panel
from caldp_ui.coarser.slot import MANY, SLOT, Publication
from caldp_ui.session import jobs
from caldp_ui.words import formats
from caldp_ui.words.headline import Headline

PEOPLE: Final = 100
_RUNS: Final = 3
_EXACT: Final = "exact counts"
_ROUNDED: Final = "rounded at random"
_NOISY: Final = "noise, one ε for all tables"
_FRAME: Final = Frame((820, 420), (56, 26, 640, 372), (0, 400), (40, 100))


@dataclass(frozen=True)
class Curve:
    """A treatment's line: how many of 100 answers are right, by number of tables."""

    name: str
    right: tuple[float, ...]


def curves(record: Publication, progress: Progress) -> tuple[Curve, ...]:
    """All lines at all numbers of tables; each point is the mean of a few runs."""
    ways: dict[str, Publishing] = {
        _EXACT: as_they_are,
        _ROUNDED: Rounded(record.base),
        _NOISY: Noisy(record.scenario.policy.plain_epsilon),
    }
    made = []
    for at, (name, publish) in enumerate(ways.items()):
        seed = record.scenario.seed
        right = []
        for step, many in enumerate(MANY):
            progress((at + step / len(MANY)) / len(ways))
            right.append(_right(many, publish, seed))
        made.append(Curve(name, tuple(right)))
    return tuple(made)


@cached
def _right(tables: int, publish: Publishing, seed: int) -> float:
    runs = (reconstruct(PEOPLE, tables, publish, _RUNS * seed + run) for run in range(_RUNS))
    return sum(run.right for run in runs) / _RUNS


def found(record: Publication) -> tuple[Curve, ...] | None:
    """The lines, by a job beside the page."""
    epsilon, seed = record.scenario.policy.plain_epsilon, record.scenario.seed
    return jobs.started(
        SLOT.key("many"),
        f"{record.base} {epsilon} {seed}",
        lambda progress: curves(record, progress),
        lambda job: f"Solving {len(MANY) * 3 * _RUNS} linear programs: {job.seconds:.0f} s so far",
    )


def headline(record: Publication, lines: tuple[Curve, ...] | None) -> Headline:
    """What comes out of so many tables."""
    if lines is None:
        return Headline("The attacker is solving the tables.", _WHO)
    exact, rounded, noisy = (f"{at(line, record.tables):.0f}" for line in lines)
    return Headline(
        f"{formats.exactly(record.tables)} exact tables give {exact} of {PEOPLE} answers away, "
        f"noisy ones {noisy}, where 50 is a guess.",
        f"Rounded to multiples of {record.base}: {rounded}. {_WHO}",
        unprotected=float(exact) > 60,
    )


_WHO: Final = "100 people, half of them with a yes; each table counts the yeses of a random half."


def at(line: Curve, tables: int) -> float:
    """A line's value, of 100, at the nearest number of tables that was tried."""
    nearest = min(range(len(MANY)), key=lambda i: abs(MANY[i] - tables))
    return 100 * line.right[nearest]


def show(record: Publication, lines: tuple[Curve, ...] | None) -> None:
    """The chart."""
    if lines is not None:
        drawing.show(drawn(record, lines, palette()), SLOT.key("curves"), None)


def drawn(record: Publication, lines: tuple[Curve, ...], colours: Palette) -> str:
    """The chart as SVG."""
    looks = {
        _EXACT: ("#C65A00", "none", "square"),
        _ROUNDED: (colours.pinned, "7 5", "diamond"),
        _NOISY: (colours.ours, "none", "circle"),
    }
    parts = [_FRAME.ticks((0, 100, 200, 300, 400), (50, 60, 70, 80, 90, 100), colours.text,
                          colours.faint)]  # fmt: skip
    guess = f"stroke:{colours.text};stroke-width:1.5;stroke-dasharray:3 4"
    parts.append(_FRAME.path([(0, 50), (400, 50)], guess))
    parts.append(_FRAME.path([(record.tables, 40), (record.tables, 100)],
                             f"stroke:{colours.text};stroke-width:1.5"))  # fmt: skip
    for line in lines:
        colour, dash, symbol = looks[line.name]
        points = [(float(m), 100 * r) for m, r in zip(MANY, line.right, strict=True)]
        style = f"fill:none;stroke:{colour};stroke-width:2.5;stroke-dasharray:{dash}"
        parts.append(_FRAME.path(points, style))
        told = f"{line.name}: {at(line, record.tables):.0f} of 100 right"
        parts.append(_FRAME.marks(points, symbol, 8, f"fill:{colour}", told))
    parts += _names(lines, {name: look[0] for name, look in looks.items()})
    text = f"fill:{colours.text}"
    parts.append(_FRAME.text((200, 40), "tables", text, "middle", (0, 36)))
    parts.append(_FRAME.text((0, 100), "answers right, of 100", text, "start", (-46, -12)))
    parts.append(_FRAME.text((400, 50), "50: a guess", text, "start", (8, 20)))
    alt = "; ".join(f"{line.name}: {at(line, record.tables):.0f}" for line in lines)
    told = f"Answers right of 100, by number of tables. At {record.tables}: {alt}."
    return drawing.svg(_FRAME, [f'<g style="font-size:14px">{"".join(parts)}</g>'], told, None)


def _names(lines: tuple[Curve, ...], colours: dict[str, str]) -> list[str]:
    """Each line's name at its right end, so far apart that all are read."""
    parts, free = [], 106.0
    for line in sorted(lines, key=lambda each: -each.right[-1]):
        free = min(100 * line.right[-1], free - 6)
        style = f"fill:{colours[line.name]};font-weight:650"
        parts.append(_FRAME.text((400, free), line.name, style, "start", (8, 5)))
    return parts


def side(record: Publication) -> None:
    """The number of tables, and what is done."""
    panel.choice(record)
    st.markdown(
        "Everybody has a secret **yes or no**. Each table counts the yeses of a random half of "
        "the people. The attacker looks for the answers that fit all tables best "
        "(a linear program)."
    )
    st.select_slider(
        "Tables",
        sorted({*MANY, record.tables}),
        **SLOT.bind("tables", record.tables, lambda r, n: replace(r, tables=int(n))),
    )
    st.markdown(
        "With noise, **one ε for all tables together**: the more tables, the more noise in each. "
        "Exact and rounded tables have no such limit."
    )
