"""A page that can be seen ahead as a part of a file: its pictures and words along its sliders."""

from collections.abc import Mapping
from functools import partial
from typing import TypeVar

from caldp_core.basics.types import Progress
from caldp_ui.app.theme import DARK, LIGHT
from caldp_ui.charts.reel import Frame
from caldp_ui.controls.slider import Slider
from caldp_ui.offline.records import Board, Component, Dial, Part
from caldp_ui.offline.themes import both
from caldp_ui.parts import headline
from caldp_ui.parts.reels import Page, Sight

R = TypeVar("R")
NO_OWN: Mapping[str, Component] = {}


def part(
    name: str,
    title: str,
    task: str,
    page: Page[R],
    record: R,
    *,
    sliders: Mapping[str, Slider[R]],
    own: Mapping[str, Component] = NO_OWN,
) -> Part:
    """A record of that page, with the sliders by their titles; `own`: see `Board`."""
    seen = _frame(page, record, "")
    moves = [partial(_dial, page, record, name, slider) for name, slider in sliders.items()]
    return Part(name, title, task, seen.elsewhere, Board(seen.pictures, own), moves)


def _dial(page: Page[R], record: R, title: str, slider: Slider[R], progress: Progress) -> Dial:
    """What is seen along a slider; where the record stands is a step of it, too."""
    now = slider.value(record)
    values = sorted({*slider.steps, now}, key=slider.order)
    frames: list[Frame] = []
    for value in values:
        progress(len(frames) / len(values))
        frames.append(_frame(page, slider.at(record, value), slider.said(value)))
    return Dial(title, values.index(now), tuple(frames))


def _frame(page: Page[R], record: R, reading: str) -> Frame:
    """What is seen of a record, in colours of both themes."""
    light, dark = (_told(page, page.look(record, colours)) for colours in (LIGHT, DARK))
    pictures, words = (
        {key: both(told, other[key]) for key, told in one.items()}
        for one, other in zip(light, dark, strict=True)
    )
    return Frame(reading, pictures, words)


def _told(page: Page[R], seen: Sight) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Its pictures, and its words, the sentence first and names of lines next to the pictures."""
    words = sorted(seen.elsewhere.items(), key=lambda item: item[0].endswith(".legend"))
    return seen.pictures, {page.sentence: headline.html(seen.said), **dict(words)}
