"""On a phone: nothing lies over anything, and a finger that scrolls is not a finger that draws."""

from typing import Any

import pytest

from benchmarks.browser import settled
from caldp_core.domain.grid import Area
from caldp_core.scenarios.scenario import Scenario
from tests.browser.conftest import Visit
from tests.browser.hands import drag, expect, link_of, tab

pytestmark = pytest.mark.browser
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


def phone(visit: Visit, query: str = "") -> Any:
    page = visit(query, **PHONE)
    page.wait_for_selector(".st-key-curve .legendtext")
    return page


def test_buttons_of_a_chart_leave_the_names_of_its_lines_free(visit: Visit) -> None:
    buttons, names, covered = phone(visit).evaluate(OVERLAPS)
    assert buttons >= 3
    assert names == 2
    assert covered == 0


def swipe_up(page: Any, key: str, by: float = 120.0) -> float:
    """Move a finger up over a chart, and a little to the left; pixels that the page scrolled."""
    picture = page.locator(f".st-key-{key} .main-svg").first
    picture.evaluate("e => e.scrollIntoView({block: 'center', behavior: 'instant'})")
    page.wait_for_timeout(300)
    box = picture.bounding_box()
    x, y = box["x"] + 0.6 * box["width"], box["y"] + 0.8 * box["height"]
    main = page.locator("[data-testid=stMain]")
    before: float = main.evaluate("e => e.scrollTop")
    finger = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        spots = [{"x": a, "y": b} for a, b in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": spots})

    touch("touchStart", (x, y))
    for step in range(1, 11):
        touch("touchMove", (x - 6 * step, y - by * step / 10))
    touch("touchEnd")
    settled(page)
    page.wait_for_timeout(500)
    return float(main.evaluate("e => e.scrollTop")) - before


def test_a_finger_over_a_chart_scrolls_the_page(visit: Visit) -> None:
    page = phone(visit)
    for key in ("map-truth", "map-estimate", "map-error", "curve"):
        assert swipe_up(page, key) > 60, key
        assert link_of(page) == (Scenario(), None)


def test_a_finger_draws_where_it_was_told_to(visit: Visit) -> None:
    page = phone(visit)
    page.locator(".st-key-by-finger label").click()
    expect(page.locator(".st-key-drawn-on")).to_have_count(1)
    settled(page)
    assert swipe_up(page, "map-truth", by=50.0) == 0
    page.wait_for_url("**region=*")


def test_a_mouse_needs_no_switch(visit: Visit) -> None:
    page = visit()
    expect(page.locator(".st-key-by-finger")).to_be_hidden()
    drag(page, Area(40.0, 42.0, -75.0, -72.0))
    page.wait_for_url("**region=*")


def test_columns_in_3d_show_both_coasts_on_a_phone(visit: Visit) -> None:
    """Wide enough, in its own pixels, for what a desktop shows; and all of it on the screen."""
    page = phone(visit)
    tab(page, 1)
    canvas = page.locator("[data-testid=stDeckGlJsonChart] canvas").first
    expect(canvas).to_be_visible()
    box = canvas.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert canvas.evaluate("e => e.clientWidth") >= 840
