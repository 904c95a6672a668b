"""Pages seen ahead: every step is what the page itself shows there, and no other page's."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets import Uniform
from caldp_ui.app import navigation
from caldp_ui.app.theme import DARK, LIGHT
from caldp_ui.classroom import page as classroom
from caldp_ui.classroom.page_state import NAMES, Lesson
from caldp_ui.controls.common import Slider
from caldp_ui.curves.page import PAGE as CURVES_PAGE
from caldp_ui.curves.page_state import BEGIN, Curves
from caldp_ui.paper import exact
from caldp_ui.paper.page_state import Paper
from caldp_ui.parts import films, markup
from caldp_ui.parts.films import ChartPage
from caldp_ui.plan.page import PAGE as PLAN_PAGE
from caldp_ui.plan.page_state import Plan
from caldp_ui.shell.page import Page
from caldp_ui.stage import Film
from caldp_ui.yesno import page as yesno
from caldp_ui.yesno.page_state import YesNoState
from tests.products import thinned
from tests.ui.ahead import made
from tests.ui.driver import data_of, jobs_done, open_page

CLASSROOM = classroom.PAGE.charts()
FEW = replace(
    Curves(replace(BEGIN, dataset=Uniform(60), n=10_000)),
    protections=("plain", "blocks"),
    methods=("hadamard",),
    estimates=("none",),
)


@dataclass(frozen=True)
class Case:
    """A page that is seen ahead, with one of its records."""

    path: str
    page: ChartPage[Any]
    record: Any
    sliders: Callable[[Any], Any]


def case_of(path: str, page: Page[Any, Any], record: Any) -> Case:
    return Case(path, page.charts(), record, lambda at: list(page.sliders(at).values()))


def station_sliders(lesson: Lesson) -> list[Slider[Lesson]]:
    return list(classroom.sliders(lesson).values())


def stations() -> Iterator[tuple[str, Case]]:
    for name in NAMES:
        lesson = Lesson(name, n=1_000, blocks=10, values=2, seed=5)
        yield name, Case(navigation.CLASSROOM, CLASSROOM, lesson, station_sliders)
    crowd = Lesson("rappor", view="crowd")
    yield "crowd", Case(navigation.CLASSROOM, CLASSROOM, crowd, station_sliders)
    broken = Lesson("means", broken=True)
    yield "broken", Case(navigation.CLASSROOM, CLASSROOM, broken, station_sliders)


CASES = dict(stations()) | {
    "yesno": Case(
        navigation.YES_OR_NO,
        yesno.PAGE.charts(),
        YesNoState(),
        lambda _: list(yesno.SLIDERS.values()),
    ),
    "plan": case_of(navigation.PLAN, PLAN_PAGE, Plan()),
    "paper": Case(
        navigation.PAPER,
        exact.SENSITIVE_SETS.charts(),
        Paper(view="sensitive-sets", values=100),
        lambda record: list(exact.SENSITIVE_SETS.sliders(record).values()),
    ),
    "figure 1": Case(
        navigation.PAPER,
        exact.REGION.charts(),
        Paper(view="figure-1"),
        lambda record: list(exact.REGION.sliders(record).values()),
    ),
    "curves": case_of(navigation.CURVES, CURVES_PAGE, FEW),
    "curves over ε": case_of(navigation.CURVES, CURVES_PAGE, replace(FEW, against="epsilon")),
}


def open_case(case: Case, record: Any) -> AppTest:
    return jobs_done(open_page(case.path, case.page.state.codec.write(record)))


def words_on(at: AppTest) -> set[str]:
    """All that the page says as HTML."""
    markdown = {markup.as_html(item.value) for item in at.markdown}
    return markdown | {item.proto.body for item in at.get("html")}


def where_sliders_are(at: AppTest, case: Case) -> dict[str, dict[str, str]]:
    """What the browser is told of them."""
    ((feed,),) = (data_of(at, f"{case.page.state.key('feeds')}-page"),)
    found: dict[str, dict[str, str]] = feed["page"]
    return found


@pytest.mark.parametrize("name", thinned(CASES, one_in=3))
def test_steps_are_what_the_page_shows_there(name: str) -> None:
    """By one slider a page, each time another: all go the same way to their pictures."""
    case = CASES[name]
    sliders = case.sliders(case.record)
    slider = sliders[list(CASES).index(name) % len(sliders)]
    there = slider.value(case.record)
    value = next(value for value in reversed(slider.steps) if value != there)
    few = replace(slider, steps=(value, *([there] if there in slider.steps else [])))
    step, *others = made(case.page, case.record, few).steps
    at = open_case(case, few.with_value(case.record, value))
    for key, picture in step.pictures.items():
        assert picture in data_of(at, key), (key, slider.name)
    for place, html in step.replacements.items():
        assert html in words_on(at), (place, slider.name)
    here = where_sliders_are(at, case)
    if case.path != navigation.CURVES:  # there the steps themselves follow the reader
        one = replace(slider, steps=slider.steps[:1])
        settings = made(case.page, case.record, one).settings
        expected = {"reading": step.reading, "settings": settings}
        assert here[case.page.state.key(slider.name)] == expected
    assert all(other.pictures != step.pictures for other in others if other.pictures)


@pytest.mark.parametrize("name", thinned(CASES, one_in=2, of=3))
def test_every_step_can_be_sent(name: str) -> None:
    case = CASES[name]
    for slider in case.sliders(case.record):
        sent = json.loads(made(case.page, case.record, slider).chart_message)
        readings = [step["reading"] for step in sent["steps"]]
        assert readings == [slider.format_value(value) for value in slider.steps]
        assert len(set(readings)) == len(readings)
        assert sent["id"] == case.page.state.key(slider.name)
        assert sent["dial"] == f".st-key-{case.page.state.key(slider.name)}"
        assert all(step["replacements"] for step in sent["steps"])


def test_what_else_a_step_rests_on_is_in_its_name() -> None:
    """The browser uses a film only where the page's name is the film's."""

    def name(page: ChartPage[Any], record: Any, slider: Slider[Any], colours: Any = LIGHT) -> str:
        few = replace(slider, steps=slider.steps[:1])
        return page.slider_film(few, colours).film(record, no_progress).settings

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
    assert name(yesno.PAGE.charts(), YesNoState(), level) != name(
        replace(yesno.PAGE.charts(), depends_on="pinned"), YesNoState(), level
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

    monkeypatch.setattr(films, "_made", there.__getitem__)
    monkeypatch.setattr(films, "film", film)
    requests = [films.FilmRequest(name, name, maker(name)) for name in there]
    assert films.ready_films(requests) == there["b"] + there["d"]
    assert started == ["a"]
