"""Keys pressed faster than the page answers: the visit goes on, and ends where the hand does."""

import pytest

from benchmarks.browser import wait_until_settled
from tests.browser.conftest import Profiles
from tests.browser.hands import expect
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
PROJECTOR = {"width": 1280, "height": 720}
SLIDER = ".st-key-places-epsilon input[type=range]"
STEPS = ("0.1", "0.2", "0.3", "0.5", "0.7")
ROUNDS = 6  # with pictures kept for two runs only, the visit ended in the second to fifth


def test_quick_keys_to_and_fro_do_not_end_a_visit(
    profiles: Profiles, address: str, watch: Watch
) -> None:
    page = profiles(viewport=PROJECTOR).new_page()
    watch.follow(page)
    page.goto(f"{address}/places")
    slider = page.locator(SLIDER)
    page.locator(".st-key-places-maps .stage[data-painted]").wait_for()
    page.wait_for_timeout(2000)
    slider.focus()
    for _ in range(ROUNDS):
        page.keyboard.press("Home")
        page.wait_for_timeout(400)
        for _ in STEPS[1:]:
            page.keyboard.press("ArrowRight")
            page.wait_for_timeout(40)
        page.wait_for_timeout(1200)
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", STEPS[0])
    wait_until_settled(page)
    page.wait_for_function("location.search.includes('epsilon=0.1')")
    page.close()
    watch.check()
