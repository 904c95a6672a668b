"""What hands do on the maps: what an act does, what is said of it, and how it is taken back."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from caldp_core.domain.grid import US_GRID, Area
from caldp_core.experiments.regions import RegionReport, number_of_boxes, region_report
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import (
    DrawnBlocks,
    OneBlock,
    SensitiveAreas,
    SensitiveInhabited,
    StateBlocks,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.maps.presets import BEGIN
from caldp_ui.places import page_state
from caldp_ui.words import formats, promise
from tests.ui.driver import (
    act,
    assert_shows,
    box,
    checked,
    container,
    metrics,
    open_app,
    open_with,
    query_of,
    record_of,
    scenario_of,
    scene_of,
)
from tests.ui.small import SMALL

BOX = Area(40.2, 41.2, -74.6, -73.4)
OTHER = Area(33.0, 34.0, -119.0, -117.0)
EVERYWHERE = "+-90,90,-180,180"
ONE = BEGIN.with_context(blocks=OneBlock())


def draw(at: AppTest, action: str, area: Area = BOX) -> AppTest:
    return act(at, "box", action, box=box(area))


def drawn(*edits: str, base: Scenario = BEGIN) -> Scenario:
    return base.with_context(sensitive=SensitiveAreas(edits))


def report_of(scenario: Scenario, area: Area) -> RegionReport:
    """The core's numbers of the box."""
    setup = prepare(scenario)
    return region_report(setup, run(setup).first, US_GRID.area_mask(area))


def assert_region(at: AppTest, scenario: Scenario, area: Area) -> None:
    report = report_of(scenario, area)
    counts = [formats.people(number) for number in (report.truth, report.estimate)]
    low, high = map(formats.people, report.ends(number_of_boxes(US_GRID)))
    if report.half_width > 0:
        assert report.ends(number_of_boxes(US_GRID))[1] > report.high
    assert metrics(at, "places-region") == [*counts, f"{low} – {high}"]
    assert bool(container(at, "places-region").warning) == report.is_lost_in_noise
    assert Area.parse(query_of(at)["region"]) == area
    assert scene_of(at)["ground"]["box"] == box(area)


def test_a_box_shows_its_numbers_and_a_likely_range_of_fifty_dots() -> None:
    at = open_app()
    assert container(at, "places-region") is None
    draw(at, page_state.NUMBERS)
    assert_region(at, BEGIN, BOX)
    assert_shows(at, BEGIN)
    (dots,) = (item.proto.body for item in container(at, "places-region").get("html"))
    assert dots.count("<i ") == 50


def test_a_box_stays_while_the_protection_changes_and_goes_when_unmarked() -> None:
    at = draw(open_app(), page_state.NUMBERS)
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    assert_region(at, BEGIN.with_context(epsilon=4.0), BOX)
    checked(at.button(key="places-unmark").click().run())
    assert container(at, "places-region") is None
    assert "region" not in query_of(at)


@pytest.mark.parametrize("blocks", [OneBlock(), StateBlocks()])
def test_a_place_that_noise_drowns_is_told_apart(blocks: Any) -> None:
    small = Area(44.4, 44.6, -106.0, -105.8)
    scenario = BEGIN.with_context(blocks=blocks, epsilon=0.1)
    at = open_with(scenario, region=str(small))
    assert report_of(scenario, small).is_lost_in_noise
    assert_region(at, scenario, small)


def test_whole_blocks_in_a_box_are_exact() -> None:
    at = open_app(region="40,42,-76,-74")
    report = report_of(BEGIN, Area(40, 42, -76, -74))
    assert report.exact_blocks == 2
    assert [report.low, report.high] == pytest.approx([report.truth] * 2)
    assert_region(at, BEGIN, Area(40, 42, -76, -74))


@pytest.mark.parametrize("region", ["10,11,10,11", "20,30,-140,-120"])
def test_a_region_beyond_the_map_is_told_and_breaks_nothing(region: str) -> None:
    assert_shows(open_app(region=region), BEGIN)


def test_to_protect_what_is_protected_changes_nothing_and_says_so_before() -> None:
    at = open_with(ONE)
    (protect,) = (a for a in scene_of(at)["actions"] if a["id"] == page_state.PROTECT)
    effects = list(protect["effects"].values())
    assert effects
    assert all("nothing changes" in effect for effect in effects)
    draw(at, page_state.PROTECT)
    assert_shows(at, ONE)
    assert not at.toast
    assert not scene_of(at)["undo"]


def test_protecting_only_a_box_is_told_before_and_after() -> None:
    at = open_with(ONE)
    (only,) = (a for a in scene_of(at)["actions"] if a["id"] == page_state.ONLY)
    assert "100 of 100" in only["effects"]["box"]
    draw(at, page_state.ONLY)
    result = assert_shows(at, drawn(f"+{BOX}", base=ONE))
    assert (result.setup.sensitive == US_GRID.area_mask(BOX)).all()
    (hint,) = (item.value for item in at.toast)
    assert formats.out_of(promise.protected_share(result.setup)) in hint
    assert "100 of 100" in hint


def test_areas_are_added_and_taken_out_again() -> None:
    at = draw(open_with(ONE), page_state.ONLY)
    draw(at, page_state.PROTECT, OTHER)
    assert_shows(at, drawn(f"+{BOX}", f"+{OTHER}", base=ONE))
    draw(at, page_state.UNPROTECT, BOX)
    assert_shows(at, drawn(f"+{BOX}", f"+{OTHER}", f"-{BOX}", base=ONE))


def test_to_unprotect_starts_from_everything() -> None:
    at = draw(open_app(), page_state.UNPROTECT)
    result = assert_shows(at, drawn(EVERYWHERE, f"-{BOX}"))
    assert (result.setup.sensitive == ~US_GRID.area_mask(BOX)).all()
    assert page_state.edits_text((EVERYWHERE, f"-{BOX}")) == "everything, 1 taken out"


def test_a_block_is_taken_whole() -> None:
    at = open_with(BEGIN.with_context(blocks=StateBlocks()))
    before = prepare(scenario_of(at))
    act(at, "blocks", page_state.UNPROTECT, block=7)
    result = assert_shows(at, scenario_of(at))
    inside = before.partition.labels == 7
    assert (result.setup.sensitive == ~inside).all()


def test_painted_cells_are_exactly_those() -> None:
    cells = "20000+3,20350+2,30000+1"
    at = act(open_app(), "brush", page_state.ONLY, cells=cells)
    result = assert_shows(at, scenario_of(at))
    wanted = [20000, 20001, 20002, 20350, 20351, 30000]
    assert np.flatnonzero(result.setup.sensitive).tolist() == wanted


def test_another_kind_of_sensitive_places_is_drawn_on() -> None:
    few = BEGIN.with_context(sensitive=SensitiveInhabited(1_000_000, 3_000_000))
    at = draw(open_with(few), page_state.PROTECT)
    result = assert_shows(at, scenario_of(at))
    before = prepare(few)
    inside = US_GRID.area_mask(BOX)
    assert (result.setup.sensitive == (before.sensitive | inside)).all()


@given(st.lists(st.booleans(), min_size=SMALL.k, max_size=SMALL.k))
def test_rectangles_cover_a_set_and_nothing_else(flags: list[bool]) -> None:
    mask = np.array(flags)
    covered = np.zeros(SMALL.k, int)
    for area in page_state.rectangles(mask, SMALL):
        covered += SMALL.area_mask(area)
    assert (covered == mask).all()


def test_rectangles_of_a_box_are_one() -> None:
    assert page_state.rectangles(US_GRID.area_mask(BOX), US_GRID) == [BOX]


def test_blocks_are_drawn_undone_redone_and_cleared() -> None:
    at = open_app()
    (block,) = (a for a in scene_of(at)["actions"] if a["id"] == page_state.BLOCK)
    assert "875 blocks" in block["effects"]["box"]
    draw(draw(at, page_state.BLOCK), page_state.BLOCK, OTHER)
    both = (str(BOX), str(OTHER))
    two = BEGIN.with_context(blocks=DrawnBlocks(both))
    one = BEGIN.with_context(blocks=DrawnBlocks(both[:1]))
    assert assert_shows(at, two).setup.partition.m == 3
    assert_shows(act(at, "undo"), one)
    assert scene_of(at)["redo"]
    assert_shows(act(at, "redo"), two)
    assert not scene_of(at)["redo"]
    checked(at.button(key="places-clear").click().run())
    assert_shows(at, BEGIN)
    assert_shows(act(at, "undo"), two)


def test_undo_keeps_what_is_no_protection() -> None:
    at = draw(open_app(), page_state.ONLY)
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    assert_shows(act(at, "undo"), BEGIN.with_context(epsilon=4.0))


def test_undo_takes_back_what_is_chosen_from_a_list() -> None:
    at = open_app()
    assert not scene_of(at)["undo"]
    checked(at.number_input(key="places-rows").set_value(5).run())
    checked(at.selectbox(key="places-preset").set_value("Nothing").run())
    assert_shows(act(act(at, "undo"), "undo"), BEGIN)
    assert not scene_of(at)["undo"]


@pytest.mark.parametrize("action", [page_state.ONLY, page_state.UNPROTECT])
def test_clear_leads_back_to_what_was_protected_before_the_first_drawing(action: str) -> None:
    states = BEGIN.with_context(blocks=StateBlocks())
    at = draw(draw(open_with(states), action), action, OTHER)
    checked(at.button(key="places-clear").click().run())
    assert_shows(at, states)


def test_clear_takes_away_a_link_s_drawing_and_the_region() -> None:
    made = drawn("+40,41,-75,-73").with_context(blocks=DrawnBlocks((str(OTHER),)))
    at = open_with(made, region=str(BOX))
    checked(at.button(key="places-clear").click().run())
    assert_shows(at, BEGIN.with_context(blocks=DrawnBlocks()))
    assert record_of(at).region is None


def test_what_our_own_code_never_sends_does_nothing() -> None:
    at = open_app()
    for payload in ({"box": [1, 2]}, {"block": "x"}, {"cells": "9999999+5"}, {"block": 99_999}):
        act(at, "box", page_state.ONLY, **payload)
        assert_shows(at, BEGIN)


def test_at_most_as_many_areas_as_the_core_allows() -> None:
    areas = tuple(f"30,31,{-120 + i / 5:g},{-119 + i / 5:g}" for i in range(200))
    full = replace(BEGIN.with_context(blocks=DrawnBlocks(areas)), n=1000)
    at = draw(open_with(full), page_state.BLOCK)
    assert scenario_of(at) == full
    assert at.warning
