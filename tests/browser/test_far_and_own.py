"""How far is far, and Personal secrets, in a browser: maps first, a click moves the ring."""

from typing import Any

import pytest

from benchmarks.browser import settled
from tests.browser.conftest import Profiles
from tests.browser.watch import Watch
from tests.products import thinned

pytestmark = pytest.mark.browser
SCREENS: dict[str, dict[str, Any]] = {
    "projector": {"viewport": {"width": 1280, "height": 720}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
}
PAGES = {"distances": 3, "personal": 5}
"""Pages of this file, and how many maps each shows."""


def opened(profiles: Profiles, address: str, watch: Watch, link: str, screen: str) -> Any:
    page = profiles(**SCREENS[screen]).new_page()
    watch.follow(page)
    page.goto(f"{address}/{link}")
    page.locator(".stage[data-painted]").first.wait_for()
    settled(page)
    return page


@pytest.mark.parametrize(("link", "screen"), thinned(PAGES, SCREENS, one_in=2))
def test_the_sentence_and_the_maps_come_first(
    profiles: Profiles, address: str, watch: Watch, link: str, screen: str
) -> None:
    page = opened(profiles, address, watch, link, screen)
    frames = page.locator(".stage .pane:not([hidden]) .frame")
    assert frames.count() == PAGES[link]
    sentence = page.locator(".st-key-headline p").first.bounding_box()
    height = SCREENS[screen]["viewport"]["height"]
    seen = [frames.nth(i).bounding_box() for i in range(2)]
    assert all(sentence["y"] < box["y"] for box in seen)
    assert all(box["y"] + box["height"] < height for box in seen)
    wide = page.locator("[data-testid=stMain]").evaluate("e => e.scrollWidth - e.clientWidth")
    assert wide <= 0
    page.close()
    watch.check()


def test_a_click_with_the_brush_moves_the_ring(
    profiles: Profiles, address: str, watch: Watch
) -> None:
    page = opened(profiles, address, watch, "distances", "projector")
    before = page.locator(".st-key-distances-place input").input_value()
    page.get_by_role("button", name="Brush").click()
    box = page.locator(".stage .frame").first.bounding_box()
    page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 0.4 * box["height"])
    page.wait_for_url("**place=*")
    settled(page)
    assert page.locator(".st-key-distances-place input").input_value() != before
    page.close()
    watch.check()
