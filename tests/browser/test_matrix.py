"""The privacy matrix in a browser: entries by mouse and keys, words below, a phone."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.browser import wait_until_settled
from tests.browser.conftest import DESKTOP, SCREENS, OpenLink, Profiles, visiting
from tests.browser.hands import expect

pytestmark = pytest.mark.browser
LINK = "matrix?template=ldp"
CELL = ".board .leak td"


@pytest.fixture(scope="module")
def page(profiles: Profiles, address: str) -> Iterator[Any]:
    """One load for all tests here."""
    with visiting(profiles(viewport=DESKTOP), f"{address}/{LINK}", CELL) as found:
        yield found


def field(page: Any, x: int, z: int) -> Any:
    return page.locator(f".limit td[data-x='{x}'][data-z='{z}'] input")


def test_an_entry_is_typed_and_the_audit_answers(page: Any) -> None:
    field(page, 0, 1).click()
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    page.wait_for_url("**levels=0%2C0.5%2C*")
    expect(page.locator(".st-key-headline h1")).to_contain_text(["keeps all 20 limits"])
    expect(field(page, 0, 1)).to_have_value("0.5")
    expect(page.locator(".leak td[data-x='0'][data-z='1']")).to_have_text("0.50✓")
    page.locator(".mirror input").check()
    field(page, 2, 3).fill("∞")
    page.keyboard.press("Enter")
    expect(field(page, 3, 2)).to_have_value("∞")
    wait_until_settled(page)


def test_what_is_no_level_is_taken_back_and_the_picture_s_name_follows(open_link: OpenLink) -> None:
    page = open_link(LINK, CELL, viewport=DESKTOP)
    field(page, 0, 1).fill("abc")
    page.keyboard.press("Enter")
    expect(page.get_by_text("A level must be a number")).to_be_visible()
    expect(field(page, 0, 1)).to_have_value("1")
    board = page.locator(".board")
    expect(board).to_have_attribute("aria-label", re.compile("keeps all 20 limits"))
    page.locator(".st-key-matrix-plant button").click()
    expect(board).to_have_attribute("aria-label", re.compile("breaks 20 of 20 limits"))


def test_arrow_keys_go_past_the_diagonal_and_words_follow(page: Any) -> None:
    field(page, 2, 3).fill("∞")
    page.keyboard.press("Enter")
    page.wait_for_url("**inf*")
    wait_until_settled(page)
    stops = page.locator(".limit input[tabindex='0']")
    field(page, 0, 1).focus()
    for key in ("ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    expect(stops).to_have_count(1)
    expect(stops).to_have_attribute("aria-label", "Blue against Other")
    readout = page.locator(".board .readout")
    expect(readout).to_contain_text("“Blue” against “Other”, ε = ∞")
    page.locator(".leak td[data-x='4'][data-z='0']").hover()
    expect(readout).to_contain_text("“None” against “Red”, ε = 1: any report turns")
    expect(page.locator(".lit")).to_have_count(2)


def test_the_picture_comes_first_and_nothing_sticks_out_on_a_phone(open_link: OpenLink) -> None:
    page = open_link(LINK, CELL, **SCREENS["phone"])
    wide = page.locator("[data-testid=stMain]").evaluate("e => e.scrollWidth - e.clientWidth")
    assert wide <= 0
    table = page.locator(".limit").bounding_box()
    assert table["y"] + table["height"] < page.viewport_size["height"]


def test_names_from_a_link_are_nothing_but_names(open_link: OpenLink) -> None:
    hostile = "![](http://e.example/)"
    for link, there in (
        (f"matrix?names={hostile}|<b>|c&levels=0,1,1;1,0,1;1,1,0&channel=bug", ".leak td"),
        (f"room?question={hostile}&answers={hostile}|<b>&sensitive=0;1", ".board .row"),
    ):
        page = open_link(link, there, viewport=DESKTOP)
        key = "headline" if link.startswith("matrix") else "room-sensitive"
        assert hostile in page.locator(f".st-key-{key}").inner_text().replace("\u2060", "")
        for tab in page.get_by_role("tab").all():
            tab.click()
            wait_until_settled(page)
        assert page.locator("[data-testid=stMain] img[src*='e.example']").count() == 0
