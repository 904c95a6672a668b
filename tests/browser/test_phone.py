"""On a phone: nothing lies over anything, and a finger that scrolls is not a finger that draws."""

from typing import Any

import pytest

from tests.browser.conftest import Visit

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
