"""A page of charts and words as a part of a file: its pictures and words along its sliders."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from caldp_core.basics.types import Progress
from caldp_ui.app.theme import DARK, LIGHT
from caldp_ui.controls.common import Slider
from caldp_ui.offline.records import Board, Component, Dial, Part
from caldp_ui.offline.themes import combine_themes
from caldp_ui.parts.films import ChartPage
from caldp_ui.stage import Step

R = TypeVar("R")
NO_OWN: Mapping[str, Component] = {}


def part(
    name: str,
    title: str,
    task: str,
    page: ChartPage[R],
    record: R,
    *,
    sliders: Mapping[str, Slider[R]],
    own: Mapping[str, Component] = NO_OWN,
) -> Part:
    """Part of a file: the page at `record`, its sliders by their titles.

    `name`: the part's `id`; `title`, `task`: see `Part`; `own`: see `Board`.
    """
    step = _render_both_themes(page, record)
    moves = [partial(_dial, page, record, name, slider) for name, slider in sliders.items()]
    return Part(name, title, task, step.replacements, Board(step.pictures, own), moves)


def _dial(page: ChartPage[R], record: R, title: str, slider: Slider[R], progress: Progress) -> Dial:
    """The page at each step of a slider; the value of `record` is one of the steps."""
    current = slider.value(record)
    values = sorted({*slider.steps, current}, key=slider.order)
    slider_film = replace(
        page.slider_film(replace(slider, steps=values), LIGHT),
        render=partial(_render_both_themes, page),
    )
    return Dial(title, values.index(current), slider_film.film(record, progress).steps)


def _render_both_themes(page: ChartPage[R], record: R) -> Step:
    """The page at `record`, in colours of both themes; legends last, next to the pictures."""
    light, dark = (page.render(record, colours) for colours in (LIGHT, DARK))
    words = sorted(light.replacements.items(), key=lambda item: item[0].endswith(".legend"))
    return Step(
        pictures={
            key: combine_themes(picture, dark.pictures[key])
            for key, picture in light.pictures.items()
        },
        replacements={
            place: combine_themes(html, dark.replacements[place]) for place, html in words
        },
    )
