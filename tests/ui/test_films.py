"""Films of the pages: each step is what the page would show there, by a run of the core."""

import re
from dataclasses import replace
from html import unescape
from itertools import pairwise

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.types import no_progress
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import navigation
from caldp_ui.compute import runs
from caldp_ui.distances import page as of_distances
from caldp_ui.distances import view as far
from caldp_ui.distances.page import RATES
from caldp_ui.distances.page_state import EVERYBODY, PERSON, DistanceState, with_rate
from caldp_ui.distances.page_state import load_data as load_far
from caldp_ui.maps.scene import TRUTH
from caldp_ui.parts import markup
from caldp_ui.parts.comparison import load_fast_results
from caldp_ui.parts.films import all_steps
from caldp_ui.personal import page as of_secrets
from caldp_ui.personal import view as own
from caldp_ui.personal.page_state import BEGIN, PersonalState, with_known_places, with_tags
from caldp_ui.stage import Step, encode
from caldp_ui.values import view as values
from caldp_ui.values.page_state import BEGIN as ANSWERS
from caldp_ui.values.page_state import ValuesState
from tests.ui.ahead import few
from tests.ui.driver import container, headline_of, open_page, picture_of
from tests.ui.values_page import on_chart


def map_of(scenario: Scenario) -> str:
    """The name of the map of a run of the core."""
    return picture_of(run(prepare(scenario)))


def answers_of(scenario: Scenario) -> str:
    """The name of what the chart of answers has of a run of the core."""
    return encode(run(prepare(scenario)).first.estimate).name


def test_steps_are_made_from_the_reader_outwards_and_told_in_order() -> None:
    made: list[float] = []

    def step(level: float) -> Step:
        made.append(level)
        return Step(f"{level}", level, {})

    film = all_steps((1.0, 2.0, 5.0, 40.0), 4.0, step, no_progress)
    assert made == [5.0, 40.0, 2.0, 1.0]  # by steps of the slider
    assert [each.value for each in film] == [1.0, 2.0, 5.0, 40.0]


@pytest.mark.parametrize("view", [EVERYBODY, PERSON])
def test_the_film_over_the_rate_shows_what_the_page_shows_at_each(view: str) -> None:
    record = replace(DistanceState(), show=view)
    film = of_distances.RATE_FILM.film(record, no_progress)
    assert [step.value for step in film.steps] == list(RATES)
    at = film.steps[RATES.index(record.rate)]
    now = {
        picture.id: picture for picture in far.scene(load_far(record, load_fast_results)).pictures
    }
    assert {name: code.name for name, code in at.codes.items()} == {
        name: picture.code.name for name, picture in now.items() if name != TRUTH
    }
    assert at.facts[far.NOISE] == now[far.NOISE].fact
    assert at.subtitles[far.NOISE] == now[far.NOISE].subtitle
    assert (at.reading, film.dial) == ("0.02", "distances-rate")
    expected = far.headline(load_far(record, load_fast_results))
    assert at.replacements[markup.SENTENCE] == markup.headline_html(expected)
    other = film.steps[0]
    assert other.codes[far.NOISE].name != at.codes[far.NOISE].name
    if view == EVERYBODY:
        assert other.codes[far.NOISE].name == map_of(with_rate(record.scenario, RATES[0]))


def test_a_film_leaves_out_lines_that_would_be_another_step_s() -> None:
    assert set(of_distances.RATE_FILM.hides) == {"blocks", "sensitive"}


def test_the_film_over_epsilon_has_all_ways_of_personal_secrets() -> None:
    film = few(of_secrets.EPSILON_FILM, 0.5, 1.0).film(PersonalState(), no_progress)
    first, last = film.steps
    low, high = (with_tags(BEGIN, epsilon=epsilon) for epsilon in (0.5, 1.0))
    for step, scenario in ((first, low), (last, high)):
        assert step.codes[own.ASSUMED].name == map_of(scenario)
        assert step.codes[own.KNOWN].name == map_of(with_known_places(scenario))
        assert set(step.codes) == {own.EVERYTHING, own.KNOWN, own.ASSUMED}
    assert first.codes[own.EVERYTHING].name != last.codes[own.EVERYTHING].name
    assert (last.label, last.value) == ("ε = 1", 1.0)


@pytest.mark.parametrize("name", values.TITLES)
def test_a_film_of_answers_shows_what_the_page_shows_at_each_step(name: str) -> None:
    film = values.slider_film(ValuesState(), name).film(ValuesState(), no_progress)
    present = values.film_values(prepare(ANSWERS))[name]
    assert present in [step.value for step in film.steps]
    for step in (film.steps[0], film.steps[-1]):
        result = run(prepare(values.SCENARIO_AT_STEP[name](ANSWERS, step.value)))
        shares = values.shares_of(result)
        assert step.codes["ours"].name == encode(result.first.estimate).name
        assert step.codes["ours-low"].name == encode(np.clip(shares.low, -1, 1)).name
        assert step.codes["sensitive"].name == encode(result.setup.sensitive.astype(float)).name
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
        text = re.sub("<.*?>", "", step.replacements[markup.SENTENCE])
        assert " ".join(unescape(text).split()) == sentence
        (odds,) = (item.proto.body for item in container(at, "odds").get("html"))
        assert "".join(list(step.replacements.values())[1:]) == odds
