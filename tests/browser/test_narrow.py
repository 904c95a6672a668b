"""On narrow screens and phones: nothing beyond the edge, nothing too narrow to be read."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from caldp_ui.app.navigation import PAGES
from tests.browser.conftest import DESKTOP, SCREENS, OpenLink, Visit
from tests.browser.hands import (
    PHONE,
    QUICKLY_FORECAST,
    SLIDER,
    STAGE,
    TABS,
    eventually,
    eventually_equal,
    expect,
    expect_script,
    expect_shows,
    link_of,
    pictures,
    tab,
)
from tests.browser.test_everybody import LAYERS, LEAST, contrast, luminance
from tests.contract.checks import naming
from tests.servers import wait_until_settled

pytestmark = pytest.mark.browser
PAGE_NAMES = {"": "Start", **{Path(entry.path).stem: entry.title for entry in PAGES[1:]}}
WIDTHS = (320, 390)
TALL = 844
NARROWEST = {"width": WIDTHS[0], "height": TALL}
TALL_BY_ZOOM = {"width": 320, "height": 640}
FAULTS = r"""() => {
    const all = root => [...root.querySelectorAll('*')]
        .flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
    const up = e => e.parentElement ?? e.getRootNode().host;
    const scrolls = e => e && e.dataset.testid !== 'stMain'
        && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(up(e)));
    const rules = {
        'is too narrow': [e => e.matches('.react-aria-ComboBox'), b => b.width < 100],
        'breaks words': [
            e => e.matches('[class*=st-key-start-way-]'), b => b.width < 180],
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
PROJECTOR = SCREENS["projector"]["viewport"]
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


def check_widths(page: Any) -> None:
    """Nothing is wrong with the page at any width, once it is drawn."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": TALL})
        wait_until_settled(page)
        expect_script(page, FAULTS, [])


FIXED = """() => [...document.querySelectorAll('[data-testid=stApp] *')]
    .filter(e => getComputedStyle(e).position === 'fixed' && e.offsetHeight)
    .map(e => e.className)"""


ZOOMED = {"width": 320, "height": 256}
"""1280 × 1024 at 400 %."""
DIALS = """() => [
    ...document.querySelectorAll("[class*='-dials'] [data-testid=stSlider] [role=group]")]
    .map(e => e.getBoundingClientRect())
    .map(({width, top, bottom}) => [width, top >= 0 && bottom <= innerHeight])"""
"""The width of each dial's track, and whether it is on the screen."""


BELOW = """() => {
    const chart = document.querySelector(".st-key-values-chart");
    const bottom = e => e.getBoundingClientRect().bottom;
    return bottom(chart.closest("[data-testid=stColumn]")) - bottom(chart);
}"""


MEETS = """([one, other]) => {
    const [a, b] = [one, other].map(e => {
        const range = document.createRange();
        range.selectNodeContents(e);
        return range.getBoundingClientRect();
    });
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}"""


def check_nothing_is_covered(page: Any) -> None:
    """What has the focus lies under nothing."""
    for size in (SHORT, TALL_BY_ZOOM):
        page.set_viewport_size(size)
        wait_until_settled(page)
        expect_script(page, COVERED, [])


def check_paper(page: Any) -> None:
    """Nothing stays in its place on paper."""
    page.set_viewport_size(SHORT)
    eventually_equal(page, lambda: bool(page.evaluate(FIXED)), True)  # a phone's dials
    page.emulate_media(media="print")
    expect_script(page, FIXED, [])
    page.emulate_media(media="screen")


def check_dials(page: Any) -> None:
    """They are beside the picture and can be moved."""

    def check() -> None:
        dials = page.evaluate(DIALS)
        assert dials
        assert all(width > 100 and is_there for width, is_there in dials), dials

    for size in (PHONE["viewport"], ZOOMED):
        page.set_viewport_size(size)
        eventually(page, check)


def check_no_empty_screen(page: Any) -> None:
    """None is below the picture of answers."""
    page.set_viewport_size(PHONE["viewport"])
    eventually(page, lambda: _is_below(page.evaluate(BELOW)))


def _is_below(pixels: float) -> None:
    assert 0 <= pixels < 60


def check_table_is_on_the_screen(page: Any) -> None:
    """The picture of the matrix comes first."""
    page.set_viewport_size(PHONE["viewport"])

    def check() -> None:
        table = page.locator(".limit").bounding_box()
        assert table["y"] + table["height"] < PHONE["viewport"]["height"]

    eventually(page, check)


def check_sheet_is_as_wide_as_the_screen(page: Any) -> None:
    """Where no odds stand beside ε."""
    page.set_viewport_size(PHONE["viewport"])
    sheet = page.locator(".st-key-adversary-epsilon")
    eventually_equal(page, lambda: sheet.bounding_box()["width"], WIDTHS[1])


def check_names_of_sliders(page: Any) -> None:
    """Each has one name, and its ends are not read."""
    for name in ("Privacy level ε", "People"):
        expect(page.get_by_role("slider", name=name, exact=True)).to_have_count(1)
    for words in ("stSliderTickBar", "stSliderThumbValue"):
        expect(page.locator(f"[data-testid={words}]:not([aria-hidden=true])")).to_have_count(0)


def words_apart(size: dict[str, int], *words: str) -> Callable[[Any], None]:
    """A check that these words of a map do not lie on each other."""

    def check(page: Any) -> None:
        page.set_viewport_size(size)
        wait_until_settled(page)
        found = [page.locator(f".stage {css}").first for css in words]
        for each in found:
            each.wait_for()

        def meets() -> object:
            return page.evaluate(MEETS, [each.element_handle() for each in found])

        eventually_equal(page, meets, False)

    return check


UNDER_VIEWS = """() => {
    const views = [...document.querySelectorAll("[data-testid=stApp] *")]
        .map(e => e.shadowRoot?.querySelector(".views")).find(Boolean).getBoundingClientRect();
    const meets = box => box.left < views.right && views.left < box.right
        && box.top < views.bottom && views.top < box.bottom;
    const lines = [...document.querySelectorAll(".headline :is(h1, p)")].filter(e => {
        const words = document.createRange();
        words.selectNodeContents(e);
        return [...words.getClientRects()].some(meets);
    });
    const switches = [...document.querySelectorAll("[class*='-switch'] button")]
        .filter(e => meets(e.getBoundingClientRect()));
    return [...lines, ...switches].map(e => e.textContent);
}"""
"""Lines of the headline and buttons beside it that lie under the views of the maps."""


def check_headline_beside_views(page: Any) -> None:
    """The views of the maps stand at the right of a headline of any length."""
    page.set_viewport_size(PROJECTOR)
    page.locator(".stage .views button").first.wait_for()
    wait_until_settled(page)
    expect_script(page, UNDER_VIEWS, [])


def check_shade_of_odds(page: Any) -> None:
    """Odds that are cut are shaded at the edge until their end."""
    page.set_viewport_size(TALL_BY_ZOOM)
    odds = page.locator(".st-key-odds")

    def edge() -> int:
        """How light the lower edge is, at the left of the words."""
        with Image.open(BytesIO(odds.screenshot())) as picture:
            spot = (6, picture.height - 2, 7, picture.height - 1)
            return picture.convert("L").crop(spot).tobytes()[0]

    eventually_equal(page, lambda: edge() < 200, True)
    odds.evaluate("e => e.scrollTo(0, e.scrollHeight)")
    eventually_equal(page, lambda: edge() > 250, True)


SPACED = """* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
    word-spacing: 0.16em !important; }
p { margin-bottom: 2em !important; }"""
"""As far apart as WCAG 2 (1.4.12) lets readers set words."""
CUT = """() => [...document.querySelectorAll("[role=tab], [data-testid=stButtonGroup] button")]
    .filter(e => e.checkVisibility()).filter(e => {
        const [own, words] = [e, e.querySelector("p")].map(each => each.getBoundingClientRect());
        return words.top < own.top || words.bottom > own.bottom
            || e.scrollHeight > e.offsetHeight + 2;
    }).map(e => e.textContent)"""
"""Buttons and tabs that cut their words."""
THUMB = """() => {
    const box = document.querySelector("[data-tag] button")?.getBoundingClientRect();
    return box && Math.min(box.width, box.height) >= 24;
}"""
BETWEEN = """e => {
    const [left, right] = [...e.querySelectorAll("p")].map(p => p.getBoundingClientRect());
    return right.left - left.right;
}"""


def check_words_set_apart(page: Any) -> None:
    """They are not cut."""
    page.set_viewport_size(DESKTOP)
    page.locator("[data-testid=stButtonGroup] button p").first.wait_for()
    style = page.add_style_tag(content=SPACED)
    page.wait_for_function(f"!({CUT})().length")
    style.evaluate("e => e.remove()")


def check_tags(page: Any) -> None:
    """A thumb takes them away."""
    page.wait_for_function(THUMB)


def check_ends_of_a_short_track(page: Any) -> None:
    """They do not meet while the page is presented."""
    page.set_viewport_size(PROJECTOR)
    page.locator(".stage").get_by_role("button", name="Present").first.click()
    page.wait_for_function("document.documentElement.hasAttribute('data-presenting')")
    ends = page.locator(".st-key-places-epsilon [data-testid=stSliderTickBar]")

    def are_apart() -> None:
        assert ends.bounding_box()["width"] < 150
        assert ends.evaluate(BETWEEN) > 10

    eventually(page, are_apart)
    page.keyboard.press("Escape")
    page.wait_for_function("!document.documentElement.hasAttribute('data-presenting')")


MORE: dict[str, tuple[Callable[[Any], None], ...]] = {
    "places": (
        check_headline_beside_views,
        check_ends_of_a_short_track,
        words_apart(TALL_BY_ZOOM, ".own .note.left", ".own .note.right"),
        check_shade_of_odds,
        check_paper,
        check_nothing_is_covered,
    ),
    "values": (
        check_names_of_sliders,
        check_dials,
        check_no_empty_screen,
        check_paper,
        check_nothing_is_covered,
    ),
    "classroom": (check_words_set_apart, check_dials, check_nothing_is_covered),
    "yesno": (check_nothing_is_covered,),
    "curves": (check_tags, check_words_set_apart, check_dials),
    "plan": (check_dials,),
    "matrix": (check_table_is_on_the_screen, check_dials),
    "distances": (check_headline_beside_views,),
    "personal": (check_headline_beside_views,),
    "adversary": (check_headline_beside_views,),
    "coarser": (words_apart(SHORT, ".pane:first-child .unit", ".views .more"),),
}
"""What is asked of some pages beside what is asked of each; the focus moves last."""


def test_all_of_each_page_can_be_read_and_reached(open_link: OpenLink) -> None:
    """From page to page by the menu: most of the time goes into opening one anew."""
    page = open_link("", "h1", has_touch=True, viewport=NARROWEST)
    for name in PAGE_NAMES:
        go(page, name)
        with naming(name or "start"):
            check_widths(page)
            for check in MORE.get(name, ()):
                check(page)
        page.set_viewport_size(NARROWEST)


def go(page: Any, name: str) -> None:
    """To a page by its link in the menu."""
    if name:
        there = page.locator(f"{TABS} a[href$='/{name}']").first
        there.evaluate("link => link.click()")
        page.wait_for_url(f"**/{name}*")
    expect(page).to_have_title(f"{PAGE_NAMES[name]} · caldp")
    wait_until_settled(page)


OVERLAPS = """() => {
    const chart = document.querySelector('.st-key-curve');
    const box = css => [...chart.querySelectorAll(css)].map(e => e.getBoundingClientRect());
    const meets = (a, b) => a.left < b.right && b.left < a.right
        && a.top < b.bottom && b.top < a.bottom;
    const buttons = box('.modebar-btn'), names = box('.legendtext');
    return [buttons.length, names.length,
        names.filter(name => buttons.some(button => meets(name, button))).length];
}"""


def test_a_phone_in_the_dark(visit: Visit) -> None:
    """All maps come first, a finger over them scrolls the page, and the sheet stays on screen."""
    phone = visit(QUICKLY_FORECAST, color_scheme="dark", **PHONE)
    begin = link_of(phone).scenario
    eventually_equal(phone, lambda: len(set(pictures(phone))), 3)
    text, ground, opacity, _ = phone.locator("h1").evaluate_all(LAYERS)[0]
    assert luminance(text) > luminance(ground)
    assert contrast(text, ground, opacity) >= LEAST
    frames = phone.locator(f"{STAGE} .frame:visible")
    expect(frames).to_have_count(3)

    def is_above_the_sheet() -> bool:
        box = frames.last.bounding_box()
        return bool(box["y"] + box["height"] / 2 < TALL - 103)

    eventually_equal(phone, is_above_the_sheet, True)
    finger_scrolls(phone)
    assert link_of(phone).scenario == begin
    main = phone.locator("[data-testid=stMain]")
    main.evaluate("e => e.scrollTo(0, e.scrollHeight)")
    wait_until_settled(phone)
    slider = phone.locator(SLIDER)
    for part in (slider, phone.locator(".odds")):

        def is_on_the_sheet(part: Any = part) -> bool:
            return bool(TALL - 103 <= part.evaluate("e => e.getBoundingClientRect().top") < TALL)

        eventually_equal(phone, is_on_the_sheet, True)
    assert main.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    slider.press("ArrowRight")
    expect_shows(phone, begin.with_context(epsilon=1.5))
    tab(phone, "Error curves")
    expect(phone.locator(".st-key-curve .legendtext").first).to_be_visible()

    def no_button_lies_on_a_name() -> None:
        buttons, names, covered = phone.evaluate(OVERLAPS)
        assert buttons >= 3
        assert (names, covered) == (2, 0)

    eventually(phone, no_button_lies_on_a_name)


def finger_scrolls(phone: Any) -> None:
    """A finger that moves over a map has the page follow it."""
    box = phone.locator(f"{STAGE} .frame").nth(1).bounding_box()
    before: float = phone.locator("[data-testid=stMain]").evaluate("e => e.scrollTop")
    finger = phone.context.new_cdp_session(phone)
    x, y = box["x"] + 0.6 * box["width"], box["y"] + 0.8 * box["height"]

    def touch(kind: str, *points: tuple[float, float]) -> None:
        spots = [{"x": a, "y": b} for a, b in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": spots})

    touch("touchStart", (x, y))
    for step in range(1, 11):
        touch("touchMove", (x - 6 * step, y - 12 * step))
    touch("touchEnd")
    phone.wait_for_function(
        "before => document.querySelector('[data-testid=stMain]').scrollTop > before + 60",
        arg=before,
    )
