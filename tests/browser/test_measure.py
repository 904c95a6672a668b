"""The three pages of measuring in a browser: picture first, nothing outside, cancel and go on."""

from typing import Any

import pytest

from tests.browser.conftest import SCREENS, Opened
from tests.products import thinned

pytestmark = pytest.mark.browser
PAGES = ("paper?runs=1", "curves", "plan")
CHART = ".js-plotly-plot"
SENTENCE = ".st-key-headline p"
LEFT = """title => {
    const words = document.createRange();
    words.selectNodeContents(title);
    return words.getBoundingClientRect().left;
}"""


def box_of(page: Any, selector: str) -> Any:
    """Where the first of them is; a part that is being drawn anew is nowhere for a moment."""
    for _ in range(100):
        if box := page.locator(selector).first.bounding_box():
            return box
        page.wait_for_timeout(100)
    raise AssertionError(f"{selector} is nowhere.")


@pytest.mark.parametrize(("link", "screen"), thinned(PAGES, SCREENS, one_in=2))
def test_the_picture_and_its_sentence_come_first(opened: Opened, link: str, screen: str) -> None:
    page = opened(link, CHART, SENTENCE, **SCREENS[screen])
    title, sentence, chart = (box_of(page, each) for each in ("h1", SENTENCE, CHART))
    menu = page.locator("[data-testid=stExpandSidebarButton]")
    if menu.count():  # on a phone the title stands beside it
        box = menu.bounding_box()
        assert page.locator("h1").evaluate(LEFT) >= box["x"] + box["width"]
    assert title["y"] < sentence["y"] < chart["y"]
    assert chart["y"] + 0.8 * chart["height"] < SCREENS[screen]["viewport"]["height"]


def test_a_cancel_keeps_what_was_found_and_offers_to_start_again(opened: Opened) -> None:
    page = opened("paper?view=figure-2", CHART, SENTENCE, **SCREENS["projector"])
    page.locator(f"{CHART} .point").first.wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Start again").wait_for()
    assert page.locator(f"{CHART} .point").count() > 0
    assert "steps from one curve to the next" in page.locator(SENTENCE).first.inner_text()


def test_a_chart_fills_the_screen_by_a_button_and_is_sent_nowhere(opened: Opened) -> None:
    page = opened("plan", CHART, SENTENCE, **SCREENS["projector"])
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
    tall = f"() => Number(document.querySelector('{CHART} .main-svg').getAttribute('height'))"
    page.wait_for_function(f"({tall})() === innerHeight")
    page.keyboard.press("Escape")
    page.evaluate("document.fullscreenElement && document.exitFullscreen()")
    page.wait_for_function(f"({tall})() < 500")


def test_the_rows_of_table_1_are_named_in_its_picture(opened: Opened) -> None:
    page = opened("paper?runs=1", CHART, SENTENCE, **SCREENS["projector"])
    left = box_of(page, CHART)["x"]
    for name in ("LDP", "(5, 7)", "(25, 35)", "(25, 70)"):
        names = page.locator(f"{CHART} .ytick text", has_text=name)
        names.first.wait_for()
        assert left <= names.first.bounding_box()["x"] < left + 100
