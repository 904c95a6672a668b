"""Around the map: the start page, the tour, pins, what is handed on, and long work."""

import json
import subprocess
import sys
from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.types import Progress
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.capabilities import people_max
from caldp_core.mechanisms.catalogue import LocalHashing, Oue, RandomizedResponse
from caldp_core.scenarios.blocks import GridBlocks, OneBlock, StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import navigation
from caldp_ui.compute import exports, runs
from caldp_ui.controls.choices import Preset
from caldp_ui.maps.presets import BEGIN, matching_preset
from caldp_ui.parts import comparison, pins
from caldp_ui.places.page import TOUR
from caldp_ui.places.page_state import LINK as PLACES_LINK
from caldp_ui.places.page_state import STATE, PlacesState
from caldp_ui.session.links import seal
from caldp_ui.start import page
from caldp_ui.start.page_state import LINK as START_LINK
from caldp_ui.start.page_state import StartState
from caldp_ui.words import formats, promise
from caldp_ui.words.formats import PLACES
from tests.products import thinned
from tests.ui.driver import (
    assert_shows,
    checked,
    container,
    finished,
    go,
    headline_of,
    open_app,
    open_page,
    open_tab,
    open_with,
    pictures,
    query_of,
    record_of,
    scenario_of,
    scene_of,
    unpin,
)

ROOT = Path(__file__).parents[2]
STATES = BEGIN.with_context(blocks=StateBlocks())
QUICKLY_FORECAST = replace(STATES, mechanism=Oue(), n=1_000_000)
"""Expected errors of this one, on the curves beside repeated runs, take no trials."""
PINNED = STATE.key(pins.MAPS)
SLOW = replace(BEGIN.with_context(blocks=OneBlock()), estimator="maximum-likelihood")


def start_page(**query: str) -> AppTest:
    """The first page of the dashboard."""
    return open_page("", query)


def button_called(at: AppTest, words: str) -> Any:
    return next(button for button in at.button if words in button.label)


def has_button(at: AppTest, key: str) -> bool:
    return any(button.key == key for button in at.button)


def test_a_newcomer_lands_on_plain_ldp_against_blocks() -> None:
    at = start_page()
    assert navigation.PAGES[0].path == navigation.START
    maps = scene_of(at, "start-maps")
    assert maps["look"] == "swipe"
    assert maps["swipe"] == ["plain", "ours"]
    ours, plain = run(prepare(BEGIN)), run(prepare(runs.best_plain_ldp(BEGIN)))
    sentence = headline_of(at)
    assert f"{formats.of_hundred(ours.first.errors.tv)} people" in sentence
    assert f"wrong place, not {formats.per_hundred(plain.first.errors.tv)}." in sentence


def test_a_link_without_a_page_opens_the_map() -> None:
    for version in ({}, {"v": "2"}):
        assert scenario_of(start_page(blocks="states", **version)).context.blocks == StateBlocks()


def test_a_link_to_the_start_page_holds_its_epsilon() -> None:
    query = START_LINK.write(StartState(BEGIN.with_context(epsilon=4.0)))
    at = start_page(**query)
    assert query_of(at) == query
    assert query["epsilon"] == "4"
    assert pictures(at, "start-maps") != pictures(start_page(), "start-maps")


def test_the_start_page_leads_to_its_map_and_to_the_tour() -> None:
    at = start_page(**START_LINK.write(StartState(BEGIN.with_context(epsilon=4.0))))
    checked(button_called(at, "Open this map").click().run())
    assert_shows(at, BEGIN.with_context(epsilon=4.0))
    at = start_page()
    checked(button_called(at, "Tour").click().run())
    assert container(at, "places-strip") is not None


THERE = {
    "teach-0": "classroom-begin",
    "decide-0": "coarser-office",
    "decide-1": "plan-protection",
    "own-0": "places-own-text",
}
"""A control of the page that each way leads to."""


@pytest.mark.parametrize(("way", "there"), THERE.items())
def test_what_people_come_for_is_one_click_away(way: str, there: str) -> None:
    at = checked(start_page().button(key=f"start-go-{way}").click().run())
    assert there in {str(element.key) for element in (*at.button, *at.selectbox, *at.text_area)}


def test_every_way_of_the_first_page_is_tried() -> None:
    ways = [f"{card.name}-{at}" for card in page.PURPOSE_CARDS for at in range(len(card.ways))]
    assert ways == list(THERE)


def test_the_plan_opens_once_from_the_start_page() -> None:
    at = checked(start_page().button(key="start-go-teach-0").click().run())
    assert has_button(at, "classroom-begin")
    go(at, navigation.MATRIX)
    go(at, navigation.CLASSROOM)
    assert not has_button(at, "classroom-begin")


def test_an_example_keeps_its_name_on_the_map() -> None:
    one_city = next(card for card in page.CARDS if card.title == "Hide one city")
    preset = matching_preset(one_city.apply(BEGIN))
    assert preset is not None
    assert preset.title == one_city.title


def test_every_card_s_button_has_a_name_of_its_own() -> None:
    keys = [button.key for button in start_page().button if "open-" in str(button.key)]
    assert len(keys) == len(set(keys)) == len(page.CARDS)


@pytest.mark.parametrize("card", thinned(page.CARDS, one_in=2), ids=lambda card: card.title)
def test_cards_open_the_map_with_their_scenario(card: Preset) -> None:
    at = start_page()
    checked(at.button(key=f"open-{card.title}").click().run())
    scenario = card.apply(BEGIN)
    assert_shows(at, scenario)
    checked(at.switch_page(navigation.PLACES).run())
    assert_shows(at, scenario)


def test_the_scenario_outlives_a_visit_to_another_page() -> None:
    at = open_with(STATES)
    go(at, navigation.START)
    go(at, navigation.PLACES)
    assert scenario_of(at) == STATES
    assert query_of(at) == PLACES_LINK.write(PlacesState(STATES))


def test_the_tour_does_its_steps_and_ends() -> None:
    at = checked(open_app().button(key="places-tour").click().run())
    scenarios = []
    for step in TOUR:
        text = " ".join(item.value for item in container(at, "places-strip").markdown)
        assert step.title in text
        checked(at.button(key="places-show-me").click().run())
        scenarios.append(scenario_of(at))
        checked(at.button(key="places-next-step").click().run())
    assert container(at, "places-strip") is None
    assert scenarios[0].seed != BEGIN.seed
    assert scenarios[1].context.epsilon == 0.2
    assert scenarios[2].context.blocks == OneBlock()
    assert scenarios[3].context.blocks == GridBlocks(25, 35)
    assert_shows(at, replace(BEGIN, seed=BEGIN.seed + 1))


def test_a_pinned_scenario_stands_beside_the_present_one() -> None:
    at = checked(open_app().button(key="places-pin").click().run())
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    assert record_of(at) == PlacesState(BEGIN.with_context(epsilon=4.0))
    assert at.session_state["places/pinned"] == PlacesState(BEGIN)
    now, was = pictures(at), pictures(at, PINNED)
    assert now["truth"] == was["truth"]
    assert now["ours"] != was["ours"]
    assert was == pictures(open_app())
    table = at.table[0].value
    results = [run(prepare(each)) for each in (scenario_of(at), BEGIN)]
    errors = [formats.share(result.first.errors.tv) for result in results]
    assert list(table.loc["total variation (TV)"]) == errors
    assert "reports" not in table.index  # the same in both
    again = open_app(query_of(at))
    assert record_of(again) == record_of(at)
    assert again.session_state["places/pinned"] == PlacesState(BEGIN)
    assert pictures(again, PINNED) == was
    unpin(at, "places")
    assert at.session_state["places/pinned"] is None
    assert "pinned" not in query_of(at)


def test_what_is_handed_on_is_what_is_shown() -> None:
    at = open_tab(open_with(STATES), "Share and export")
    address, command, python = (code.value for code in at.code)
    assert address.endswith(f"?{urlencode(seal('places', {'v': '2', 'blocks': 'states'}))}")
    assert command == exports.command(STATES)
    assert python.rstrip() == exports.snippet(STATES).rstrip()


@pytest.mark.package
def test_code_that_is_handed_on_gives_the_same_digits(tmp_path: Path) -> None:
    scenario = replace(BEGIN.with_context(blocks=GridBlocks(5, 7)), n=10_000, seed=7)
    tv = run(prepare(scenario)).first.errors.tv
    python = [sys.executable, "-c", exports.snippet(scenario)]
    output = subprocess.run(python, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert float(output) == tv
    (tmp_path / "scenario.json").write_text(exports.scenario_json(scenario), "utf-8")
    words = exports.command(scenario).split()[1:-1]
    command = [sys.executable, *words, str(tmp_path / "scenario.json")]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert json.loads(output)["errors"]["tv"]["mean"] == tv


def test_the_record_waits_for_the_audit() -> None:
    quick = replace(STATES, mechanism=RandomizedResponse())  # to audit
    at = open_tab(open_with(quick), "Share and export")
    assert "places-record" not in [b.key for b in at.get("download_button")]
    checked(at.button(key="places-audit-start").click().run())
    assert not wait([at.session_state["places-audit/job"].future], timeout=120).not_done
    checked(at.run())
    assert at.session_state["places-audit/job"].result().summary.holds


def repeat(at: AppTest) -> AppTest:
    open_tab(at, "curves")
    checked(at.button(key="places-repetition-start").click().run())
    assert not wait([at.session_state["places-repetition/job"].future], timeout=120).not_done
    return checked(at.run())


def test_repeated_runs_start_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "RUNS", 3)
    at = repeat(open_with(QUICKLY_FORECAST))
    repeated = at.session_state["places-repetition/job"].result()
    many = run(prepare(replace(QUICKLY_FORECAST, trials=3)))
    tv = [errors.tv for errors in many.errors]
    assert repeated.ours == pytest.approx((min(tv), sum(tv) / 3, max(tv)))
    assert not has_button(at, "places-repetition-start")


def test_repeated_runs_stay_for_another_outcome_and_end_with_another_scenario(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(comparison, "RUNS", 2)
    at = repeat(open_with(QUICKLY_FORECAST))
    job = at.session_state["places-repetition/job"]
    checked(at.button(key="places-another").click().run())
    assert at.session_state["places-repetition/job"] is job
    assert any("In 2 runs each" in text.value for text in at.markdown)
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    assert job.stop.is_set()
    assert has_button(at, "places-repetition-start")


def test_a_slow_method_waits_for_its_button_and_shows_what_it_found() -> None:
    at = open_with(SLOW)
    assert list(pictures(at)) == ["truth"]
    assert_shows(finished(at), SLOW)
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    assert list(pictures(at)) == ["truth"]
    assert has_button(at, "places-ours-start")


def test_this_protection_is_there_at_once_where_only_plain_ldp_is_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    quick, may, result = replace(BEGIN, estimator="maximum-likelihood"), Event(), runs.result

    def held_back(scenario: Scenario, *progress: Progress) -> Result:
        assert scenario == quick or may.wait(120)
        return result(scenario, *progress)

    monkeypatch.setattr(runs, "result", held_back)
    at = open_with(quick)
    assert list(pictures(at)) == ["truth", "ours"]
    may.set()
    assert_shows(finished(at), quick)


@pytest.mark.parametrize("scenario", [SLOW, replace(STATES, mechanism=LocalHashing())], ids=str)
def test_the_promise_needs_no_run(scenario: Scenario) -> None:
    at = open_with(scenario)
    assert "ours" not in pictures(at)
    odds = promise.odds_text(PLACES, prepare(scenario))
    assert any(odds in item.value for item in at.markdown)


@pytest.mark.parametrize("blocks", thinned([StateBlocks(), OneBlock()], one_in=2))
def test_runs_that_cannot_work_are_not_offered_but_fewer_people_are(
    blocks: OneBlock | StateBlocks,
) -> None:
    scenario = replace(BEGIN.with_context(blocks=blocks), mechanism=LocalHashing())
    at = open_with(scenario)
    assert not has_button(at, "places-ours-start")
    (sentence,) = (item.value for item in at.error)
    assert FAMILIES["local-hashing"].title in sentence
    checked(at.button(key="places-fewer-people").click().run())
    found = scenario_of(at)
    assert not at.error
    assert has_button(at, "places-ours-start")
    assert found == replace(scenario, n=found.n)
    assert people_max(prepare(found).mechanism) >= prepare(found).n


def test_a_cancel_is_heard_while_a_draw_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = Event()
    monkeypatch.setattr(runs, "result", lambda *_: drawn.wait(120))
    at = open_with(SLOW)
    checked(at.button(key="places-ours-start").click().run())
    assert not has_button(at, "places-ours-start")
    try:
        checked(at.button(key="places-ours-cancel").click().run())
        assert has_button(at, "places-ours-start")
        assert not at.session_state["places-ours/job"].future.done()
    finally:
        drawn.set()
