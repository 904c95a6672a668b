"""How far is far, and Personal secrets, in a browser: maps first, a click moves the ring."""

import pytest

from benchmarks.browser import settled
from tests.browser.conftest import SCREENS, Opened
from tests.products import thinned

pytestmark = pytest.mark.browser
PAINTED = ".stage[data-painted]"
PAGES = {"distances": 3, "personal": 5}
"""Pages of this file, and how many maps each shows."""


@pytest.mark.parametrize(("link", "screen"), thinned(PAGES, SCREENS, one_in=2))
def test_the_sentence_and_the_maps_come_first(opened: Opened, link: str, screen: str) -> None:
    page = opened(link, PAINTED, **SCREENS[screen])
    frames = page.locator(".stage .pane:not([hidden]) .frame")
    assert frames.count() == PAGES[link]
    sentence = page.locator(".st-key-headline p").first.bounding_box()
    height = SCREENS[screen]["viewport"]["height"]
    seen = [frames.nth(i).bounding_box() for i in range(2)]
    assert all(sentence["y"] < box["y"] for box in seen)
    assert all(box["y"] + box["height"] < height for box in seen)
    wide = page.locator("[data-testid=stMain]").evaluate("e => e.scrollWidth - e.clientWidth")
    assert wide <= 0


def test_a_click_with_the_brush_moves_the_ring(opened: Opened) -> None:
    page = opened("distances", PAINTED, **SCREENS["projector"])
    before = page.locator(".st-key-distances-place input").input_value()
    page.get_by_role("button", name="Brush").click()
    box = page.locator(".stage .frame").first.bounding_box()
    page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 0.4 * box["height"])
    page.wait_for_url("**place=*")
    settled(page)
    assert page.locator(".st-key-distances-place input").input_value() != before
