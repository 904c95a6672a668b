"""The numbers above the maps can be read in whole, however narrow the screen is."""

from typing import Any

import pytest

from benchmarks.browser import settled
from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser
CUT = """() => [...document.querySelectorAll('[data-testid=stMetric] *')]
    .filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible')
    .map(e => e.textContent)"""
SPILLS = """() => {
    const boxes = [
        ...document.querySelectorAll('.st-key-headline > *, .st-key-region-numbers > *')];
    return boxes.filter(box => {
        const edge = box.getBoundingClientRect().right + 1;
        return [...box.querySelectorAll('p')].some(p => p.getBoundingClientRect().right > edge);
    }).map(box => box.textContent);
}"""


def texts(page: Any) -> list[str]:
    found: list[str] = page.locator("[data-testid=stMetric]").all_inner_texts()
    return found


@pytest.mark.parametrize("query", ["", "?n=1000000000000&epsilon=10&region=40,41,-75,-73"])
def test_no_number_of_the_headline_is_cut_off(visit: Visit, query: str) -> None:
    page = visit(query, viewport={"width": 1366, "height": 900})
    for width in (1366, 1024, 640, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(500)  # until the layout has followed
        settled(page)
        assert len(texts(page)) == (7 if "region" in query else 4)
        assert page.evaluate(CUT) == [], width
        assert page.evaluate(SPILLS) == [], width


def test_the_upper_maps_are_on_the_first_screen(visit: Visit) -> None:
    page = visit("", viewport={"width": 1280, "height": 900})
    for key in ("map-truth", "map-estimate"):
        box = page.locator(f".st-key-{key} image").bounding_box()
        assert box["y"] + box["height"] <= 900
