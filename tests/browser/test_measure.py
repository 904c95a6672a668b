"""The three pages of measuring in a browser: picture first, nothing outside, cancel and go on."""

from typing import Any

import pytest

from tests.browser.conftest import SCREENS, OpenLink
from tests.browser.hands import TABS
from tests.products import thinned

pytestmark = pytest.mark.browser
PAGES = ("paper?runs=1", "curves", "plan")
CHART = ".js-plotly-plot"
SENTENCE = ".st-key-headline h1"


def box_of(page: Any, selector: str) -> Any:
    """Where the first of them is; a part that is being drawn anew is nowhere for a moment."""
    for _ in range(100):
        if box := page.locator(selector).first.bounding_box():
            return box
        page.wait_for_timeout(100)
    raise AssertionError(f"{selector} is nowhere.")


@pytest.mark.parametrize(("link", "screen"), thinned(PAGES, SCREENS, one_in=2, of=2))
def test_the_picture_and_its_sentence_come_first(
    open_link: OpenLink, link: str, screen: str
) -> None:
    page = open_link(link, CHART, SENTENCE, **SCREENS[screen])
    tabs, sentence, chart = (box_of(page, each) for each in (TABS, SENTENCE, CHART))
    assert tabs["y"] + tabs["height"] <= sentence["y"] < chart["y"]
    assert chart["y"] + 0.8 * chart["height"] < SCREENS[screen]["viewport"]["height"]


def test_a_cancel_keeps_what_was_found_and_offers_to_start_again(open_link: OpenLink) -> None:
    page = open_link("paper?view=figure-2", CHART, SENTENCE, **SCREENS["projector"])
    page.locator(f"{CHART} .point").first.wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Start again").wait_for()
    assert page.locator(f"{CHART} .point").count() > 0
    assert "comparisons" in page.locator(".st-key-headline h1").inner_text()


def test_a_chart_fills_the_screen_by_a_button_and_is_sent_nowhere(open_link: OpenLink) -> None:
    page = open_link("plan", CHART, SENTENCE, **SCREENS["projector"])
    page.locator(f"{CHART} .point").first.wait_for()
    titles = page.locator(f"{CHART} .modebar-btn").evaluate_all(
        "buttons => buttons.map(each => each.dataset.title)"
    )
    assert titles == [
        "Full screen",
        "Zoom in",
        "Zoom out",
        "Reset axes",
        "Zoom",
        "Pan",
        "Download plot as a PNG",
    ]
    page.locator(CHART).hover()
    page.locator(f"{CHART} [data-title='Full screen']").click()
    tall = f"() => Number(document.querySelector('{CHART} .main-svg')?.getAttribute('height'))"
    page.wait_for_function(f"({tall})() === innerHeight")
    page.keyboard.press("Escape")
    page.evaluate("document.fullscreenElement && document.exitFullscreen()")
    page.wait_for_function(f"({tall})() < 600")


def test_the_rows_of_table_1_are_named_in_its_picture(open_link: OpenLink) -> None:
    page = open_link("paper?runs=1", CHART, SENTENCE, **SCREENS["projector"])
    left = box_of(page, CHART)["x"]
    for name in ("Plain LDP", "5 × 7 blocks", "25 × 35 blocks", "25 × 70 blocks"):
        assert left <= box_of(page, f"{CHART} .ytick text:has-text('{name}')")["x"] < left + 100


def test_lines_are_named_on_the_picture_and_in_a_legend_where_it_is_narrow(
    open_link: OpenLink,
) -> None:
    for screen, names, others in (
        ("projector", ".textpoint text", ".legendtext"),
        ("phone", ".legendtext", ".textpoint text"),
    ):
        page = open_link("plan", CHART, SENTENCE, **SCREENS[screen])
        page.locator(f"{CHART} .point").first.wait_for()
        page.locator(f"{CHART} {names}", has_text="Plain LDP").wait_for()
        assert not page.locator(f"{CHART} {others}", has_text="Plain LDP").count()
        boxes = page.locator(f"{CHART} {names}").evaluate_all(
            "texts => texts.map(each => each.getBoundingClientRect().toJSON())"
        )
        width = SCREENS[screen]["viewport"]["width"]
        assert all(box["left"] >= 0 and box["right"] <= width for box in boxes)
