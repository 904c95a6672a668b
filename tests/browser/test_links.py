"""Links from strangers, and the ways through the address bar, in a real browser."""

from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from benchmarks.browser import wait_until_ready, wait_until_settled
from benchmarks.server import server_address
from caldp_core.domain.grid import Area
from caldp_core.scenarios.blocks import StateBlocks
from caldp_ui.maps.presets import BEGIN
from caldp_ui.places.page_state import PlacesState
from caldp_ui.start import page as cards
from tests.browser.conftest import DESKTOP, Visit
from tests.browser.hands import SLIDER, TABS, expect, expect_shows, link_of
from tests.browser.watch import Watch
from tests.products import thinned

pytestmark = pytest.mark.browser
IMAGE = "![a](http://example.invalid/x.png) [**Sign in here**](http://example.invalid/login)"
BARE = "<b>http://a.invalid</b> www.example.invalid &#104;ttp://a.invalid :smile: a.@b.invalid"
OURS = "This is not what was sent to you."
MARKED_UP = (
    f"a, img, b, strong:not(:text-is('{OURS}')), code, "
    "[data-testid=stIconMaterial]:not(:text-is('link_off'))"
)
STATES = BEGIN.with_context(blocks=StateBlocks())
STATES_LINK = "places?v=2&blocks=states"


@pytest.mark.parametrize(
    "written", thinned([("epsilon", IMAGE), ("region", BARE), (None, IMAGE)], one_in=3)
)
def test_a_link_can_make_nothing_but_text(
    visit: Visit, watch: Watch, written: tuple[str | None, str]
) -> None:
    key, text = written
    page = visit("places?" + (urlencode({key: text}) if key else f"{quote(text)}=1"))
    expect_shows(page, BEGIN)
    warning = page.locator("[data-testid=stAlert]")
    expect(warning).to_have_count(1)
    assert warning.locator(MARKED_UP).count() == 0
    # As it was written, but for the joiners that are not seen, and for its end where it is long.
    assert text[:40] in warning.inner_text().replace("\N{WORD JOINER}", "")
    assert len(watch.urls) > 5
    assert watch.outside() == []


def test_back_and_forward_go_through_what_was_shown(visit: Visit) -> None:
    box = Area(40, 41, -75, -73)
    page = visit(f"{STATES_LINK}&region={box}")
    scenarios = [STATES.with_context(epsilon=epsilon) for epsilon in (1.0, 1.5, 2.0)]
    for scenario in scenarios[1:]:
        page.locator(SLIDER).press("ArrowRight")
        expect_shows(page, scenario)
    page.go_back()
    expect_shows(page, scenarios[1])
    page.go_back()
    expect_shows(page, scenarios[0])
    page.go_forward()
    page.go_forward()
    expect_shows(page, scenarios[2])
    page.locator(SLIDER).press("ArrowRight")
    expect_shows(page, STATES.with_context(epsilon=3.0))
    assert link_of(page) == PlacesState(STATES.with_context(epsilon=3.0), box)


@pytest.mark.parametrize("first", thinned([STATES_LINK, "start"], one_in=2))
def test_the_first_visitor_of_a_server_goes_through_its_entry(
    browser: Any, watch: Watch, tmp_path: Path, first: str
) -> None:
    with server_address(tmp_path) as server, browser.new_context(viewport=DESKTOP) as context:
        page = context.new_page()
        watch.follow(page)
        page.goto(f"{server}/{first}")
        expect(page.locator(f"{TABS} a[aria-current=page]:visible")).to_have_count(1)
        expect(page.locator("[data-testid=stTopNav]")).to_have_count(0)
        expect(page.locator("[data-testid=stSidebar]")).to_be_hidden()
        if first != STATES_LINK:
            expect(page).to_have_title("Start · caldp")
            page.wait_for_url(f"{server}/")
            buttons = page.locator("[class*=st-key-open-] button:visible")
            expect(buttons).to_have_count(len(cards.CARDS))
            wait_until_settled(page)
            buttons.nth([card.apply(BEGIN) for card in cards.CARDS].index(STATES)).click()
            page.wait_for_url("**/places?*")
        wait_until_ready(page)
        expect_shows(page, STATES)
        assert page.title() == "Places on a map · caldp"
        page.goto(page.url)
        wait_until_ready(page)
        expect_shows(page, STATES)
        assert watch.outside() == []
