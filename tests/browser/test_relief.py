"""The relief in a browser: its code comes once it is opened, from here, and it draws."""

from typing import Final

import pytest

from tests.browser.conftest import OpenLink
from tests.browser.hands import expect, tab

pytestmark = pytest.mark.browser
READY: Final = ".st-key-places-maps .stage[data-painted]"
CANVAS: Final = "[data-testid=stDeckGlJsonChart] canvas"


def test_a_relief_is_fetched_from_here_alone_and_only_once_it_is_opened(
    open_link: OpenLink,
) -> None:
    page = open_link("places", READY)
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    expect(page.locator(CANVAS)).to_have_count(0)
    tab(page, "Relief")
    expect(page.locator(CANVAS)).to_be_visible()
    expect(page.get_by_role("table").filter(has_text="square around")).to_be_visible()
    assert any("DeckGl" in url for url in urls)
    page.wait_for_load_state("networkidle")
    assert {url.split("/")[2] for url in urls} == {page.url.split("/")[2]}
