"""What is pinned stands beside what is shown: its numbers are those of a run of its scenario."""

import io
import re
import zipfile
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary.page import PAGE as ATTACKER_PAGE
from caldp_ui.adversary.page_state import LINK as SUSPECT_LINK
from caldp_ui.adversary.page_state import AttackerState, load_data
from caldp_ui.app import navigation
from caldp_ui.app.theme import LIGHT
from caldp_ui.curves import page_state
from caldp_ui.curves.page_state import BEGIN, Curves
from caldp_ui.parts import pins
from caldp_ui.places.page import PAGE as MAPS_PAGE
from caldp_ui.places.page_state import PlacesState
from caldp_ui.plan import people_needed
from caldp_ui.plan import view as plan_view
from caldp_ui.plan.page_state import LINK as PLAN_LINK
from caldp_ui.plan.page_state import Plan
from caldp_ui.session import links
from caldp_ui.values.page import PAGE as ANSWERS_PAGE
from caldp_ui.values.page_state import STATE, ValuesState
from caldp_ui.words import formats
from tests.ui.driver import checked, container, open_page, page_record, pictures, query_of, unpin


def error_of(scenario: Scenario) -> str:
    """As the page says it, by a run of the core."""
    return formats.share(run(prepare(scenario)).first.errors.tv)


def at_level(at: AppTest, epsilon: float) -> ValuesState:
    """The record after the slider of ε has been moved."""
    return page_record(
        checked(at.select_slider(key="values-epsilon").set_value(epsilon).run()), STATE
    )


def test_up_to_six_are_pinned_compared_chosen_and_let_go() -> None:
    at = open_page(navigation.VALUES, {})
    records = [page_record(at, STATE)]
    checked(at.button(key="values-pin").click().run())
    assert at.button(key="values-pin").disabled  # it is pinned already
    for level in (0.2, 0.5, 2.0, 4.0, 8.0):
        records.append(at_level(at, level))
        checked(at.button(key="values-pin").click().run())
    now = at_level(at, 3.0)
    assert at.session_state["values/pins"] == tuple(records)
    assert at.session_state["values/pinned"] == records[-1]
    assert at.button(key="values-pin").disabled
    (table,) = container(at, "values-pinned").table
    errors = [error_of(each.scenario) for each in (now, *records)]
    assert list(table.value.loc["total variation (TV)"]) == errors
    assert table.value.columns[0] == "now"
    at.session_state["values-pins"] = True
    checked(at.run())
    checked(at.button(key="values-choose-2").click().run())
    assert at.session_state["values/pinned"] == records[1]
    assert page_record(open_page(navigation.VALUES, query_of(at)), STATE) == now
    unpin(at, "values", 2)
    assert at.session_state["values/pins"] == (records[0], *records[2:])
    assert at.session_state["values/pinned"] == records[-1]
    assert not at.button(key="values-pin").disabled
    at.session_state["values-pins"] = True
    checked(at.run())
    checked(at.button(key="values-unpin-all").click().run())
    assert at.session_state["values/pins"] == ()
    assert not container(at, "values-pinned").table


@pytest.mark.parametrize("beside", [MAPS_PAGE, ANSWERS_PAGE], ids=["places", "values"])
def test_all_pins_are_one_file_that_gives_their_numbers(beside: Any) -> None:
    record = (PlacesState if beside is MAPS_PAGE else ValuesState)()
    other = replace(record, scenario=record.scenario.with_context(epsilon=4.0))
    entries = {
        name: (each, beside.load(each)) for name, each in (("now", other), ("pin-1", record))
    }
    table = {name: beside.numbers(data) for name, (_, data) in entries.items()}
    packed = zipfile.ZipFile(io.BytesIO(beside._pack(table, entries)))
    frame = pd.read_csv(io.BytesIO(packed.read("compare.csv")), index_col="number", dtype=str)
    assert list(frame.columns) == ["now", "pin-1"]
    assert len(frame) > len(pins.differing_rows(table))
    for name, (each, _) in entries.items():
        again = Scenario.from_text(packed.read(f"{name}/scenario.json").decode())
        assert again == each.scenario
        assert frame.loc["total variation (TV)", name] == error_of(again)
        drawn = [path for path in packed.namelist() if re.fullmatch(rf"{name}/.*png", path)]
        assert len(drawn) == len(beside.images(beside.load(each))) > 0
        for path in drawn:
            Image.open(io.BytesIO(packed.read(path))).verify()


def test_a_pinned_attacker_comes_with_what_it_believes() -> None:
    drawn = ATTACKER_PAGE.images(ATTACKER_PAGE.load(AttackerState()))
    assert len(drawn) == len(set(drawn.values())) == 3
    for png in drawn.values():
        Image.open(io.BytesIO(png)).verify()


def test_a_step_back_to_a_link_without_a_pin_keeps_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = open_page(navigation.VALUES, {})
    first = page_record(at, STATE)
    checked(at.button(key="values-pin").click().run())
    at.query_params.clear()
    monkeypatch.setattr(
        links, "is_history_navigation", lambda: True
    )  # as after a step of the browser
    checked(at.run())
    assert at.session_state["values/pinned"] is None
    assert at.session_state["values/pins"] == (first,)
    assert "pinned" not in query_of(at)


def test_a_pinned_plan_is_a_point_and_a_column_of_the_table() -> None:
    first, now = Plan(), replace(Plan(), protection="plain")
    query = {"pinned": "fresh", **PLAN_LINK.write(now)}
    at = open_page(navigation.PLAN, query)
    (table,) = container(at, "plan-pinned").table
    needs = [plan_view.own_need(each) for each in (now, first)]
    texts = [plan_view.rounded_people_text(need.people) for need in needs if need.people]
    assert list(table.value.loc["people needed"]) == texts
    assert "ε" not in table.value.index
    figure = plan_view.figure(now, people_needed.needs_by_protection(needs), needs[1], LIGHT)
    (point,) = (trace for trace in figure.data if trace.name == "pinned")
    assert (point.name, *point.x, *point.y) == ("pinned", needs[1].epsilon, needs[1].people)


def test_pinned_curves_are_those_that_are_not_there_and_none_along_another_axis() -> None:
    now = replace(Curves(), scenario=BEGIN.with_context(epsilon=4.0), protections=("plain",))
    assert [line.title for line in page_state.pinned_lines(now, now)] == []
    kept = page_state.pinned_lines(now, Curves())
    own = page_state.record_lines(Curves())
    assert [line.title for line in kept] == [f"pinned: {line.title}" for line in own]
    assert [line.scenarios for line in kept] == [line.scenarios for line in own]
    assert all(line.is_pinned for line in kept)
    assert page_state.pinned_lines(replace(now, against="epsilon"), Curves()) == []
    assert page_state.pinned_lines(now, None) == []


def test_a_pinned_attacker_has_maps_and_numbers_of_its_own() -> None:
    now = replace(AttackerState(), days=1)
    at = open_page(navigation.ADVERSARY, {"pinned": "fresh", **SUSPECT_LINK.write(now)})
    kept = pictures(open_page(navigation.ADVERSARY, {}), "adversary-maps")
    assert pictures(at, "adversary-pinned-maps") == kept != pictures(at, "adversary-maps")
    (table,) = container(at, "adversary-pinned").table
    assert list(table.value.loc["days"]) == ["1", str(AttackerState().days)]
    data = load_data(AttackerState())
    share = formats.share(data.ours.chance_of_truth(AttackerState().days))
    assert table.value.loc["after a fresh report every day"].iloc[1] == share
