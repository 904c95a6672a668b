"""Films and charts: each step is what the page would show there, by a run of the core."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import unescape
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets import Uniform
from caldp_core.experiments.forecast import Curve
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import navigation
from caldp_ui.app.theme import CIVIDIS, DARK, LIGHT, NIGHT, NIGHT_LAND
from caldp_ui.charts import curves as charts
from caldp_ui.charts.show import Figure
from caldp_ui.classroom import page as classroom
from caldp_ui.classroom.page_state import NAMES, Lesson
from caldp_ui.coarser import page as coarser
from caldp_ui.compute import runs
from caldp_ui.controls.common import Slider
from caldp_ui.curves.page import PAGE as CURVES_PAGE
from caldp_ui.curves.page_state import BEGIN as CURVES_BEGIN
from caldp_ui.curves.page_state import Curves
from caldp_ui.distances import page as of_distances
from caldp_ui.distances.page_state import DistanceState
from caldp_ui.paper import page as exact
from caldp_ui.paper.page_state import PaperRecord
from caldp_ui.parts import layout, pins
from caldp_ui.personal import page as of_secrets
from caldp_ui.personal.page_state import PersonalState
from caldp_ui.places import page as places
from caldp_ui.places.page_state import PlacesState
from caldp_ui.plan.page import PAGE as PLAN_PAGE
from caldp_ui.plan.page_state import Plan
from caldp_ui.shell.page import Page
from caldp_ui.stage.records import Film, encode
from caldp_ui.values import view as values
from caldp_ui.values.page_state import BEGIN as ANSWERS
from caldp_ui.values.page_state import ValuesState
from caldp_ui.yesno import page as yesno
from caldp_ui.yesno.page_state import YesNoState
from tests.strategies import thinned
from tests.ui.driver import (
    assert_step,
    blobs_of,
    checked,
    container,
    few,
    headline_of,
    jobs_done,
    made,
    on_chart,
    open_page,
    open_record,
    slider_states,
)
from tests.ui.readings import drawn


def answers_of(scenario: Scenario) -> str:
    """The name of what the chart of answers has of a run of the core."""
    return encode(run(prepare(scenario)).first.estimate).name


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [places.PAGE, of_secrets.PAGE, of_distances.PAGE, coarser.PAGE],
    ids=lambda p: p.state.page,
)
def test_each_step_has_every_map_of_reports_as_the_page_shows_it(page: Page[Any, Any]) -> None:
    """A map that a step lacks would stay as it was while all others move."""
    record = page.state.codec.fresh()
    shown = page.view(page.load(record), None, LIGHT).maps
    assert shown is not None
    for film in page.films(record):
        step = film.render(record)
        assert set(shown.estimates) <= set(step.codes)
        for picture in shown.pictures:
            if picture.id in step.codes:
                assert step.codes[picture.id].name == picture.code.name
                assert step.subtitles[picture.id] == picture.subtitle
                assert step.facts.get(picture.id) == picture.fact
        there = film.slider.with_value(record, film.slider.steps[0])
        step, maps = film.render(there), page.view(page.load(there), None, LIGHT).maps
        assert step.image_lines == maps.image_lines != shown.image_lines
        assert not maps.shared_lines or step.shared_lines == maps.shared_lines


@pytest.mark.parametrize("name", values.TITLES)
def test_a_film_of_answers_shows_what_the_page_shows_at_each_step(name: str) -> None:
    film = values.slider_film(ValuesState(), name).film(ValuesState(), no_progress)
    present = values.film_values(prepare(ANSWERS))[name]
    assert present in [step.value for step in film.steps]
    for step in (film.steps[0], film.steps[-1]):
        result = run(prepare(values.SCENARIO_AT_STEP[name](ANSWERS, step.value)))
        shares = values.shares_of(result)
        assert step.codes["ours"].name == encode(result.first.estimate).name
        assert step.codes["ours-low"].name == encode(np.clip(shares[1], -1, 1)).name
        assert step.codes["sensitive"].name == encode(result.setup.sensitive.astype(float)).name
        assert step.people == result.setup.n
    own = next(step for step in film.steps if step.value == present)
    assert own.codes["ours"].name == answers_of(ANSWERS)
    assert own.codes["plain"].name == answers_of(runs.best_plain_ldp(ANSWERS))


def test_the_sensitive_set_grows_from_nothing_over_its_own_to_everything() -> None:
    own = prepare(ANSWERS).sensitive
    sets = [
        prepare(values.with_sensitive_count(ANSWERS, size)).sensitive
        for size in range(own.size + 1)
    ]
    assert [int(flags.sum()) for flags in sets] == list(range(own.size + 1))
    assert all((small <= large).all() for small, large in pairwise(sets))
    np.testing.assert_array_equal(sets[int(own.sum())], own)


def test_all_people_of_the_data_are_the_very_people() -> None:
    n = prepare(ANSWERS).dataset.n
    assert n is not None
    assert values.with_population(ANSWERS, float(n)).n is None
    assert values.with_population(ANSWERS, 100.0).n == 100


def rest_on(at: AppTest, film: str, value: float) -> None:
    """The step of a film of the picture of answers, as the browser tells it."""
    on_chart(at, {"film": film, "index": 0, "value": value}, "step")


def test_resting_on_a_step_makes_it_the_page_s_scenario() -> None:
    at = open_page(navigation.VALUES)
    rest_on(at, values.SENSITIVE, 2.0)
    scenario = at.session_state["values/state"].record.scenario
    assert scenario == values.with_sensitive_count(ANSWERS, 2.0)
    rest_on(at, "no film", 2.0)
    assert at.session_state["values/state"].record.scenario == scenario
    rest_on(at, values.EPSILON, 99.0)
    assert at.session_state["values/state"].record.scenario == scenario
    assert len(at.warning) == 1


def test_films_run_along_the_slider_of_their_page_and_say_what_it_says() -> None:
    over_rates, over_epsilon = (
        few(of_distances.RATE_FILM, DistanceState().rate),
        few(of_secrets.EPSILON_FILM, 1.0),
    )
    for page, film in (
        (navigation.DISTANCES, over_rates.film(DistanceState(), no_progress)),
        (navigation.PERSONAL, over_epsilon.film(PersonalState(), no_progress)),
    ):
        at = open_page(page)
        slider = at.select_slider(key=film.dial)
        (step,) = film.steps
        assert step.reading == f"{slider.value:g}"
        assert step.reading in slider.options
        sentence = headline_of(at)
        text = re.sub("<.*?>", "", step.replacements[layout.SENTENCE])
        assert " ".join(unescape(text).split()) == sentence
        (odds,) = (item.proto.body for item in container(at, "odds").get("html"))
        assert "".join(list(step.replacements.values())[1:]) == odds


CLASSROOM = classroom.PAGE
FEW = replace(
    Curves(replace(CURVES_BEGIN, dataset=Uniform(60), n=10_000)),
    protections=("plain", "blocks"),
    methods=("hadamard",),
    estimates=("none",),
)


@dataclass(frozen=True)
class Case:
    """A page that is seen ahead, with one of its records."""

    page: Page[Any, Any]
    record: Any

    @property
    def sliders(self) -> list[Slider[Any]]:
        return list(self.page.sliders(self.record).values())


STATIONS = [
    *(Lesson(name, n=1_000, blocks=10, values=2, seed=5) for name in NAMES),
    Lesson("rappor", view="crowd"),
    Lesson("means", broken=True),
]
CASES = {str(lesson): Case(CLASSROOM, lesson) for lesson in STATIONS} | {
    "yesno": Case(yesno.PAGE, YesNoState()),
    "plan": Case(PLAN_PAGE, Plan()),
    "paper": Case(exact.SENSITIVE_SETS, PaperRecord(view="sensitive-sets", values=100)),
    "figure 1": Case(exact.REGION, PaperRecord(view="figure-1")),
    "curves": Case(CURVES_PAGE, FEW),
    "curves over ε": Case(CURVES_PAGE, replace(FEW, against="epsilon")),
}


@pytest.mark.parametrize("name", thinned(CASES, one_in=3))
def test_steps_are_what_the_page_shows_there(name: str) -> None:
    """By one slider a page, each time another: all go the same way to their pictures."""
    case = CASES[name]
    slider = case.sliders[list(CASES).index(name) % len(case.sliders)]
    there = slider.value(case.record)
    value = next(value for value in reversed(slider.steps) if value != there)
    few = replace(slider, steps=(value, *([there] if there in slider.steps else [])))
    step, *others = made(case.page, case.record, few).steps
    at = jobs_done(open_record(case.page.state, few.with_value(case.record, value)))
    assert_step(at, step)
    if case.page is not CURVES_PAGE:  # there the steps themselves follow the reader
        one = replace(slider, steps=slider.steps[:1])
        settings = made(case.page, case.record, one).settings
        expected = {"reading": step.reading, "settings": settings}
        assert slider_states(at, case.page)[case.page.state.key(slider.name)] == expected
    assert all(other.pictures != step.pictures for other in others if other.pictures)


@pytest.mark.parametrize("name", thinned(CASES, one_in=2, of=4))
def test_every_step_can_be_sent(name: str) -> None:
    case = CASES[name]
    for slider in case.sliders:
        sent = json.loads(made(case.page, case.record, slider).chart_message)
        readings = [step["reading"] for step in sent["steps"]]
        assert readings == [slider.format_value(value) for value in slider.steps]
        assert len(set(readings)) == len(readings)
        assert sent["id"] == case.page.state.key(slider.name)
        assert sent["dial"] == f".st-key-{case.page.state.key(slider.name)}"
        assert all(step["replacements"] for step in sent["steps"])


def test_what_else_a_step_rests_on_is_in_its_name() -> None:
    """The browser uses a film only where the page's name is the film's."""

    def name(
        page: Page[Any, Any],
        record: Any,
        slider: Slider[Any],
        colours: Any = LIGHT,
        pinned: Any = None,
    ) -> str:
        few = replace(slider, steps=slider.steps[:1])
        return page.slider_film(few, colours, pinned).film(record, no_progress).settings

    (epsilon, people) = classroom.sliders(Lesson("sum")).values()
    begin = name(CLASSROOM, Lesson("sum"), epsilon)
    assert begin == name(CLASSROOM, Lesson("sum", epsilon=3.0), epsilon)
    others = [
        name(CLASSROOM, Lesson("sum", n=100), epsilon),
        name(CLASSROOM, Lesson("sum", seed=2), epsilon),
        name(CLASSROOM, Lesson("sum", broken=True), epsilon),
        name(CLASSROOM, Lesson("sum"), people),
        name(CLASSROOM, Lesson("sum"), epsilon, DARK),
    ]
    assert len({begin, *others}) == 6
    level = yesno.SLIDERS["ε of yes"]
    assert name(yesno.PAGE, YesNoState(), level) != name(
        yesno.PAGE, YesNoState(), level, pinned=YesNoState()
    )


def test_a_film_that_was_made_stays_while_another_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """A move of one slider asks for new films of all others."""
    there = {name: [Film(name, "", ())] if name in "bd" else [] for name in "abcd"}
    started = []

    def film(key: str, name: str, make: Callable[[Progress], Film]) -> Film | None:
        assert make(no_progress).id == key
        if not there[name]:
            started.append(name)
        return next(iter(there[name]), None)

    def maker(name: str) -> Callable[[Progress], Film]:
        return lambda _: Film(name, "", ())

    monkeypatch.setattr(pins, "_made", there.__getitem__)
    monkeypatch.setattr(pins, "film", film)
    requests = [pins.FilmRequest(name, name, maker(name)) for name in there]
    assert pins.ready_films(requests) == there["b"] + there["d"]
    assert started == ["a"]


def test_what_of_a_picture_is_in_a_film_that_the_browser_has_is_not_sent_again() -> None:
    at, record = open_page("pages/places.py"), PlacesState()
    film = Film("epsilon", "", (places.PAGE.render(record),))
    pins._made(places.EPSILON_FILM.name(record)).append(film)
    codes = {blob.name for blob in film.steps[0].codes.values()}
    shown = [f"picture-{name}" for name in ("truth", "plain", "ours")]
    checked(at.run())
    assert codes <= blobs_of(at, *shown)  # first without waiting for a film
    assert codes <= blobs_of(at, "film-epsilon")
    whole = blobs_of(at, *shown)
    checked(at.run())
    assert not codes & blobs_of(at, *shown)
    assert blobs_of(at, *shown, "film-epsilon") == whole


X = np.array([0.5, 1.0, 2.0])
OURS = Curve(
    X, np.array([0.3, 0.2, 0.1]), np.array([0.25, 0.15, 0.05]), np.array([0.35, 0.25, 0.2])
)
PLAIN = Curve(X, OURS.tv * 2, OURS.low * 2, OURS.high * 2)


def chart_of() -> Figure:
    return charts.error_curves((OURS, 0.21), (PLAIN, 0.43), 1.0, charts.EPSILON_AXIS, LIGHT)


def figure_of() -> go.Figure:
    return drawn(chart_of())


def trace(figure: go.Figure, y: np.ndarray) -> go.Scatter:
    return next(t for t in figure.data if np.array_equal(np.asarray(t.y, dtype=float), y))


def test_lines_are_told_apart_by_dash_as_well_as_colour() -> None:
    ours, plain = trace(figure_of(), OURS.tv), trace(figure_of(), PLAIN.tv)
    assert ours.line.dash != plain.line.dash
    assert ours.line.color != plain.line.color
    assert ours.name != plain.name
    marks = [t for t in figure_of().data if t.mode == "markers"]
    assert len({mark.marker.symbol for mark in marks}) == 2


def test_where_nobody_is_sensitive_the_curves_are_drawn_without_the_reader_s_place() -> None:
    curves = charts.error_curves((OURS, 0.2), (PLAIN, 0.4), 0.0, charts.SENSITIVE_AXIS, LIGHT)
    figure = drawn(curves)
    low, high = figure.layout.xaxis.range
    assert math.isfinite(low)
    assert low < high
    assert not figure.layout.shapes


@pytest.mark.parametrize("curve", [OURS, PLAIN], ids=["ours", "plain"])
def test_bands_go_there_above_and_back_below(curve: Curve) -> None:
    band = trace(figure_of(), np.concatenate([curve.high, curve.low[::-1]]))
    np.testing.assert_array_equal(band.x, [*X, *X[::-1]])
    assert band.fill == "toself"


def test_marks_are_this_outcome_at_the_present_setting() -> None:
    marks = {(t.x[0], t.y[0]) for t in figure_of().data if t.mode == "markers"}
    assert marks == {(1.0, 0.21), (1.0, 0.43)}
    assert figure_of().layout.shapes[0].x0 == 1.0


@pytest.mark.parametrize("now", [2.0, 40.0, 3e5])
def test_numbers_of_a_log_scale_are_whole_numbers_or_shares(now: float) -> None:
    curves = charts.error_curves((OURS, 0.2), (PLAIN, now), 1.0, charts.PEOPLE_AXIS, LIGHT)
    axis = drawn(curves).layout.yaxis
    low, high = OURS.low.min(), max(now, PLAIN.high.max())
    assert [float(text.replace(",", "")) for text in axis.ticktext] == pytest.approx(axis.tickvals)
    assert len([tick for tick in axis.tickvals if low <= tick <= high]) >= 2
    assert min(axis.tickvals) <= low
    assert max(axis.tickvals) >= high
    assert len(axis.tickvals) <= 12  # more would run into each other


def test_cividis_grows_lighter_all_the_way() -> None:
    colours = CIVIDIS
    assert colours.shape == (256, 3)
    light = colours @ np.array([0.2126, 0.7152, 0.0722])
    assert (np.diff(light) > -1).all()
    assert light[-1] - light[0] > 150
    assert f"rgb({','.join(map(str, NIGHT_LAND))})" == NIGHT.land


@pytest.mark.parametrize("wanted", [[0.5], [0.5, 0.5, 0.5], [0.9, 0.1, 0.11], [0.2, 0.5, 0.21]])
def test_names_stand_apart_in_the_lines_order_and_near_them(wanted: list[float]) -> None:
    places = charts.space_out(wanted, 0.1)
    ordered = np.array(places)[np.argsort(wanted, kind="stable")]
    assert (np.diff(ordered) >= 0.1 - 1e-9).all()
    assert np.mean(places) == pytest.approx(np.mean(wanted))
    assert np.abs(np.array(places) - wanted).max() <= 0.1 * (len(wanted) - 1)
