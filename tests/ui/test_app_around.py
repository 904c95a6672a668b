"""Around the map: links from anywhere, the start page, the tour, and long work."""

from concurrent.futures import wait
from dataclasses import replace
from threading import Event

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.datasets import Cities
from caldp_core.domain.grid import Area
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.specs import LocalHashing
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.protection import StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui import compute, repetition, slow, start, words
from caldp_ui.datasets import PEOPLE_OF_SYNTHETIC
from tests.ui.driver import (
    assert_shows,
    checked,
    container,
    finished,
    open_app,
    query_of,
    scenario_of,
)
from tests.ui.scenarios import VARIED

BAD_LINKS: dict[str, dict[str, str]] = {
    "unknown key": {"colour": "red"},
    "unknown kind": {"blocks": "hexagons"},
    "unknown field": {"blocks": "grid", "blocks.depth": "3"},
    "no number": {"epsilon": "much"},
    "not a number": {"epsilon": "nan"},
    "out of range": {"epsilon": "21"},
    "too many people": {"n": "1000000000001"},
    "nobody": {"n": "0"},
    "no family": {"family": "unary"},
    "torn area": {"sensitive": "areas", "sensitive.edits": "+1,2,3"},
    "bad region": {"region": "here"},
    "upside down region": {"region": "41,40,-75,-73"},
    "endless region": {"region": "-inf,inf,-75,-73"},
    "a file of the server": {"dataset": "snap", "dataset.path": "/etc/passwd"},
}
DONT_FIT: dict[str, dict[str, str]] = {
    "too many rows": {"blocks": "grid", "blocks.rows": "126"},
    "too many blocks": {"blocks": "adaptive", "blocks.blocks": "50000"},
    "epsilons for other blocks": {"blocks": "states", "epsilon": "1;2"},
}
NO_MAP = {"dataset": "zipf", "n": "1000", "blocks": "one"}


def sentences(at: AppTest) -> list[str]:
    return [item.value for item in (*at.error, *at.warning)]


def assert_one_sentence(at: AppTest) -> None:
    (sentence,) = sentences(at)
    assert "Traceback" not in sentence
    assert sentence.rstrip().endswith((".", "…")) or len(sentence) < 600


@pytest.mark.parametrize("name", BAD_LINKS)
def test_a_link_that_is_none_starts_afresh(name: str) -> None:
    at = open_app(**BAD_LINKS[name])
    assert_shows(at, Scenario())
    assert query_of(at) == {}
    assert at.session_state["region"] is None


@pytest.mark.parametrize("name", BAD_LINKS)
def test_a_link_that_is_none_is_told_once_in_one_sentence(name: str) -> None:
    at = open_app(**BAD_LINKS[name])
    assert_one_sentence(at)
    checked(at.run())
    assert sentences(at) == []


@pytest.mark.parametrize("name", DONT_FIT)
def test_a_link_whose_parts_do_not_fit_says_so_in_one_sentence(name: str) -> None:
    assert_one_sentence(open_app(**DONT_FIT[name]))


@pytest.mark.parametrize("name", DONT_FIT)
def test_what_does_not_fit_can_be_mended_on_the_page(name: str) -> None:
    at = open_app(**DONT_FIT[name])
    checked(at.selectbox(key="preset").set_value(at.selectbox(key="preset").options[1]).run())
    if name == "epsilons for other blocks":
        checked(at.button(key="one-epsilon").click().run())
    assert sentences(at) == []
    assert_shows(at, scenario_of(at))


@pytest.mark.parametrize("others", [{"utm_source": "mail"}, {"colour": "red", "id.of": "7"}])
def test_what_others_add_to_a_link_is_ignored_and_told_once(others: dict[str, str]) -> None:
    at = open_app(blocks="states", **others)
    assert_shows(at, Scenario(policy=ContextPolicy(blocks=StateBlocks())))
    assert query_of(at) == {"blocks": "states"}
    assert_one_sentence(at)
    assert sentences(checked(at.run())) == []


def test_a_bad_link_with_something_added_is_told_to_be_bad() -> None:
    at = open_app(epsilon="much", utm_source="mail")
    assert_one_sentence(at)
    assert "epsilon" in sentences(at)[0]


def test_a_link_to_a_distribution_brings_people_along() -> None:
    at = open_app(dataset="cities")
    assert sentences(at) == []
    assert_shows(at, replace(Scenario(dataset=Cities()), n=PEOPLE_OF_SYNTHETIC))


def test_trials_in_a_link_do_not_keep_the_server_busy() -> None:
    at = open_app(trials="10000")
    assert_shows(at, Scenario())


def test_data_without_a_map_are_refused_in_one_sentence() -> None:
    assert_one_sentence(open_app(**NO_MAP))


def test_a_button_leads_away_from_data_without_a_map() -> None:
    at = open_app(region="40,41,-75,-73", **NO_MAP)
    checked(at.button(key="afresh").click().run())
    assert sentences(at) == []
    assert_shows(at, Scenario())
    assert query_of(at) == {}
    assert "afresh" not in [button.key for button in at.button]


@pytest.mark.parametrize("name", VARIED)
def test_what_the_address_bar_holds_opens_the_same(name: str) -> None:
    query = VARIED[name].to_query() | {"region": "40,41,-75,-73"}
    first = open_app(**query)
    second = open_app(**query_of(first))
    assert query_of(second) == query_of(first) == query
    assert scenario_of(second) == VARIED[name]
    assert second.session_state["region"] == Area(40, 41, -75, -73)


def start_page() -> AppTest:
    at = open_app(blocks="states")
    return checked(at.switch_page("pages/start.py").run())


def test_every_card_s_button_has_a_name_of_its_own() -> None:
    labels = [button.label for button in start_page().button]
    assert len(labels) == len(set(labels)) == len(start.CARDS)


@pytest.mark.parametrize("card", start.CARDS, ids=lambda card: card.title)
def test_cards_open_the_map_with_their_scenario(card: start.Card) -> None:
    at = start_page()
    assert container(at, "tv-ours") is None
    checked(at.button(key=f"open-{card.title}").click().run())
    assert_shows(at, card.scenario)
    checked(at.switch_page(start.MAP_PAGE).run())
    assert_shows(at, card.scenario)


def test_the_scenario_outlives_a_visit_to_another_page() -> None:
    at = start_page()
    checked(at.switch_page(start.MAP_PAGE).run())
    assert scenario_of(at).context.blocks == StateBlocks()
    assert query_of(at) == {"blocks": "states"}


def test_another_visit_begins_with_its_own() -> None:
    first, second = open_app(epsilon="4"), open_app(blocks="states")
    checked(first.run())
    assert query_of(first) == {"epsilon": "4"}
    assert query_of(second) == {"blocks": "states"}


def test_the_tour_leads_to_its_end_and_leaves_the_scenario() -> None:
    at = open_app(blocks="states")
    checked(next(b for b in at.button if b.proto.icon.endswith("tour:")).click().run())
    assert at.session_state["tour-step"] == 0
    assert_shows(at, scenario_of(at))


def test_repeated_runs_start_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repetition, "RUNS", 4)
    at = open_app()
    checked(next(b for b in at.button if b.proto.icon.endswith("repeat:")).click().run())
    job = at.session_state[repetition._HELD]
    assert not wait([job.future], timeout=120).not_done
    checked(at.run())
    result, repeated = assert_shows(at, Scenario()), job.result()
    many = run(replace(result.setup, scenario=Scenario(trials=4)))
    tv = [errors.tv for errors in many.errors]
    assert repeated.ours == pytest.approx((min(tv), sum(tv) / 4, max(tv)))
    assert not any(b.proto.icon.endswith("repeat:") for b in at.button)


def test_a_slow_method_waits_for_its_button_and_shows_what_it_found() -> None:
    wanted = Scenario(estimator="maximum-likelihood")
    at = open_app(**wanted.to_query())
    assert container(at, "tv-ours") is None
    assert_shows(finished(at), wanted)
    checked(at.select_slider(key="epsilon").set_value(4.0).run())
    assert container(at, "tv-ours") is None
    assert at.button(key="run-slow")


def test_a_cancelled_slow_run_gives_the_page_back() -> None:
    at = open_app(**Scenario(estimator="maximum-likelihood").to_query())
    checked(at.button(key="run-slow").click().run())
    job = at.session_state[slow._HELD]
    job.cancel()
    wait([job.future], timeout=120)
    checked(at.run())
    assert at.button(key="run-slow")
    assert container(at, "tv-ours") is None


@pytest.mark.parametrize(
    "query", [{"estimator": "maximum-likelihood"}, {"family": "local-hashing"}], ids=str
)
def test_the_promise_needs_no_run(query: dict[str, str]) -> None:
    at = open_app(blocks="states", **query)
    assert container(at, "tv-ours") is None
    odds = words.odds(prepare(scenario_of(at)))
    assert any(odds in item.value for item in at.markdown)


@pytest.mark.parametrize("blocks", ["one", "states", "grid"])
def test_runs_that_cannot_work_are_not_offered_but_fewer_people_are(blocks: str) -> None:
    at = open_app(family="local-hashing", blocks=blocks)
    assert not any(button.key == "run-slow" for button in at.button)
    (sentence,) = sentences(at)
    assert FAMILIES["local-hashing"].title in sentence
    checked(at.button(key="fewer-people").click().run())
    found = scenario_of(at)
    assert sentences(at) == []
    assert at.button(key="run-slow")
    assert found == replace(
        Scenario.from_query({"v": "2", "blocks": blocks}), n=found.n, mechanism=LocalHashing()
    )
    for scenario in (found, found.plain()):
        assert prepare(scenario).mechanism.oracles.n_max >= prepare(scenario).n


def test_a_cancel_is_heard_while_a_draw_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = Event()
    monkeypatch.setattr(compute, "compare_setups", lambda *_: drawn.wait(120))
    at = open_app(**Scenario(estimator="maximum-likelihood").to_query())
    checked(at.button(key="run-slow").click().run())
    assert not any(button.key == "run-slow" for button in at.button)
    try:
        checked(at.button(key="cancel-slow").click().run())
        assert at.button(key="run-slow")
        assert not at.session_state[slow._HELD].future.done()
    finally:
        drawn.set()


def test_repeated_runs_stay_when_another_outcome_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(repetition, "RUNS", 2)
    at = open_app()
    checked(next(b for b in at.button if b.proto.icon.endswith("repeat:")).click().run())
    job = at.session_state[repetition._HELD]
    assert not wait([job.future], timeout=120).not_done
    checked(next(b for b in at.button if b.proto.icon.endswith("casino:")).click().run())
    assert scenario_of(at) == Scenario(seed=Scenario().seed + 1)
    assert at.session_state[repetition._HELD] is job
    assert any("In 2 runs each" in text.value for text in at.markdown)


def test_another_scenario_ends_repeated_runs() -> None:
    at = open_app()
    checked(next(b for b in at.button if b.proto.icon.endswith("repeat:")).click().run())
    job = at.session_state[repetition._HELD]
    checked(at.select_slider(key="epsilon").set_value(4.0).run())
    assert job.stop.is_set()
    assert not wait([job.future], timeout=120).not_done
    assert job.result() is None
    assert any(b.proto.icon.endswith("repeat:") for b in at.button)
