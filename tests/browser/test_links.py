"""The ways between pages: tabs, links from strangers, and Back.

One page of each kind of picture; every page is taken a step back in `ui/test_page_contract.py`.

The classroom on a projector: by keyboard from station to station, and nothing to scroll.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode

import pytest

from caldp_ui.app.navigation import PAGES, SECTIONS
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.maps.scene import BEGIN
from tests.browser.conftest import SCREENS, OpenLink, Profiles, Visit, visiting
from tests.browser.hands import (
    HEADLINE,
    TABS,
    Watch,
    expect,
    expect_script,
    expect_shows,
    to_page,
)
from tests.browser.test_everybody import GROUNDS, violations_in
from tests.servers import wait_until_settled
from tests.strategies import thinned

pytestmark = pytest.mark.browser
IMAGE = "![a](http://example.invalid/x.png) [**Sign in here**](http://example.invalid/login)"
BARE = "<b>http://a.invalid</b> www.example.invalid &#104;ttp://a.invalid :smile: a.@b.invalid"
OURS = "This is not what was sent to you."
MARKED_UP = (
    f"a, img, b, strong:not(:text-is('{OURS}')), code, "
    "[data-testid=stIconMaterial]:not(:text-is('link_off'))"
)


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


BACK_PAGES = (
    MenuPage("values"),
    MenuPage("matrix"),
    MenuPage("distances", "rate"),
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


@pytest.mark.parametrize("many", [2, pytest.param(len(BACK_PAGES), marks=pytest.mark.thorough)])
def test_back_leads_through_what_was_shown_on_every_page(page: Any, many: int) -> None:
    states: list[tuple[MenuPage, PageState, PageState]] = []
    for entry in BACK_PAGES[:many]:
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


NAMES = {Path(entry.path).stem: entry for entry in PAGES[1:]}
HERE = "a[aria-current=page]:visible"
IS_A_LINE = "tabs => tabs.getBoundingClientRect().height <= 48"
CUT = """() => [...document.querySelectorAll('[data-testid=stSelectbox] input')]
    .filter(e => e.scrollWidth > e.clientWidth).map(e => e.value)"""
"""Choices that their menu has no room for."""


def expect_on(page: Any, name: str) -> None:
    """The page is there, its tab says so, and the document has its name."""
    page.wait_for_url(f"**/{name}*")
    expect(page.locator(f"{TABS} {HERE}")).to_have_text([NAMES[name].title])
    expect(page).to_have_title(f"{NAMES[name].title} · caldp")
    wait_until_settled(page)
    expect(page.locator("h1:visible")).to_have_count(1)


@pytest.mark.parametrize(("section", "scheme"), thinned(SECTIONS, GROUNDS, one_in=2))
def test_every_page_is_two_clicks_away_and_breaks_no_rule_in_light_or_dark(
    open_link: OpenLink, section: str, scheme: str
) -> None:
    screen = {**SCREENS["projector"], "color_scheme": scheme}
    page = open_link("", f"{TABS} {HERE}", **screen)
    expect(page.locator(f"{TABS} {HERE}")).to_have_text(["Start"])
    found = {"": violations_in(page, scheme)} if section == SECTIONS[0] else {}
    group = {name: entry for name, entry in NAMES.items() if entry.section == section}
    for name in group:
        to_page(page, name)
        expect_on(page, name)
        titles = [entry.title for entry in group.values()]
        expect(page.locator(f"{TABS} .open a")).to_have_text(titles)
        expect_script(page.locator(f"{TABS} .wide"), IS_A_LINE, True)
        expect_script(page, CUT, [])
        found[name] = violations_in(page, scheme)
    assert {name: rules for name, rules in found.items() if rules} == {}
    page.go_back()
    expect_on(page, list(group)[-2])


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
    page = open_link("yesno", f"{TABS} {HERE}, {TABS} .narrow", **SCREENS["phone"])
    menu = page.locator(f"{TABS} .narrow > summary")
    expect(menu).to_contain_text(NAMES["yesno"].title)
    menu.tap()
    expect(page.locator(f"{TABS} .narrow a:visible")).to_have_text([e.title for e in PAGES])
    page.locator(f"{TABS} .narrow a[href$='/distances']").tap()
    page.wait_for_url("**/distances*")
    expect(menu).to_contain_text("Privacy by distance")
    expect(page.locator(f"{TABS} .narrow a:visible")).to_have_count(0)


HEIGHT = 720
TABS_HEADLINE = ".st-key-headline h1"
PICTURE = ".st-key-classroom-picture"


SMALL: Final = """() => {
    const walk = document.createTreeWalker(
        document.querySelector("[data-testid=stMainBlockContainer]"), NodeFilter.SHOW_TEXT);
    const small = [];
    while (walk.nextNode()) {
        const {textContent: text, parentElement: parent} = walk.currentNode;
        if (!text.trim() || !parent.checkVisibility()) continue;
        if (parent.closest("style, script, [data-testid=stIconMaterial]")) continue;
        const range = document.createRange();
        range.selectNode(walk.currentNode);
        const {width, height} = range.getBoundingClientRect();
        const isSeen = Math.min(width, height) > 1;
        if (isSeen && parseFloat(getComputedStyle(parent).fontSize) < 18) small.push(text);
    }
    return small;
}"""
"""Words of the page that are too small for the last row of a classroom, icons' names aside."""


DRAWN: Final = f"{PICTURE} :is(.js-plotly-plot, .trust)"
BELOW: Final = f"""height => [...document.querySelectorAll("{DRAWN}")]
    .map(each => each.getBoundingClientRect().bottom).filter(bottom => bottom >= height)"""
"""Lower edges of pictures that are below the screen."""


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.thorough)])
def test_every_station_opens_by_keyboard_with_its_picture_on_the_screen(
    profiles: Profiles, address: str, watch: Watch, every: int
) -> None:
    page = profiles(viewport={"width": 1280, "height": HEIGHT}).new_page()
    watch.follow(page)
    page.goto(f"{address}/classroom")
    page.locator(TABS_HEADLINE).wait_for()
    for i, (name, station) in list(enumerate(STATIONS.items(), 1))[::every]:
        page.get_by_role("radio", name=f"{i} {station.title}").focus()
        page.keyboard.press("Enter")
        sentence = station.open(Lesson(name)).headline.sentence
        page.locator(TABS_HEADLINE, has_text=sentence).first.wait_for()
        wait_until_settled(page)
        page.wait_for_url(re.compile("classroom$" if i == 1 else f"&station={name}$"))
        page.locator(DRAWN).first.wait_for()
        expect_script(page, BELOW, [], HEIGHT)
        expect_script(page, SMALL, [])
    page.close()
    watch.check()
