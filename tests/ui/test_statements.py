"""What docs/mathematics.md states is shown by the page that it names, and by no other."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.experiments.run import prepare
from caldp_core.scenarios.blocks import SensitiveSymbols
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import CLASSROOM, PAGES
from caldp_ui.words import promise
from caldp_ui.words.formats import PLACES
from caldp_ui.words.glossary import DEFINITIONS, OF_PAGES, OF_STATIONS, Statement
from tests.test_docs_mathematics import rows
from tests.ui.driver import open_page

Table = set[tuple[str, str, str]]
TITLES = {entry.path.removeprefix("pages/").removesuffix(".py"): entry.title for entry in PAGES}


def table_rows(*sections: str) -> Table:
    """Statement, code and place of the rows of these tables."""
    return {(says, code, where) for section in sections for says, code, where in rows(section)}


def row_of(statement: Statement, where: str) -> tuple[str, str, str]:
    return statement.says, f"`{statement.code}`" if statement.code else "–", where


def test_the_tables_are_those_of_the_pages() -> None:
    by_page = {row_of(s, TITLES[page]) for page, those in OF_PAGES.items() for s in those}
    by_station = {row_of(s, station) for station, those in OF_STATIONS.items() for s in those}
    assert table_rows("Theory", "Audits") == by_page
    assert table_rows("The lecture") == by_station
    assert len(by_page) + len(by_station) == sum(
        len(those) for table in (OF_PAGES, OF_STATIONS) for those in table.values()
    )


def code_names(at: AppTest) -> list[str]:
    """Names of the code in what is shown of statements."""
    texts = [item.value for item in at.main.markdown]
    return [name for text in texts for name in re.findall(r" · `(caldp_core\.[\w.]+)`$", text)]


@pytest.mark.parametrize("page", OF_PAGES)
def test_a_page_shows_its_statements(page: str) -> None:
    at = open_page(f"pages/{page}.py", {}, {f"{page}-mathematics": True})
    assert code_names(at) == [each.code for each in OF_PAGES[page] if each.code]
    formulas = {"$$\n" + s.formula + "\n$$" for s in OF_PAGES[page] if s.formula}
    assert formulas <= {item.value for item in at.latex}


@pytest.mark.parametrize("station", OF_STATIONS)
def test_a_station_shows_its_statements(station: str) -> None:
    at = open_page(CLASSROOM, {"station": station}, {"classroom-formula": True})
    assert code_names(at) == [each.code for each in OF_STATIONS[station] if each.code]
    assert at.latex
    assert not open_page(CLASSROOM, {"station": station}).latex


def test_statements_wait_until_they_are_asked_for() -> None:
    assert not code_names(open_page("pages/yesno.py"))


def test_what_mixing_leaves_is_worked_out_once_it_is_asked_for() -> None:
    sentence = promise.scenario_text(PLACES, prepare(Scenario()))
    for is_open in (False, True):
        at = open_page("pages/places.py", {}, {"if-mixed": is_open})
        texts = [item.value for item in at.main.markdown]
        assert (sentence in texts) == is_open
        assert (f"**δ**: {DEFINITIONS['δ']}" in texts) == is_open
    assert not promise.is_known(prepare(Scenario().with_context(sensitive=SensitiveSymbols(()))))
