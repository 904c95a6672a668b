"""Films: a page at every step of a slider, made in the background and sent ahead.

A page defines once what a record of it looks like; the browser follows its sliders while the user
moves them. A film is made while nobody is waiting for anything, and once for all visits.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import streamlit as st

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Progress
from caldp_ui.app.theme import DARK, Palette, palette
from caldp_ui.charts import show as of_charts
from caldp_ui.charts.show import SliderState
from caldp_ui.controls.common import Slider
from caldp_ui.session import jobs
from caldp_ui.session.page_state import PageState
from caldp_ui.stage import Film, Stage, Step, StepChoice, send_frames
from caldp_ui.stage.records import Mark


def film(key: str, name: str, make: Callable[[Progress], Film]) -> Film | None:
    """The film of that name, if it has been made for any visit; else it is made by and by.

    `key`: the place on its page of the job that makes it. `name`: names all that it depends on.
    """
    ready: Film | None = _find_film(key, name)
    if ready is None:
        ready = jobs.run_in_background(
            key, name, lambda progress: _make_shared(name, make, progress)
        )
    if ready is not None:
        st.session_state[_film_key(key)] = name, ready
    return ready


def _make_shared(name: str, make: Callable[[Progress], Film], progress: Progress) -> Film:
    """The film, kept for all visits."""
    shared = _made(name)
    if not shared:
        shared.append(make(progress))
    return shared[0]


def _find_film(key: str, name: str) -> Any:
    """The film, if this visit has it or anybody has made it, else None.

    A visit keeps its film as long as it requests it: the shared cache may drop it, and a film must
    not go from under the hand that plays it.
    """
    kept_name, kept = st.session_state.get(_film_key(key), (None, None))
    return kept if kept_name == name else next(iter(_made(name)), None)


def _film_key(key: str) -> str:
    """The key of the visit's state for the film of that place."""
    return f"{key}/film"


@dataclass(frozen=True)
class FilmRequest:
    """A film that a page requests; `key`, `name` and `make` as for `film`."""

    key: str
    name: str
    make: Callable[[Progress], Film]


def ready_films(requests: Sequence[FilmRequest]) -> list[Film]:
    """The requested films that have been made; those missing are made later, one by one.

    A move of one slider asks for new films of all others, and its own stays.
    """
    missing = next((each for each in requests if not _is_ready(each)), None)
    films = [film(e.key, e.name, e.make) for e in requests if e is missing or _is_ready(e)]
    return [each for each in films if each is not None]


def _is_ready(request: FilmRequest) -> bool:
    done = jobs.is_done(request.key, request.name)
    return done or _find_film(request.key, request.name) is not None


def session_films(requests: Sequence[FilmRequest]) -> list[Film]:
    """The requested films made for this visit, which alone keeps them; others are made later."""
    films = [jobs.run_in_background(each.key, each.name, each.make) for each in requests]
    return [each for each in films if each is not None]


@cached
def _made(name: str) -> list[Film]:
    """Where the film of that name is kept, for all visits; empty until it has been made."""
    del name
    return []


def all_steps(
    levels: Sequence[float], current: float, step: Callable[[float], Step], progress: Progress
) -> tuple[Step, ...]:
    """A step per level; those next to `current`, where the reader is, are made first.

    `levels`: as on the slider, from the least on. A step that lacks pictures, as they would take
    long, is left out.
    """
    steps: dict[float, Step] = {}
    for level in _nearest(levels, current):
        progress(len(steps) / len(levels))
        steps[level] = step(level)
    return _complete_steps(levels, steps)


def _nearest(levels: Sequence[float], at: float) -> list[float]:
    """The levels from where the reader is; where two are as near, the higher first."""
    here = min(range(len(levels)), key=lambda place: abs(levels[place] - at))
    near = sorted(range(len(levels)), key=lambda place: (abs(place - here), -place))
    return [levels[place] for place in near]


def _complete_steps(
    levels: Sequence[float], steps_by_level: Mapping[float, Step]
) -> tuple[Step, ...]:
    whole = max(len(step.codes) for step in steps_by_level.values())
    ordered = (steps_by_level[level] for level in levels if level in steps_by_level)
    return tuple(step for step in ordered if len(step.codes) == whole)


R = TypeVar("R")


@dataclass(frozen=True)
class SliderFilm(Generic[R]):
    """A film along a slider of a page.

    `render`: what the page shows of a record, as a step that has no label yet. `depends_on`: names
    all that this depends on but the slider, of a record with the slider at its first step. `label`:
    of a step, from what the slider says there. `title`, `place`, `per_second`, `hides`: see `Film`.
    A slider without a name is none of the page's.
    """

    state: PageState[Any]
    id: str
    title: str
    slider: Slider[R]
    render: Callable[[R], Step]
    depends_on: Callable[[R], str]
    label: Callable[[str], str] = "ε = {}".format
    place: int = 0
    per_second: float = Film.per_second
    hides: tuple[Mark, ...] = ()

    def film(self, record: R, progress: Progress) -> Film:
        """The page at each step of the slider, else as in the record."""

        def step(value: float) -> Step:
            reading = self.slider.format_value(value)
            content = self.render(self.slider.with_value(record, value))
            label = f"{self.label(reading)}{content.label}"
            return replace(content, label=label, value=float(value), reading=reading)

        steps = all_steps(self.slider.steps, self.slider.value(record), step, progress)
        return Film(
            self.id,
            self.title,
            steps,
            per_second=self.per_second,
            hides=self.hides,
            dial=self.dial,
            place=self.place,
            settings=self.name(record),
        )

    @property
    def dial(self) -> str:
        """The key of the slider on the page."""
        return self.slider.name and self.state.key(self.slider.name)

    def name(self, record: R) -> str:
        """A hash of all that the film depends on; records may hold whole data."""
        alike = self.depends_on(self.slider.with_value(record, self.slider.steps[0]))
        return hashlib.sha256(f"{self.state.page} {self.id} {alike}".encode()).hexdigest()

    def request(self, record: R) -> FilmRequest:
        """The film of a record, made once for all places of the slider."""
        key = self.state.key(f"film-{self.id}")
        return FilmRequest(key, self.name(record), lambda progress: self.film(record, progress))


@dataclass(frozen=True)
class ChartPage(Generic[R]):
    """A page of charts and drawings with films.

    `render`: what a record looks like in a theme's colours. `depends_on`: what else the look
    depends on, as a text; the record itself enters by its `repr`. `load_films`: returns what
    has been made, for all visits or only for this one, and has the rest made.
    """

    state: PageState[R]
    render: Callable[[R, Palette], Step]
    depends_on: str = ""
    load_films: Callable[[Sequence[FilmRequest]], list[Film]] = ready_films

    def slider_film(self, slider: Slider[R], colours: Palette) -> SliderFilm[R]:
        """The page along one of its sliders."""
        theme = "dark" if colours is DARK else "light"
        return SliderFilm(
            self.state,
            slider.name,
            "",
            slider,
            lambda record: self.render(record, colours),
            lambda record: f"{theme} {self.depends_on} {record}",
        )


def follow_sliders(page: ChartPage[R], record: R, sliders: Sequence[Slider[R]]) -> None:
    """Send the films that are made and the states of the sliders to the browser; call it last."""
    requests = [page.slider_film(slider, palette()).request(record) for slider in sliders]
    states = {
        page.state.key(slider.name): SliderState(
            slider.format_value(slider.value(record)), each.name
        )
        for slider, each in zip(sliders, requests, strict=True)
    }
    key = page.state.key("feeds")
    with st.container(key=key, gap=None):
        for film in page.load_films(requests):
            of_charts.feed(key, film)
        of_charts.send_slider_states(
            key, states
        )  # last: this is what takes a step off the screen again


def show(requests: Sequence[FilmRequest], target: Stage) -> None:
    """Send films to the stage one after another, now or as soon as they are made."""
    send_frames(ready_films(requests), target)


def follow_step(*along: SliderFilm[Any]) -> Callable[[StepChoice], None]:
    """Handler that shows the record of the step of one of the films on which a reader stopped."""
    sliders = {film.id: (film.state, film.slider) for film in along}

    def follow(chosen: StepChoice) -> None:
        if chosen.film in sliders:
            state, slider = sliders[chosen.film]
            state.change(lambda record: slider.with_value(record, chosen.value))

    return follow
