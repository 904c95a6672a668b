"""What is pinned stands beside what is shown: its numbers are those of a run of its scenario."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary.beliefs import shown
from caldp_ui.adversary.slot import Suspect, SuspectLink
from caldp_ui.app import navigation
from caldp_ui.app.theme import LIGHT
from caldp_ui.curves import lines
from caldp_ui.curves.slot import BEGIN, Curves
from caldp_ui.plan import charts, pinned, words
from caldp_ui.plan.slot import Plan, PlanLink
from caldp_ui.words import formats
from tests.ui.driver import APP, checked, container, go, pictures, query_of


@dataclass(frozen=True)
class Page:
    """A page that pins: its file, and one of its sliders with another value."""

    path: str
    slider: str
    value: Any


PAGES = {
    "distances": Page(navigation.DISTANCES, "rate", 0.05),
    "personal": Page(navigation.PERSONAL, "epsilon", 0.2),
    "yesno": Page(navigation.YES_OR_NO, "epsilon_10", 2.0),
    "values": Page(navigation.VALUES, "epsilon", 4.0),
}
WITHOUT_RESULTS = {
    "adversary": Page(navigation.ADVERSARY, "epsilon", 4.0),
    "curves": Page(navigation.CURVES, "epsilon", 4.0),
    "plan": Page(navigation.PLAN, "epsilon", 4.0),
}
MAPS = ("distances", "personal")


def opened(path: str, query: dict[str, str]) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=120)
    for name, value in query.items():
        at.query_params[name] = value
    return checked(at.switch_page(path).run())


def record_of(at: AppTest, name: str) -> Any:
    return at.session_state[f"{name}/slot"].record


def error_of(scenario: Scenario) -> str:
    """As the page says it, by a run of the core."""
    return formats.share(run(prepare(scenario)).first.errors.tv)


@pytest.mark.parametrize("name", PAGES)
def test_a_pin_stays_beside_what_is_tried_and_in_the_link(name: str) -> None:
    page = PAGES[name]
    at = opened(page.path, {})
    first = record_of(at, name)
    assert not container(at, f"{name}-pinned").table
    checked(at.button(key=f"{name}-pin").click().run())
    checked(at.select_slider(key=f"{name}-{page.slider}").set_value(page.value).run())
    now = record_of(at, name)
    assert now != first
    assert at.session_state[f"{name}/pinned"] == first
    (table,) = container(at, f"{name}-pinned").table
    told = table.value.loc["total variation (TV)"]
    assert list(told) == [error_of(now.scenario), error_of(first.scenario)]
    assert "people" not in table.value.index  # the same in both
    again = opened(page.path, query_of(at))
    assert record_of(again, name) == now
    assert again.session_state[f"{name}/pinned"] == first
    if name in MAPS:
        drawn, kept = pictures(again, f"{name}-maps"), pictures(again, f"{name}-pinned-maps")
        assert drawn["truth"] == kept["truth"]
        assert kept == pictures(opened(page.path, {}), f"{name}-maps") != drawn
    go(at, navigation.START)
    go(at, page.path)
    assert at.session_state[f"{name}/pinned"] == first
    checked(at.button(key=f"{name}-unpin").click().run())
    assert "pinned" not in query_of(at)
    assert not container(at, f"{name}-pinned").table


@pytest.mark.parametrize("name", WITHOUT_RESULTS)
def test_pages_without_one_result_keep_a_pin_in_the_link(name: str) -> None:
    page = WITHOUT_RESULTS[name]
    at = opened(page.path, {})
    first = record_of(at, name)
    checked(at.button(key=f"{name}-pin").click().run())
    checked(at.select_slider(key=f"{name}-{page.slider}").set_value(page.value).run())
    again = opened(page.path, query_of(at))
    assert record_of(again, name) == record_of(at, name) != first
    assert again.session_state[f"{name}/pinned"] == first


def test_a_pinned_plan_is_a_point_and_a_column_of_the_table() -> None:
    first, now = Plan(), replace(Plan(), protection="plain")
    query = {"pinned": "fresh", **PlanLink().write(now)}
    at = opened(navigation.PLAN, query)
    (table,) = container(at, "plan-pinned").table
    needs = [pinned.need(each) for each in (now, first)]
    told = [words.about(need.people) for need in needs if need.people]
    assert list(table.value.loc["people needed"]) == told
    assert "ε" not in table.value.index
    figure = charts.people_against_epsilon({}, {}, "plain", (1.0, 1000), LIGHT, pinned=needs[1])
    (point,) = figure.data
    assert (point.name, *point.x, *point.y) == ("pinned", needs[1].epsilon, needs[1].people)


def test_pinned_curves_are_those_that_are_not_there_and_none_along_another_axis() -> None:
    now = replace(Curves(), scenario=BEGIN.with_context(epsilon=4.0), protections=("plain",))
    assert [line.title for line in lines.beside(now, now)] == []
    kept = lines.beside(now, Curves())
    own = lines.lines_of(Curves())
    assert [line.title for line in kept] == [f"pinned: {line.title}" for line in own]
    assert [line.scenarios for line in kept] == [line.scenarios for line in own]
    assert all(line.is_pinned for line in kept)
    assert lines.beside(replace(now, against="epsilon"), Curves()) == []
    assert lines.beside(now, None) == []


def test_a_pinned_onlooker_has_maps_and_numbers_of_its_own() -> None:
    now = replace(Suspect(), days=1)
    at = opened(navigation.ADVERSARY, {"pinned": "fresh", **SuspectLink().write(now)})
    kept = pictures(opened(navigation.ADVERSARY, {}), "adversary-maps")
    assert pictures(at, "adversary-pinned-maps") == kept != pictures(at, "adversary-maps")
    (table,) = container(at, "adversary-pinned").table
    assert list(table.value.loc["days"]) == ["1", str(Suspect().days)]
    what = shown(Suspect())
    told = formats.share(what.ours.on_truth(Suspect().days))
    assert table.value.loc["after a new report every day", "pinned"] == told
