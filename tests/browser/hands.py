"""What hands and eyes do on the map page, by keys of widgets and containers, not by wording."""

import os
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from benchmarks.browser import missing, ready, settled
from caldp_core.domain.grid import US_GRID, Area
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.places.drawing import ADD, REMOVE, TOOLS
from caldp_ui.words import formats

if os.environ.get("CALDP_BROWSER_REQUIRED") != "1":
    pytest.importorskip("playwright.sync_api", reason=missing())
from playwright.sync_api import expect

PATIENCE_MS = 20_000
expect.set_options(timeout=PATIENCE_MS)  # a busy machine is slow, not wrong
DRAWN_SLIPS = 0.5
"""Degrees by which a drag may be off: a pixel and a cell."""


def link_of(page: Any) -> tuple[Scenario, Area | None]:
    """Scenario and region that the address bar holds."""
    query = dict(parse_qsl(urlsplit(page.url).query, keep_blank_values=True))
    region = query.pop("region", None)
    return Scenario.from_query(query), Area.parse(region) if region else None


def numbers(page: Any, key: str) -> Any:
    """The big numbers in the container with that key."""
    return page.locator(f".st-key-{key} [data-testid=stMetricValue]")


def expect_numbers(page: Any, scenario: Scenario, region: Area | None = None) -> None:
    """Both errors, and the region's numbers, become those of a fresh run by the core."""
    setup = prepare(scenario)
    ours, plain = run(setup), run(prepare(scenario.plain()))
    for key, result in (("tv-ours", ours), ("tv-plain", plain)):
        text = formats.share(result.first.errors.tv)
        expect(numbers(page, key)).to_have_text([text], timeout=PATIENCE_MS)
    if region is None:
        expect(numbers(page, "region")).to_have_count(0, timeout=PATIENCE_MS)
        return
    report = region_report(setup, ours.first, US_GRID.inside(region))
    low, high = formats.people(report.low), formats.people(report.high)
    texts = [formats.people(report.truth), formats.people(report.estimate), f"{low} – {high}"]
    expect(numbers(page, "region")).to_have_text(texts, timeout=PATIENCE_MS)


STILL = """async selector => {
    let before = null;
    for (;;) {
        await new Promise(requestAnimationFrame);
        const found = document.querySelector(selector);
        found?.scrollIntoView({block: 'center', behavior: 'instant'});
        const {x, y, width, height} = found?.getBoundingClientRect() ?? {};
        const now = [x, y, width, height].join();
        if (width && now === before) return {x, y, width, height};
        before = now;
    }
}"""
"""Scrolls to an element and waits until it no longer moves."""


def drag(page: Any, area: Area) -> None:
    """Drag a box from its north-west to its south-east with the mouse on the map of the truth."""
    ready(page)
    box, whole = page.evaluate(STILL, ".st-key-map-truth image"), US_GRID.area

    def at(latitude: float, longitude: float) -> tuple[float, float]:
        right = (longitude - whole.west) / (whole.east - whole.west)
        down = (whole.north - latitude) / (whole.north - whole.south)
        return box["x"] + right * box["width"], box["y"] + down * box["height"]

    page.mouse.move(*at(area.north, area.west))
    page.mouse.down()
    page.mouse.move(*at(area.south, area.east), steps=6)
    page.mouse.up()


def assert_close(drawn: Area, meant: Area) -> None:
    """The box is where it was dragged, but for pixels and whole cells."""
    for edge in ("south", "north", "west", "east"):
        assert abs(getattr(drawn, edge) - getattr(meant, edge)) <= DRAWN_SLIPS


def take(page: Any, tool: str) -> None:
    """Take a tool in hand."""
    page.locator(".st-key-tool button").nth(TOOLS.index(tool)).click()
    asks_for_blocks = int(tool in (ADD, REMOVE))
    expect(page.locator(".st-key-whole-blocks")).to_have_count(asks_for_blocks)
    settled(page)


def by_icon(page: Any, icon: str) -> Any:
    """The button with that icon; Streamlit keeps a hidden twin of those that have a help text."""
    return page.locator(f"button:visible:has([data-testid=stIconMaterial]:text-is('{icon}'))")


def tab(page: Any, number: int) -> None:
    """Open a tab."""
    page.locator(".st-key-view [role=tab]").nth(number).click()


def tab_key_until(page: Any, selector: str, most: int = 120) -> None:
    """Press Tab until the focus is on something that matches."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("css => document.activeElement.matches(css)", selector):
            return
    raise AssertionError(f"{most} times Tab did not reach {selector}")
