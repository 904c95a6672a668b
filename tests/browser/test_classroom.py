"""The classroom on a projector: by keyboard from station to station, and nothing to scroll."""

import pytest

from benchmarks.browser import wait_until_settled
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import Lesson
from tests.browser.conftest import Profiles
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
HEIGHT = 720
HEADLINE = ".st-key-headline h1"
PICTURE = ".st-key-classroom-picture"


def test_every_station_opens_by_keyboard_with_its_picture_on_the_screen(
    profiles: Profiles, address: str, watch: Watch
) -> None:
    page = profiles(viewport={"width": 1280, "height": HEIGHT}).new_page()
    watch.follow(page)
    page.goto(f"{address}/classroom")
    page.locator(HEADLINE).wait_for()
    for i, (name, station) in enumerate(STATIONS.items(), 1):
        page.get_by_role("radio", name=f"{i} {station.title}").focus()
        page.keyboard.press("Enter")
        sentence = station.open(Lesson(name)).headline.sentence
        page.locator(HEADLINE, has_text=sentence).first.wait_for()
        wait_until_settled(page)
        assert page.url.endswith("classroom" if i == 1 else f"&station={name}")
        drawn = page.locator(f"{PICTURE} .js-plotly-plot, {PICTURE} .trust")
        drawn.first.wait_for()
        for box in (each.bounding_box() for each in drawn.all()):
            assert box is not None
            assert box["y"] + box["height"] < HEIGHT, name
    page.close()
    watch.check()
