"""Links from strangers, and the ways through the address bar, in a real browser."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from benchmarks.browser import ready, serving, settled
from caldp_core.domain.grid import Area
from caldp_core.scenarios.protection import StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.start import cards as start
from tests.browser.conftest import DESKTOP, Visit
from tests.browser.hands import expect, expect_numbers, link_of
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
IMAGE = "![a](http://example.invalid/x.png) [**Sign in here**](http://example.invalid/login)"
BARE = "<b>http://a.invalid</b> www.example.invalid &#104;ttp://a.invalid :smile: a.@b.invalid"
MARKED_UP = "a, img, b, strong, code, [data-testid=stIconMaterial]:not(:text-is('info'))"


@pytest.mark.parametrize(
    ("key", "text"),
    [("epsilon", IMAGE), ("region", BARE), ("blocks", BARE), (None, IMAGE)],
    ids=["epsilon", "region", "blocks", "a key"],
)
def test_a_link_can_make_nothing_but_text(
    visit: Visit, watch: Watch, key: str | None, text: str
) -> None:
    page = visit("?" + (urlencode({key: text}) if key else f"{quote(text)}=1"))
    expect_numbers(page, Scenario())
    told = page.locator("[data-testid=stAlert]")
    assert told.count() == 1
    assert told.locator(MARKED_UP).count() == 0
    # As it was written, but for the joiners that are not seen.
    assert text in told.inner_text().replace("\N{WORD JOINER}", "")
    assert len(watch.asked) > 5
    assert watch.outside() == []


def assert_shows(page: Any, scenario: Scenario, region: Area | None = None) -> None:
    expect_numbers(page, scenario, region)
    settled(page)
    assert link_of(page) == (scenario, region)


def test_back_and_forward_go_through_what_was_shown(visit: Visit) -> None:
    box = Area(40, 41, -75, -73)
    page = visit(f"?blocks=states&region={box}")
    shown = [Scenario(blocks=StateBlocks(), epsilon=epsilon) for epsilon in (1.0, 1.5, 2.0)]
    for scenario in shown[1:]:
        page.locator(".st-key-places-epsilon input[type=range]").press("ArrowRight")
        assert_shows(page, scenario, box)
    page.go_back()
    assert_shows(page, shown[1], box)
    page.go_back()
    assert_shows(page, shown[0], box)
    page.go_forward()
    page.go_forward()
    assert_shows(page, shown[2], box)
    page.locator(".st-key-places-epsilon input[type=range]").press("ArrowRight")
    assert_shows(page, replace(shown[2], epsilon=3.0), box)


@pytest.mark.parametrize("first", ["start", "places?blocks=states"])
def test_the_first_visitor_of_a_server_goes_through_its_entry(
    browser: Any, watch: Watch, tmp_path: Path, first: str
) -> None:
    with serving(tmp_path) as server, browser.new_context(viewport=DESKTOP) as context:
        page = context.new_page()
        watch.follow(page)
        page.goto(f"{server}/{first}")
        expect(page.locator("[data-testid=stTopNav]")).to_be_visible()
        expect(page.locator("[data-testid=stSidebarNav]")).to_have_count(0)
        if first == "start":
            cards = page.locator("[data-testid=stBaseButton-primary]")
            expect(cards).to_have_count(len(start.CARDS))
            settled(page)
            cards.nth(2).click()
        ready(page)
        assert_shows(page, Scenario(blocks=StateBlocks()))
        page.goto(page.url)
        ready(page)
        assert_shows(page, Scenario(blocks=StateBlocks()))
        assert watch.outside() == []
