"""Pins in a browser: what is pinned and what is tried stand beside each other, until it is let go.

One page of each kind of picture: maps, rows of answers, a chart, a chart that alone tells numbers.
All pages, and the numbers of both, are held against the core in `ui/test_pins.py`.
"""

from typing import Any, Final

import pytest

from benchmarks.browser import wait_until_settled
from tests.browser.conftest import OpenLink
from tests.browser.hands import button, eventually, expect

pytestmark = pytest.mark.browser
PINS: Final = {
    "places": ".st-key-places-pinned-maps .stage[data-painted]",
    "values": ".st-key-values-board .point.pinned:visible",
    "curves": ".st-key-curves-chart text:has-text('pinned')",
    "plan": ".st-key-plan-chart text:has-text('pinned')",
}
"""Where a page with pins draws what is pinned."""
LINKS: Final = {"curves": "curves?methods=oue"}
"""Pages that begin with trials, at what needs none."""
WITHOUT_TABLE: Final = ("curves",)
"""Its numbers are the curves."""
CELLS: Final = "row => [...row.cells].map(cell => cell.innerText)"


@pytest.mark.parametrize("name", PINS)
def test_what_is_pinned_stands_beside_what_is_tried(open_link: OpenLink, name: str) -> None:
    slider = f".st-key-{name}-epsilon input[type=range]"
    page = open_link(LINKS.get(name, name), slider, f".st-key-{name}-pin button")
    expect(page.locator(PINS[name])).to_have_count(0)
    button(page, f"{name}-pin").click()
    page.wait_for_url("**pinned=*")
    button(page, f"{name}-pins").wait_for()
    wait_until_settled(page)
    page.locator(slider).press("ArrowRight")
    page.locator(PINS[name]).first.wait_for()
    if name not in WITHOUT_TABLE:
        eventually(page, lambda: assert_rows_differ(page, name))  # its numbers come one by one
    button(page, f"{name}-pins").click()
    button(page, f"{name}-unpin-1").click()
    expect(button(page, f"{name}-pins")).to_have_count(0)
    expect(page.locator(PINS[name])).to_have_count(0)
    expect(page.locator(f".st-key-{name}-pinned table")).to_have_count(0)
    page.wait_for_url(lambda url: "pinned" not in url)


def assert_rows_differ(page: Any, name: str) -> None:
    """A table of what is shown now and what is pinned, with no row that is alike in both."""
    rows = page.locator(f".st-key-{name}-pinned tr")
    head, *body = rows.evaluate_all(f"rows => rows.map({CELLS})") or [[]]
    assert " ".join(head).startswith("number now pin 1: ")
    assert any("ε" in "".join(row) for row in body)
    assert all(row[1] != row[2] for row in body)
