"""Links from anywhere: what they open, what is told of those that are none, and what they hold."""

from dataclasses import replace
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.datasets import Cities
from caldp_core.domain.grid import Area
from caldp_core.scenarios.blocks import OneBlock, StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute.runs import PEOPLE_OF_SYNTHETIC
from caldp_ui.maps.presets import BEGIN
from caldp_ui.places.page_state import LINK, PlacesState
from caldp_ui.session.links import seal
from caldp_ui.stage import LOOK_KEY, VIEW_KEY
from tests.products import thinned
from tests.ui.driver import (
    assert_shows,
    checked,
    container,
    open_app,
    open_with,
    query_of,
    record_of,
    scenario_of,
)
from tests.ui.scenarios import VARIED

V2 = {"v": "2"}
SLOT_PINNED = "places/pinned"
BAD_LINKS: dict[str, dict[str, str]] = {
    "unknown key": {"colour": "red"},
    "unknown kind": {**V2, "blocks": "triangles"},
    "unknown field": {**V2, "blocks": "grid", "blocks.depth": "3"},
    "no number": {**V2, "epsilon": "much"},
    "not a number": {**V2, "epsilon": "nan"},
    "out of range": {**V2, "epsilon": "21"},
    "too many people": {**V2, "n": "1000000000001"},
    "nobody": {"n": "0"},
    "no mechanism": {**V2, "mechanism": "unary"},
    "torn area": {**V2, "sensitive": "areas", "sensitive.edits": "+1,2,3"},
    "bad region": {"region": "here"},
    "upside down region": {"region": "41,40,-75,-73"},
    "endless region": {"region": "-inf,inf,-75,-73"},
    "a file of the server": {**V2, "dataset": "snap", "dataset.path": "/etc/passwd"},
    "another version": {"v": "3", "epsilon": "2"},
}
DONT_FIT: dict[str, dict[str, str]] = {
    "too many rows": {**V2, "blocks": "grid", "blocks.rows": "126"},
    "too many blocks": {**V2, "blocks": "adaptive", "blocks.blocks": "50000"},
    "epsilons for other blocks": {**V2, "blocks": "states", "epsilon": "1;2"},
    "data without a map": {**V2, "dataset": "zipf", "n": "1000", "blocks": "one"},
    "another policy": {**V2, "policy": "distance"},
}


def sentences(at: AppTest) -> list[str]:
    return [item.value for item in (*at.error, *at.warning)]


def assert_one_sentence(at: AppTest) -> None:
    (sentence,) = sentences(at)
    assert "Traceback" not in sentence
    assert sentence.rstrip().endswith((".", "…")) or len(sentence) < 600


def assert_not_as_sent(at: AppTest) -> None:
    """It is the first thing on the page, before any picture, in one sentence."""
    assert_one_sentence(at)
    first = next(iter(container(at, "link-fault").children.values()))
    assert first.value.startswith("**This is not what was sent to you.**")


@pytest.mark.parametrize("name", thinned([*BAD_LINKS, *DONT_FIT], one_in=3))
def test_a_link_that_is_none_starts_afresh_and_says_so_until_it_is_answered(name: str) -> None:
    at = open_app({"region": "40,41,-75,-73", **(BAD_LINKS | DONT_FIT)[name]})
    assert_not_as_sent(at)
    if name == "unknown key":
        assert record_of(at) == PlacesState(region=Area(40, 41, -75, -73))
        return
    assert record_of(at) == PlacesState()
    assert query_of(at) == {}
    assert_not_as_sent(checked(at.run()))
    checked(at.button(key="places-link-fault").click().run())
    assert sentences(at) == []
    assert_shows(at, BEGIN)


BAD_PINS = {
    "no number": "epsilon=much",
    "a file of the server": "v=2&dataset=snap&dataset.path=/etc/passwd",
    "another policy": "v=2&policy=distance",
    "too many keys": "&".join(f"key{number}=1" for number in range(200)),
}


@pytest.mark.parametrize("name", BAD_PINS)
def test_a_bad_pin_is_dropped_and_told_and_the_rest_of_the_link_opens(name: str) -> None:
    at = open_app({"region": "40,41,-75,-73", "pinned": BAD_PINS[name]})
    assert_not_as_sent(at)
    assert SLOT_PINNED not in at.session_state or at.session_state[SLOT_PINNED] is None
    assert record_of(at) == PlacesState(region=Area(40, 41, -75, -73))
    assert "pinned" not in query_of(at)


def test_what_the_page_does_not_know_is_left_out_and_said_first() -> None:
    """A link of before there were checks may be another one by then; a whole one is not."""
    states = BEGIN.with_context(blocks=StateBlocks())
    at = open_with(states, colour="red", **{"id.of": "7"})
    assert scenario_of(at) == states
    assert query_of(at) == LINK.write(PlacesState(states))
    assert_not_as_sent(at)
    assert "does not know 'colour'" in sentences(at)[0].replace("\\", "")
    whole = open_app({**seal("places", LINK.write(PlacesState(states))), "colour": "red"})
    assert (scenario_of(whole), sentences(whole)) == (states, [])


def test_what_is_not_as_sent_is_said_until_the_reader_shows_something_else() -> None:
    at = open_app(epsilon="much")
    assert_not_as_sent(checked(at.run()))
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    assert sentences(at) == []


def test_a_notice_stays_while_only_the_page_itself_runs_again() -> None:
    at = open_app()
    at.session_state["notice"] = "It is so."
    assert_one_sentence(checked(at.run()))
    at.session_state["notice-stays"] = True  # as a job does that is done
    assert_one_sentence(checked(at.run()))
    assert sentences(checked(at.run())) == []


def test_what_mail_programs_add_to_a_link_is_nobody_s_business() -> None:
    at = open_app(utm_source="mail")
    assert scenario_of(at) == BEGIN
    assert query_of(at) == {}
    assert sentences(at) == []


def test_a_bad_link_with_something_added_is_told_to_be_bad() -> None:
    at = open_app(epsilon="much", utm_source="mail")
    assert_one_sentence(at)
    assert "epsilon" in sentences(at)[0]


def test_a_link_to_a_distribution_brings_people_along() -> None:
    at = open_app({**V2, "dataset": "cities", "estimator": BEGIN.estimator})
    assert sentences(at) == []
    assert_shows(at, replace(BEGIN, dataset=Cities(), n=PEOPLE_OF_SYNTHETIC))


def test_trials_in_a_link_do_not_keep_the_server_busy() -> None:
    at = open_app({**V2, "trials": "10000"})
    assert scenario_of(at) == Scenario()


@pytest.mark.parametrize("name", thinned(VARIED, one_in=3))
def test_what_the_address_bar_holds_opens_the_same(name: str) -> None:
    record = PlacesState(VARIED[name], Area(40, 41, -75, -73))
    kept = PlacesState(BEGIN.with_context(blocks=OneBlock()))
    query = LINK.write(record)
    assert LINK.read(query) == record
    query["pinned"] = urlencode(LINK.write(kept))
    first = open_app(query)
    assert query_of(first) == query
    assert record_of(first) == record
    assert first.session_state[SLOT_PINNED] == kept


def test_what_the_browser_keeps_in_the_link_stays_there() -> None:
    kept = {VIEW_KEY: "40.00,-75.00,4.00", LOOK_KEY: "swipe"}
    at = open_app(kept)
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    assert kept.items() <= query_of(at).items()
    assert sentences(at) == []


def test_another_visit_begins_with_its_own() -> None:
    mine, others = BEGIN.with_context(epsilon=4.0), BEGIN.with_context(blocks=StateBlocks())
    first, second = open_with(mine), open_with(others)
    checked(first.run())
    assert scenario_of(first) == mine
    assert scenario_of(second) == others


def test_a_run_that_comes_with_the_address_of_before_tells_it_no_second_time() -> None:
    """The browser may be on the next page by then, and would put this page's query there."""
    at = open_app()
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    query = query_of(at)
    assert query == {"v": "2", "epsilon": "4"}
    at.query_params.clear()
    assert query_of(checked(at.run())) == {}
    checked(at.select_slider(key="places-epsilon").set_value(2.0).run())
    assert query_of(at) == {"v": "2", "epsilon": "2"}
