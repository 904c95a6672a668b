"""A page that can be seen ahead as a part of a file: its pictures and words along its sliders."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from caldp_core.basics.types import Progress
from caldp_ui.app.theme import DARK, LIGHT
from caldp_ui.controls.slider import Slider
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
    """A record of that page, with the sliders by their titles; `own`: see `Board`."""
    seen = _render_both_themes(page, record)
    moves = [partial(_dial, page, record, name, slider) for name, slider in sliders.items()]
    return Part(name, title, task, seen.elsewhere, Board(seen.pictures, own), moves)


def _dial(page: ChartPage[R], record: R, title: str, slider: Slider[R], progress: Progress) -> Dial:
    """What is seen along a slider; where the record stands is a step of it, too."""
    now = slider.value(record)
    values = sorted({*slider.steps, now}, key=slider.order)
    along = replace(
        page.slider_film(replace(slider, steps=values), LIGHT),
        render=partial(_render_both_themes, page),
    )
    return Dial(title, values.index(now), along.film(record, progress).steps)


def _render_both_themes(page: ChartPage[R], record: R) -> Step:
    """What is seen of a record, in colours of both themes; names of lines next to the pictures."""
    light, dark = (page.render(record, colours) for colours in (LIGHT, DARK))
    words = sorted(light.elsewhere.items(), key=lambda item: item[0].endswith(".legend"))
    return Step(
        pictures={
            key: combine_themes(told, dark.pictures[key]) for key, told in light.pictures.items()
        },
        elsewhere={place: combine_themes(html, dark.elsewhere[place]) for place, html in words},
    )
