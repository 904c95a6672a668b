"""In forced colours, as in Windows' high contrast, marks and what is chosen can still be seen."""

from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from tests.browser.conftest import DESKTOP, OpenLink

pytestmark = pytest.mark.browser
MARKS = {
    "": (".sides .hundred", ".scale .strip"),
    "values": (".row:not(.heading) .truth", ".row:not(.heading) .range.ours"),
    "matrix": (".leak td[data-x]:not(.own)",),
    "classroom": (".trust .people", "[data-testid=stSlider] [role=group] > * > :first-child"),
    "coarser": (".bars em > i.open",),
    "room": (".row .bar", ".row .range"),
    "results": (".estimates .strip > .share",),
}
"""What shows data on each page, or where a slider stands, without a word in it."""
CHOSEN = {
    "places": (".stage .looks button[aria-pressed=true]", "[role=tab][aria-selected=true]"),
    "classroom": (".st-key-classroom-station button[aria-checked=true]",),
    "adversary?show=fakes": ("label[data-selected=true]",),
}
LEAST = 0.1
BORDER = """e => {
    const probe = document.body.appendChild(document.createElement('div'));
    probe.style.color = 'Highlight';
    const wanted = getComputedStyle(probe).color;
    probe.remove();
    return getComputedStyle(e).borderTopColor === wanted;
}"""


def painted_share(mark: Any) -> float:
    """The share of the element's pixels that are not the white ground's."""
    with Image.open(BytesIO(mark.screenshot())) as picture:
        pixels = picture.convert("L").histogram()
    return 1 - sum(pixels[250:]) / sum(pixels)


def test_marks_keep_their_colours(open_link: OpenLink) -> None:
    shares: dict[tuple[str, str], float] = {}
    for link, marks in MARKS.items():
        page = open_link(link, *marks, viewport=DESKTOP, forced_colors="active")
        shares |= {(link, css): painted_share(page.locator(css).first) for css in marks}
        page.close()
    assert {mark: share for mark, share in shares.items() if share < LEAST} == {}


def test_what_is_chosen_is_framed(open_link: OpenLink) -> None:
    for link, chosen in CHOSEN.items():
        page = open_link(link, *chosen, viewport=DESKTOP, forced_colors="active")
        for css in chosen:
            assert page.locator(css).first.evaluate(BORDER), (link, css)
        page.close()
