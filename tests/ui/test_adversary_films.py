"""Films of the attacker's page: each step is what the page shows there, none is another's."""

import re
from concurrent.futures import wait
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
import streamlit as st

from caldp_core.audit.poisoning import RANDOM_ITEMS
from caldp_core.basics.types import no_progress
from caldp_core.domain.grid import US_GRID
from caldp_core.scenarios.blocks import OneBlock
from caldp_ui.adversary import fakes, fakes_page
from caldp_ui.adversary import page as of_person
from caldp_ui.adversary.page_state import (
    BEGIN,
    FAKES,
    KNOWS_SHARE,
    STATE,
    TENTHS,
    AttackerState,
    load_data,
)
from caldp_ui.controls.common import EPSILONS
from caldp_ui.parts import films as film_jobs
from caldp_ui.parts import markup
from caldp_ui.parts.films import FilmRequest
from caldp_ui.session import jobs
from caldp_ui.stage import Film, Step
from tests.ui.driver import choose, container, open_record, page_record
from tests.ui.test_adversary import STAGE

SHOWN = AttackerState(show=FAKES)


def at_epsilon(epsilon: float) -> AttackerState:
    return replace(SHOWN, scenario=BEGIN.with_context(epsilon=epsilon))


def assert_is(step: Step, record: AttackerState) -> None:
    """Maps, numbers and both sentences are the page's at this record."""
    data = fakes.run_attack(record)
    scene = fakes_page.scene(data, US_GRID, record)
    moving = [each for each in scene.pictures if each.id != fakes_page.TRUTH]
    assert dict(step.codes) == {each.id: each.code for each in moving}
    assert dict(step.facts) == {each.id: each.fact for each in scene.pictures}
    assert dict(step.subtitles) == {each.id: each.subtitle for each in scene.pictures}
    expected = fakes.headline(data, US_GRID, record)
    texts = {
        place: unescape(re.sub("<.*?>", "", html)) for place, html in step.replacements.items()
    }
    assert texts == {
        markup.SENTENCE: re.sub("<.*?>", "", unescape(markup.headline_html(expected))),
        fakes.POWER: fakes.one_phone(record, US_GRID).replace("*", ""),
    }


def test_the_film_over_epsilon_shows_what_the_page_shows_at_each() -> None:
    film = fakes_page.OVER_EPSILON.film(SHOWN, no_progress)
    assert [step.value for step in film.steps] == list(EPSILONS)
    for step in film.steps[::16]:
        assert step.reading == f"{step.value:g}"
        assert_is(step, at_epsilon(step.value))
    assert len({step.codes["fakes"].name for step in film.steps}) == len(EPSILONS)


def test_where_the_unit_of_the_numbers_changes_that_of_the_truth_does_with_them() -> None:
    """The truth's map never changes, but "2 of 1,000" may become "15 of 10,000"."""
    rare = 8599
    film = fakes_page.OVER_EPSILON.film(replace(SHOWN, place=rare), no_progress)
    assert len({step.facts[fakes_page.TRUTH].text for step in film.steps}) > 1
    assert_is(film.steps[0], replace(at_epsilon(EPSILONS[0]), place=rare))


def test_the_film_over_fake_phones_shows_what_the_page_shows_at_each() -> None:
    record = replace(SHOWN, repair=KNOWS_SHARE)
    film = fakes_page.OVER_TENTHS.film(record, no_progress)
    assert [step.value for step in film.steps] == list(TENTHS)
    for step in film.steps[::16]:
        assert_is(step, replace(record, tenths=int(step.value)))


@pytest.mark.parametrize("which", [0, 1])
def test_they_run_along_the_sliders_of_the_page_and_stand_in_for_its_words(which: int) -> None:
    at = open_record(STATE, SHOWN)
    film = fakes_page.slider_films(SHOWN)[which].film(SHOWN, no_progress)
    slider = at.select_slider(key=film.dial)
    assert [step.reading for step in film.steps] == slider.options
    scene = fakes_page.scene(fakes.run_attack(SHOWN), US_GRID, SHOWN)
    (now,) = (step for step in film.steps if step.value == scene.film_values[film.id])
    assert now.value == slider.value
    (body,) = (item.proto.body for item in container(at, "headline").get("html"))
    assert now.replacements[markup.SENTENCE] == body
    (sentence,) = (item.value for item in container(at, "adversary-power").markdown)
    place = fakes.POWER
    assert unescape(re.sub("<.*?>", "", now.replacements[place])) == sentence.replace("*", "")
    assert place == ".st-key-adversary-power p"


def test_resting_on_a_step_makes_it_the_page_s_record() -> None:
    at = open_record(STATE, SHOWN)
    choose(at, fakes_page.EPSILON, 2.0, STAGE)
    assert page_record(at, STATE) == at_epsilon(2.0)
    choose(at, fakes_page.OVER_MANY, 25.0, STAGE)
    assert page_record(at, STATE) == replace(at_epsilon(2.0), tenths=25)
    choose(at, "epsilon", 3.0, STAGE)
    assert page_record(at, STATE) == replace(at_epsilon(2.0), tenths=25)


def named(record: AttackerState) -> list[str]:
    return [each.request(record).name for each in fakes_page.slider_films(record)]


@pytest.mark.parametrize(
    "change",
    [
        {"place": 20_000},
        {"attack": RANDOM_ITEMS},
        {"repair": KNOWS_SHARE},
        {"scenario": replace(BEGIN, seed=2)},
        {"scenario": BEGIN.with_context(blocks=OneBlock())},
    ],
    ids=repr,
)
def test_no_other_setting_has_the_same_film(change: dict[str, Any]) -> None:
    ours = named(SHOWN)
    others = named(replace(SHOWN, **change))
    assert len({*ours, *others}) == 4


def test_a_film_is_the_same_all_along_its_slider_and_another_along_the_other() -> None:
    over_epsilon, over_tenths = named(SHOWN)
    along = named(at_epsilon(4.0))
    assert along[0] == over_epsilon
    assert along[1] != over_tenths
    along = named(replace(SHOWN, tenths=50))
    assert along[0] != over_epsilon
    assert along[1] == over_tenths


def test_the_person_s_films_are_named_by_all_that_they_rest_on() -> None:
    def names(record: AttackerState) -> dict[str, str]:
        return {each.key: each.name for each in of_person.film_requests(load_data(record))}

    ours = names(AttackerState())
    assert list(ours) == [f"adversary-film-{kind}" for kind in ("days", "epsilon", "reports")]
    for change, kept in (
        ({"scenario": BEGIN.with_context(epsilon=4.0)}, {"epsilon"}),
        ({"days": 3}, {"days", "reports"}),
        ({"place": 20_000}, set()),
        ({"scenario": replace(BEGIN, seed=2)}, set()),
    ):
        others = names(replace(AttackerState(), **change))
        same = {key.rpartition("-")[2] for key, name in others.items() if name == ours[key]}
        assert same == kept, change


def test_a_film_that_has_been_made_is_there_while_another_is_missing() -> None:
    found: list[float] = []

    def make(progress: Any) -> Film:
        progress(0.0)
        found.append(0.0)
        return Film("second", "", ())

    first = FilmRequest("a-place", "a film that nobody makes", make)
    second = FilmRequest("another-place", "a film that has been made", make)
    film_jobs._made(second.name).append(make(no_progress))
    films = film_jobs.ready_films([first, second])
    assert [film.id for film in films] == ["second"]
    assert len(found) == 1


def test_what_all_share_may_be_forgotten_and_a_visit_still_has_its_films(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Making the second film took so much room that the first was forgotten, for ever in turn."""
    names = ("a film that was forgotten", "a film that is to be made")
    kept: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", kept)

    def made(name: str) -> FilmRequest:
        return FilmRequest(name, name, lambda progress: Film(name, "", ()))

    requests = list(map(made, names))
    for each in requests:
        kept[jobs.job_key(each.key)] = job = jobs.launch(each.name, each.make)
        wait([job.future])
    assert not any(film_jobs._made(name) for name in names)
    assert [film.id for film in film_jobs.ready_films(requests)] == list(names)
