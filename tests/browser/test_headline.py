"""The numbers above the maps can be read in whole, however narrow the screen is."""

from typing import Any

import pytest

from tests.browser.conftest import Visit

CUT = """() => [...document.querySelectorAll('.st-key-headline [data-testid=stMetric] *')]
    .filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible')
    .map(e => e.textContent)"""
SPILLS = """() => {
    const boxes = [...document.querySelectorAll('.st-key-headline > *')];
    return boxes.filter(box => {
        const edge = box.getBoundingClientRect().right + 1;
        return [...box.querySelectorAll('p')].some(p => p.getBoundingClientRect().right > edge);
    }).map(box => box.textContent);
}"""


def texts(page: Any) -> list[str]:
    found: list[str] = page.locator(".st-key-headline [data-testid=stMetric]").all_inner_texts()
    return found


@pytest.mark.parametrize("width", [390, 640, 1024, 1366])
@pytest.mark.parametrize("query", ["", "?n=1000000000000&epsilon=10"])
def test_no_number_of_the_headline_is_cut_off(visit: Visit, width: int, query: str) -> None:
    page = visit(query, viewport={"width": width, "height": 900})
    assert len(texts(page)) == 4
    assert page.evaluate(CUT) == []
    assert page.evaluate(SPILLS) == []
