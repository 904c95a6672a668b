"""The desk in a browser: from the start page to the frozen pack of a map of cyclists."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from caldp_core.release.office import MemoryStore
from caldp_ui.desk.page_state import STATE
from tests.browser.conftest import OpenLink
from tests.browser.hands import HEADLINE, expect
from tests.servers import wait_until_settled
from tests.ui.test_desk import RESPONSIBLE, cyclists

pytestmark = pytest.mark.browser
CLICKS_MAX = 17


class Officer:
    """Clicks on a page, counted; a file that is chosen is a click."""

    def __init__(self, page: Any) -> None:
        self.page, self.clicks = page, 0

    def press(self, key: str) -> None:
        self.clicks += 1
        self.page.locator(f".st-key-{STATE.key(key)} button").first.click()
        wait_until_settled(self.page)

    def fill(self, key: str, text: str) -> None:
        self.page.locator(f".st-key-{STATE.key(key)} input").first.fill(text)
        self.page.keyboard.press("Tab")
        wait_until_settled(self.page)

    def pick(self, key: str, option: str) -> None:
        self.clicks += 2
        self.page.locator(f".st-key-{STATE.key(key)} input").first.click()
        self.page.get_by_role("option", name=option, exact=True).click()
        wait_until_settled(self.page)

    def save(self, key: str) -> bytes:
        self.clicks += 1
        with self.page.expect_download() as saved:
            self.page.locator(f".st-key-{STATE.key(key)} button").first.click()
        return Path(saved.value.path()).read_bytes()


def test_a_map_of_cyclists_is_released_from_the_start_page(open_link: OpenLink) -> None:
    page = open_link("", HEADLINE)
    officer = Officer(page)
    officer.clicks += 1
    page.get_by_role("button", name="I hold the list").click()
    page.wait_for_url("**/desk*")
    file = {"name": "city_survey.csv", "mimeType": "text/csv", "buffer": cyclists()[0].encode()}
    officer.clicks += 1
    page.locator(f".st-key-{STATE.key('list')} input[type=file]").set_input_files(file)
    expect(page.get_by_text("city_survey.csv: 4 columns.")).to_have_count(1)
    officer.pick("where", "bike")
    for value in ("daily", "weekly"):
        officer.pick("values", value)
    page.keyboard.press("Escape")
    officer.press("next-0")
    edges = {"west": "7.53", "east": "7.81", "south": "51.86", "north": "52.06"}
    for name, edge in edges.items():
        officer.fill(name, edge)
    officer.fill("source", "the edge of the city on the public map")
    officer.press("next-1")
    officer.press("next-2")
    officer.press("next-3")
    for name in RESPONSIBLE:
        officer.fill(f"publication-{name}", f"answer to {name}")
    officer.press("next-4")
    officer.press("draw-start")
    expect(page.locator(HEADLINE)).to_contain_text(["ε = 1 for this one release of the list"])
    office = MemoryStore.from_zip(officer.save("office-zip"))
    table = officer.save("table-csv")
    assert [name for name in office.names() if name.endswith("table.csv")]
    assert office.files[next(n for n in office.names() if n.endswith("table.csv"))] == table
    assert officer.save("table-csv") == table
    rows = list(csv.DictReader(io.StringIO(table.decode())))
    assert len([row for row in rows if row["level"] == "cell"]) == 561
    assert officer.clicks <= CLICKS_MAX, officer.clicks
