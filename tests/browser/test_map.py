"""The map in a real browser: it loads, it can be drawn on, its link opens it elsewhere."""

from typing import Any

import pytest

from benchmarks.browser import MAPS, pictures, press_until_redrawn, settled
from caldp_core.domain.grid import Area
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.protection import OneBlock, SensitiveAreas, StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.places import drawing
from tests.browser.conftest import Visit
from tests.browser.hands import (
    assert_close,
    by_icon,
    drag,
    expect,
    expect_numbers,
    link_of,
    numbers,
    take,
)
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
NEW_YORK = Area(40.0, 42.0, -75.0, -72.0)
SLIDER = ".st-key-places-epsilon input[type=range]"


def query_of(page: Any) -> str:
    return str(page.url.partition("/?")[2])


def test_page_loads_with_three_pictures(visit: Visit, watch: Watch) -> None:
    page = visit(fresh=True)
    assert len(set(pictures(page).values())) == 3
    expect_numbers(page, Scenario())
    assert any(url.startswith("ws://127.0.0.1") for url in watch.asked)


def test_a_dragged_box_shows_its_numbers_and_its_link_opens_them(visit: Visit) -> None:
    page = visit("?epsilon=2")
    drag(page, NEW_YORK)
    expect(numbers(page, "region")).to_have_count(3)
    page.wait_for_url("**region=*")
    scenario, region = link_of(page)
    assert scenario == Scenario(policy=ContextPolicy(epsilon=2.0))
    assert_close(region, NEW_YORK)
    expect_numbers(page, scenario, region)
    elsewhere = visit(f"?{query_of(page)}", fresh=True)
    expect_numbers(elsewhere, scenario, region)
    assert link_of(elsewhere) == (scenario, region)
    assert pictures(elsewhere) == pictures(page)


def test_a_box_added_to_the_sensitive_set_changes_the_error_and_the_link(visit: Visit) -> None:
    page = visit("?blocks=one")
    expect_numbers(page, Scenario(policy=ContextPolicy(blocks=OneBlock())))
    before = numbers(page, "tv-ours").inner_text()
    take(page, drawing.ADD)
    drag(page, NEW_YORK)
    page.wait_for_url("**sensitive.edits=*")
    scenario, region = link_of(page)
    assert region is None
    assert isinstance(scenario.context.sensitive, SensitiveAreas)
    (edit,) = scenario.context.sensitive.edits
    assert edit[0] == "+"
    assert_close(Area.parse(edit[1:]), NEW_YORK)
    expect_numbers(page, scenario)
    assert numbers(page, "tv-ours").inner_text() != before
    settled(page)
    by_icon(page, "undo").click()
    expect_numbers(page, Scenario(policy=ContextPolicy(blocks=OneBlock())))
    settled(page)
    assert link_of(page) == (Scenario(policy=ContextPolicy(blocks=OneBlock())), None)


def test_second_box_replaces_the_first(visit: Visit) -> None:
    page = visit()
    drag(page, NEW_YORK)
    expect(numbers(page, "region")).to_have_count(3)
    settled(page)
    _, first = link_of(page)
    drag(page, Area(33.0, 35.0, -119.0, -116.0))
    page.wait_for_function("old => !location.href.includes(old)", arg=str(first.west))
    scenario, region = link_of(page)
    assert_close(region, Area(33.0, 35.0, -119.0, -116.0))
    expect_numbers(page, scenario, region)


def test_visitors_do_not_see_each_other_s_scenarios(visit: Visit) -> None:
    one, other = visit("?blocks=states&seed=3"), visit("?epsilon=4", fresh=True)
    drag(one, NEW_YORK)
    one.wait_for_url("**region=*")
    other.locator(SLIDER).press("ArrowRight")
    expect_numbers(other, Scenario(policy=ContextPolicy(epsilon=5.0)))
    settled(other)
    assert link_of(other) == (Scenario(policy=ContextPolicy(epsilon=5.0)), None)
    scenario, region = link_of(one)
    assert scenario == Scenario(policy=ContextPolicy(blocks=StateBlocks()), seed=3)
    by_icon(one, "casino").click()
    one.wait_for_url("**seed=4*")
    expect_numbers(one, Scenario(policy=ContextPolicy(blocks=StateBlocks()), seed=4), region)


def test_moving_epsilon_redraws_the_pictures(visit: Visit) -> None:
    page = visit("?n=1000003")
    page.focus(SLIDER)
    for _ in range(2):
        press_until_redrawn(page, "ArrowRight")
    expect_numbers(page, Scenario(epsilon=2.0, n=1_000_003))
    assert all(pictures(page)[key].startswith("data:image/png") for key in MAPS)


def test_repeated_runs_show_progress_and_can_be_cancelled(visit: Visit) -> None:
    scenario = Scenario(policy=ContextPolicy(blocks=StateBlocks()), n=10**9)
    page = visit("?blocks=states&n=1000000000")
    by_icon(page, "repeat").click()
    bar = page.locator("[data-testid=stProgress] [role=progressbar]")
    expect(bar).to_be_visible()
    page.wait_for_function(
        """() => Number(document.querySelector('[role=progressbar]')
            ?.getAttribute('aria-valuenow')) > 0"""
    )
    page.locator(".st-key-places-repetition-cancel button").click()
    expect(bar).to_have_count(0, timeout=10_000)
    expect(by_icon(page, "repeat")).to_be_visible()
    page.locator(SLIDER).press("ArrowRight")
    expect_numbers(page, scenario.with_context(epsilon=1.5))
