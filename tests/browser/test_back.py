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
class Visited:
    """A page of the menu: the key of the slider that is moved, and where it says what it shows.

    `told`: what it says there and goes on saying while the rest of the page fills in.
    """

    page: str
    slider: str = "epsilon"
    said: str = HEADLINE
    told: str = r"[\s\S]+"

    @property
    def control(self) -> str:
        """CSS selector of the slider."""
        return f".st-key-{self.page}-{self.slider} input[type=range]"


@dataclass(frozen=True)
class Seen:
    """What a page shows: its address, what its slider is at, its sentence."""

    url: str
    at: str
    said: str


PAGES = (
    Visited("values"),
    Visited("distances", "rate"),
    Visited("matrix"),
    Visited("classroom"),
    Visited("plan", "people", told=r"[\d.]+ million people"),
)


@pytest.fixture
def page(profiles: Profiles, address: str) -> Iterator[Any]:
    with visiting(profiles(viewport=WIDE), f"{address}/{ASIDE}") as found:
        yield found


def go(page: Any, name: str) -> None:
    """To a page by its tab."""
    to_page(page, name)
    page.wait_for_url(re.compile(rf"/{name}(\?.*)?$"))


def seen(page: Any, visited: Visited) -> Seen:
    """What it shows, once it is there and no map of the page before is."""
    expect(page.locator(f".stage:not(.st-key-{visited.page}-maps-stage .stage)")).to_have_count(0)
    said = page.locator(visited.said)
    expect(said).to_have_text([re.compile(visited.told)])  # none of a film stands in for it
    wait_until_settled(page)
    told = re.search(visited.told, said.inner_text())
    assert told
    at = page.locator(visited.control).get_attribute("aria-valuetext")
    return Seen(page.url, at, told.group())


def changed(page: Any, visited: Visited, before: Seen) -> Seen:
    """What it shows after a key on its slider."""
    page.locator(visited.control).press("ArrowRight")
    page.wait_for_function("url => location.href !== url", arg=before.url)
    expect(page.locator(visited.said).first).not_to_contain_text(before.said)
    return seen(page, visited)


def expect_seen(page: Any, visited: Visited, wanted: Seen) -> None:
    """The page is as it was, and so is its address, once the server has had its say."""
    page.wait_for_url(wanted.url)
    expect(page.locator(visited.control)).to_have_attribute("aria-valuetext", wanted.at)
    expect(page.locator(visited.said)).to_contain_text([wanted.said])
    wait_until_settled(page)
    assert page.url == wanted.url


def test_back_leads_through_what_was_shown_on_every_page(page: Any) -> None:
    shown: list[tuple[Visited, Seen, Seen]] = []
    for visited in PAGES:
        go(page, visited.page)
        page.locator(visited.control).wait_for()
        first = seen(page, visited)
        then = changed(page, visited, first)
        assert then.at != first.at
        shown.append((visited, first, then))
    go(page, ASIDE)
    expect(page).to_have_title(re.compile("^Live poll"))
    for visited, first, then in reversed(shown):
        page.go_back()
        expect_seen(page, visited, then)
        page.go_back()
        expect_seen(page, visited, first)
    page.go_forward()
    expect_seen(page, visited, then)
