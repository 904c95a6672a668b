"""The three pages of measuring in a browser: picture first, nothing outside, cancel and go on."""

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
PAGES = ("paper?runs=1", "curves", "plan")
CHART = ".js-plotly-plot"
SENTENCE = ".st-key-headline p"


def opened(profiles: Profiles, address: str, watch: Watch, link: str, screen: str) -> Any:
    page = profiles(**SCREENS[screen]).new_page()
    watch.follow(page)
    page.goto(f"{address}/{link}")
    page.locator(CHART).first.wait_for()
    page.locator(SENTENCE).first.wait_for()
    settled(page)
    return page


@pytest.mark.parametrize(("link", "screen"), thinned(PAGES, SCREENS, one_in=2))
def test_the_picture_and_its_sentence_come_first(
    profiles: Profiles, address: str, watch: Watch, link: str, screen: str
) -> None:
    page = opened(profiles, address, watch, link, screen)
    title, chart = page.locator("h2").bounding_box(), page.locator(CHART).first.bounding_box()
    sentence = page.locator(SENTENCE).first.bounding_box()
    assert title["y"] > 50  # not under the menu
    assert title["y"] < sentence["y"] < chart["y"]
    assert chart["y"] + 0.8 * chart["height"] < SCREENS[screen]["viewport"]["height"]
    page.close()
    watch.check()


def test_a_cancel_keeps_what_was_found_and_offers_to_start_again(
    profiles: Profiles, address: str, watch: Watch
) -> None:
    page = opened(profiles, address, watch, "paper?view=figure-2", "projector")
    page.locator(f"{CHART} .point").first.wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Start again").wait_for()
    assert page.locator(f"{CHART} .point").count() > 0
    assert "steps from one curve to the next" in page.locator(SENTENCE).first.inner_text()
    page.close()
    watch.check()
