"""The privacy matrix in a browser: entries by mouse and keys, words below, a phone."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from benchmarks.browser import settled
from tests.browser.conftest import DESKTOP, Profiles
from tests.browser.test_values import PHONE
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser


def opened(context: Any, address: str, watch: Watch) -> Any:
    page = context.new_page()
    watch.follow(page)
    page.goto(f"{address}/matrix?template=ldp")
    page.locator(".board .deed td").first.wait_for()
    settled(page)
    return page


@pytest.fixture(scope="module")
def page(profiles: Profiles, address: str) -> Iterator[Any]:
    """One load for all tests here."""
    watch = Watch()
    found = opened(profiles(viewport=DESKTOP), address, watch)
    yield found
    found.close()
    watch.check()


def field(page: Any, x: int, z: int) -> Any:
    return page.locator(f".promise td[data-x='{x}'][data-z='{z}'] input")


def test_an_entry_is_typed_and_the_audit_answers(page: Any) -> None:
    field(page, 0, 1).click()
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    page.wait_for_url("**levels=0%2C0.5%2C*")
    expect(page.locator(".st-key-headline p")).to_contain_text("keeps all 20 promises")
    expect(field(page, 0, 1)).to_have_value("0.5")
    expect(page.locator(".deed td[data-x='0'][data-z='1']")).to_have_text("0.50✓")
    page.locator(".mirror input").check()
    field(page, 2, 3).fill("∞")
    page.keyboard.press("Enter")
    expect(field(page, 3, 2)).to_have_value("∞")
    settled(page)


def test_arrow_keys_go_past_the_diagonal_and_words_follow(page: Any) -> None:
    stops = page.locator(".promise input[tabindex='0']")
    field(page, 0, 1).focus()
    for key in ("ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    assert stops.count() == 1
    expect(stops).to_have_attribute("aria-label", "Blue against Other")
    readout = page.locator(".board .readout")
    expect(readout).to_contain_text("“Blue” against “Other”, ε = ∞")
    page.locator(".deed td[data-x='4'][data-z='0']").hover()
    expect(readout).to_contain_text("“None” against “Red”, ε = 1: whatever is reported")
    assert page.locator(".lit").count() == 2


def test_the_picture_comes_first_and_nothing_sticks_out_on_a_phone(
    profiles: Profiles, address: str, watch: Watch
) -> None:
    page = opened(profiles(**PHONE), address, watch)
    wide = page.locator("[data-testid=stMain]").evaluate("e => e.scrollWidth - e.clientWidth")
    assert wide <= 0
    table = page.locator(".promise").bounding_box()
    assert table["y"] + table["height"] < page.viewport_size["height"]
    page.close()
    watch.check()


def test_names_from_a_link_are_nothing_but_names(
    profiles: Profiles, address: str, watch: Watch
) -> None:
    hostile = "![](http://e.example/)"
    context = profiles(viewport=DESKTOP)
    for link, there in (
        (f"matrix?names={hostile}|<b>|c&levels=0,1,1;1,0,1;1,1,0&channel=bug", ".deed td"),
        (f"room?question={hostile}&answers={hostile}|<b>&sensitive=0;1", ".board .row"),
    ):
        page = context.new_page()
        watch.follow(page)
        page.goto(f"{address}/{link}")
        page.locator(there).first.wait_for()
        settled(page)
        shown = "headline" if link.startswith("matrix") else "room-sensitive"
        assert hostile in page.locator(f".st-key-{shown}").inner_text().replace("\u2060", "")
        for tab in page.get_by_role("tab").all():
            tab.click()
            settled(page)
        assert page.locator("[data-testid=stMain] img[src*='e.example']").count() == 0
        page.close()
    watch.check()
