"""Privacy by distance, and Home and work, in a browser: maps first, a click moves the ring."""

from typing import Any

import pytest

from benchmarks.browser import wait_until_settled
from tests.browser.conftest import SCREENS, OpenLink
from tests.browser.hands import HEADLINE, expect, hold
from tests.products import thinned

pytestmark = pytest.mark.browser
PAINTED = ".stage[data-painted]"
DRAWN = "canvas => canvas.drawn = canvas.toDataURL()"
PAGES = {"distances": 3, "personal": 4}
"""Pages of this file, and how many maps each shows."""


def truths(page: Any) -> list[Any]:
    """The first map of the page's stage and of the pinned one."""
    stages = page.locator(".stage").all()
    return [stage.locator(".pane canvas").first for stage in stages]


@pytest.mark.parametrize(("link", "screen"), thinned(PAGES, SCREENS, one_in=2, of=2))
def test_the_sentence_and_the_maps_come_first(open_link: OpenLink, link: str, screen: str) -> None:
    page = open_link(link, PAINTED, **SCREENS[screen])
    frames = page.locator(".stage .pane:not([hidden]) .frame")
    expect(frames).to_have_count(PAGES[link])
    sentence = page.locator(HEADLINE).first.bounding_box()
    height = SCREENS[screen]["viewport"]["height"]
    boxes = [frames.nth(i).bounding_box() for i in range(2)]
    assert all(sentence["y"] < box["y"] for box in boxes)
    assert all(box["y"] + box["height"] < height for box in boxes)
    wide = page.locator("[data-testid=stMain]").evaluate("e => e.scrollWidth - e.clientWidth")
    assert wide <= 0


def test_a_click_with_the_brush_moves_the_ring(open_link: OpenLink) -> None:
    page = open_link("distances", PAINTED, **SCREENS["projector"])
    place = page.locator(".st-key-distances-place input")
    before = place.input_value()
    page.get_by_role("button", name="Brush").click()
    box = page.locator(".stage .frame").first.bounding_box()
    page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 0.4 * box["height"])
    page.wait_for_url("**place=*")
    expect(place).not_to_have_value(before)


def test_a_pin_shares_the_view_and_a_film_of_the_rate_moves_alone(open_link: OpenLink) -> None:
    page = open_link("distances", PAINTED, **SCREENS["projector"])
    page.locator(".st-key-distances-pin button").first.click()
    expect(page.locator(f".st-key-distances-pinned-maps {PAINTED}")).to_be_visible()
    wait_until_settled(page)
    before = [canvas.evaluate(DRAWN) for canvas in truths(page)]
    page.get_by_role("button", name="Zoom in").first.click()
    page.wait_for_url("**view=*")
    page.wait_for_function("c => c.drawn !== c.toDataURL()", arg=truths(page)[1].element_handle())
    after = [canvas.evaluate(DRAWN) for canvas in truths(page)]
    assert after[0] == after[1] != before[1] == before[0]
    play = page.locator(".st-key-distances-rate .stage-play")
    play.wait_for()
    sentence = page.locator(f"{HEADLINE}:visible").first.inner_text()
    with hold(page, "distances-rate", 0.97):
        expect(page.locator(f"{HEADLINE}:visible").first).not_to_have_text(sentence)
    page.wait_for_url("**km=*")  # resting makes it the page's own
    assert "pinned" in page.url
