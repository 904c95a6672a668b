"""A file that can be read in two ways is asked about on the page before anything is shown."""

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.datasets import OwnPlaces, OwnSurvey, OwnTable
from tests.contract.checks import naming
from tests.datasets.check_cases import ASKED, FORMS, READ
from tests.datasets.files import workbook
from tests.ui.driver import accepted, checked, jobs_done, open_page
from tests.ui.values_page import scenario_of


def bring(page: str, text: str | bytes, name: str) -> AppTest:
    """The page whose form holds a file."""
    data = text.encode() if isinstance(text, str) else text
    at = open_page(f"pages/{page}.py")
    at.session_state[f"{page}-own"] = True
    checked(at.run())
    at.file_uploader(key=f"{page}-own-file").set_value((name, data, "text/plain"))
    checked(at.button(key=f"{page}-own-file-show").click().run())
    return jobs_done(at)


def answer(at: AppTest, name: str) -> AppTest:
    """Press the button of an offer."""
    (button,) = (each for each in at.button if (each.key or "").endswith(f"-{name}"))
    return jobs_done(checked(button.click().run()))


def can_be_shown(at: AppTest, page: str) -> bool:
    return any(button.key == f"{page}-own-accept" for button in at.button)


@pytest.mark.parametrize(
    "name",
    [
        "total row",
        "crosstab by group",
        "several choices, combinations",
        "hidden counts",
        "bands that are dates",
    ],
)
def test_answers_are_asked_about_before_they_are_shown(name: str) -> None:
    case = ASKED[name]
    at = bring("values", case.text, case.name)
    assert not can_be_shown(at, "values")
    answer(at, f"{case.check}-{case.answer}")
    assert can_be_shown(at, "values")
    table = scenario_of(accepted(at, "values")).dataset
    assert isinstance(table, OwnTable)
    assert dict(zip(table.names, table.counts, strict=True)) == case.counts
    assert (table.reading != "", table.reading in table.load().note) == (True, True)


def test_an_answer_to_a_check_can_be_taken_back() -> None:
    at = bring("values", ASKED["total row"].text, "a.csv")
    answer(at, "total-row-keep")
    assert any("**9,774 people**" in text.value for text in at.markdown)
    answer(at, "total-row-again")
    assert not can_be_shown(at, "values")
    answer(at, "total-row-leave-out")
    assert any("**4,887 people**" in text.value for text in at.markdown)


def test_choices_become_several_questions() -> None:
    at = answer(bring("values", FORMS, "a.csv"), "several-choices-questions")
    survey = scenario_of(accepted(at, "values")).dataset
    assert isinstance(survey, OwnSurvey)
    tables = [dict(zip(table.names, table.counts, strict=True)) for table in survey.tables()]
    assert [table["yes"] for table in tables] == [5, 3, 2]


def test_shares_ask_of_how_many_people_they_are() -> None:
    at = bring("values", ASKED["shares"].text, "a.csv")
    (people,) = (each for each in at.number_input if (each.key or "").endswith("-shares-people"))
    assert people.value is None
    assert "Use this number" not in [each.label for each in at.button]
    checked(people.set_value(2000).run())
    table = scenario_of(accepted(answer(at, "shares-2000"), "values")).dataset
    assert isinstance(table, OwnTable)
    assert table.counts == (900, 600, 500)


def test_places_that_are_exchanged_are_asked_about() -> None:
    case = ASKED["exchanged"]
    at = bring("places", case.text, case.name)
    assert not can_be_shown(at, "places")
    accepted(answer(at, "exchanged-exchange"), "places")
    places = at.session_state["places/state"].record.scenario.dataset
    assert isinstance(places, OwnPlaces)
    assert places.grid().area.south > 50


def test_places_as_wkt_and_as_records_of_json_are_read() -> None:
    for name, text in {
        "WKT": ASKED["WKT in one column"].text,
        "JSON": READ["JSON records"].text,
    }.items():
        with naming(name):
            at = bring("places", text, "a.txt")
            at = answer(at, "one-column-split") if name == "WKT" else at
            accepted(at, "places")
            places = at.session_state["places/state"].record.scenario.dataset
            assert isinstance(places, OwnPlaces)
            assert int(places.counts().sum()) == {"WKT": 12, "JSON": 9}[name]


def test_the_page_asks_which_letters_are_right() -> None:
    at = bring("values", "ответ;люди\nда;120\nнет;340\n".encode("cp1251"), "a.csv")
    assert not can_be_shown(at, "values")
    table = scenario_of(accepted(answer(at, "encoding-cp1251"), "values")).dataset
    assert isinstance(table, OwnTable)
    assert (table.names, table.counts) == (("да", "нет"), (120, 340))


def test_the_page_asks_which_sheet_is_meant() -> None:
    rows: list[list[object]] = [["answer", "people"], ["yes", 3], ["no", 4]]
    at = bring("values", workbook(("Now", [*rows, ["other", 5]]), ("Before", rows)), "a.xlsx")
    assert not can_be_shown(at, "values")
    table = scenario_of(accepted(answer(at, "sheet-Before"), "values")).dataset
    assert isinstance(table, OwnTable)
    assert table.counts == (3, 4)
