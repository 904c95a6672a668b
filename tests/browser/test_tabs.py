"""The tabs: every page is two clicks away, by mouse, by keyboard and on a phone; and readable."""

from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from benchmarks.browser import wait_until_settled
from caldp_ui.app.navigation import PAGES, SECTIONS
from tests.browser.conftest import SCREENS, OpenLink
from tests.browser.hands import TABS, expect, to_page
from tests.browser.test_axe import GROUNDS, violations_in_both

pytestmark = pytest.mark.browser
NAMES = {Path(entry.path).stem: entry for entry in PAGES[1:]}
HERE = "a[aria-current=page]:visible"


def expect_on(page: Any, name: str) -> None:
    """The page is there, its tab says so, and the document has its name."""
    page.wait_for_url(f"**/{name}*")
    expect(page.locator(f"{TABS} {HERE}")).to_have_text([NAMES[name].title])
    expect(page).to_have_title(f"{NAMES[name].title} · caldp")
    wait_until_settled(page)
    expect(page.locator("h1:visible")).to_have_count(1)


def test_start_breaks_no_rule_in_light_or_dark(open_link: OpenLink) -> None:
    page = open_link("", f"{TABS} {HERE}", **SCREENS["projector"])
    expect(page.locator(f"{TABS} {HERE}")).to_have_text(["Start"])
    assert violations_in_both(page, "light") == []


@pytest.mark.parametrize("section", SECTIONS)
def test_every_page_is_two_clicks_away_and_breaks_no_rule_in_light_or_dark(
    open_link: OpenLink, section: str
) -> None:
    """Each begins in the scheme in which the one before ended, as a switch draws the page anew."""
    page = open_link("", f"{TABS} {HERE}", **SCREENS["projector"])
    schemes, found = cycle(GROUNDS), {}
    group = {name: entry for name, entry in NAMES.items() if entry.section == section}
    for name in group:
        to_page(page, name)
        expect_on(page, name)
        titles = [entry.title for entry in group.values()]
        expect(page.locator(f"{TABS} .open a")).to_have_text(titles)
        assert page.locator(f"{TABS} .wide").bounding_box()["height"] <= 48
        found[name] = violations_in_both(page, next(schemes))
    assert {name: rules for name, rules in found.items() if rules} == {}
    page.go_back()
    expect_on(page, list(group)[-2])
    to_page(page, "")
    page.wait_for_url(lambda url: url.endswith("/"))


def test_the_keyboard_opens_a_group_and_escape_closes_it(open_link: OpenLink) -> None:
    page = open_link("yesno", f"{TABS} {HERE}", **SCREENS["projector"])
    group = page.locator(f"{TABS} details.closed").first
    group.locator("summary").press("Enter")
    expect(group.locator("a").first).to_be_visible()
    group.locator("a").first.press("Escape")
    expect(group.locator("a").first).to_be_hidden()
    expect(group.locator("summary")).to_be_focused()
    group.locator("summary").press("Enter")
    group.locator("a").nth(1).press("Enter")
    expect_on(page, "coarser")


def test_a_phone_has_one_menu_of_all_pages(open_link: OpenLink) -> None:
    page = open_link("plan", f"{TABS} {HERE}, {TABS} .narrow", **SCREENS["phone"])
    menu = page.locator(f"{TABS} .narrow > summary")
    expect(menu).to_contain_text("Plan a survey")
    menu.tap()
    expect(page.locator(f"{TABS} .narrow a:visible")).to_have_text([e.title for e in PAGES])
    page.locator(f"{TABS} .narrow a[href$='/distances']").tap()
    page.wait_for_url("**/distances*")
    expect(menu).to_contain_text("Privacy by distance")
    expect(page.locator(f"{TABS} .narrow a:visible")).to_have_count(0)
