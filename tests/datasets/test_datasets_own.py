"""A table of one's own: what is pasted is read as it is meant, or the line is named."""

import csv
import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import N_MAX, OWN_ANSWERS_MAX, OWN_TEXT_MAX
from caldp_core.datasets import OwnTable, inspect_data
from caldp_core.datasets.files.answers import count_answers
from caldp_core.datasets.files.by_hand import Chosen
from caldp_core.domain.answers import Domain
from tests.contract.checks import naming
from tests.datasets.files import read_table
from tests.strategies import examples, own_tables

PLAIN = OwnTable(("Often", "Never"), (12, 30))
GROUPED = OwnTable(
    ("Often; men", "Often; women", "Never; women"), (1, 2, 3), ("men", "women", "women")
)
READ: dict[str, OwnTable] = {
    "Often,12\nNever,30": PLAIN,
    "answer,count\nOften,12\nNever,30\n": PLAIN,
    "answer;count\r\nOften;12\r\nNever;30\r\n": PLAIN,
    "Often\t12\n\n  \nNever\t 30\t\n": OwnTable(("Often", "Never"), (12, 30)),
    "\ufeffOften, 12,,\nNever, 30,,": PLAIN,
    'Answer,People,Group\n"Often, daily",1,men\nNever,2,men': OwnTable(
        ("Often, daily", "Never"), (1, 2), ("men", "men")
    ),
    "Often,1,men\nOften,2,women\nNever,3,women": GROUPED,
    "Never\nOften\nNever": OwnTable(("Never", "Often"), (2, 1)),
    "answer\nYes, often\nNo\nNo\n": OwnTable(("No", "Yes, often"), (2, 1)),
    'answer\n"Yes, often"\nNo\nNo': OwnTable(("No", "Yes, often"), (2, 1)),
    "No\nYes, often\nNo": OwnTable(("No", "Yes, often"), (2, 1)),
    "age in years\n12\n9\n12": OwnTable(("9", "12"), (1, 2)),
    "population,answer\n12,Often\n30,Never": PLAIN,
    "answer,population\nOften,12.0\nNever,30.0": PLAIN,
    "group,respondents,value\nmen,1,Often\nwomen,2,Often\nwomen,3,Never": GROUPED,
    "answer,people,place\nOften,1,men\nOften,2,women\nNever,3,women": GROUPED,
    "a,1\nb,2\na,3": OwnTable(("a", "b"), (4, 2)),
    "age,answer,people\n20,yes,3\n30,no,4": OwnTable(("yes", "no"), (3, 4)),
    "Antwort;Häufigkeit\nja;1.204,5\nnein;3": OwnTable(("ja", "nein"), (1205, 3)),
    "réponse;effectif;groupe\noui;12;hommes\nnon;1 204;femmes": OwnTable(
        ("oui", "non"), (12, 1204), ("hommes", "femmes")
    ),
    "12\n9\n12\n100": OwnTable(("9", "12", "100"), (1, 2, 1)),
}  # fmt: skip
TOO_MANY = "a number of people below 0 or above 1,000,000,000,000"
NONE = "1 with no number of people"
WIDE = "1 with too many cells"
LEFT_OUT: dict[str, tuple[str, OwnTable]] = {
    "Often,12\nNever,3O\nSometimes,4\nNever,30": (
        f"1 of 4 rows is not counted: {NONE}. The first is line 2, 'Never | 3O'.",
        OwnTable(("Often", "Sometimes", "Never"), (12, 4, 30)),
    ),
    "a,12\nb,-3\nc,4": (
        f"1 of 3 rows is not counted: 1 with {TOO_MANY}. The first is line 2, 'b | -3'.",
        OwnTable(("a", "c"), (12, 4)),
    ),
    "a,1,x\nb,2\nc,3,y": (
        "1 of 3 rows is not counted: 1 with too few cells. The first is line 2, 'b,2'.",
        OwnTable(("a", "c"), (1, 3), ("x", "y")),
    ),
    "a,1\n,2\nc,3\nd,4,5": (
        f"2 of 4 rows are not counted: 1 with no answer; {WIDE}. The first is line 2, '| 2'.",
        OwnTable(("a", "c"), (1, 3)),
    ),
    "answer,people\na,1\nb,2\nc,1e40": (
        f"1 of 3 rows is not counted: 1 with {TOO_MANY}. The first is line 4, 'c | 1e40'.",
        OwnTable(("a", "b"), (1, 2)),
    ),
    "answer,people\na,1\nb,nan\nb,inf\nb,2": (
        "2 of 4 rows are not counted: 2 with no number of people. The first is line 3, 'b | nan'.",
        OwnTable(("a", "b"), (1, 2)),
    ),
}
REFUSED: dict[str, str] = {
    "": "nothing to read",
    " \n,,\n": "nothing to read",
    "a;12\nb;1,204\nc;4": "'1,204' may have decimals or thousands; say which",
    'a,1\n"b,2\nc,3': "Line 2 of 'the text': a quotation mark opens there",
    "a,0\nb,0": "counts must add up to 1 to",
    f"answer,people\na,{N_MAX}\nb,1": "counts must add up to 1 to",
    "a,0.7\nb,0.3": "holds shares that add up to 1, not people",
    "illness\nasthma\nasthma": "'illness', may be a title or an answer; say which",
    "a,1": "needs two answers, got 'a'",
    "\n".join(str(i) for i in range(OWN_ANSWERS_MAX + 1)): "there are 2,001 or more; choose",
    "\n".join(str(i) for i in range(90_000)): "there are 10,001 or more; choose",
    f"{'x' * 200_000},1\nb,2": "more than 100,000 characters; a quotation mark",
    "a\0b,1\nb,2": "is not a text file; in a spreadsheet",
    "a" * (OWN_TEXT_MAX + 1): "may have up to 1,048,576 characters, got 1,048,577",
}


def test_what_is_pasted_is_read() -> None:
    for text, wanted in READ.items():
        with naming(text):
            assert read_table(text).table == wanted


@examples(one_in=3)
@given(own_tables(), st.sampled_from(",;\t"))
def test_what_a_spreadsheet_saves_comes_back(table: OwnTable, delimiter: str) -> None:
    file = io.StringIO()
    rows = zip(table.names, table.counts, table.groups or [""] * len(table.names), strict=True)
    writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("answer", "people", "group"), *rows])
    detected = inspect_data(file.getvalue())
    assert count_answers(detected, detected.answers, table.title).table == table


def test_rows_that_say_nothing_are_told_with_their_reasons() -> None:
    for text, (words, wanted) in LEFT_OUT.items():
        with naming(text):
            found = read_table(text)
            assert (found.refused.describe(), found.table) == (words, wanted)


def test_what_cannot_be_read_is_one_sentence() -> None:
    for text, words in REFUSED.items():
        with naming(text[:40]), pytest.raises(CaldpError, match=words) as refused:
            read_table(text)
        assert len(str(refused.value)) < 400


WRONG: dict[str, dict[str, Any]] = {
    "names must be 2 to": {"names": ("a",), "counts": (1,)},
    "counts must be one for each of the 2 answers, got 1": {"counts": (1,)},
    "groups must be one for each of the 2 answers, got 1": {"groups": ("x",)},
    "each of counts must be a whole number": {"counts": (1, True)},
    "each of counts must be a whole number in": {"counts": (1, 10**400)},
    "names must differ, 'a' is there twice": {"names": ("a", "a")},
    "title must be texts of one line": {"title": ""},
    "names must be texts of one line": {"names": ("a", " b")},
    "groups must be texts of one line": {"groups": ("a", "b\nc")},
    "names must be texts of one line, 1": {"names": ("a", "\ud800")},
}


def test_tables_that_can_not_be_are_refused() -> None:
    for words, wrong in WRONG.items():
        with naming(words), pytest.raises(CaldpError, match=words):
            OwnTable(**({"names": ("a", "b"), "counts": (1, 2)} | wrong))


def test_the_people_of_a_table_are_those_that_it_counts() -> None:
    data = GROUPED.load()
    assert data.n == 6
    np.testing.assert_array_equal(data.counts, [1, 2, 3])
    assert data.domain == Domain(3, GROUPED.names, GROUPED.groups)
    assert "6 people and 3 answers" in data.note


def test_what_is_there_twice_counts_twice_and_weights_are_rounded_at_the_end() -> None:
    assert read_table("a\nb\n\na\na\nb").table == OwnTable(("a", "b"), (3, 2))
    found = read_table("answer,weight\na,12.25\nb,3.4\na,0.25\nb,0.2")
    assert (found.table, found.rounded) == (
        OwnTable(("a", "b"), (12, 4)),
        True,
    )  # of 12.5 and 3.6, 16.1 in all


def test_records_of_two_columns_are_a_table_in_one_order() -> None:
    rows = ("50+,no", "9,yes", "18-29,no", "50+,yes", "18-29,no", "9,no", "50+,no", "50+,no")
    for head, tail in (("age,smokes", ""), ("age,smokes,weight", ",2")):
        text = "\n".join((head, *(f"{row}{tail}" for row in rows)))
        file = inspect_data(text.encode(), chosen=Chosen(header=True))
        layout = replace(file.answers, answer=1, group=0)
        found = count_answers(file, layout, "Both").table
        assert found.names == (
            "no; 18-29", "no; 50+", "yes; 50+", "no; 9", "yes; 9"
        )  # fmt: skip
        assert sum(found.counts) == 8 * (1 + (tail != ""))


def test_answers_of_records_stand_in_their_natural_order() -> None:
    for wanted in (
        ("under 10k", "10-20k", "20-50k", "50k+"),
        ("less than 1,000", "1,000 to 5,000", "5,000 to 20,000", "more than 20,000"),
        ("1 - never", "2 - rarely", "3 - often", "10 - always"),
        ("District 2", "District 9", "District 10"),
        ("-1", "0", "7", "12"),
        ("Never", "Sometimes", "Always"),
        ("strongly disagree", "disagree", "neutral", "agree", "strongly agree", "don't know"),
        ("nie", "selten", "oft", "immer"),
    ):
        rows = [answer for n, answer in enumerate(wanted) for _ in range(n + 1)]
        text = "\n".join(["answer", *(f'"{answer}"' for answer in rows)])
        with naming(wanted[0]):
            assert read_table(text).table.names == wanted
    mixed = "answer\nBus 5\nTram 3\nTram 3"
    assert read_table(mixed).table.names == ("Tram 3", "Bus 5")  # the commonest first
