"""On a phone: maps come first, ε and the odds stay under the thumb, a finger scrolls the page."""

from typing import Any

import pytest

from benchmarks.browser import wait_until_settled
from caldp_ui.maps.presets import BEGIN
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
