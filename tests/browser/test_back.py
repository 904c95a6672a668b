"""The browser's Back button: each page comes back as it was left, then as it was before; one visit.

One page of each kind of picture; every page is taken a step back in `ui/test_page_contract.py`.
The map page and links by hand are in `test_links.py`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from benchmarks.browser import wait_until_settled
from tests.browser.conftest import Profiles, visiting
from tests.browser.hands import HEADLINE, expect, to_page

pytestmark = pytest.mark.browser
WIDE = {"width": 1500, "height": 900}
ASIDE = "room"
"""Where the visit begins, and goes when it leaves the last page."""


@dataclass(frozen=True)
class MenuPage:
    """A page of the menu: the key of the slider that is moved, and where it says what it shows.

    `pattern`: what it says there and goes on saying while the rest of the page fills in.
    """

    page: str
    slider: str = "epsilon"
    headline: str = HEADLINE
    pattern: str = r"[\s\S]+"

    @property
    def control(self) -> str:
        """CSS selector of the slider."""
        return f".st-key-{self.page}-{self.slider} input[type=range]"


@dataclass(frozen=True)
class PageState:
    """What a page shows: its address, what its slider is at, its sentence."""

    url: str
    at: str
    sentence: str


PAGES = (
    MenuPage("values"),
    MenuPage("distances", "rate"),
    MenuPage("matrix"),
    MenuPage("classroom"),
    MenuPage("plan", "people", pattern=r"[\d.]+ million people"),
)


@pytest.fixture
def page(profiles: Profiles, address: str) -> Iterator[Any]:
    with visiting(profiles(viewport=WIDE), f"{address}/{ASIDE}") as found:
        yield found


def go(page: Any, name: str) -> None:
    """To a page by its tab."""
    to_page(page, name)
    page.wait_for_url(re.compile(rf"/{name}(\?.*)?$"))


def read_state(page: Any, entry: MenuPage) -> PageState:
    """What it shows, once it is there and no map of the page before is."""
    expect(page.locator(f".stage:not(.st-key-{entry.page}-maps-stage .stage)")).to_have_count(0)
    headline = page.locator(entry.headline)
    expect(headline).to_have_text([re.compile(entry.pattern)])  # none of a film stands in for it
    wait_until_settled(page)
    match = re.search(entry.pattern, headline.inner_text())
    assert match
    at = page.locator(entry.control).get_attribute("aria-valuetext")
    return PageState(page.url, at, match.group())


def press_right(page: Any, entry: MenuPage, before: PageState) -> PageState:
    """What it shows after a key on its slider."""
    page.locator(entry.control).press("ArrowRight")
    page.wait_for_function("url => location.href !== url", arg=before.url)
    expect(page.locator(entry.headline).first).not_to_contain_text(before.sentence)
    return read_state(page, entry)


def expect_state(page: Any, entry: MenuPage, wanted: PageState) -> None:
    """The page is as it was, and so is its address, once the server has had its say."""
    page.wait_for_url(wanted.url)
    expect(page.locator(entry.control)).to_have_attribute("aria-valuetext", wanted.at)
    expect(page.locator(entry.headline)).to_contain_text([wanted.sentence])
    wait_until_settled(page)
    assert page.url == wanted.url


def test_back_leads_through_what_was_shown_on_every_page(page: Any) -> None:
    states: list[tuple[MenuPage, PageState, PageState]] = []
    for entry in PAGES:
        go(page, entry.page)
        page.locator(entry.control).wait_for()
        first = read_state(page, entry)
        then = press_right(page, entry, first)
        assert then.at != first.at
        states.append((entry, first, then))
    go(page, ASIDE)
    expect(page).to_have_title(re.compile("^Live poll"))
    for entry, first, then in reversed(states):
        page.go_back()
        expect_state(page, entry, then)
        page.go_back()
        expect_state(page, entry, first)
    page.go_forward()
    expect_state(page, entry, then)
