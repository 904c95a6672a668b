"""A page as one value: what it shows of a record (`View`), and how it is steered (`Page`).

The screen, the steps of its sliders, its file and what is pinned all show the same view.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.theme import LIGHT, Palette
from caldp_ui.controls.common import Slider
from caldp_ui.offline import boards, maps, offer
from caldp_ui.offline.records import Component, Part
from caldp_ui.parts import films, pins
from caldp_ui.parts.film_jobs import FilmRequest, ready_films
from caldp_ui.parts.films import ChartPage, SliderFilm
from caldp_ui.session.page_state import PageState, R
from caldp_ui.session.pins import PinPageState
from caldp_ui.stage import Act, Film, Scene, Stage, Step, stage
from caldp_ui.words.headline import Headline

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class View:
    """What a page shows of a record.

    `pictures`: charts and drawings as they are sent to the browser, by the keys of their places.
    `texts`: HTML of one element each, by the CSS selector of its place. `component`: the picture
    that the page's own code draws. `scene`: the maps, of which the one called `still` is the same
    at all steps of a slider.
    """

    headline: Headline
    pictures: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    component: Component | None = None
    scene: Scene | None = None
    still: str = ""

    def step(self) -> Step:
        """The view as a step of a film, which has no label yet."""
        if self.scene is None:
            return films.render_step(self.headline, self.pictures, self.texts)
        return films.render_scene(self.scene, self.still, self.headline, self.texts)


@dataclass(frozen=True, eq=False, kw_only=True)
class Page(Generic[R, T]):
    """A page: what it shows of a record, and how it is steered.

    `title`, `task`: of its file (see `Part`); `name`: the file's, if not the page's own. `load`:
    the data of a record, without waiting. `view(data, pinned, colours)`: what the page shows of
    them, with the pinned data drawn into its pictures, if any; both are the pin's for its own maps.
    `sliders`: by title those that charts and drawings follow; `films`: those along which maps move,
    none where one would be slow. `own`: pictures that the page's own code draws (see `Board`).
    `load_films`: see `ChartPage`.
    """

    state: PageState[R]
    title: str
    task: str
    load: Callable[[R], T]
    view: Callable[[T, T | None, Palette], View]
    name: str = ""
    sliders: Callable[[R], Mapping[str, Slider[R]]] = lambda record: {}  # noqa: ARG005
    films: Callable[[R], Sequence[SliderFilm[R]]] = lambda record: ()  # noqa: ARG005
    own: Callable[[R], Mapping[str, Component]] = lambda record: {}  # noqa: ARG005
    load_films: Callable[[Sequence[FilmRequest]], list[Film]] = ready_films

    def render(self, record: R) -> Step:
        """What the page shows of a record as a step of a film of maps."""
        return self.view(self.load(record), None, LIGHT).step()

    def charts(self, pinned: R | None = None) -> ChartPage[R]:
        """The page of charts and drawings as a function of its record, beside what is `pinned`."""
        beside = None if pinned is None else self.load(pinned)
        return ChartPage(
            self.state,
            lambda record, colours: self.view(self.load(record), beside, colours).step(),
            repr(pinned),
            self.load_films,
        )

    def follow(self, record: R, pinned: R | None = None) -> None:
        """Have the browser follow the sliders of charts and drawings; call it last."""
        films.follow_sliders(self.charts(pinned), record, list(self.sliders(record).values()))

    def show_maps(self, shown: View, act: Callable[[Act], None], *along: SliderFilm[R]) -> Stage:
        """Show the maps, which `act` changes; films `along` sliders move them."""
        assert shown.scene is not None  # a page of charts has no maps to show
        key = self.state.key("maps")
        return stage(shown.scene, key, act, films.follow_step(*along))

    def send_films(self, record: R, target: Stage, *more: FilmRequest) -> None:
        """Send the films of the maps and `more` of them, now or once made; call it last."""
        if along := self.films(record):
            films.show([*(each.request(record) for each in along), *more], target)

    def part(self, record: R) -> Part | None:
        """The page as a part of a file; None where no film of its maps is made."""
        name, along = self.name or self.state.page, self.films(record)
        if sliders := self.sliders(record):
            return boards.part(
                name,
                self.title,
                self.task,
                self.charts(),
                record,
                sliders=sliders,
                own=self.own(record),
            )
        if not along:
            return None
        shown = self.view(self.load(record), None, LIGHT)
        if shown.component is None:
            assert shown.scene is not None  # whose maps move along the films
            return maps.part(name, self.title, self.task, shown.scene, record=record, films=along)
        moves = [partial(film.film, record) for film in along]
        texts = shown.step().replacements
        return Part(name, self.title, self.task, texts, shown.component, moves)

    def offer(self) -> None:
        """Show the button that makes the page's file."""
        offer.offer_page(self.state, self.part)


def _scenario(record: Any) -> Scenario:
    """A record's own scenario."""
    scenario: Scenario = record.scenario
    return scenario


@dataclass(frozen=True, eq=False, kw_only=True)
class PinPage(Page[R, T]):
    """A page whose records can be pinned beside each other.

    `pin_title`: names a pinned record; `describe`: its result in a sentence. `align`: the record in
    the view that is open on the page. `numbers`: the column of a table, empty before there is a
    result. `scenario`: what is written into a file of it; `images`: its pictures as PNG by name.
    """

    state: PinPageState[R]
    pin_title: Callable[[R], str]
    describe: Callable[[T], str]
    numbers: Callable[[T], Mapping[str, str]]
    align: Callable[[R], R] = lambda record: record
    scenario: Callable[[R], Scenario] = _scenario
    images: Callable[[T], Mapping[str, bytes]] = lambda data: {}  # noqa: ARG005

    def pinned_data(self) -> T | None:
        """Data of the chosen pin, for pictures that show both; None if nothing is pinned."""
        return None if self.state.pinned is None else self.load(self.align(self.state.pinned))

    def show_pins(self, current: T, shown: View | None = None) -> None:
        """Show the chosen pin, a table of what differs between all pins and now, and all files.

        `shown`: the page's maps, under whose view those of the pin are drawn, too.
        """
        pins.show(self.state, self._pin_view(None if shown is None else shown.scene), current)

    def _pin_view(self, here: Scene | None = None) -> pins.PinView[R, T]:
        return pins.PinView(
            load=lambda record: self.load(self.align(record)),
            title=self.pin_title,
            describe=self.describe,
            numbers=self.numbers,
            picture=partial(self._show_pinned_maps, here),
            scenario=self.scenario,
            files=self.images,
        )

    def _show_pinned_maps(self, here: Scene | None, current: T, pinned: T) -> None:
        """The maps of the pin under those of the page; charts and drawings show it themselves."""
        del current
        scene = None if here is None else self.view(pinned, pinned, LIGHT).scene
        if scene is not None and here is not None:
            pins.maps(self.state, scene, here.ground.domain)
