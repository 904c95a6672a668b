"""A table of one's own: what is pasted is read as it is meant, or the line is named."""

import csv
import gzip
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import N_MAX, OWN_ANSWERS_MAX, OWN_NAME_MAX, OWN_TEXT_MAX
from caldp_core.datasets import OwnTable, read_places, read_table, text_of
from caldp_core.domain.grid import Domain
from tests.contract.checks import naming
from tests.strategies import own_tables

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
    "12\n9\n12\n100": OwnTable(("9", "12", "100"), (1, 2, 1)),
}  # fmt: skip
REFUSED: dict[str, str] = {
    "": "nothing to read",
    " \n,,\n": "nothing to read",
    "Often,12\nNever,3O\nSometimes,4": r"Line 2: a count must be a whole number .* got '3O'",
    "Often,12\nNever,-3\nSometimes,4": "Line 2: a count must be",
    "a;12\nb;1,204\nc;4": r"Line 2: a count .* in digits alone, got '1,204'",
    "a,1\nb,2\na,3": "Line 3 has the answer 'a' again, as line 1 has it",
    "a,1,x\nb,2\nc,3,y": "Line 2 has no group",
    "a,1\nb,2\nc,3,y": "Line 1 has no group",
    "a,1\n,2\nc,3": "Line 2 must have an answer, a count",
    "Paris, France, Europe, 3\na,1\nb,1\nc,2": "Line 1 must have an answer, a count",
    'a,1\n"b,2\nc,3': "Line 2: a quotation mark opens there",
    "a,0\nb,0": "counts must add up to 1 to",
    f"a,{N_MAX}\nb,1": "counts must add up to 1 to",
    "age,answer,people\n20,yes,3\n30,no,4": r"Line 1 names the columns 'age \| answer \| people'",
    "20,yes,3\n30,no,4": "Line 1: a count must be .* got 'yes'; give the answer first",
    "a,0.7\nb,0.3": "Line 1: a count must be a whole number of people .* got '0.7'; turn weights",
    "answer,weight\na,12.5\nb,3": "Line 2: a count must be a whole number of people",
    "a,1\nb,1e40": "Line 2: a count must be a whole number of people from 0 to",
    "female,yes\nmale,no\nmale,no": "Each line has 2 columns and no count, such as line 1",
    "illness\nasthma\nasthma": "Line 1, 'illness', is there only once and may be a title or an",
    '"Yes, often"\nNo\nNo': "write “answer” instead, and if it is an answer, “answer” on a line",
    "a,1": "names must be 2 to 2,000 answers, got 1",
    "\n".join(str(i) for i in range(OWN_ANSWERS_MAX + 1)): "got 2,001; where there are more",
    f"{'x' * (OWN_NAME_MAX + 1)},1\nb,2": "must be texts of one line, 1 to 120 characters",
    f"{'x' * 200_000},1\nb,2": "can't be read",
    "a\0b,1\nb,2": "must be texts of one line",
    "a" * (OWN_TEXT_MAX + 1): "may have up to 1,048,576 characters, got 1,048,577",
}


def test_what_is_pasted_is_read() -> None:
    for text, wanted in READ.items():
        with naming(text):
            assert read_table(text) == wanted


@given(own_tables(), st.sampled_from(",;\t"))
def test_what_a_spreadsheet_saves_comes_back(table: OwnTable, delimiter: str) -> None:
    file = io.StringIO()
    rows = zip(table.names, table.counts, table.groups or [""] * len(table.names), strict=True)
    writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("answer", "people", "group"), *rows])
    assert read_table(file.getvalue(), table.title) == table


def test_what_cannot_be_read_is_told_with_its_line() -> None:
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


def test_files_are_read_in_the_codes_that_spreadsheets_write() -> None:
    text = "Größe,12\n漢,3"
    for code in ("utf-8", "utf-8-sig", "utf-16"):
        assert text_of(text.encode(code)).removeprefix("\ufeff") == text
    for wrong, words in (
        (text.encode("utf-8")[:-2] + b"\xe9", "UTF-8"),
        (text.encode("utf-16-le"), "UTF-8"),
        (b"x" * 2**21, "up to"),
        (gzip.compress(text.encode()), "packed by gzip; unpack it first"),
        (b"PK\x03\x04\x14", "an Excel workbook or another packed file"),
        (b"\xd0\xcf\x11\xe0\xa1", "an old Excel workbook"),
    ):
        with naming(words), pytest.raises(CaldpError, match=words):
            text_of(wrong)


@pytest.mark.parametrize("line", ["a", "a,1", '"a"', "a\tb", "1,", "", ","])
def test_half_a_million_equal_lines_are_read_but_once(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = [0]

    def counted(lines: Sequence[str], **more: Any) -> Any:
        read[0] += len(lines)
        return reader(lines, **more)

    reader = csv.reader
    monkeypatch.setattr(csv, "reader", counted)
    text = f"{line}\n" * (OWN_TEXT_MAX // (len(line) + 1))
    with pytest.raises(CaldpError):
        read_table(text)
    with pytest.raises(CaldpError):
        read_places(text)
    assert read[0] <= 20


def test_more_different_lines_than_a_table_has_are_not_read_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(csv, "reader", None)
    with pytest.raises(CaldpError, match="There are 100,000 different lines"):
        read_table("\n".join(map(str, range(100_000))))


def test_what_is_there_twice_counts_twice_and_is_told_by_both_lines() -> None:
    assert read_table("a\nb\n\na\na\nb") == OwnTable(("a", "b"), (3, 2))
    with pytest.raises(CaldpError, match="Line 3 has the answer 'a' again, as line 1 has it"):
        read_table("a,1\nb,2\na,1\na,1")
