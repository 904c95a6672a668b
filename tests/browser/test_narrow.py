"""On narrow screens nothing lies beyond the edge, and nothing is too narrow to be read."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from benchmarks.browser import wait_until_settled
from caldp_ui.app.navigation import PAGES
from tests.browser.conftest import OpenLink

pytestmark = pytest.mark.browser
LINKS = ["", *(Path(entry.path).stem for entry in PAGES[1:]), "adversary?show=fakes"]
WIDTHS = (320, 390)
TALL = 844
FAULTS = r"""() => {
    const all = root => [...root.querySelectorAll('*')]
        .flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
    const up = e => e.parentElement ?? e.getRootNode().host;
    const scrolls = e => e && e.dataset.testid !== 'stMain'
        && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(up(e)));
    const rules = {
        'is too narrow': [e => e.matches('.react-aria-ComboBox'), b => b.width < 100],
        'breaks words': [
            e => e.matches('[class*=st-key-start-words]'), b => b.width < 180],
        'has no room for its name': [
            e => e.matches('[data-testid=stMarkdownContainer]') && e.closest('button')
                && getComputedStyle(e).clipPath === 'none', b => b.width < 1],
        'is beyond the edge': [
            e => e.matches('button, input:not([type=range]), select, a, summary, .legend *'),
            (b, e) => (b.left < -1 || b.right > innerWidth + 1) && !scrolls(up(e))],
    };
    const name = e => e.ariaLabel || e.querySelector('input')?.ariaLabel || e.textContent;
    return all(document.querySelector('[data-testid=stApp]'))
        .filter(e => e.checkVisibility({visibilityProperty: true}) && e.offsetHeight)
        .flatMap(e => Object.entries(rules)
            .filter(([, [is, breaks]]) => is(e) && breaks(e.getBoundingClientRect(), e))
            .map(([fault]) => `${name(e)} ${fault}`));
}"""
"""A sentence for each element that can't be read or reached."""

SHORT = {"width": 640, "height": 360}
COVERED = r"""() => {
    const all = root => [...root.querySelectorAll('*')]
        .flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
    const isFixed = e => e && (getComputedStyle(e).position === 'fixed'
        || isFixed(e.parentElement ?? e.getRootNode().host));
    const isCovered = e => {
        e.focus();
        const box = (e.closest('[data-testid=stSlider]') ?? e).getBoundingClientRect();
        const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        return !hit || isFixed(hit) && !hit.closest('[data-testid=stTooltipContent]');
    };
    const stops = all(document.querySelector('[data-testid=stMainBlockContainer]'))
        .filter(e => e.matches('button, input, summary, [tabindex="0"]') && !e.disabled
            && e.checkVisibility({visibilityProperty: true}) && e.offsetHeight < 100
            && e.tabIndex === 0 && !isFixed(e));
    return [...stops, ...stops.toReversed()].filter(isCovered)
        .map(e => e.ariaLabel || e.textContent);
}"""
"""What is covered while it has the focus, forth and back through all that the keyboard reaches."""


def faults_by_width(page: Any) -> dict[int, list[str]]:
    """What is wrong with the page at each width, where anything is."""
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": TALL})
        wait_until_settled(page)
        found[width] = page.evaluate(FAULTS)
    return {width: faults for width, faults in found.items() if faults}


@pytest.mark.parametrize("link", LINKS)
def test_all_of_each_page_can_be_read_and_reached(open_link: OpenLink, link: str) -> None:
    page = open_link(link, "h1", has_touch=True, viewport={"width": WIDTHS[0], "height": TALL})
    assert faults_by_width(page) == {}


@pytest.mark.parametrize("link", ["places", "values", "classroom", "yesno"])
def test_what_has_the_focus_lies_under_nothing(open_link: OpenLink, link: str) -> None:
    page = open_link(link, "h1", "[class*='-dials'] input[type=range]", viewport=SHORT)
    for size in (SHORT, {"width": WIDTHS[0], "height": SHORT["width"]}):
        page.set_viewport_size(size)
        wait_until_settled(page)
        assert page.evaluate(COVERED) == [], size


FIXED = """() => [...document.querySelectorAll('[data-testid=stApp] *')]
    .filter(e => getComputedStyle(e).position === 'fixed' && e.offsetHeight)
    .map(e => e.className)"""


@pytest.mark.parametrize("link", ["places", "values"])
def test_nothing_stays_in_its_place_on_paper(open_link: OpenLink, link: str) -> None:
    page = open_link(link, "h1", "[class*='-dials'] input[type=range]", viewport=SHORT)
    assert page.evaluate(FIXED), "the dials of a phone"
    page.emulate_media(media="print")
    assert page.evaluate(FIXED) == []
    page.emulate_media(media="screen")


def test_the_sheet_is_as_wide_as_the_screen_where_no_odds_stand_beside_epsilon(
    open_link: OpenLink,
) -> None:
    size = {"width": WIDTHS[1], "height": TALL}
    page = open_link("adversary?show=fakes", ".st-key-adversary-epsilon input", viewport=size)
    assert page.locator(".st-key-adversary-epsilon").bounding_box()["width"] == WIDTHS[1]


MEETS = """([one, other]) => {
    const [a, b] = [one, other].map(e => {
        const range = document.createRange();
        range.selectNodeContents(e);
        return range.getBoundingClientRect();
    });
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}"""


@pytest.mark.parametrize(
    ("link", "size", "words"),
    [
        ("places", {"width": 320, "height": 640}, (".own .note.left", ".own .note.right")),
        ("coarser", SHORT, (".pane:first-child .unit", ".views .more")),
    ],
)
def test_words_of_a_map_do_not_lie_on_each_other(
    open_link: OpenLink, link: str, size: dict[str, int], words: tuple[str, str]
) -> None:
    page = open_link(link, *words, viewport=size)
    handles = [page.locator(f".stage {css}").first.element_handle() for css in words]
    assert not page.evaluate(MEETS, handles)


def test_odds_that_are_cut_are_shaded_at_the_edge_until_their_end(open_link: OpenLink) -> None:
    page = open_link("places", ".st-key-odds .odds", viewport={"width": 320, "height": 640})
    odds = page.locator(".st-key-odds")

    def edge() -> int:
        """How light the lower edge is, at the left of the words."""
        with Image.open(BytesIO(odds.screenshot())) as picture:
            spot = (6, picture.height - 2, 7, picture.height - 1)
            return picture.convert("L").crop(spot).tobytes()[0]

    assert edge() < 200
    odds.evaluate("e => e.scrollTo(0, e.scrollHeight)")
    assert edge() > 250
