"""The desk in a browser: three tasks of an officer, each from the start page with a file."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from caldp_core.release.office import MemoryStore
from caldp_ui.desk.page_state import STATE, STEPS
from tests.browser.conftest import DESKTOP, OpenLink
from tests.browser.hands import HEADLINE, expect, expect_script
from tests.browser.test_everybody import AS_AT_REST, expect_no_violations
from tests.browser.test_narrow import FAULTS, NARROWEST
from tests.contract.checks import naming
from tests.servers import wait_until_settled
from tests.ui.test_desk import (
    ANSWERS,
    COUNTIES,
    DEPARTMENTS,
    DISEASES,
    RESPONSIBLE,
    check_staff_table,
    counties,
    cyclists,
    staff,
)

pytestmark = pytest.mark.browser
CLICKS = {"map": 17, "staff": 16, "counties": 6}
"""From the start page to the files of the pack; of the counties to the sentence that refuses."""
CUT = """() => [...document.querySelectorAll("[data-testid=stNumberInput] input")]
    .filter(e => e.scrollWidth > e.clientWidth).map(e => e.ariaLabel)"""
"""Fields that have no room for their number."""
ALERT = "[data-testid=stAlert]"


class Officer:
    """Clicks on a page, counted; a file that is chosen is a click, and a field is typed."""

    def __init__(self, page: Any) -> None:
        self.page, self.clicks = page, 0

    def part(self, key: str, inside: str) -> Any:
        return self.page.locator(f".st-key-{STATE.key(key)} {inside}").first

    def press(self, key: str) -> None:
        self.clicks += 1
        self.part(key, "button").click()
        wait_until_settled(self.page)

    def fill(self, key: str, text: str, field: str = "input") -> None:
        self.part(key, field).fill(text)
        self.page.keyboard.press("Tab")
        wait_until_settled(self.page)

    def pick(self, key: str, option: str) -> None:
        self.clicks += 2
        self.part(key, "input").click()
        self.page.get_by_role("option", name=option, exact=True).click()
        wait_until_settled(self.page)

    def choose(self, key: str, option: str) -> None:
        self.clicks += 1
        self.page.locator(f".st-key-{STATE.key(key)}").get_by_text(option, exact=True).click()
        wait_until_settled(self.page)

    def save(self, key: str) -> bytes:
        self.clicks += 1
        with self.page.expect_download() as saved:
            self.part(key, "button").click()
        return Path(saved.value.path()).read_bytes()

    def bring(self, name: str, text: str) -> None:
        """From the start page to the desk with a list."""
        self.clicks += 2
        self.page.get_by_role("button", name="I hold the list").click()
        self.page.wait_for_url("**/desk*")
        file = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
        self.part("list", "input[type=file]").set_input_files(file)
        expect(self.page.get_by_text(f"{name}: ")).to_have_count(1)
        wait_until_settled(self.page)

    def answer_for_it(self) -> None:
        for name in RESPONSIBLE:
            self.fill(f"publication-{name}", f"answer to {name}")
        self.press("next-4")

    def check_step(self, number: int) -> None:
        """The question is open, breaks no rule of axe, and a narrow screen cuts nothing of it."""
        with naming(STEPS[number]):
            expect(self.part(f"step-{number}", "button strong")).to_be_visible()
            expect_no_violations(self.page)
            self.page.set_viewport_size(NARROWEST)
            wait_until_settled(self.page)
            expect_script(self.page, FAULTS, [])
            self.page.set_viewport_size(DESKTOP)
            wait_until_settled(self.page)


def test_a_map_of_cyclists_is_released_from_the_start_page(open_link: OpenLink) -> None:
    officer = Officer(open_link("", HEADLINE))
    officer.bring("city_survey.csv", cyclists()[0])
    officer.pick("where", "bike")
    for value in ("daily", "weekly"):
        officer.pick("values", value)
    officer.page.keyboard.press("Escape")
    officer.press("next-0")
    edges = {"west": "7.53", "east": "7.81", "south": "51.86", "north": "52.06"}
    for name, edge in edges.items():
        officer.fill(name, edge)
    officer.fill("source", "the edge of the city on the public map")
    expect_script(officer.page, CUT, [])
    officer.check_step(1)
    for step in (1, 2, 3):
        officer.press(f"next-{step}")
    officer.answer_for_it()
    officer.press("draw-start")
    headline = officer.page.locator(HEADLINE)
    expect(headline).to_contain_text(["ε = 1 for this one release of the list"])
    office = MemoryStore.from_zip(officer.save("office-zip"))
    table = officer.save("table-csv")
    assert [name for name in office.names() if name.endswith("table.csv")]
    assert office.files[next(n for n in office.names() if n.endswith("table.csv"))] == table
    assert officer.save("table-csv") == table
    rows = list(csv.DictReader(io.StringIO(table.decode())))
    assert len([row for row in rows if row["level"] == "cell"]) == 561
    assert officer.clicks == CLICKS["map"]


def test_a_staff_survey_is_released_with_small_counts_hidden(open_link: OpenLink) -> None:
    """Every question on its way is checked by axe and on a narrow screen, too."""
    text, truth = staff()
    page = open_link("", HEADLINE)
    officer = Officer(page)
    officer.bring("staff.csv", text)
    page.add_style_tag(content=AS_AT_REST)
    officer.check_step(0)
    officer.press("next-0")
    officer.choose("shape", "Two columns, crossed")
    officer.pick("column-0", "Department")
    officer.pick("column-1", "Harassed")
    officer.fill("values-0", "\n".join(DEPARTMENTS), "textarea")
    officer.fill("values-1", "\n".join(ANSWERS), "textarea")
    officer.fill("source", "the questionnaire, and the plan of departments")
    officer.check_step(1)
    officer.press("next-1")
    officer.check_step(2)
    officer.press("next-2")
    officer.choose("kind", "Small counts hidden")
    officer.check_step(3)
    officer.press("next-3")
    officer.check_step(4)
    officer.answer_for_it()
    officer.press("draw-start")
    expect(page.get_by_text("Take the office's file away.")).to_be_visible()
    officer.check_step(5)
    office = MemoryStore.from_zip(officer.save("office-zip"))
    table = officer.save("table-csv")
    assert table in office.files.values()
    check_staff_table({"table.csv": table}, truth)
    assert officer.clicks == CLICKS["staff"]


def test_a_county_table_with_hidden_cells_is_refused_with_a_way_on(open_link: OpenLink) -> None:
    page = open_link("", HEADLINE)
    officer = Officer(page)
    officer.bring("health_counties.csv", counties())
    officer.choose("unit", "It is a table of counts of people")
    officer.press("next-0")
    officer.choose("shape", "Two columns, crossed")
    officer.fill("values-0", "\n".join(COUNTIES), "textarea")
    officer.fill("values-1", "\n".join(DISEASES), "textarea")
    officer.fill("source", "the law on reporting")
    officer.press("next-1")
    where = "'<5' at 'Anson, Syphilis' is not a count"
    why = "what is hidden may follow from its totals"
    way_on = "release it from the list that it was made of"
    for words in (where, why, way_on):
        expect(page.locator(ALERT)).to_contain_text([words])
    # The question stays open, and with it what was typed.
    expect(officer.part("values-0", "textarea")).to_have_value("\n".join(COUNTIES))
    expect(officer.part("step-2", "button")).to_be_disabled()
    assert officer.clicks == CLICKS["counties"]
