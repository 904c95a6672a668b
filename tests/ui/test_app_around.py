"""Around the map: start page, tour, pins, exports, larger cells, and the public prior."""

import io
import json
from concurrent.futures import wait
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress
from caldp_core.cli.run import summary
from caldp_core.datasets import Cities, Gowalla, OwnPlaces, read_places
from caldp_core.datasets.public_map import NoPrior
from caldp_core.domain.domains import Area, GridDomain
from caldp_core.estimation.cascade_estimator import cascade_estimate
from caldp_core.estimation.public_prior import prior_effect
from caldp_core.experiments.forecast import (
    CIRCULAR,
    SAME,
    forecast,
    invalid_error_reason,
    is_slow,
)
from caldp_core.experiments.metrics import total_variation
from caldp_core.experiments.regions import cell_errors
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.capabilities import people_max
from caldp_core.mechanisms.catalogue import LocalHashing, Oue
from caldp_core.scenarios.blocks import GridBlocks, OneBlock, StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import navigation
from caldp_ui.app.texts import escape_markdown
from caldp_ui.compute import runs
from caldp_ui.controls.choices import Preset, blocks_of
from caldp_ui.maps import scene
from caldp_ui.maps.scene import BEGIN, matching_preset
from caldp_ui.parts import comparison, pins
from caldp_ui.places import page_state as extent
from caldp_ui.places import view
from caldp_ui.places.controls import with_dataset
from caldp_ui.places.page import TOUR
from caldp_ui.places.page_state import STATE
from caldp_ui.session import visit
from caldp_ui.session.links import seal
from caldp_ui.start import page as start_page
from caldp_ui.start.page_state import LINK as START_LINK
from caldp_ui.start.page_state import StartState
from caldp_ui.words import accuracy, formats, promise
from caldp_ui.words.formats import PLACES
from tests.contract.checks import naming
from tests.strategies import thinned
from tests.ui.driver import (
    accepted,
    act,
    assert_shows,
    box,
    by_the_core,
    checked,
    container,
    finished,
    go,
    headline_of,
    jobs_done,
    open_app,
    open_page,
    open_tab,
    open_with,
    picture_of,
    pictures,
    query_of,
    scenario_of,
    scene_of,
)
from tests.ui.pages import PAGES
from tests.ui.readings import run_command

ROOT = Path(__file__).parents[2]
STATES = BEGIN.with_context(blocks=StateBlocks())
QUICKLY_FORECAST = replace(STATES, mechanism=Oue(), n=1_000_000)
"""Expected errors of this one, on the curves beside repeated runs, take no trials."""
PINNED = STATE.key(pins.MAPS)
SLOW = replace(BEGIN.with_context(blocks=OneBlock()), estimator="maximum-likelihood")


def app_around_start_page(**query: str) -> AppTest:
    """The first page of the dashboard."""
    return open_page("", query)


def button_called(at: AppTest, words: str) -> Any:
    return next(button for button in at.button if words in button.label)


def has_button(at: AppTest, key: str) -> bool:
    return any(button.key == key for button in at.button)


def test_a_newcomer_lands_on_plain_ldp_against_blocks() -> None:
    at = app_around_start_page()
    assert navigation.PAGES[0].path == navigation.START
    maps = scene_of(at, "start-maps")
    assert maps["look"] == "swipe"
    assert maps["swipe"] == ["plain", "ours"]
    ours, plain = run(prepare(BEGIN)), run(prepare(runs.best_plain_ldp(BEGIN)))
    sentence = headline_of(at)
    assert f"{formats.of_hundred(ours.first.errors.tv)} people" in sentence
    assert f"wrong place, not {formats.per_hundred(plain.first.errors.tv)}." in sentence


def test_a_link_without_a_page_opens_the_map() -> None:
    assert (
        scenario_of(app_around_start_page(blocks="states", v="2")).context.blocks == StateBlocks()
    )


def test_the_start_page_leads_to_its_map_and_to_the_tour() -> None:
    at = app_around_start_page(**START_LINK.write(StartState(BEGIN.with_context(epsilon=4.0))))
    checked(button_called(at, "Open this map").click().run())
    assert_shows(at, BEGIN.with_context(epsilon=4.0))
    at = app_around_start_page()
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
    at = checked(app_around_start_page().button(key=f"start-go-{way}").click().run())
    assert there in {str(element.key) for element in (*at.button, *at.selectbox, *at.text_area)}


def test_every_way_of_the_first_page_is_tried() -> None:
    cards = start_page.PURPOSE_CARDS
    ways = [f"{name}-{at}" for name, card in cards.items() for at in range(len(card["ways"]))]
    assert ways == list(THERE)


def test_the_plan_opens_once_from_the_start_page() -> None:
    at = checked(app_around_start_page().button(key="start-go-teach-0").click().run())
    assert has_button(at, "classroom-begin")
    go(at, navigation.MATRIX)
    go(at, navigation.CLASSROOM)
    assert not has_button(at, "classroom-begin")


def test_an_example_keeps_its_name_on_the_map() -> None:
    one_city = next(card for card in start_page.CARDS if card.title == "Hide one city")
    preset = matching_preset(one_city.apply(BEGIN))
    assert preset is not None
    assert preset.title == one_city.title


@pytest.mark.parametrize("card", thinned(start_page.CARDS, one_in=4), ids=lambda card: card.title)
def test_cards_open_the_map_with_their_scenario(card: Preset) -> None:
    at = app_around_start_page()
    checked(at.button(key=f"open-{card.title}").click().run())
    scenario = card.apply(BEGIN)
    assert_shows(at, scenario)
    checked(at.switch_page(navigation.PLACES).run())
    assert_shows(at, scenario)


@pytest.mark.slow
def test_the_tour_does_its_steps_and_ends() -> None:
    at = checked(open_app().button(key="places-tour").click().run())
    scenarios = []
    for step in TOUR:
        text = " ".join(item.value for item in container(at, "places-strip").markdown)
        assert step.title in text
        assert at.button(key="places-next-step").disabled, "it waits for what the step asks for"
        checked(at.button(key="places-show-me").click().run())
        assert not at.button(key="places-next-step").disabled
        scenarios.append(scenario_of(at))
        checked(at.button(key="places-next-step").click().run())
    assert container(at, "places-strip") is None
    assert scenarios[0].seed != BEGIN.seed
    assert scenarios[1].context.epsilon == 0.2
    assert scenarios[2].context.blocks == OneBlock()
    assert scenarios[3].context.blocks == GridBlocks(25, 35)
    assert_shows(at, replace(BEGIN, seed=BEGIN.seed + 1))


def test_what_is_handed_on_is_what_is_shown() -> None:
    at = open_tab(open_with(STATES), "Share and export")
    address, command, python = (code.value for code in at.code)
    assert address.endswith(f"?{urlencode(seal('places', {'v': '2', 'blocks': 'states'}))}")
    assert command == runs.command(STATES)
    assert python.rstrip() == runs.snippet(STATES).rstrip()


def test_code_that_is_handed_on_gives_the_same_digits() -> None:
    scenario = replace(BEGIN.with_context(blocks=GridBlocks(5, 7)), n=10_000, seed=7)
    tv = run(prepare(scenario)).first.errors.tv
    with redirect_stdout(io.StringIO()) as printed:
        exec(runs.snippet(scenario), {})
    assert float(printed.getvalue()) == tv
    python, module, name, *command, _ = runs.command(scenario).split()
    assert (python, module, name) == ("python", "-m", "caldp_core")
    output = run_command(command, scenario.to_json())
    assert json.loads(output)["errors"]["tv"]["mean"] == tv


def repeat(at: AppTest) -> AppTest:
    open_tab(at, "curves")
    checked(at.button(key="places-repetition-start").click().run())
    assert not wait([at.session_state["places-repetition/job"].future], timeout=120).not_done
    return checked(at.run())


@pytest.mark.slow
def test_repeated_runs_stay_for_another_outcome_and_end_with_another_scenario(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(comparison, "RUNS", 3)
    at = repeat(open_with(QUICKLY_FORECAST))
    job = at.session_state["places-repetition/job"]
    repeated = job.result()
    many = run(prepare(replace(QUICKLY_FORECAST, trials=3)))
    tv = [errors.tv for errors in many.errors]
    assert repeated[0][0] == pytest.approx(tv)
    low, middle, high = (formats.share(each) for each in (min(tv), sum(tv) / 3, max(tv)))
    said = f"this protection **{middle}** ({low} to {high})"
    assert any(said in text.value for text in at.markdown)
    assert not has_button(at, "places-repetition-start")
    checked(at.button(key="places-another").click().run())
    assert at.session_state["places-repetition/job"] is job
    assert any("In 3 runs each" in text.value for text in at.markdown)
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    assert job.stop.is_set()
    assert has_button(at, "places-repetition-start")


@pytest.mark.slow
def test_a_slow_method_waits_for_its_button_and_shows_what_it_found() -> None:
    """What is promised needs no run."""
    at = open_with(SLOW)
    assert list(pictures(at)) == ["truth"]
    odds = promise.odds_text(PLACES, prepare(SLOW))
    assert any(odds in item.value for item in at.markdown)
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


PART = Area(40.0, 42.0, -75.0, -72.0)


@pytest.fixture(scope="module")
def page() -> AppTest:
    return open_with(STATES)


@pytest.mark.slow
def test_larger_cells_keep_states_and_say_both_errors(page: AppTest) -> None:
    page.session_state["places-more"] = True
    checked(page.run())
    checked(page.select_slider(key="places-cells").set_value(5).run())
    larger = extent.with_merge_factor(STATES, 5)
    assert scenario_of(page) == larger
    result = assert_shows(page, larger)
    found = cell_errors(result.setup, result.first.estimate)
    (caption,) = (c.value for c in page.caption if c.value.startswith("Larger cells blur"))
    for error in (found.blur, found.noise, found.both):
        assert formats.of_hundred(error) in caption
    assert any("40 km" in c.value or "Cells are equal in degrees" in c.value for c in page.caption)
    jobs_done(open_tab(page, "Cell size"))
    bodies = [item.proto.body for item in page.get("html")]
    (table,) = (body for body in bodies if "ladder" in body)
    assert table.count("<tr") == 1 + len(extent.merge_factors(STATES))
    assert "1° (111 km) (now)" in table


def test_a_part_of_the_map_is_shown_and_taken_back() -> None:
    at = open_with(STATES)
    checked(act(at, "box", "cut", box=box(PART)).run())
    grid = Gowalla(area=str(PART)).grid()
    cut = extent.crop(STATES, PART)
    assert cut.dataset == Gowalla(area=str(PART))
    assert cut.context.blocks == blocks_of(grid) == GridBlocks(2, 3)
    assert_shows(at, cut)
    checked(act(at, "undo").run())
    assert_shows(at, STATES)
    at.session_state["places-more"] = True
    checked(at.run())
    checked(at.text_input(key="places-part").set_value("40.01,41.99,-75,-72.1").run())
    assert scenario_of(at) == cut  # whole cells
    checked(at.text_input(key="places-part").set_value("0,1,0,1").run())
    assert scenario_of(at) == cut
    assert "The area must lie on the map" in at.warning[0].value
    checked(at.button(key="places-whole").click().run())
    assert scenario_of(at).dataset == Gowalla()


def test_a_map_of_a_million_cells_runs_beside_the_page() -> None:
    grid = GridDomain(48.0, 2.0, 0.001, 1_024, 1_024)
    data = OwnPlaces("17:3 1048575:4", str(grid.area), grid.cell)
    large = with_dataset(BEGIN, data)
    assert runs.dataset(large).domain.k == 2**20
    assert runs.takes_long(large)
    assert not is_slow(runs.setup(large))  # so that it starts automatically
    assert not runs.takes_long(extent.with_merge_factor(large, 2**3))


KNOWING = Scenario(Cities(together=5), n=200_000, estimator=view.INHABITANTS_ESTIMATOR)
CIRCLE = replace(KNOWING, dataset=Gowalla(together=5), n=None).with_context(blocks=OneBlock())


def test_the_tab_says_how_much_is_prior_and_what_that_costs() -> None:
    ours = run(prepare(KNOWING))
    truth, shares = ours.setup.dataset.distribution, ours.first.estimate
    moved = shares - cascade_estimate(ours.first.evidence)
    judgement = view.judgement_text(ours, moved, runs.map_of(ours.setup.dataset))
    for estimate in (shares, shares - moved):
        assert formats.per_hundred(total_variation(truth, estimate)) in judgement
    assert "left alone" in view.prior_share_text(np.zeros(4), "It")
    share = np.zeros(4)
    share[:2] = 0.12, -0.12
    assert view.prior_share_text(share, "Where people live").startswith("**12 of 100 people")


def test_data_that_were_made_of_the_prior_are_not_judged() -> None:
    ours = run(prepare(CIRCLE))
    assert ours.setup.dataset.from_inhabitants
    domain = runs.map_of(ours.setup.dataset)
    assert view.judgement_text(ours, np.zeros(domain.k), domain) == CIRCULAR
    with pytest.raises(CaldpError, match="made with where people live"):
        forecast(ours.setup)
    printed = summary(ours, None)
    assert printed["errors"] is printed["expected"] is None
    assert printed["not_judged"] == CIRCULAR
    headline = accuracy.headline(PLACES, ours.setup, ours.first.errors.tv, None)
    for text in (
        headline.sentence + headline.second,
        scene.subtitle(ours),
        scene.error_fact(ours).text,
    ):
        assert formats.per_hundred(ours.first.errors.tv) not in text
    plain = prepare(replace(CIRCLE, estimator="cascade"))
    assert "puts" in accuracy.headline(PLACES, plain, 0.3, 0.4).sentence


def test_pages_that_would_tell_an_error_refuse_it() -> None:
    for page in ("adversary", "personal", "coarser", "plan", "curves"):
        link = PAGES[page].state.codec
        begin = replace(link.fresh().scenario, dataset=Gowalla(), n=None)
        field: Any = {"scenario": replace(begin, estimator=view.INHABITANTS_ESTIMATOR)}
        if page == "curves":
            field = {"scenario": begin, "estimates": (view.INHABITANTS_ESTIMATOR,)}
        with naming(page), pytest.raises(CaldpError, match="made with where people live"):
            link.check(replace(link.fresh(), **field))


def test_the_offer_is_taken_and_the_page_says_why_it_tells_no_error() -> None:
    at = open_page("pages/places.py", {**CIRCLE.to_query(), "estimator": "cascade"})
    at.session_state["places-tabs"] = "Public prior"
    checked(at.run())
    checked(at.button(key="places-use-prior").click().run())
    at.session_state["places-tabs"] = "Public prior"
    checked(at.run())
    assert at.session_state["places/state"].record.scenario.estimator == view.INHABITANTS_ESTIMATOR
    assert any(CIRCULAR[:40] in each.value for each in at.markdown)


def publish(scenario: Scenario) -> str:
    """What the page gave out of another year's people."""
    return runs.estimate_csv(run(prepare(scenario))).decode()


def bring(at: AppTest, text: str, name: str) -> AppTest:
    """From the tab's button to the picture; a file comes as this text does."""
    at.session_state["places-tabs"] = "Public prior"
    checked(at.run())
    checked(at.button(key="places-bring").click().run())
    at.text_area(key="places-own-text").set_value(text)
    at.text_input(key="places-own-name").set_value(name)
    checked(at.button(key="places-own-show").click().run())
    return accepted(at, "places")


@pytest.mark.slow
def test_last_years_map_comes_from_a_file_and_stays_with_the_visit() -> None:
    now = replace(KNOWING, estimator="cascade", seed=7).with_context(blocks=OneBlock())
    text = publish(replace(now, seed=3).with_context(epsilon=4.0))
    at = bring(open_page("pages/places.py", now.to_query()), text, "**Last** <b>year")
    scenario = at.session_state["places/state"].record.scenario
    assert (scenario.estimator, scenario.prior.title) == ("cascade-map", "**Last** <b>year")
    assert replace(scenario, estimator="cascade", prior=NoPrior()) == now
    assert picture_of(by_the_core(scenario)) in pictures(at).values()
    assert picture_of(by_the_core(now)) not in pictures(at).values()
    query = query_of(at)
    assert set(query) & {visit.OWN, visit.PRIOR, "prior"} == {visit.PRIOR}
    assert any("Too long for a link" in each.value for each in at.warning)
    assert Scenario.from_json(scenario.to_json()) == scenario
    protocols = {runs.protocol_json(run(prepare(each))) for each in (scenario, now)}
    assert len(protocols) == 1  # what devices do does not depend on it
    at.session_state["places-tabs"] = "Public prior"
    checked(at.run())
    ours = run(prepare(scenario))
    moved = prior_effect(ours.first.evidence, ours.first.estimate)
    texts = [each.value for each in at.markdown]
    assert view.prior_share_text(moved, escape_markdown("“**Last** <b>year”")) in texts
    assert not any("**Last**" in each for each in texts)
    (refused,) = [each.value for each in open_page("pages/places.py", query).error]
    assert "stay with the visit" in refused
    for button, name in (("use-none", "cascade"), ("use-map", "cascade-map")):
        at.session_state["places-tabs"] = "Public prior"
        checked(at.run())
        checked(at.button(key=f"places-{button}").click().run())
        assert at.session_state["places/state"].record.scenario == replace(scenario, estimator=name)


def test_the_data_as_their_own_prior_are_not_judged_and_other_data_leave_it_behind() -> None:
    rng = np.random.default_rng(2)
    places = rng.normal((48.1, 11.6), 0.08, (400, 2)).round(3)
    text = "lat,lon\n" + "\n".join(f"{y},{x}" for y, x in places)
    data = read_places(text).places
    at = bring(open_page("pages/places.py", with_dataset(BEGIN, data).to_query()), text, "it")
    scenario = at.session_state["places/state"].record.scenario
    assert scenario.prior.shares_on(data.grid()) == pytest.approx(data.load().distribution)
    assert invalid_error_reason(prepare(scenario)) == SAME
    headline = headline_of(at)
    assert "accurate" not in headline
    assert formats.per_hundred(run(prepare(scenario)).first.errors.tv) not in headline
    later = with_dataset(scenario, Cities())
    assert (later.estimator, later.prior) == ("cascade", NoPrior())
    cut = with_dataset(scenario, replace(data, together=2))
    assert (cut.estimator, cut.prior) == ("cascade-map", scenario.prior)
