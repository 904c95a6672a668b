"""For everybody: dark, narrow, by keyboard, by ear, and with no network but this machine."""

import re
from typing import Any

import pytest

from benchmarks.browser import MAP_PAGE, wait_until_ready, wait_until_settled
from caldp_core.experiments.run import prepare
from caldp_core.scenarios.blocks import OneBlock
from caldp_ui.maps.presets import BEGIN
from caldp_ui.places.page import TOUR
from caldp_ui.start import page as cards
from tests.browser.conftest import Visit
from tests.browser.hands import (
    QUICKLY_FORECAST,
    SLIDER,
    STAGE,
    button,
    expect,
    expect_shows,
    link_of,
    pictures,
    tab,
    tab_key_until,
)
from tests.browser.watch import Watch, is_outside

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
COLOURS = """() => {
    const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgb = colour => {
        probe.clearRect(0, 0, 1, 1); probe.fillStyle = colour; probe.fillRect(0, 0, 1, 1);
        return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const heading = document.querySelector('h1');
    const ground = document.querySelector('[data-testid=stApp]');
    return [rgb(getComputedStyle(heading).color), rgb(getComputedStyle(ground).backgroundColor)];
}"""
HAS_FOCUS = "one => one.getRootNode().activeElement === one"
TABS = ("Error curves", "Relief", "Numbers", "Share and export", "What is promised")


def luminance(colour: list[float]) -> float:
    linear = [
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
        for c in (part / 255 for part in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_page_fits_a_phone_and_reads_in_the_dark(visit: Visit) -> None:
    page = visit(color_scheme="dark", **PHONE)
    assert len(set(pictures(page))) == 3
    overflow = page.locator("[data-testid=stMain]").evaluate("e => e.scrollWidth - e.clientWidth")
    assert overflow <= 0
    text, ground = (luminance(colour) for colour in page.evaluate(COLOURS))
    assert text > ground
    assert (text + 0.05) / (ground + 0.05) >= 4.5


def test_keyboard_alone_moves_epsilon(visit: Visit) -> None:
    page = visit()
    tab_key_until(page, SLIDER)
    page.keyboard.press("ArrowRight")
    expect_shows(page, BEGIN.with_context(epsilon=1.5))


def test_keyboard_alone_draws_a_box_and_takes_it_back(visit: Visit) -> None:
    page = visit()
    board = page.locator(f"{STAGE} .board")
    assert "arrow" in board.get_attribute("aria-description").lower()
    tab_key_until(page, ".st-key-places-maps *")
    page.keyboard.press("Tab")
    assert board.evaluate(HAS_FOCUS), "the maps come after the switch of views"
    page.keyboard.press("Tab")
    walk_to(page, "Box", "ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(f"{STAGE} .sentence")).to_be_visible()
    page.keyboard.press("Tab")
    walk_to(page, "Unprotect", "ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert board.evaluate(HAS_FOCUS)
    page.keyboard.press("Space")
    for key in ("Control+ArrowRight", "Control+ArrowDown"):
        page.keyboard.press(key)
    page.keyboard.press("Space")
    page.wait_for_url("**/places?*sensitive*")
    wait_until_settled(page)
    drawn = link_of(page).scenario
    assert int((~prepare(drawn).sensitive).sum()) == 11 * 11, "ten cells on from the first"
    assert board.evaluate(HAS_FOCUS), "what was drawn leaves the focus where it was"
    walk_to(page, "Box", "Tab")
    walk_to(page, "Undo", "ArrowRight")
    page.keyboard.press("Enter")
    expect_shows(page, BEGIN)


def walk_to(page: Any, name: str, key: str, most: int = 12) -> None:
    """Press a key until the focus is on the stage's button of that name."""
    wanted = page.locator(STAGE).get_by_role("button", name=name, exact=True)
    for _ in range(most):
        if wanted.evaluate(HAS_FOCUS):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{most} times {key} did not reach {name}")


def walk(page: Any) -> None:
    """Open every tab, popover and help text, and take the tour."""
    for name in TABS:
        tab(page, name)
        if name == "Relief":
            expect(page.locator("[data-testid=stDeckGlJsonChart] canvas")).to_be_visible()
    for key in ("places-protection", "places-more", "places-own"):
        expect(page.locator(f".st-key-{key} button:visible").first).to_be_visible()
    for popover in page.locator("[data-testid=stPopoverButton]:visible").all():
        popover.click()
        body = page.locator("[data-testid=stPopoverBody]:visible")
        expect(body).to_contain_text(re.compile(r"\w"))  # or what fills it opens it once more
        wait_until_settled(page)
        page.keyboard.press("Escape")
        expect(body).to_have_count(0)
    for spot in page.locator("[data-testid=stTooltipIcon]:visible").all():
        spot.hover()
        expect(page.locator("[data-testid=stTooltipContent]:visible").first).to_be_visible()
    button(page, "places-tour").click()
    for step in TOUR:
        expect(page.locator(".st-key-places-strip")).to_contain_text(step.title)
        button(page, "places-next-step").click()
    expect(page.locator(".st-key-places-strip")).to_have_count(0)


def test_a_walk_through_everything_asks_nobody_outside(visit: Visit, watch: Watch) -> None:
    page = visit(QUICKLY_FORECAST)
    walk(page)
    button(page, "places-pin").click()
    expect(page.locator(".st-key-places-pinned-maps .stage")).to_be_visible()
    tab(page, "Share and export")
    with page.expect_download() as saved:
        button(page, "places-csv").click()
    assert saved.value.suggested_filename == "estimate.csv"
    assert len(watch.urls) > 30
    assert watch.outside() == []


def test_the_first_page_leads_to_the_map(visit: Visit, watch: Watch, address: str) -> None:
    page = visit()
    page.goto(address)
    expect(page.locator(".st-key-start-maps .stage .divider")).to_be_visible()
    expect(page.locator("[class*=st-key-open-] button:visible")).to_have_count(len(cards.CARDS))
    for picture in page.locator("[class*=st-key-start-way-] img").all():
        expect(picture).to_have_js_property("complete", True)
        assert picture.evaluate("e => e.naturalWidth") > 0
    wait_until_settled(page)
    page.locator("[class*=st-key-open-] button:visible").first.click()
    page.wait_for_url(f"**/{MAP_PAGE}?*")
    wait_until_ready(page)
    expect_shows(page, BEGIN.with_context(blocks=OneBlock()))
    assert watch.outside() == []


def test_the_watch_knows_what_is_outside() -> None:
    outside = ("https://example.org/x.png", "wss://tiles.example/a", "http://192.0.2.1/")
    inside = ("http://127.0.0.1:8501/x", "ws://localhost:1/_stcore", "data:,x", "blob:http://x/1")
    assert all(map(is_outside, outside))
    assert not any(map(is_outside, inside))
