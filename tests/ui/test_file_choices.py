"""Menus above the first rows of a file: how it is opened, and the type of each column."""

import re

from streamlit.testing.v1 import AppTest

from caldp_core.datasets import OwnTable
from tests.datasets.check_cases import ASKED
from tests.datasets.files import workbook
from tests.ui.driver import accepted, checked, jobs_done
from tests.ui.test_checks import answer, bring, can_be_shown
from tests.ui.values_page import scenario_of

RUSSIAN = "ответ;люди\nда;120\nнет;340\n".encode("cp1251")


def choose(at: AppTest, label: str, value: object) -> AppTest:
    """Choose an option of a menu."""
    (menu,) = (box for box in at.selectbox if box.label == label)
    return jobs_done(checked(menu.set_value(value).run()))


def menus(at: AppTest) -> dict[str, object]:
    """What the form's menus say."""
    return {box.label: box.value for box in at.selectbox if "-file-" in str(box.key)}


def preview(at: AppTest) -> list[list[str]]:
    """The first cells of each column."""
    texts = "".join(item.proto.body for item in at.get("html"))
    return [re.findall("<li>(.*?)</li>", each) for each in texts.split("<ol>")[1:]]


def table_of(at: AppTest) -> OwnTable:
    table = scenario_of(accepted(at, "values")).dataset
    assert isinstance(table, OwnTable)
    return table


def test_menus_show_what_was_detected_and_the_preview_follows_them() -> None:
    at = bring("values", "answer;people\nyes|1;3\nno|2;4\nmaybe|3;5\n", "a.csv")
    opened = {
        "Letters (encoding)": "utf_8",
        "Between cells": ";",
        "The first row has …": True,
        "Numbers are written …": ".",
    }
    assert menus(at) == opened | {"answer": "answer", "people": "people"}
    assert preview(at) == [["yes|1", "no|2", "maybe|3"], ["3", "4", "5"]]
    choose(at, "Between cells", "|")
    unclear = {"Between cells": "|", "The first row has …": None}
    assert menus(at) == opened | unclear | {"column 1": "answer", "column 2": "leave-out"}
    assert preview(at) == [["yes", "no", "maybe"], ["1;3", "2;4", "3;5"]]
    choose(at, "column 2", "answer")
    choose(at, "The first row has …", False)
    assert menus(at)["column 2"] == "leave-out", "another way to open it may have other columns"
    table = table_of(choose(at, "column 2", "answer"))
    assert (set(table.names), table.counts) == ({"1;3", "2;4", "3;5"}, (1, 1, 1))
    assert table.reading == (
        "chosen by hand: delimiter “|”, no row of column names, “column 2” as answer"
    )


def test_a_sheet_by_hand_answers_the_check_that_asks_for_it() -> None:
    rows: list[list[object]] = [["answer", "people"], ["yes", 3], ["no", 4]]
    book = workbook(("Now", [*rows, ["other", 5]]), ("Before", rows), ("Cover", [["A survey"]]))
    at = bring("values", book, "a.xlsx")
    assert not can_be_shown(at, "values")
    choose(at, "Sheet", "Before")
    assert [box.options for box in at.selectbox if box.label == "Sheet"] == [
        ["Now", "Before", "Cover"]
    ]
    assert table_of(at).counts == (3, 4)


def test_an_encoding_by_hand_can_be_taken_back_where_it_is_wrong() -> None:
    at = bring("values", RUSSIAN, "a.csv")
    choose(at, "Letters (encoding)", "utf_8")
    (error,) = at.error
    assert "is not a text in UTF\\-8; choose another encoding" in error.value
    (back,) = (button for button in at.button if button.label == "Read it as detected")
    jobs_done(checked(back.click().run()))
    assert (list(at.error), can_be_shown(at, "values")) == ([], False)
    choose(at, "Letters (encoding)", "koi8_r")
    table = table_of(choose(at, "Letters (encoding)", "cp1251"))
    assert (table.names, table.reading) == (("да", "нет"), "chosen by hand: encoding cp1251")


def test_a_type_by_hand_answers_the_check_that_asks_for_it() -> None:
    at = bring("values", ASKED["body weight"].text, "a.csv")
    assert not can_be_shown(at, "values")
    choose(at, "gewicht", "weight")
    choose(at, "alter", "answer")
    assert (can_be_shown(at, "values"), menus(at)["gewicht"]) == (True, "weight")
    choose(at, "gewicht", "leave-out")
    assert sum(table_of(at).counts) == 20


def test_columns_that_an_answer_has_made_are_shown_with_their_types() -> None:
    at = bring("values", ASKED["crosstab by group"].text, "a.csv")
    assert len(preview(at)) == 5
    answer(at, "crosstab-groups")
    shown = [each.value for each in at.markdown if each.value.endswith((": group", ": people"))]
    assert (shown, len(preview(at))) == (["District: group", "people: people"], 3)
    assert preview(at)[0] == ["North"] * 3 + ["South"] * 3 + ["West"] * 2


def test_further_columns_of_a_wide_table_can_be_chosen() -> None:
    names = [f"q{n}" for n in range(30)]
    rows = [",".join("yes" if (n + row) % 3 else "no" for n in range(30)) for row in range(9)]
    at = bring("values", "\n".join([",".join(names), *rows]), "a.csv")
    choose(at, "The first row has …", True)
    assert (len(preview(at)), "q25" in menus(at)) == (12, False)
    (more,) = (each for each in at.multiselect if "-more-" in str(each.key))
    jobs_done(checked(more.set_value([25]).run()))
    choose(at, "q25", "answer")
    assert (len(preview(at)), menus(at)["q25"]) == (12, "answer")
    assert table_of(at).counts == (6, 3)


def test_two_menus_that_are_changed_at_once_both_hold() -> None:
    at = bring("values", "a,b,c\nx,1,u\ny,2,v\nx,3,v\n", "a.csv")
    for label, kind in {"b": "question", "c": "question"}.items():
        (menu,) = (box for box in at.selectbox if box.label == label)
        menu.set_value(kind)
    jobs_done(checked(at.run()))
    assert [menus(at)[name] for name in "abc"] == ["answer", "question", "question"]
