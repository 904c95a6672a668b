"""A page as one value: what it shows of a record (`View`), and how it is steered (`Page`).

The screen, the steps of its sliders, its file and what is pinned all show the same view.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import Final, Generic, TypeVar

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import TITLES
from caldp_ui.app.texts import read_toml, unescape_markdown
from caldp_ui.app.theme import BOTH, DARK, LIGHT, Palette, palette
from caldp_ui.charts import show as charts
from caldp_ui.compute import runs
from caldp_ui.controls.common import Slider
from caldp_ui.offline import document
from caldp_ui.parts import layout, pack, pins, sharing
from caldp_ui.parts.pins import FilmRequest, SliderFilm, ready_films
from caldp_ui.session.page_state import PageState, PinPageState, R
from caldp_ui.stage.component import Act, Stage, send_frames, stage
from caldp_ui.stage.records import Difference, Film, Picture, Scene, Step
from caldp_ui.words.formats import Headline

T = TypeVar("T")
_FILES: Final = read_toml(__file__, "files.toml")
"""By the names of files, the `task` of each, and its `title` where that is not its page's."""


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
    component: document.Component | None = None
    scene: Scene | None = None
    still: str = ""

    @property
    def maps(self) -> Scene:
        """The maps, of a page that has them."""
        assert self.scene is not None
        return self.scene

    def step(self) -> Step:
        """The view as a step of a film, which has no label yet.

        Of maps, the picture called `still` never changes; its unit may.
        """
        words = {layout.SENTENCE: layout.headline_html(self.headline), **self.texts}
        if self.scene is None:
            return Step(pictures=self.pictures, replacements=words, headline=self.headline)
        moving = [picture for picture in self.scene.pictures if picture.id != self.still]
        titled: list[Picture | Difference] = [*self.scene.pictures, *self.scene.differences]
        return Step(
            codes={picture.id: picture.code for picture in moving},
            subtitles={each.id: each.subtitle for each in titled},
            facts={each.id: each.fact for each in titled if each.fact is not None},
            replacements=words,
            pooled={picture.id: picture.pooled for picture in moving if picture.pooled},
            nobody={picture.id: picture.nobody for picture in self.scene.pictures},
            notes={picture.id: picture.notes for picture in self.scene.pictures},
            labels={picture.id: picture.labels for picture in self.scene.pictures},
            headline=self.headline,
            image_lines=self.scene.image_lines,
            shared_lines=self.scene.shared_lines,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Page(Generic[R, T]):
    """A page: what it shows of a record, and how it is steered.

    `name`: of its file, if not the page's own; its title and task are in `files.toml`. `load`:
    the data of a record, without waiting. `view(data, pinned, colours)`: what the page shows of
    them, with the pinned data drawn into its pictures, if any; both are the pin's for its own maps.
    `sliders`: by title those that charts and drawings follow; `films`: those along which maps move,
    none where one would be slow. `own`: pictures that the page's own code draws (see `Board`).
    `load_films`: returns what has been made of them, for all visits or only for this one, and has
    the rest made.
    """

    state: PageState[R]
    load: Callable[[R], T]
    view: Callable[[T, T | None, Palette], View]
    name: str = ""
    sliders: Callable[[R], Mapping[str, Slider[R]]] = lambda record: {}  # noqa: ARG005
    films: Callable[[R], Sequence[SliderFilm[R]]] = lambda record: ()  # noqa: ARG005
    own: Callable[[R], Mapping[str, document.Component]] = lambda record: {}  # noqa: ARG005
    load_films: Callable[[Sequence[FilmRequest]], list[Film]] = ready_films

    def render(self, record: R, colours: Palette = LIGHT, pinned: R | None = None) -> Step:
        """What the page shows of a record beside what is `pinned`, as a step of a film."""
        beside = None if pinned is None else self.load(pinned)
        return self.view(self.load(record), beside, colours).step()

    def slider_film(
        self, slider: Slider[R], colours: Palette, pinned: R | None = None
    ) -> SliderFilm[R]:
        """The page's charts and drawings along one of its sliders."""
        theme = "dark" if colours is DARK else "light"
        return SliderFilm(
            self.state,
            slider.name,
            "",
            slider,
            lambda record: self.render(record, colours, pinned),
            lambda record: f"{theme} {pinned!r} {record}",
        )

    def follow(self, record: R, pinned: R | None = None) -> None:
        """Have the browser follow the sliders of charts and drawings; call it last."""
        sliders = self.sliders(record).values()
        requests = [self.slider_film(each, palette(), pinned).request(record) for each in sliders]
        states = {
            self.state.key(slider.name): charts.SliderState(
                slider.format_value(slider.value(record)), film.name
            )
            for slider, film in zip(sliders, requests, strict=True)
        }
        key = self.state.key("feeds")
        with st.container(key=key, gap=None):
            for film in self.load_films(requests):
                charts.feed(key, film)
            # Last: this is what takes a step off the screen again.
            charts.send_slider_states(key, states)

    def show_maps(
        self, shown: View, act: Callable[[Act], None], *along: SliderFilm[R], filmed: bool = False
    ) -> Stage:
        """Show the maps, which `act` changes; films `along` sliders move them.

        `filmed`: whether this run sends the films of the page's record (`send_films`).
        """
        key, state = self.state.key("maps"), self.state
        scene = replace(shown.maps, can_undo=state.can_undo, can_redo=state.can_redo)
        now = state.current()
        films = pins.sent_films(e.request(now) for e in self.films(now)) if filmed else ()
        return stage(scene, key, act, pins.follow_step(*along), films)

    def send_films(self, record: R, target: Stage, *more: FilmRequest) -> None:
        """Send the films of the maps and `more` of them, now or once made; call it last."""
        along = [each.request(record) for each in self.films(record)]
        send_frames(ready_films([*along, *more] if along else []), target)

    def part(self, record: R) -> document.Part | None:
        """The page as a part of a file; None where no film of its maps is made."""
        name, along = self.name or self.state.page, self.films(record)
        own = _FILES[name].get("title")
        texts = own or TITLES[f"pages/{self.state.page}.py"], _FILES[name]["task"]
        if sliders := self.sliders(record):
            step = self.offline_step(record)
            dials = [partial(self._dial, record, *each) for each in sliders.items()]
            board = document.Board(step.pictures, self.own(record))
            return document.Part(name, *texts, step.replacements, board, dials)
        if not along:
            return None
        shown = self.view(self.load(record), None, LIGHT)
        moves = [partial(film.film, record) for film in along]
        maps = shown.component or document.single_row(shown.maps)
        return document.Part(name, *texts, shown.step().replacements, maps, moves)

    def _dial(self, record: R, title: str, slider: Slider[R], progress: Progress) -> document.Dial:
        """The page at each step of a slider; the value of `record` is one of the steps."""
        current = slider.value(record)
        values = sorted({*slider.steps, current}, key=slider.order)
        along = self.slider_film(replace(slider, steps=values), LIGHT)
        film = replace(along, render=self.offline_step).film(record, progress)
        return document.Dial(title, values.index(current), film.steps)

    def offline_step(self, record: R) -> Step:
        """The page at `record`, in colours of both themes; legends last, next to the pictures."""
        step = self.render(record, BOTH)
        words = sorted(step.replacements.items(), key=lambda item: item[0].endswith(".legend"))
        return replace(step, replacements=dict(words))

    def offer(self) -> None:
        """Show the button that makes the page's file."""
        document.offer_page(self.state, self.part)


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
    scenario: Callable[[R], Scenario] = attrgetter("scenario")
    images: Callable[[T], Mapping[str, bytes]] = lambda data: {}  # noqa: ARG005

    def pinned_data(self) -> T | None:
        """Data of the chosen pin, for pictures that show both; None if nothing is pinned."""
        return None if self.state.pinned is None else self._load_pin(self.state.pinned)

    def show_pins(self, current: T, shown: View | None = None) -> None:
        """Show the chosen pin, a table of what differs between all pins and now, and all files.

        `shown`: the page's maps, under whose view those of the pin are drawn, too; charts and
        drawings show the pin themselves.
        """
        state = self.state
        with st.container(key=state.key("pinned")):  # always there: what follows keeps its place
            if not state.pins:
                return
            if state.pinned is not None:
                self._show_pin(state.pinned, None if shown is None else shown.scene)
            entries = {"now": (state.current(), current)}
            table = {"now": self.numbers(current)}
            for at, record in enumerate(state.pins, 1):
                data = self._load_pin(record)
                entries[f"pin-{at}"] = record, data
                table[f"pin {at}: {self.pin_title(record)}"] = self.numbers(data)
            st.table(pins.differing_rows(table))
            make = partial(self._pack, table, entries)
            scenarios = [self.scenario(record) for record, _ in entries.values()]
            sharing.true_file(state.key("pins-zip"), "pins.zip", make, *scenarios)

    def _load_pin(self, record: R) -> T:
        return self.load(self.align(record))

    def _show_pin(self, record: R, here: Scene | None) -> None:
        pinned = self._load_pin(record)
        if not self.numbers(pinned):
            st.info("What is pinned takes longer than a second; unpin it, or pin a quick one.")
            return
        st.markdown(f"**Pinned: {self.pin_title(record)}** · {self.describe(pinned)}")
        scene = None if here is None else self.view(pinned, pinned, LIGHT).scene
        if scene is not None and here is not None:
            pins.maps(self.state, scene, here.ground.domain)

    def _pack(
        self, table: Mapping[str, Mapping[str, str]], entries: Mapping[str, tuple[R, T]]
    ) -> bytes:
        """A ZIP file: the table as compare.csv, and of each of `entries` scenario and pictures."""
        shown = pins.comparison_table(table).reset_index()
        compared = shown.map(unescape_markdown).rename(columns=unescape_markdown)
        files: dict[str, str | bytes] = {"compare.csv": runs.csv(compared)}
        for folder, (record, data) in entries.items():
            files[f"{folder}/scenario.json"] = self.scenario(record).to_json()
            words = [unescape_markdown(e) for e in (self.pin_title(record), self.describe(data))]
            for name, png in self.images(data).items():
                files[f"{folder}/{name}.png"] = pack.captioned(png, [f"{name}:", *words])
        return pack.zip_of(files)
