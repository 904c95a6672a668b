"""A page at other settings: films of its sliders, sent ahead, and what is pinned beside it.

Every number of a page as a table, for one result or several beside each other.

A page defines once what a record of it looks like; the browser follows its sliders while the user
moves them. A film is made while nobody is waiting for anything, and once for all visits.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic

import pandas as pd
import streamlit as st

from caldp_core.basics.cache import cached
from caldp_core.basics.limits import TRANSPORT_CELLS_MAX
from caldp_core.basics.types import Progress
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.forecast import has_valid_errors, invalid_error_reason
from caldp_core.experiments.metrics import can_move
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.capabilities import report_bits, symbol_partition_of
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Forecast
from caldp_ui.app.texts import read_texts
from caldp_ui.compute import runs
from caldp_ui.controls import choices
from caldp_ui.controls.common import REDRAW_HELP, Slider, redraw_button
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.session import jobs
from caldp_ui.session.page_state import PINS_MAX, PageState, PinPageState, R, S, is_first_run
from caldp_ui.stage.component import StepChoice, stage
from caldp_ui.stage.records import Film, Mark, Scene, Step
from caldp_ui.words import accuracy, formats, policies

TEXTS: Final = read_texts(__file__)


@dataclass(frozen=True)
class ExpectedErrors:
    """Expected errors of this protection and of plain LDP, and the people that plain LDP needs."""

    ours: Forecast | None
    plain: Forecast | None
    needed: int | None


def expect_errors(ours: Scenario, plain: Scenario, progress: Progress) -> ExpectedErrors:
    """All forecasts of the table: for a job, as they may take seconds of trials."""
    first = runs.expected_error(ours, lambda share: progress(share / 2))
    second = runs.expected_error(plain, lambda share: progress(0.5 + share / 2))
    known = first is not None and second is not None and first.error > 0
    return ExpectedErrors(first, second, runs.people_plain_needs(ours) if known else None)


def section(state: PageState[Any], data: ComparisonData) -> None:
    """The table of both results as far as they are there, and what to expect, by a job."""
    if not has_valid_errors(data.setup):
        st.info(invalid_error_reason(data.setup))
        return
    results = {"this protection": data.ours, "plain LDP": data.plain}
    pair = data.setup.scenario, data.plain_setup.scenario
    expected = jobs.run_automatically(
        state.key("foreseen"),
        runs.law_key(pair[0]),
        lambda progress: expect_errors(*pair, progress),
        lambda job: f"What to expect, by repeated trials: {job.seconds:.0f} s so far",
    )
    table(results, expected)
    if data.ours is not None:
        errors, is_sampled = data.ours.first.errors, data.setup.scenario.n is not None
        sampling, both = formats.share(errors.sampling_tv), formats.share(errors.tv)
        text = TEXTS["sampling"] if is_sampled else TEXTS["nothing_sampled"]
        st.markdown(text.format(sampling=sampling, both=both))
        if expected is not None:
            show_plain_needs(data.ours, expected)


def table(
    found: Mapping[str, Result | None], expected: ExpectedErrors | None = None
) -> Mapping[str, Result]:
    """One column a result that is there, by what readers call it; returns these.

    `expected` comes a little later.
    """
    results = {title: result for title, result in found.items() if result is not None}
    if not results:
        st.info("The numbers come once a picture is there.")
        return results
    frame = pd.DataFrame({title: column(result) for title, result in results.items()})
    if expected is not None and len(results) > 1:
        both = (expected.ours, expected.plain)
        frame.loc["expected TV"] = [accuracy.forecast(each) for each in both]
    st.table(frame.rename_axis("number"))
    on_maps = TEXTS["map_errors"] if any(map(_on_map, results.values())) else ""
    st.caption(f"KL is infinite where the estimate gives nobody to what has somebody.{on_maps}")
    return results


def _on_map(result: Result) -> bool:
    return isinstance(result.setup.dataset.domain, GridDomain)


def column(result: Result) -> dict[str, str]:
    """All numbers of one result as texts, by their names."""
    errors, setup = result.first.errors, result.setup
    largest = errors.largest
    boxes = {
        f"boxes of {each.cells} × {each.cells} cells (TV)": formats.share(each.tv)
        for each in errors.boxes  # none but on maps
    }
    found = f"{formats.digits(largest.recall * largest.number)} (F1 {largest.f1:.2f})"
    numbers = {
        "total variation (TV)": formats.share(errors.tv),
        "sampling alone, without privacy (TV)": formats.share(errors.sampling_tv),
        "l1 distance": formats.share(errors.l1),
        "l2 distance": formats.share(errors.l2),
        "Kullback–Leibler divergence": formats.share(errors.kl),
        **boxes,
        f"largest found, of {largest.number}": found,
        "earth mover's distance": _moved_text(result),
        "method": MECHANISMS[setup.mechanism_name].title,
        "estimate": ESTIMATORS[setup.scenario.estimator].title,
        "bits per report": formats.integer(report_bits(setup.mechanism)),
        "blocks": formats.integer(setup.partition.m),
        "hidden symbols": formats.integer(symbol_partition_of(setup.mechanism).hidden.size),
        "reports": formats.integer(setup.n),
    }
    if not _on_map(result):
        del numbers["earth mover's distance"]
    return numbers


def _moved_text(result: Result) -> str:
    """The earth mover's distance of a map, or why there is none."""
    km = result.first.errors.earth_movers_km
    if km is not None:
        return f"{km:,.1f} km"
    if not can_move(result.setup.dataset.domain):
        return f"needs a map of at most {TRANSPORT_CELLS_MAX} cells"
    return "needs shares"


def show_plain_needs(result: Result, expected: ExpectedErrors) -> None:
    """How many people plain LDP would need for the same accuracy."""
    with st.container(key="plain-needs"):
        if expected.ours is None or expected.plain is None:
            st.markdown("How many people plain LDP would need takes long trials to tell.")
        elif expected.ours.error == 0:
            st.markdown("Nothing is hidden here, so there is no accuracy for plain LDP to reach.")
        else:
            needed, meaning = accuracy.plain_needs(result.setup, expected.needed)
            st.markdown(f"Plain LDP would need **{needed}** {meaning}.")


MAPS: Final = "pinned-maps"
"""Names the stage of what is pinned in keys."""


def redraw_and_pin(
    state: PinPageState[S], title: Callable[[S], str], help_text: str = REDRAW_HELP
) -> None:
    """The buttons that draw new noise and that pin; `help_text`: what new noise leaves as it is."""
    with st.container(horizontal=True, gap="xsmall", key=state.key("again")):
        redraw_button(state, help_text)
        pin_button(state, title)


def pin_button(state: PinPageState[R], title: Callable[[R], str]) -> None:
    """The button that pins what is shown, and the menu of what is pinned, by `title`."""
    full = len(state.pins) >= PINS_MAX
    full_text = f"Up to {PINS_MAX} are kept; let one go first."
    help_text = full_text if full else "Keeps this to compare it with what you try next."
    state.button("pin", "Pin", state.pin, icon="keep", disabled=not state.can_pin, help=help_text)
    if state.pins:
        label, icon = f"Pinned {len(state.pins)}", ":material/push_pin:"
        choices.fold(st.popover, label, state.key("pins"), lambda: _menu(state, title), icon=icon)


def _menu(state: PinPageState[R], title: Callable[[R], str]) -> None:
    with st.container(key=state.key("pinned-menu")):
        for number, record in enumerate(state.pins, 1):
            with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
                state.button(
                    f"choose-{number}",
                    f"{number}: {title(record)}",
                    state.choose_pin,
                    record,
                    type="primary" if record == state.pinned else "secondary",
                    width="stretch",
                )
                name, label = f"unpin-{number}", f"Unpin {number}"
                state.button(name, label, state.unpin, record, icon="keep_off")
        st.caption("The chosen one is drawn beside what you try; the table below compares all.")
        if len(state.pins) > 1:
            state.button("unpin-all", "Unpin all", state.unpin_all)


def maps(state: PinPageState[Any], scene: Scene, current: GridDomain) -> None:
    """The maps of the pins, under the view of the page's own maps, whose grid is `current`."""
    if scene.ground.domain != current:
        st.caption("Its map is another one, so only the numbers stand beside each other.")
        return
    still = replace(scene, actions=(), focus=None)
    stage(
        replace(still, label=f"Pinned: {scene.label}", look_hint=Scene.look_hint), state.key(MAPS)
    )


def result_numbers(nouns: formats.Vocabulary, result: Result | None) -> dict[str, str]:
    """The numbers of a result: its levels of privacy, the odds, its errors; empty for None."""
    if result is None:
        return {}
    levels = dict(policies.describe_promise(nouns, result.setup).levels)
    return {**levels, **odds_numbers(nouns, result.setup), **column(result)}


def odds_numbers(nouns: formats.Vocabulary, setup: Setup) -> dict[str, str]:
    """How many people are protected, and how often an attacker's even guess about one is right."""
    texts = policies.describe_promise(nouns, setup)
    covered = {"protected by nothing": texts.exposed} if texts.exposed else {}
    covered |= {"people protected": formats.out_of(texts.protected_share)}
    if texts.protected_share <= 0.0:
        return covered
    return {
        **covered,
        "right guesses about a protected person, of 100": formats.upper_bound(texts.chance),
    }


def comparison_table(table: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Numbers as rows, titles as columns; "–" for a number that a column lacks."""
    rows = list(dict.fromkeys(row for column in table.values() for row in column))
    columns = {title: [column.get(row, "–") for row in rows] for title, column in table.items()}
    return pd.DataFrame(columns, index=pd.Index(rows, name="number"))


def differing_rows(table: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """The rows in which not all are equal."""
    frame = comparison_table(table)
    return frame[frame.nunique(axis=1) > 1]


def film(key: str, name: str, make: Callable[[Progress], Film]) -> Film | None:
    """The film of that name, if it has been made for any visit; else it is made in the background.

    `key`: the place on its page of the job that makes it. `name`: names all that it depends on.
    """
    ready: Film | None = _find_film(key, name)
    if ready is None:

        def make_shared(progress: Progress) -> Film:
            shared = _made(name)
            if not shared:
                shared.append(make(progress))
            return shared[0]

        ready = jobs.run_in_background(key, name, make_shared)
    if ready is not None:
        st.session_state[_film_key(key)] = name, ready
    return ready


def _find_film(key: str, name: str) -> Any:
    """The film, if this visit has it or anybody has made it, else None.

    A visit keeps its film as long as it requests it: the shared cache may drop it, and a film must
    not disappear while a user plays it.
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
    job = jobs.current_job(request.key, request.name)
    done = job is not None and job.done
    return done or _find_film(request.key, request.name) is not None


def sent_films(requests: Iterable[FilmRequest]) -> list[Film]:
    """The requested films that an earlier run of the page has sent to the browser."""
    kept = [(each, st.session_state.get(_film_key(each.key))) for each in requests]
    return [had[1] for each, had in kept if had and had[0] == each.name and not is_first_run()]


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
    whole = max(len(step.codes) for step in steps.values())
    return tuple(steps[level] for level in levels if len(steps[level].codes) == whole)


def _nearest(levels: Sequence[float], at: float) -> list[float]:
    """The levels from where the reader is; where two are as near, the higher first."""
    here = min(range(len(levels)), key=lambda place: abs(levels[place] - at))
    near = sorted(range(len(levels)), key=lambda place: (abs(place - here), -place))
    return [levels[place] for place in near]


@dataclass(frozen=True)
class SliderFilm(Generic[R]):
    """A film along a slider of a page.

    `render`: what the page shows of a record, as a step that has no label yet. `depends_on`: names
    all that this depends on but the slider, of a record with the slider at its first step. `label`:
    of a step, from what the slider says there. `title`, `place`, `hides`, `stays`: see `Film`.
    A slider without a name is not one of the page's.
    """

    state: PageState[Any]
    id: str
    title: str
    slider: Slider[R]
    render: Callable[[R], Step]
    depends_on: Callable[[R], str]
    label: Callable[[str], str] = "ε = {}".format
    place: int = 0
    hides: tuple[Mark, ...] = ()
    stays: bool = False

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
            hides=self.hides,
            stays=self.stays,
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
        rest = self.depends_on(self.slider.with_value(record, self.slider.steps[0]))
        return hashlib.sha256(f"{self.state.page} {self.id} {rest}".encode()).hexdigest()

    def request(self, record: R) -> FilmRequest:
        """The film of a record, made once for all places of the slider."""
        key = self.state.key(f"film-{self.id}")
        return FilmRequest(key, self.name(record), lambda progress: self.film(record, progress))


def follow_step(*along: SliderFilm[Any]) -> Callable[[StepChoice], None]:
    """Handler that shows the record of the step of one of the films on which a reader stopped."""
    sliders = {film.id: (film.state, film.slider) for film in along}

    def follow(chosen: StepChoice) -> None:
        if chosen.film in sliders:
            state, slider = sliders[chosen.film]
            state.change(lambda record: slider.with_value(record, chosen.value))

    return follow
