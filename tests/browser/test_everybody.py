"""For everybody: dark, on a phone, by keyboard, by ear, and with no network but this machine."""

from typing import Any

import pytest

from benchmarks.browser import pictures, ready, settled
from caldp_core.domain.grid import Area
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.protection import OneBlock
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.places import tour
from caldp_ui.start import cards as start
from tests.browser.conftest import Visit
from tests.browser.hands import (
    by_icon,
    expect,
    expect_numbers,
    link_of,
    numbers,
    tab,
    tab_key_until,
)
from tests.browser.watch import Watch, is_outside

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
CHARTS = "[data-testid=stPlotlyChart], [data-testid=stDeckGlJsonChart]"
COLOURS = """() => {
    const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgb = colour => {
        probe.clearRect(0, 0, 1, 1); probe.fillStyle = colour; probe.fillRect(0, 0, 1, 1);
        return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const heading = document.querySelector('[data-testid=stHeading] h2');
    const ground = document.querySelector('[data-testid=stApp]');
    return [rgb(getComputedStyle(heading).color), rgb(getComputedStyle(ground).backgroundColor)];
}"""


def luminance(colour: list[int]) -> float:
    linear = [
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
        for c in (part / 255 for part in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    ("scheme", "size"),
    [("light", PHONE), ("dark", PHONE), ("dark", {})],
    ids=["light phone", "dark phone", "dark desktop"],
)
def test_page_fits_and_reads(visit: Visit, scheme: str, size: dict[str, Any]) -> None:
    page = visit(color_scheme=scheme, **size)
    assert all(pictures(page).values())
    wide, inner = page.evaluate("[document.scrollingElement.scrollWidth, window.innerWidth]")
    assert wide <= inner
    overflow = page.locator("[data-testid=stMain]").evaluate("e => e.scrollWidth - e.clientWidth")
    assert overflow <= 0
    text, ground = (luminance(colour) for colour in page.evaluate(COLOURS))
    assert (text > ground) == (scheme == "dark")
    low, high = sorted((text, ground))
    assert (high + 0.05) / (low + 0.05) >= 4.5
    expect_numbers(page, Scenario())


def test_keyboard_alone_moves_epsilon(visit: Visit) -> None:
    page = visit()
    tab_key_until(page, ".st-key-places-epsilon input[type=range]")
    page.keyboard.press("ArrowRight")
    expect_numbers(page, Scenario(policy=ContextPolicy(epsilon=1.5)))
    settled(page)
    assert link_of(page) == (Scenario(policy=ContextPolicy(epsilon=1.5)), None)


def test_keyboard_alone_marks_a_box(visit: Visit) -> None:
    page = visit()
    summary = "[data-testid=stExpander] summary"
    page.locator(f"[data-testid=stExpander]:has(.st-key-typed-South) {'summary'}").focus()
    assert page.evaluate("css => document.activeElement.matches(css)", summary)
    page.keyboard.press("Enter")
    for name, value in (("South", "33"), ("North", "35"), ("West", "-119"), ("East", "-117")):
        tab_key_until(page, f".st-key-typed-{name} input")
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type(value)
    tab_key_until(page, "[data-testid=stFormSubmitButton] button")
    page.keyboard.press("Enter")
    page.wait_for_url("**region=*")
    region = Area(33, 35, -119, -117)
    assert link_of(page) == (Scenario(), region)
    expect_numbers(page, Scenario(), region)
    settled(page)
    expect(page.locator(".st-key-typed-South")).to_be_visible()


def assert_charts_have_names(page: Any, least: int) -> None:
    charts = page.locator(CHARTS)
    assert charts.count() >= least
    names = []
    for chart in charts.all():
        # Streamlit 1.67 renders alt= as role="figure" with an aria-label.
        assert chart.get_attribute("role") == "figure"
        names.append(chart.get_attribute("aria-label") or "")
    assert all(len(name) > 30 for name in names)
    assert len(set(names)) == len(names)
    assert page.get_by_role("figure").count() >= least


def test_every_chart_has_a_name_of_its_own(visit: Visit) -> None:
    page = visit()
    assert_charts_have_names(page, 5)
    tab(page, 1)
    expect(page.locator("[data-testid=stDeckGlJsonChart]")).to_be_visible()
    assert_charts_have_names(page, 1)


def open_all(page: Any) -> None:
    """Open every expander, then every popover and every help text in turn."""
    for expander in page.locator("[data-testid=stExpander] details:visible").all():
        if expander.get_attribute("open") is None:
            expander.locator("summary").click()
            settled(page)
    for button in page.locator("[data-testid=stPopoverButton]:visible").all():
        button.click()
        expect(page.locator("[data-testid=stPopoverBody]:visible")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(page.locator("[data-testid=stPopoverBody]:visible")).to_have_count(0)
    for spot in page.locator("[data-testid=stTooltipIcon]:visible").all():
        spot.hover()
        expect(page.locator("[data-testid=stTooltipContent]:visible").first).to_be_visible()


def take_the_tour(page: Any) -> None:
    by_icon(page, "tour").click()
    for step in range(len(tour._STEPS)):
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_text(f"{step + 1} of {len(tour._STEPS)}")).to_be_visible()
        dialog.locator("[data-testid=stBaseButton-primary]").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_walk_through_everything_asks_nobody_outside(visit: Visit, watch: Watch) -> None:
    page = visit()
    open_all(page)
    take_the_tour(page)
    page.locator(".st-key-curve-against button").nth(1).click()
    settled(page)
    page.locator(".st-key-map-error").hover()
    with page.expect_download() as saved:
        page.locator(".st-key-map-error .modebar-btn").first.click()
    assert saved.value.suggested_filename.endswith(".png")
    tab(page, 1)
    expect(page.locator("[data-testid=stDeckGlJsonChart] canvas").first).to_be_visible()
    tab(page, 2)
    expect(page.locator("[data-testid=stTable]").first).to_be_visible()
    open_all(page)
    page.goto(page.url.split("?")[0] + "start")
    cards = page.locator("[data-testid=stBaseButton-primary]")
    expect(cards).to_have_count(len(start.CARDS))
    cards.first.click()
    ready(page)
    assert link_of(page) == (start.CARDS[0].scenario, None)
    expect_numbers(page, Scenario(policy=ContextPolicy(blocks=OneBlock())))
    assert len(watch.asked) > 50
    assert watch.outside() == []


def test_the_watch_knows_what_is_outside() -> None:
    outside = ("https://example.org/x.png", "wss://tiles.example/a", "http://192.0.2.1/")
    inside = ("http://127.0.0.1:8501/x", "ws://localhost:1/_stcore", "data:,x", "blob:http://x/1")
    assert all(map(is_outside, outside))
    assert not any(map(is_outside, inside))


def test_a_bad_link_is_told_without_a_traceback(visit: Visit) -> None:
    page = visit("?epsilon=much")
    expect_numbers(page, Scenario())
    assert page.locator("[data-testid=stException]").count() == 0
    assert "Traceback" not in page.locator("body").inner_text()
    assert numbers(page, "tv-ours").count() == 1
