"""A page at every step of its sliders, made in the background for all visits and sent ahead.

A page whose pictures and sentence are a function of its record gives that function, once, and has
the browser follow its sliders while a hand moves them.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from caldp_core.basics.types import Progress
from caldp_ui.app.theme import DARK, Palette, palette
from caldp_ui.charts import reel
from caldp_ui.charts.reel import Dialled, Frame, Reel
from caldp_ui.controls.slider import Slider
from caldp_ui.parts import films, headline
from caldp_ui.parts.films import Asked
from caldp_ui.session.slot import Slot
from caldp_ui.words.headline import Headline

R = TypeVar("R")


@dataclass(frozen=True)
class Sight:
    """What a record looks like. `said`: its headline.

    `pictures`, `elsewhere`: see `Frame`.
    """

    said: Headline
    pictures: Mapping[str, str]
    elsewhere: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Page(Generic[R]):
    """A page that can be seen ahead. `look`: what a record looks like in a theme's colours.

    `sentence`: the CSS selector of its sentence. `rests_on`: what else the look depends on, as a
    text; the record itself is told by its `repr`. `bring`: gives what has been made, for all
    visits or only for this one, and has the rest made.
    """

    slot: Slot[R]
    look: Callable[[R, Palette], Sight]
    sentence: str = headline.SENTENCE
    rests_on: str = ""
    bring: Callable[[Sequence[Asked[Reel]]], list[Reel]] = films.several


def show(page: Page[R], record: R, sliders: Sequence[Slider[R]]) -> None:
    """Bring to the browser what has been made, and where the sliders are; call it last."""
    colours = palette()
    at = {
        page.slot.key(slider.name): Dialled(
            slider.said(slider.value(record)), _name(page, record, slider, colours)
        )
        for slider in sliders
    }
    asked = [_asked(page, record, slider, colours) for slider in sliders]
    reel.project(page.slot.key("feeds"), at, page.bring(asked))


def _name(page: Page[Any], record: R, slider: Slider[R], colours: Palette) -> str:
    """What stands for all that the frames of that slider rest on; records may hold whole data."""
    alike, theme = slider.at(record, slider.steps[0]), "dark" if colours is DARK else "light"
    text = f"{page.slot.key(slider.name)} {theme} {page.rests_on} {alike}"
    return hashlib.sha256(text.encode()).hexdigest()


def _asked(page: Page[R], record: R, slider: Slider[R], colours: Palette) -> Asked[Reel]:
    return Asked(
        page.slot.key(f"reel-{slider.name}"),
        _name(page, record, slider, colours),
        lambda progress: reel_of(page, record, slider, colours, progress),
    )


def reel_of(
    page: Page[R], record: R, slider: Slider[R], colours: Palette, progress: Progress
) -> Reel:
    """The page at each step of a slider, else as in the record."""
    frames: list[Frame] = []
    for value in slider.steps:
        progress(len(frames) / len(slider.steps))
        seen = page.look(slider.at(record, value), colours)
        words = {page.sentence: headline.html(seen.said), **seen.elsewhere}
        frames.append(Frame(slider.said(value), seen.pictures, words))
    name = _name(page, record, slider, colours)
    return Reel(page.slot.key(slider.name), name, tuple(frames))
