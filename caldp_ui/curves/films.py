"""The curves at other settings of the sliders, sent ahead so that the browser follows them.

Curves of another ε take seconds, so only the two levels beside the reader's are made;
where the slider only moves the mark of where the reader is, all are.

The page as one file: the curves, and where the reader is on them.
"""

from collections.abc import Sequence
from dataclasses import replace

from caldp_core.basics.types import no_progress
from caldp_ui.app.theme import Palette
from caldp_ui.charts.show import figure_json
from caldp_ui.compute import runs
from caldp_ui.controls import common
from caldp_ui.controls.common import EPSILONS, Slider
from caldp_ui.curves import charts, words
from caldp_ui.curves import lines as work
from caldp_ui.curves.lines import LINES_MAX, make_curves
from caldp_ui.curves.page_state import STATE, Curves
from caldp_ui.offline import boards
from caldp_ui.offline.records import Part
from caldp_ui.parts import films
from caldp_ui.parts.films import ChartPage
from caldp_ui.stage import Step


def show(record: Curves, pinned: Curves | None) -> None:
    """Has the browser follow the sliders; curves of the `pinned` record stay in the picture."""
    films.follow_sliders(page(pinned), record, sliders(record))


def sliders(record: Curves) -> list[Slider[Curves]]:
    """The sliders that the browser follows: ε, and people where they are the abscissa."""
    epsilon = common.epsilon_slider()
    if record.against == "epsilon":
        return [epsilon]
    nearest = [replace(epsilon, steps=neighbours(EPSILONS, record.scenario.context.plain_epsilon))]
    if record.against != "people":
        return nearest
    return [common.people_slider(runs.dataset(record.scenario).n), *nearest]


def neighbours(levels: Sequence[float], value: float) -> list[float]:
    """The nearest level below and above."""
    below = [level for level in levels if level < value][-1:]
    return below + [level for level in levels if level > value][:1]


def page(pinned: Curves | None) -> ChartPage[Curves]:
    """The page as a function of its record."""

    def render(record: Curves, colours: Palette) -> Step:
        lines = work.all_lines(record, pinned)[:LINES_MAX]
        forecasts = list(work.expected_errors(lines, no_progress))
        curves = make_curves(lines, forecasts, [[None] * len(line.places) for line in lines])
        chart = figure_json(charts.figure(record, curves, colours), words.alt(record, curves))
        return films.render_step(words.headline(record, curves), {STATE.key("chart"): chart})

    return ChartPage(STATE, render, depends_on=repr(pinned))


_TITLES = {"epsilon": "Privacy level ε", "people": "People"}


def part(record: Curves) -> Part:
    """The page as a part of an offline file."""
    return boards.part(
        "curves",
        "Compare methods",
        "Lines: expected error. Bands: 90 of 100 outcomes. Move the slider.",
        page(None),
        record,
        sliders={_TITLES[slider.name]: slider for slider in sliders(record)},
    )
