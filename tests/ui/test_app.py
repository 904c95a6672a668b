"""The map page by its widgets: what it shows is what the core computes for what was chosen."""

import re
from concurrent.futures import wait
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.datasets import Cities, read_places
from caldp_core.estimation.estimators import ESTIMATORS, menu_of_estimators
from caldp_core.experiments.run import prepare
from caldp_core.mechanisms import FAMILIES, in_context
from caldp_core.mechanisms.catalogue import MECHANISMS, Hadamard, LocalHashing, Oue
from caldp_core.scenarios.blocks import AdaptiveBlocks, GridBlocks, SensitiveInhabited, StateBlocks
from caldp_core.theory.planner import best_family
from caldp_ui.app import navigation
from caldp_ui.compute import curves, runs
from caldp_ui.maps import presets
from caldp_ui.maps.presets import BEGIN
from caldp_ui.maps.scene import EXAMPLE
from caldp_ui.parts import films, markup
from caldp_ui.places import controls, view
from caldp_ui.places.page import EPSILON_FILM
from caldp_ui.places.page_state import PlacesState, load_data
from caldp_ui.words import formats, promise
from caldp_ui.words.formats import PLACES
from tests.products import thinned
from tests.ui.driver import (
    assert_shows,
    chart,
    charts,
    checked,
    choose,
    container,
    finished,
    headline_of,
    open_app,
    open_page,
    open_tab,
    open_with,
    pictures,
    query_of,
    scenario_of,
    scene_of,
)
from tests.ui.readings import full_people
from tests.ui.scenarios import VARIED

STATES = BEGIN.with_context(blocks=StateBlocks())
QUICKLY_FORECAST = replace(STATES, mechanism=Oue(), n=1_000_000)
"""Expected errors of this one are normal approximations, which take no trials."""


def test_opens_with_the_default() -> None:
    at = open_app()
    assert_shows(at, BEGIN)
    assert query_of(at) == {}
    assert not at.error
    assert not at.warning


def test_methods_are_named_and_plain_ldp_is_the_best_there_is() -> None:
    at = open_with(replace(STATES, mechanism=Hadamard()))
    subtitles = {each["id"]: each["subtitle"] for each in scene_of(at)["pictures"]}
    assert MECHANISMS["hadamard"].title in subtitles["ours"]
    best = prepare(runs.best_plain_ldp(scenario_of(at))).mechanism_name
    assert best != "hadamard"
    assert MECHANISMS[best].title in subtitles["plain"]


@pytest.mark.parametrize("name", thinned(VARIED, one_in=6))
def test_every_kind_of_scenario_opens_from_its_link(name: str) -> None:
    at = open_with(VARIED[name])
    assert not at.warning
    assert_shows(at, VARIED[name])


@pytest.mark.parametrize("title", thinned([p.title for p in presets.PRESETS], one_in=4))
def test_every_preset(title: str) -> None:
    before = replace(BEGIN.with_context(blocks=GridBlocks(3, 4)), n=1_000_000)
    at = open_with(before)
    assert at.selectbox(key="places-preset").value is None
    checked(at.selectbox(key="places-preset").set_value(title).run())
    preset = next(p for p in presets.PRESETS if p.title == title)
    assert_shows(at, preset.apply(before))
    assert at.selectbox(key="places-preset").value == title


@pytest.mark.parametrize("title", thinned(controls.BLOCK_KINDS, one_in=3))
def test_every_kind_of_blocks(title: str) -> None:
    at = open_with(STATES)
    checked(at.selectbox(key="places-blocks").set_value(title).run())
    assert_shows(at, BEGIN.with_context(blocks=controls.BLOCK_KINDS[title]))
    assert at.selectbox(key="places-blocks").value == title


@pytest.mark.parametrize("title", thinned(controls.SENSITIVE_KINDS, one_in=2))
def test_every_kind_of_sensitive_places(title: str) -> None:
    at = open_app({"v": "2", "estimator": BEGIN.estimator, "sensitive": "areas"})
    checked(at.selectbox(key="places-sensitive").set_value(title).run())
    assert_shows(at, BEGIN.with_context(sensitive=controls.SENSITIVE_KINDS[title]))


def test_details_of_blocks_and_places() -> None:
    at = open_app()
    checked(at.number_input(key="places-rows").set_value(5).run())
    checked(at.number_input(key="places-columns").set_value(7).run())
    assert_shows(at, BEGIN.with_context(blocks=GridBlocks(5, 7)))
    at = open_with(BEGIN.with_context(blocks=AdaptiveBlocks()))
    checked(at.select_slider(key="places-adaptive").set_value(100).run())
    assert_shows(at, BEGIN.with_context(blocks=AdaptiveBlocks(100)))
    at = open_with(BEGIN.with_context(sensitive=SensitiveInhabited()))
    checked(at.number_input(key="places-most").set_value(2000).run())
    assert_shows(at, BEGIN.with_context(sensitive=SensitiveInhabited(1, 2000)))


@pytest.mark.parametrize("epsilon", thinned([20.0, 0.1], one_in=2))
def test_epsilon(epsilon: float) -> None:
    at = open_app()
    before = pictures(at)
    checked(at.select_slider(key="places-epsilon").set_value(epsilon).run())
    assert_shows(at, BEGIN.with_context(epsilon=epsilon))
    after = pictures(at)
    assert after["truth"] == before["truth"]
    assert after["plain"] != before["plain"]
    assert after["ours"] != before["ours"]


def test_a_step_of_the_film_of_epsilon_is_followed() -> None:
    at = choose(open_app(), "epsilon", 4.0)
    assert_shows(at, BEGIN.with_context(epsilon=4.0))
    assert at.select_slider(key="places-epsilon").value == 4.0
    assert scene_of(at)["values"]["epsilon"] == 4.0


def test_the_odds_are_shown_in_their_word_and_colour() -> None:
    at = open_app()
    for epsilon, word in ((0.5, "strong"), (1.0, "fair"), (2.0, "weak"), (4.0, "none")):
        checked(at.select_slider(key="places-epsilon").set_value(epsilon).run())
        (html,) = (item.proto.body for item in container(at, "odds").get("html"))
        assert f'class="odds {word}"' in html
        chance = promise.chance(prepare(scenario_of(at)))
        assert full_people(html) == [round(100 * chance)]


def test_a_button_makes_one_epsilon_of_several() -> None:
    at = open_with(VARIED["epsilons"])
    assert at.info
    checked(at.button(key="places-one-epsilon").click().run())
    several = VARIED["epsilons"].context.epsilon
    assert isinstance(several, tuple)
    assert_shows(at, VARIED["epsilons"].with_context(epsilon=min(several)))


@pytest.mark.parametrize("power", thinned([12, 3], one_in=2))
def test_people_from_a_thousand_to_a_trillion(power: int) -> None:
    at = open_app()
    checked(at.select_slider(key="places-people").set_value(10**power).run())
    assert_shows(at, replace(BEGIN, n=10**power))
    checked(at.select_slider(key="places-people").set_value(0).run())
    assert_shows(at, BEGIN)


@pytest.mark.parametrize("family", thinned(FAMILIES, one_in=2, of=3))
def test_families(family: str) -> None:
    few = replace(STATES, n=10_000)  # as many as local hashing, too, can draw at once
    at = open_with(few)
    finished(at.selectbox(key="places-family").set_value(family).run())
    assert_shows(at, replace(few, mechanism=FAMILIES[family].spec()))


def test_more_people_than_a_family_can_draw_are_told_in_a_sentence() -> None:
    at = finished(open_with(replace(STATES, mechanism=LocalHashing())))
    (sentence,) = (item.value for item in at.error)
    assert "3,671,812" in sentence
    finished(at.select_slider(key="places-people").set_value(1000).run())
    assert_shows(at, replace(STATES, n=1000, mechanism=LocalHashing()))


def test_a_link_may_name_an_estimator_that_the_menu_does_not_offer() -> None:
    menu = open_app().selectbox(key="places-estimator").options
    assert ESTIMATORS["simplex"].title in menu
    assert ESTIMATORS["norm-sub"].title not in menu
    at = finished(open_app(estimator="norm-sub"))
    assert at.selectbox(key="places-estimator").value == "norm-sub"
    assert scenario_of(at).estimator == "norm-sub"


@pytest.mark.parametrize("name", thinned(menu_of_estimators("simplex"), one_in=4))
def test_estimators(name: str) -> None:
    at = open_app()
    finished(at.selectbox(key="places-estimator").set_value(name).run())
    assert_shows(at, replace(BEGIN, estimator=name))


def test_other_data_bring_their_people() -> None:
    at = open_app()
    title = next(t for t in at.selectbox(key="places-data").options if "Gowalla" not in t)
    checked(at.selectbox(key="places-data").set_value(title).run())
    assert_shows(at, replace(BEGIN, dataset=Cities(), n=1_000_000))


def test_another_outcome_is_the_next_seed() -> None:
    at = open_with(replace(BEGIN, seed=41))
    assert_shows(checked(at.button(key="places-another").click().run()), replace(BEGIN, seed=42))
    last = open_with(replace(BEGIN, seed=2**32 - 1))
    assert_shows(checked(last.button(key="places-another").click().run()), replace(BEGIN, seed=0))


def test_table_of_numbers_agrees_with_the_core() -> None:
    scenario = replace(STATES, n=1_000_000)
    at = open_tab(open_with(scenario), "Numbers")
    result = assert_shows(at, scenario)
    table = at.table[0].value
    column = list(table.iloc[:, 0])
    errors = result.first.errors
    for value in (errors.tv, errors.sampling_tv, errors.l1, errors.l2, errors.kl):
        assert formats.share(value) in column
    assert f"{errors.sliced_wasserstein_km:,.1f} km" in column
    for number in (result.setup.partition.m, 43_750, 1_000_000):
        assert f"{number:,}" in column
    assert MECHANISMS[result.setup.mechanism_name].title in column
    assert table.shape[1] == 2
    # Total variations of sampling and of privacy do not add up: neither is a part of the whole.
    alone = next(row for row in table.index if "sampling" in row)
    assert table.loc[alone].iloc[0] == formats.share(errors.sampling_tv)


def test_the_page_says_what_plain_ldp_needs() -> None:
    scenario = controls.with_dataset(
        BEGIN, read_places("\n".join(EXAMPLE.splitlines()[:20])).places
    )
    at = open_tab(open_page(navigation.PLACES, scenario.to_query()), "Numbers")
    assert scenario_of(at) == scenario
    assert not wait([at.session_state["places-foreseen/job"].future], 120).not_done
    checked(at.run())
    needed = runs.people_plain_needs(replace(scenario, seed=7))  # `test_compute.py` holds it
    assert needed is not None
    (sentence,) = (item.value for item in container(at, "plain-needs").markdown)
    assert f"**{formats.people(needed)}**" in sentence


def test_all_methods_stand_beside_each_other() -> None:
    scenario = replace(STATES, mechanism=Oue())
    at = open_tab(open_with(scenario), "Numbers")
    table = at.table[1].value
    setup = assert_shows(at, scenario).setup
    policy = runs.context_of(setup)
    best = best_family(policy, setup.dataset.distribution, setup.n)
    assert [title.removesuffix(" (chosen)") for title in table.index] == [
        entry.title for entry in FAMILIES.values()
    ]
    assert [title for title in table.index if "(chosen)" in title] == [
        f"{FAMILIES['oue'].title} (chosen)"
    ]
    assert list(table.iloc[:, 1]) == [f"{in_context(policy, n).report_bits:,}" for n in FAMILIES]
    fewest = [name for name, text in zip(FAMILIES, table.iloc[:, 0], strict=True) if "few" in text]
    assert best.family in fewest
    assert any(best.reason in caption.value for caption in at.caption)


def curve_of(at: AppTest) -> str:
    """The curve, once its job is done."""
    assert not wait([at.session_state["places-curve-against-curves/job"].future], 120).not_done
    return chart(checked(at.run()), "curve")


def test_curves_are_drawn_only_where_they_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curves, "EPSILONS", curves.EPSILONS[1::9])
    monkeypatch.setattr(curves, "NUMBERS", curves.NUMBERS[::6])
    at = open_with(QUICKLY_FORECAST)
    assert not charts(at)
    before = curve_of(open_tab(at, "curves"))
    at.session_state["places-curve-against"] = "number of people"
    assert curve_of(checked(at.run())) != before
    assert scenario_of(at) == QUICKLY_FORECAST


def test_films_are_of_the_scenario_on_screen_with_its_coins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names: list[str] = []
    monkeypatch.setattr(films, "show", lambda sent, on: names.extend(each.name for each in sent))
    current = replace(BEGIN.with_context(epsilon=2.0), seed=3)
    at = open_with(current)
    draws = f"{runs.key(replace(current, seed=0))} draws"
    assert names == [EPSILON_FILM.name(PlacesState(current)), draws]
    assert scene_of(at)["values"] == {"epsilon": 2.0, "draws": 3.0}


def test_the_sentence_of_a_film_is_that_of_the_page() -> None:
    at = open_app()
    sentence = headline_of(at)
    step = view.render(PlacesState(BEGIN))
    assert step.headline == view.headline(load_data(PlacesState(BEGIN)))
    as_html = step.replacements[markup.SENTENCE]
    assert " ".join(re.sub("<.*?>", " ", as_html).split()) == sentence
    (odds,) = (item.proto.body for item in container(at, "odds").get("html"))
    assert markup.odds_html(PLACES, runs.setup(BEGIN)) == odds
