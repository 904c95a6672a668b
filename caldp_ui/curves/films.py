"""The curves at other settings of the sliders, so that the browser follows a hand.

Curves of another ε take seconds, so only the two levels beside the reader's are made;
where the slider only moves the mark of where the reader is, all are.
"""

from collections.abc import Sequence
from dataclasses import replace

from caldp_core.basics.types import no_progress
from caldp_ui.app.theme import Palette
from caldp_ui.charts.show import told
from caldp_ui.compute import runs
from caldp_ui.controls import common
from caldp_ui.controls.common import EPSILONS
from caldp_ui.controls.slider import Slider
from caldp_ui.curves import charts, words
from caldp_ui.curves import lines as work
from caldp_ui.curves.drawn import drawn
from caldp_ui.curves.lines import LINES_MAX
from caldp_ui.curves.slot import SLOT, Curves
from caldp_ui.parts import films
from caldp_ui.parts.films import Page
from caldp_ui.stage import Step


def show(record: Curves, pinned: Curves | None) -> None:
    """Have the browser follow the sliders; curves of what is `pinned` stay in the picture."""
    films.follow(page(pinned), record, sliders(record))


def sliders(record: Curves) -> list[Slider[Curves]]:
    """Those that can be followed: ε, and people where they are the abscissa."""
    epsilon = common.along_epsilon()
    if record.against == "epsilon":
        return [epsilon]
    found = [replace(epsilon, steps=beside(EPSILONS, record.scenario.context.plain_epsilon))]
    if record.against != "people":
        return found
    return [common.along_people(runs.dataset(record.scenario).n), *found]


def beside(levels: Sequence[float], value: float) -> list[float]:
    """The nearest level below and above."""
    below = [level for level in levels if level < value][-1:]
    return below + [level for level in levels if level > value][:1]


def page(pinned: Curves | None) -> Page[Curves]:
    """The page as a function of its record."""

    def look(record: Curves, colours: Palette) -> Step:
        lines = work.asked(record, pinned)[:LINES_MAX]
        found = list(work.expected(lines, no_progress))
        curves = drawn(lines, found, [[None] * len(line.places) for line in lines])
        chart = told(charts.of(record, curves, colours), words.alt(record, curves))
        return films.seen(words.said(record, curves), {SLOT.key("chart"): chart})

    return Page(SLOT, look, rests_on=repr(pinned))
