"""On narrow screens and phones: nothing beyond the edge, nothing too narrow to be read."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from caldp_ui.app.navigation import PAGES
from caldp_ui.maps.scene import BEGIN
from tests.browser.conftest import SCREENS, OpenLink, Visit
from tests.browser.hands import (
    QUICKLY_FORECAST,
    STAGE,
    eventually,
    expect,
    expect_shows,
    link_of,
    tab,
)
from tests.servers import wait_until_settled

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


ZOOMED = {"width": 320, "height": 256}
"""1280 × 1024 at 400 %."""
DIALS = """() => [
    ...document.querySelectorAll("[class*='-dials'] [data-testid=stSlider] [role=group]")]
    .map(e => e.getBoundingClientRect())
    .map(({width, top, bottom}) => [width, top >= 0 && bottom <= innerHeight])"""
"""The width of each dial's track, and whether it is on the screen."""


@pytest.mark.parametrize("link", ["values", "classroom", "curves", "plan", "matrix"])
def test_dials_are_beside_the_picture_and_can_be_moved(open_link: OpenLink, link: str) -> None:
    phone = {"width": WIDTHS[1], "height": TALL}
    page = open_link(link, "[class*='-dials'] input[type=range]", viewport=phone)

    def check() -> None:
        dials = page.evaluate(DIALS)
        assert dials
        assert all(width > 100 and is_there for width, is_there in dials), dials

    for size in (phone, ZOOMED):
        page.set_viewport_size(size)
        eventually(page, check)


BELOW = """() => {
    const chart = document.querySelector(".st-key-values-chart");
    const bottom = e => e.getBoundingClientRect().bottom;
    return bottom(chart.closest("[data-testid=stColumn]")) - bottom(chart);
}"""


def test_no_empty_screen_is_below_the_picture_of_answers(open_link: OpenLink) -> None:
    size = {"width": WIDTHS[1], "height": TALL}
    page = open_link("values", ".st-key-values-chart", viewport=size)
    eventually(page, lambda: _is_below(page.evaluate(BELOW)))


def _is_below(pixels: float) -> None:
    assert 0 <= pixels < 60


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


@pytest.mark.parametrize("link", ["classroom", "curves"])
def test_words_that_are_set_apart_are_not_cut(open_link: OpenLink, link: str) -> None:
    page = open_link(link, "[data-testid=stButtonGroup] button p")
    page.add_style_tag(content=SPACED)
    page.wait_for_function(f"!({CUT})().length")


BETWEEN = """e => {
    const [left, right] = [...e.querySelectorAll("p")].map(p => p.getBoundingClientRect());
    return right.left - left.right;
}"""


def test_the_ends_of_a_short_track_do_not_meet(open_link: OpenLink) -> None:
    page = open_link("places", ".st-key-places-epsilon input", viewport=PROJECTOR)
    page.locator(".stage").get_by_role("button", name="Present").first.click()
    page.wait_for_function("document.documentElement.hasAttribute('data-presenting')")
    ends = page.locator(".st-key-places-epsilon [data-testid=stSliderTickBar]")
    eventually(page, lambda: _apart(ends))


def _apart(ends: Any) -> None:
    assert ends.bounding_box()["width"] < 150
    assert ends.evaluate(BETWEEN) > 10


THUMB = """() => {
    const {width, height} = document.querySelector("[data-tag] button").getBoundingClientRect();
    return Math.min(width, height) >= 24;
}"""


def test_tags_are_taken_away_by_a_thumb(open_link: OpenLink) -> None:
    page = open_link("curves", "[data-tag] button")
    page.wait_for_function(THUMB)


def test_a_slider_has_one_name_and_its_ends_are_not_read(open_link: OpenLink) -> None:
    page = open_link("values", "[data-testid=stSlider] input")
    for name in ("Privacy level ε", "People"):
        expect(page.get_by_role("slider", name=name, exact=True)).to_have_count(1)
    for words in ("stSliderTickBar", "stSliderThumbValue"):
        expect(page.locator(f"[data-testid={words}]:not([aria-hidden=true])")).to_have_count(0)


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


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
OVERLAPS = """() => {
    const chart = document.querySelector('.st-key-curve');
    const box = css => [...chart.querySelectorAll(css)].map(e => e.getBoundingClientRect());
    const meets = (a, b) => a.left < b.right && b.left < a.right
        && a.top < b.bottom && b.top < a.bottom;
    const buttons = box('.modebar-btn'), names = box('.legendtext');
    return [buttons.length, names.length,
        names.filter(name => buttons.some(button => meets(name, button))).length];
}"""


@pytest.fixture
def phone(visit: Visit) -> Any:
    return visit(**PHONE)


def sheet(page: Any) -> list[Any]:
    return [page.locator(css) for css in (".st-key-places-epsilon input[type=range]", ".odds")]


def test_all_maps_come_first_and_the_sheet_stays_on_screen(phone: Any) -> None:
    frames = [frame.bounding_box() for frame in phone.locator(f"{STAGE} .frame:visible").all()]
    assert len(frames) == 3
    assert frames[-1]["y"] + frames[-1]["height"] / 2 < 844 - 103, "the sheet hides a map"
    phone.locator("[data-testid=stMain]").evaluate("e => e.scrollTo(0, e.scrollHeight)")
    wait_until_settled(phone)
    for part in sheet(phone):
        top = part.evaluate("e => e.getBoundingClientRect().top")
        assert 844 - 103 <= top < 844
    wide = phone.locator("[data-testid=stMain]").evaluate("e => e.scrollWidth - e.clientWidth")
    assert wide <= 0
    sheet(phone)[0].press("ArrowRight")
    expect_shows(phone, BEGIN.with_context(epsilon=1.5))


def test_buttons_of_a_chart_leave_the_names_of_its_lines_free(visit: Visit) -> None:
    phone = visit(QUICKLY_FORECAST, **PHONE)
    tab(phone, "Error curves")
    expect(phone.locator(".st-key-curve .legendtext").first).to_be_visible()
    buttons, names, covered = phone.evaluate(OVERLAPS)
    assert buttons >= 3
    assert names == 2
    assert covered == 0


def test_a_finger_over_a_map_scrolls_the_page(phone: Any) -> None:
    box = phone.locator(f"{STAGE} .frame").nth(1).bounding_box()
    main = phone.locator("[data-testid=stMain]")
    before: float = main.evaluate("e => e.scrollTop")
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
    assert link_of(phone).scenario == BEGIN
