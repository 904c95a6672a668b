"""On a phone: the maps come first, ε and people stay under the thumb, a finger scrolls the page."""

from typing import Any

import pytest

from benchmarks.browser import settled
from caldp_ui.places.slot import BEGIN
from tests.browser.conftest import Visit
from tests.browser.hands import QUICKLY_FORECAST, STAGE, expect, expect_shows, link_of, tab

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


@pytest.fixture
def phone(visit: Visit) -> Any:
    return visit(**PHONE)


def dials(page: Any) -> list[Any]:
    return [
        page.locator(f".st-key-places-{name} input[type=range]") for name in ("epsilon", "people")
    ]


def test_maps_come_first_and_the_dials_stay_on_screen(phone: Any) -> None:
    frame = phone.locator(f"{STAGE} .frame").first.bounding_box()
    assert frame["y"] + frame["height"] < 844 * 2 / 3
    bar = phone.locator(".st-key-places-dials").bounding_box()
    assert bar["y"] + bar["height"] == pytest.approx(844, abs=1)
    phone.locator("[data-testid=stMain]").evaluate("e => e.scrollTo(0, e.scrollHeight)")
    settled(phone)
    for dial in dials(phone):
        assert dial.evaluate("e => e.getBoundingClientRect().bottom") <= 844
    wide = phone.locator("[data-testid=stMain]").evaluate("e => e.scrollWidth - e.clientWidth")
    assert wide <= 0
    dials(phone)[0].press("ArrowRight")
    expect_shows(phone, BEGIN.with_context(epsilon=1.5))


def test_buttons_of_a_chart_leave_the_names_of_its_lines_free(visit: Visit) -> None:
    phone = visit(QUICKLY_FORECAST, **PHONE)
    tab(phone, "Error curves")
    expect(phone.locator(".st-key-curve .legendtext").first).to_be_visible(timeout=60_000)
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
