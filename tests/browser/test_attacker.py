"""What an attacker learns in a browser: a click moves the person, days go by; one load."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.browser import wait_until_settled
from caldp_core.domain.grid import US_GRID
from caldp_ui.adversary import view
from caldp_ui.adversary.page_state import BEGIN, DAYS_MAX, DENVER, STATE, AttackerState, load_data
from caldp_ui.controls.common import EPSILONS
from tests.browser.conftest import SCREENS, Profiles, visiting
from tests.browser.hands import HEADLINE, expect, hold
from tests.browser.test_phone import PHONE
from tests.browser.watch import Watch
from tests.ui.driver import both_lines

pytestmark = pytest.mark.browser
STAGE = ".st-key-adversary-maps .stage"
DAYS = ".st-key-adversary-days"
EPSILON = ".st-key-adversary-epsilon"
SLIDER = f"{DAYS} input[type=range]"
TITLE = f"{STAGE} .pane:visible .name >> nth=0"


@pytest.fixture(scope="module")
def page(profiles: Profiles, address: str) -> Iterator[Any]:
    link = f"{address}/adversary?days=2"
    with visiting(profiles(**SCREENS["projector"]), link, f"{STAGE}[data-painted]") as found:
        yield found


def expect_headline(page: Any, record: AttackerState) -> None:
    """The sentence is that of this record, and the page is at rest."""
    expect(page.locator(HEADLINE)).to_have_text([both_lines(view.headline(load_data(record)))])
    wait_until_settled(page)


def at_epsilon(epsilon: float, days: int = 2) -> AttackerState:
    return AttackerState(BEGIN.with_context(epsilon=epsilon), days=days)


def record_of(page: Any) -> str:
    found: str = page.evaluate("new URLSearchParams(location.search).get('place')")
    return found


def epsilon_of(page: Any) -> str:
    """The ε of the link, which the server has confirmed."""
    found: str = page.evaluate("new URLSearchParams(location.search).get('epsilon')")
    return found


def test_epsilon_moves_at_once_with_its_film_which_stays_for_the_next_move(page: Any) -> None:
    expect_headline(page, AttackerState(days=2))
    film = page.locator(f"{EPSILON} .stage-play")
    film.wait_for()  # made while nobody waits
    for across, epsilon in ((0.97, EPSILONS[-1]), (0.03, EPSILONS[0])):
        confirmed, before = epsilon_of(page), page.locator(TITLE).inner_text()
        with hold(page, STATE.key("epsilon"), across):
            text = both_lines(view.headline(load_data(at_epsilon(epsilon))))
            expect(page.locator(f"{HEADLINE}:visible")).to_have_text([text])
            assert page.locator(TITLE).inner_text() != before
            assert epsilon_of(page) == confirmed, "the server was asked before the hand let go"
        expect_headline(page, at_epsilon(epsilon))
        assert film.count() == 1, "the film went with another that has to be made anew"
    with hold(page, STATE.key("epsilon"), EPSILONS.index(1.0) / (len(EPSILONS) - 1)):
        pass
    expect_headline(page, AttackerState(days=2))


def test_days_go_by_in_the_browser_and_the_keys_reach_every_day(page: Any) -> None:
    expect_headline(page, AttackerState(days=2))
    slider, play = page.locator(SLIDER), page.locator(f"{DAYS} .stage-play")
    play.click()
    text = both_lines(view.headline(load_data(AttackerState(days=4))))
    expect(page.locator(f"{HEADLINE}:visible")).to_have_text([text])
    if play.get_attribute("aria-label") == "Stop: Day":
        play.click()
    wait_until_settled(page)
    slider.press("Home")
    expect_headline(page, AttackerState(days=0))
    slider.press("ArrowRight")
    expect_headline(page, AttackerState(days=1))
    slider.press("End")
    expect_headline(page, AttackerState(days=DAYS_MAX))


def test_the_slider_of_days_is_the_axis_of_the_chart(page: Any) -> None:
    """The thumb stands below the day's point, at both ends."""
    slider = page.locator(SLIDER)
    drawn = page.locator(".st-key-adversary-curve .trace .point").first
    for key, edge in (("Home", 0), ("End", DAYS_MAX)):
        slider.press(key)
        expect_headline(page, AttackerState(days=edge))
        point = page.locator(".st-key-adversary-curve .trace").last.locator(".point").nth(edge)
        thumb = page.locator(f"{DAYS} [data-testid=stSliderThumbValue]").bounding_box()
        at = point.bounding_box()
        assert abs(at["x"] + at["width"] / 2 - thumb["x"] - thumb["width"] / 2) < 4
    assert drawn.is_visible()


def test_a_click_is_where_the_person_is_and_so_is_enter(page: Any) -> None:
    page.locator(SLIDER).press("End")
    expect_headline(page, AttackerState(days=DAYS_MAX))
    page.locator(f"{STAGE} .pane:visible .frame").first.click(position={"x": 200, "y": 100})
    page.wait_for_function("location.search.includes('place=')")
    there = int(record_of(page))
    assert there != DENVER
    expect_headline(page, AttackerState(place=there, days=DAYS_MAX))
    page.locator(f"{STAGE} .board").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_function(f"!location.search.includes('place={there}&')")
    wait_until_settled(page)
    beside = int(record_of(page))
    assert abs(beside - there) < US_GRID.columns
    expect_headline(page, replace(AttackerState(), place=beside, days=DAYS_MAX))
    # Nothing else is to be had in hand here.
    assert page.locator(f"{STAGE} .tools:visible").count() == 0


def test_a_tap_is_a_click_and_the_maps_come_first_on_a_phone(
    profiles: Profiles, address: str, watch: Watch
) -> None:
    page = profiles(**PHONE).new_page()
    watch.follow(page)
    page.goto(f"{address}/adversary?days=1")
    page.wait_for_selector(f"{STAGE}[data-painted]")
    wait_until_settled(page)
    frame = page.locator(f"{STAGE} .pane:visible .frame").first
    box = frame.bounding_box()
    assert box["y"] + box["height"] < page.viewport_size["height"] * 0.75
    frame.tap(position={"x": 150, "y": 50})
    page.wait_for_function("location.search.includes('place=')")
    there = int(record_of(page))
    expect_headline(page, AttackerState(place=there, days=1))
    page.close()
    watch.check()
