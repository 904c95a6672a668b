"""The desk in a browser: three tasks of an officer, each from the start page with a file."""

import re
from pathlib import Path
from typing import Any

import pytest

from caldp_core.release.office import MemoryStore
from caldp_core.release.pack import pack_files
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
    check_map_of_blocks,
    check_noisy_map,
    check_rounded_staff,
    check_staff_table,
    counties,
    cyclists,
    staff,
)

pytestmark = pytest.mark.browser
CLICKS = {"map": 17, "staff": 16, "counties": 6}
"""From the start page to the files of the pack; of the counties to the sentence that refuses."""
FURTHER_CLICKS = 8
"""Of a further release of the same table: from the files of the one before to its own."""
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

    def release_further(self, kind: str) -> None:
        """A further release of the table by another treatment, which is meant."""
        self.press("second")
        expect(self.page.get_by_text("Known before: 1 release of this list")).to_be_visible()
        self.choose("kind", kind)
        self.press("next-3")
        self.press("next-4")
        expect(self.part("draw-start", "button")).to_have_count(0)
        self.clicks += 1
        self.page.locator(f".st-key-{STATE.key('further')} label").click()
        self.press("draw-start")
        expect(self.page.get_by_text("Take the office's file away.")).to_be_visible()

    def check_picture(self, *words: str) -> None:
        """The picture of the table is there, and says in words what it shows."""
        picture = self.page.locator(f".st-key-{STATE.key('picture')} .chart")
        expect(picture.locator("svg").first).to_be_visible()
        for text in words:
            expect(picture).to_have_attribute("aria-label", re.compile(re.escape(text)))

    def take_pack(self, tables: int) -> dict[str, bytes]:
        """The table and the office's file, which holds it among so many tables."""
        table, zipped = self.save("table-csv"), self.save("office-zip")
        office = MemoryStore.from_zip(zipped)
        names = [name for name in office.names() if name.endswith("/table.csv")]
        assert len(names) == tables
        assert len([name for name in office.names() if name.startswith("entry-")]) == tables
        assert "key" in office.names()
        (folder,) = (
            name.removesuffix("table.csv") for name in names if office.files[name] == table
        )
        pack = [name for name in office.names() if name.startswith(folder)]
        return {name.removeprefix(folder): office.files[name] for name in pack}

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
    text, truth = cyclists()
    officer = Officer(open_link("", HEADLINE))
    officer.bring("city_survey.csv", text)
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
    officer.check_picture("561 cells, noisy counts", "Most people: ")
    pack = officer.take_pack(1)
    check_noisy_map(pack, truth)
    assert {file.name for file in pack_files()} == pack.keys()
    assert officer.clicks == CLICKS["map"] - 1
    assert officer.save("table-csv") == pack["table.csv"]
    assert officer.clicks == CLICKS["map"]
    officer.release_further("Larger cells")
    officer.check_picture("25 cells, exact counts of larger areas, small ones hidden")
    check_map_of_blocks(officer.take_pack(2), truth)
    assert officer.clicks == CLICKS["map"] + FURTHER_CLICKS


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
    expect(page.get_by_text("This hides ")).to_be_visible()
    officer.check_step(3)
    officer.press("next-3")
    officer.check_step(4)
    officer.answer_for_it()
    officer.press("draw-start")
    expect(page.get_by_text("Take the office's file away.")).to_be_visible()
    officer.check_step(5)
    officer.check_picture("36 cells, exact counts, small ones hidden", "cells are hidden.")
    check_staff_table(officer.take_pack(1), truth)
    assert officer.clicks == CLICKS["staff"]
    officer.release_further("Random rounding")
    expect(page.locator(HEADLINE)).to_contain_text(["2 releases of the list together"])
    officer.check_picture("36 cells, rounded counts", "Most people: Production · Never")
    check_rounded_staff(officer.take_pack(2), truth)
    assert officer.clicks == CLICKS["staff"] + FURTHER_CLICKS


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
