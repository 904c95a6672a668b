"""Films: a page at every step of a slider, made in the background and sent ahead.

A page says once what a record of it looks like; the browser follows its sliders while a hand moves
them. A film is made while nobody is waiting for anything, and once for all visits.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import streamlit as st

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Progress
from caldp_ui.app.theme import DARK, Palette, palette
from caldp_ui.charts import films as of_charts
from caldp_ui.charts.films import Dialled
from caldp_ui.controls.slider import Slider
from caldp_ui.parts import headline
from caldp_ui.session import jobs
from caldp_ui.session.slot import Slot
from caldp_ui.stage import Difference, Film, Picture, Scene, Stage, Step, project
from caldp_ui.stage.records import Mark
from caldp_ui.words.headline import Headline

R = TypeVar("R")


def film(key: str, name: str, make: Callable[[Progress], Film]) -> Film | None:
    """The film of that name, if it has been made for any visit; else it is made by and by.

    `key`: the place on its page of the job that makes it.
    """
    found: Film | None = _there(key, name)
    if found is None:
        found = jobs.quietly(key, name, lambda progress: _shared(name, make, progress))
    if found is not None:
        st.session_state[_own(key)] = name, found
    return found


def _shared(name: str, make: Callable[[Progress], Film], progress: Progress) -> Film:
    """The film, kept for all visits."""
    made = _made(name)
    if not made:
        made.append(make(progress))
    return made[0]


def _there(key: str, name: str) -> Any:
    """The film, if this visit has it or anybody has made it, else None.

    What a visit has it keeps as long as it asks for it: what all share may be forgotten, and a film
    must not go from under the hand that plays it.
    """
    own, found = st.session_state.get(_own(key), (None, None))
    return found if own == name else next(iter(_made(name)), None)


def _own(key: str) -> str:
    """Where a visit keeps the film of that place."""
    return f"{key}/film"


@dataclass(frozen=True)
class Asked:
    """A film that a page would have; see `film`."""

    key: str
    name: str
    make: Callable[[Progress], Film]


def several(asked: Sequence[Asked]) -> list[Film]:
    """Those that have been made; the first that is missing is made by and by, then the next.

    A move of one slider asks for new films of all others, and its own stays.
    """
    missing = next((each for each in asked if not _is_there(each)), None)
    found = [film(e.key, e.name, e.make) for e in asked if e is missing or _is_there(e)]
    return [each for each in found if each is not None]


def _is_there(asked: Asked) -> bool:
    done = jobs.is_done(asked.key, asked.name)
    return done or _there(asked.key, asked.name) is not None


def of_this_visit(asked: Sequence[Asked]) -> list[Film]:
    """Those that have been made for this visit, which alone keeps them; the others by and by."""
    found = [jobs.quietly(each.key, each.name, each.make) for each in asked]
    return [each for each in found if each is not None]


def steps(
    levels: Sequence[float], at: float, step: Callable[[float], Step], progress: Progress
) -> tuple[Step, ...]:
    """A step a level; those next to where the reader is, `at`, are made first: they go there.

    `levels`: as on the slider, from the least on. A step that lacks pictures, as they would take
    long, is left out.
    """
    made: dict[float, Step] = {}
    here = min(range(len(levels)), key=lambda place: abs(levels[place] - at))
    for place in sorted(range(len(levels)), key=lambda place: abs(place - here)):
        progress(len(made) / len(levels))
        made[levels[place]] = step(levels[place])
    whole = max(len(step.codes) for step in made.values())
    return tuple(made[level] for level in levels if len(made[level].codes) == whole)


@dataclass(frozen=True)
class Along(Generic[R]):
    """A film along a slider of a page, which gives what it looks like, once.

    `look`: what the page shows of a record, as a step that has no name yet. `rests_on`: names all
    else that this depends on, of a record with the slider at its first step. `label`: of a step,
    from what the slider says there. `title`, `place`, `per_second`, `hides`: see `Film`. A slider
    without a name is none of the page's.
    """

    slot: Slot[Any]
    id: str
    title: str
    slider: Slider[R]
    look: Callable[[R], Step]
    rests_on: Callable[[R], str]
    label: Callable[[str], str] = "ε = {}".format
    place: int = 0
    per_second: float = Film.per_second
    hides: tuple[Mark, ...] = ()

    def film(self, record: R, progress: Progress) -> Film:
        """The page at each step of the slider, else as in the record."""

        def step(value: float) -> Step:
            said = self.slider.said(value)
            seen = self.look(self.slider.at(record, value))
            label = f"{self.label(said)}{seen.label}"
            return replace(seen, label=label, value=float(value), reading=said)

        made = steps(self.slider.steps, self.slider.value(record), step, progress)
        return Film(
            self.id,
            self.title,
            made,
            per_second=self.per_second,
            hides=self.hides,
            dial=self.dial,
            place=self.place,
            alike=self.name(record),
        )

    @property
    def dial(self) -> str:
        """The key of the slider on the page."""
        return self.slider.name and self.slot.key(self.slider.name)

    def name(self, record: R) -> str:
        """What stands for all that the film rests on; records may hold whole data."""
        alike = self.rests_on(self.slider.at(record, self.slider.steps[0]))
        return hashlib.sha256(f"{self.slot.page} {self.id} {alike}".encode()).hexdigest()

    def asked(self, record: R) -> Asked:
        """The film of a record, made once for all places of the slider."""
        key = self.slot.key(f"film-{self.id}")
        return Asked(key, self.name(record), lambda progress: self.film(record, progress))


@dataclass(frozen=True)
class Page(Generic[R]):
    """A page of charts and drawings that can be seen ahead.

    `look`: what a record looks like in a theme's colours. `rests_on`: what else the look depends
    on, as a text; the record itself is told by its `repr`. `bring`: gives what has been made, for
    all visits or only for this one, and has the rest made.
    """

    slot: Slot[R]
    look: Callable[[R, Palette], Step]
    rests_on: str = ""
    bring: Callable[[Sequence[Asked]], list[Film]] = several

    def along(self, slider: Slider[R], colours: Palette) -> Along[R]:
        """The page along one of its sliders."""
        theme = "dark" if colours is DARK else "light"
        return Along(
            self.slot,
            slider.name,
            "",
            slider,
            lambda record: self.look(record, colours),
            lambda record: f"{theme} {self.rests_on} {record}",
        )


def follow(page: Page[R], record: R, sliders: Sequence[Slider[R]]) -> None:
    """Bring to the browser what has been made, and where the sliders are; call it last."""
    asked = [page.along(slider, palette()).asked(record) for slider in sliders]
    at = {
        page.slot.key(slider.name): Dialled(slider.said(slider.value(record)), each.name)
        for slider, each in zip(sliders, asked, strict=True)
    }
    of_charts.project(page.slot.key("feeds"), at, page.bring(asked))


def show(asked: Sequence[Asked], on: Stage) -> None:
    """Bring films to the stage one after another, now or as soon as they are made."""
    made = several(asked)
    if made:
        project(made, on)


def seen(
    said: Headline, pictures: Mapping[str, str], elsewhere: Mapping[str, str] | None = None
) -> Step:
    """A page's headline, its charts and drawings and its other words as a step; see `Step`."""
    words = {headline.SENTENCE: headline.html(said), **(elsewhere or {})}
    return Step(pictures=pictures, elsewhere=words)


def look_of(scene: Scene, still: str, said: Headline, elsewhere: Mapping[str, str]) -> Step:
    """A scene and its words as a step: the picture called `still` never changes, its unit may.

    `elsewhere`: see `Step`; `said` is the page's headline.
    """
    moving = [picture for picture in scene.pictures if picture.id != still]
    words: list[Picture | Difference] = [*scene.pictures, *scene.differences]
    return Step(
        codes={picture.id: picture.code for picture in moving},
        subtitles={each.id: each.subtitle for each in words},
        facts={each.id: each.fact for each in words if each.fact is not None},
        elsewhere={headline.SENTENCE: headline.html(said), **elsewhere},
        pooled={picture.id: picture.pooled for picture in moving if picture.pooled},
    )


@cached
def _made(name: str) -> list[Film]:
    """Where the film of that name is kept, for all visits; empty until it has been made."""
    del name
    return []
