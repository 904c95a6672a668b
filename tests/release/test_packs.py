"""All files of the packs of ten lists, line by line: no small true count, and no false title."""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from typing import Any, Final

import numpy as np
import pytest
from scipy.stats import binom

from caldp_core.basics.types import Ints
from caldp_core.datasets.files.source import PAGE_BOUNDS
from caldp_core.release import desk
from caldp_core.release.cells import make_cells
from caldp_core.release.files import Files, files_from_bytes
from caldp_core.release.pack import pack_files
from caldp_core.release.settings import Settings
from tests.release.lists import (
    CENTRAL,
    FOLDER,
    HIDE,
    LARGER,
    MAP,
    PUBLICATION,
    ROUND,
    city_rows,
    csv_bytes,
    released,
    true_counts,
)
from tests.stats import SIGNIFICANCE

ANSWERS: Final = ("Never", "Once", "Several times", "Monthly", "Weekly")
OFFICES: Final = ("Production", "IT", "Sales", "Board office", "Canteen")
TREATMENTS: Final[dict[str, dict[str, Any]]] = {
    "central": CENTRAL,
    "round": ROUND,
    "hide": HIDE,
    "larger": LARGER,
}


@dataclass(frozen=True)
class Case:
    """A list, the settings of its cells, and the treatments that fit it."""

    held: dict[str, Any]
    cells: dict[str, Any]
    data: Callable[[int], bytes]
    kinds: tuple[str, ...] = ("central", "round", "hide", "larger")
    threshold: int = 10

    def settings(self, kind: str) -> Settings:
        treatment = TREATMENTS[kind] | {"threshold": self.threshold}
        return Settings.from_record(
            {
                "list": {"name": "List", "file": "list.csv"} | self.held,
                "cells": {"source": "typed"} | self.cells,
                "treatment": treatment,
                "publication": PUBLICATION,
            }
        )

    def files(self, seed: int = 0) -> Files:
        counties = (FOLDER / "counties.csv").read_bytes()
        groups = csv_bytes(
            [["name", "part"], *([f"town {i}", f"part {i // 5}"] for i in range(40))]
        )
        contents = {"list.csv": self.data(seed), "counties.csv": counties, "towns.csv": groups}
        return files_from_bytes(contents, PAGE_BOUNDS)


def staff(seed: int, people: int = 3_000) -> bytes:
    """The board office has 40 people, all with one of two answers."""
    rng = np.random.default_rng(seed)
    office = rng.choice(5, people, p=[0.5, 0.25, 0.2, 0.015, 0.035])
    answer = rng.choice(5, people, p=[0.7, 0.15, 0.1, 0.04, 0.01])
    answer = np.where(office == 3, np.minimum(answer, 1), answer)
    rows = [[OFFICES[o], ANSWERS[a]] for o, a in zip(office.tolist(), answer.tolist(), strict=True)]
    return csv_bytes([["Department", "How often?"], *rows])


def visits(seed: int) -> bytes:
    """Several rows of one person: which places they visited."""
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(1_500):
        places = rng.choice(6, int(rng.integers(1, 5)), replace=False).tolist()
        rows += [[f"p{person}", f"place {place}"] for place in places]
    return csv_bytes([["person", "place"], *rows])


def towns(seed: int) -> bytes:
    rng = np.random.default_rng(seed)
    chances = 1.0 / np.arange(1, 46) ** 2
    town = rng.choice(45, 4_000, p=chances / chances.sum())  # five are not in the list
    return csv_bytes([["town"], *([f"town {number}"] for number in town.tolist())])


def yes_no(seed: int) -> bytes:
    yes = 37 + seed
    return csv_bytes([["answer", "people"], ["yes", yes], ["no", 100 - yes]])


def diseases(seed: int) -> bytes:
    rows = list(csv.reader(io.StringIO((FOLDER / "diseases.csv").read_text("utf-8"))))
    rng = np.random.default_rng(seed)
    people = [int(row[2]) for row in rows[1:]]
    shuffled = rng.permutation(people).tolist() if seed else people
    return csv_bytes([rows[0], *([*row[:2], n] for row, n in zip(rows[1:], shuffled, strict=True))])


def wide(seed: int) -> bytes:
    rng = np.random.default_rng(seed)
    people = rng.multinomial(2_000, rng.dirichlet(np.full(25, 0.5))).reshape(5, 5).tolist()
    rows = [[office, *counts] for office, counts in zip(OFFICES, people, strict=True)]
    return csv_bytes([["Department", *ANSWERS], *rows])


def semicolons(seed: int) -> bytes:
    """As spreadsheets in Germany write it: semicolons, decimal commas, Windows' encoding."""
    rows = city_rows(2_000, seed)
    lines = [";".join(str(cell).replace(".", ",") for cell in row) for row in rows]
    lines = [line.replace("daily", "täglich") for line in lines]
    return "\r\n".join(lines).encode("cp1252")


def both(first: tuple[str, tuple[str, ...]], second: tuple[str, tuple[str, ...]]) -> dict[str, Any]:
    lists = [
        {"column": column, "values": list(values), "source": "the questionnaire"}
        for column, values in (first, second)
    ]
    return {"lists": lists}


def city(seed: int) -> bytes:
    return csv_bytes(city_rows(2_000, seed))


BIKERS: Final = {"where": {"bike": ["daily", "weekly"]}}
IN_OFFICES: Final = both(("Department", OFFICES), ("How often?", ANSWERS))
COUNTIES: Final = {
    "lists": [
        {"column": "county", "file": "counties.csv", "key": "county", "source": "the state"},
        {
            "column": "disease",
            "values": ["HIV", "Hepatitis C", "Syphilis", "Tuberculosis"],
            "source": "the law",
        },
    ]
}
TITLES: Final = {
    "lists": [
        {"column": "Department", "values": list(OFFICES), "source": "the chart"},
        {"values": list(ANSWERS), "source": "the questionnaire"},
    ]
}
IN_TOWNS: Final = {
    "lists": [
        {
            "column": "town",
            "file": "towns.csv",
            "key": "name",
            "group": "part",
            "source": "the state",
        }
    ]
}
PLACES: Final = {
    "lists": [{"column": "place", "values": [f"place {i}" for i in range(6)], "source": "the map"}]
}
ONE_QUESTION: Final = {
    "lists": [{"column": "answer", "values": ["yes", "no"], "source": "the question"}]
}
OF_TABLE: Final = {"unit": "table", "column": "people"}
CASES: Final = {
    "cyclists on a map": Case(BIKERS, {"map": MAP}, city),
    "a map of whole degrees": Case(
        {},
        {
            "map": MAP
            | {
                "west": 7,
                "east": 8,
                "south": 51,
                "north": 53,
                "step": 0.05,
                "extent": "whole degrees",
            }
        },
        city,
    ),
    "semicolons and commas": Case(
        {"encoding": "cp1252", "where": {"bike": ["täglich"]}},
        {"map": MAP},
        semicolons,
        ("central", "round"),
    ),
    "staff by department": Case({}, IN_OFFICES, staff),
    "staff, threshold 5": Case({}, IN_OFFICES, staff, ("round", "hide"), threshold=5),
    "visits of people": Case(
        {"unit": "identifier", "column": "person", "most": 4},
        PLACES,
        visits,
        ("central", "round", "hide"),
    ),
    "towns and parts": Case({}, IN_TOWNS, towns),
    "counties and diseases": Case(OF_TABLE | {"most": 4}, COUNTIES, diseases),
    "titles of columns": Case({"unit": "table"}, TITLES, wide, ("central", "round", "hide")),
    "yes or no": Case(OF_TABLE, ONE_QUESTION, yes_no, ("central", "round", "hide")),
}
EACH: Final = [(name, kind) for name, case in CASES.items() for kind in case.kinds]
NAMED: Final = [f"{name}, {kind}" for name, kind in EACH]


@cache
def pack_of(name: str, kind: str) -> desk.Released:
    case = CASES[name]
    return released(case.settings(kind), case.files())


def truth_of(name: str, kind: str) -> Ints:
    """(N,) true numbers of all rows, in order."""
    case = CASES[name]
    settings, files = case.settings(kind), case.files()
    cells, counts = make_cells(settings.cells, files), true_counts(settings, files)
    if kind == "larger":
        level = cells.hierarchies[0][0]
        inside = counts[: level.groups.size]
        sums = [inside[level.groups == group].sum() for group in range(len(level.names))]
        counts, cells = np.array([*sums, *counts[inside.size :]], np.int64), cells.larger()
    k = len(cells.names)
    numbers = [*counts.tolist()]
    for level in cells.levels:
        groups = range(len(level.names))
        numbers += [int(counts[:k][level.groups == group].sum()) for group in groups]
    return np.array([*numbers, counts.sum()], np.int64)


def table_of(made: desk.Released) -> tuple[list[str], list[list[str]]]:
    title, *rows = csv.reader(io.StringIO(made.files["table.csv"].decode("utf-8")))
    return title, rows


def test_there_are_ten_lists() -> None:
    assert len(CASES) == 10
    assert len(EACH) >= 30


@pytest.mark.parametrize(("name", "kind"), EACH, ids=NAMED)
def test_every_number_is_what_its_title_says(name: str, kind: str) -> None:
    made, truth, case = pack_of(name, kind), truth_of(name, kind), CASES[name]
    title, rows = table_of(made)
    words = {"central": "noisy", "round": "rounded", "hide": "exact, or hidden"}
    assert title[2] == f"people ({words.get(kind, words['hide'])})"
    assert len(rows) == truth.size
    equal = 0
    for row, true in zip(rows, truth.tolist(), strict=True):
        number, what = row[2], row[3]
        if what == "hidden":
            assert number == ""
        elif what == "exact":
            assert int(number) == true
            assert not 0 < true < case.threshold, row
        elif what == "rounded":
            base = case.threshold
            assert int(number) % base == 0
            assert abs(int(number) - true) < base
        else:
            assert what in ("noisy", "sum of noisy cells")
            equal += what == "noisy" and int(number) == true
    told = {row[3] for row in rows}
    if kind in ("hide", "larger"):
        assert told <= {"exact", "hidden"}
    if kind == "round":
        assert told == {"rounded"}
    if kind == "central":
        cells = sum(row[3] == "noisy" for row in rows)
        is_once = case.held.get("most", 1) == 1
        assert (
            told
            == {"noisy", "exact"} | ({"sum of noisy cells"} if len(rows) > cells + 1 else set())
            or not is_once
        )
        alpha = np.exp(-1 / (2 * case.held.get("most", 1)))
        assert equal <= binom.isf(SIGNIFICANCE / len(EACH), cells, (1 - alpha) / (1 + alpha))


@pytest.mark.parametrize(("name", "kind"), EACH, ids=NAMED)
def test_totals_are_sums_of_what_is_published(name: str, kind: str) -> None:
    """So that the table agrees with itself, and no total tells more than its cells."""
    if kind in ("hide", "larger"):
        return
    made, case = pack_of(name, kind), CASES[name]
    settings, files = case.settings(kind), case.files()
    cells = make_cells(settings.cells, files)
    numbers = [int(row[2]) for row in table_of(made)[1]]
    place = len(cells.names) + (settings.list.unit != "table")
    published = np.array(numbers[: len(cells.names)])
    for level in cells.levels:
        for group in range(len(level.names)):
            assert numbers[place] == published[level.groups == group].sum()
            place += 1
    assert place == len(numbers) - 1


@pytest.mark.parametrize(("name", "kind"), EACH, ids=NAMED)
def test_the_object_has_the_table_and_nothing_else_from_the_data(name: str, kind: str) -> None:
    """Of two lists with the same settings all but numbers, their count, and the seal are equal."""
    case = CASES[name]
    made, other = pack_of(name, kind), released(case.settings(kind), case.files(seed=3))
    records = [json.loads(each.files["release.json"]) for each in (made, other)]
    for record, each in zip(records, (made, other), strict=True):
        assert [["" if row[2] is None else str(row[2]), row[3]] for row in record.pop("table")] == [
            row[2:] for row in table_of(each)[1]
        ]
        for changing in ("id", "seal"):
            assert re.fullmatch("[0-9a-f]{12}|[0-9a-f]{64}", record.pop(changing))
    assert records[0] == records[1]


class Text(HTMLParser):
    """The text of a page, without its style."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.tag = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tag = tag

    def handle_data(self, data: str) -> None:
        if self.tag != "style":
            self.parts.append(data)


@pytest.mark.parametrize(("name", "kind"), EACH, ids=NAMED)
def test_texts_follow_from_the_settings_and_the_table(name: str, kind: str) -> None:
    """The pages of two lists differ in the release's number, and in what the tables say alone."""
    case = CASES[name]
    pages: list[dict[str, str]] = []
    for made in (pack_of(name, kind), released(case.settings(kind), case.files(seed=3))):
        rows = table_of(made)[1]
        hidden = sum(row[3] == "hidden" for row in rows)
        found = {}
        for page in ("record.html", "memo.html", "assessment.html"):
            parser = Text()
            parser.feed(made.files[page].decode("utf-8"))
            text = " ".join(parser.parts)
            if kind in ("hide", "larger"):
                verb = "number is" if hidden == 1 else "numbers are"
                assert f"{hidden} {verb} hidden." in text
                text = text.replace(f"{hidden} {verb} hidden.", "HIDDEN")
            found[page] = text.replace(made.frozen.line.id, "ID")
        pages.append(found)
    assert pages[0] == pages[1]


@pytest.mark.parametrize(("name", "kind"), EACH, ids=NAMED)
def test_no_sentence_is_false_of_a_list_that_is_held(name: str, kind: str) -> None:
    made = pack_of(name, kind)
    for file, data in made.files.items():
        text = data.decode("utf-8")
        for wrong in ("localhost", "127.0.0.1", "own device", "nobody is trusted", "list.csv"):
            assert wrong not in text, file
    record = made.files["record.html"].decode("utf-8")
    assert "The office holds the true list and must be trusted." in record
    for typed in PUBLICATION.values():
        if typed not in (PUBLICATION["smaller"], PUBLICATION["special"]):
            assert typed.rstrip(".") in record
    # What a data protection officer asks: what was published before, its ε together, the smallest
    # count, who chose areas and answers and from what, who publishes, why, and until when.
    for asked in (
        "Together with what was published before",
        "Published before",
        "Smallest count",
        "Areas and answers",
        "Who must be trusted",
        "Publication",
    ):
        assert f"<h2>{asked}</h2>" in record, asked
    assert f"{PUBLICATION['chosen_by']} chose areas and answers from:" in record
    threshold = f"No exact count from 1 to {CASES[name].threshold - 1} is published."
    assert (threshold in record) == (kind in ("hide", "larger"))
    memo = made.files["memo.html"].decode("utf-8")
    assert "Internal: for the office only." in memo
    headings = re.findall(r"<h2>(.*?)</h2>\n<p>(.*?)</p>", memo, re.DOTALL)
    assert len(headings) == 20
    assert all(heading and text for heading, text in headings)
    assert {file.name for file in pack_files()} == made.files.keys()


def test_what_officers_type_never_becomes_markup() -> None:
    case = CASES["yes or no"]
    record = case.settings("round").to_record()
    for part, key in (
        ("publication", "by"),
        ("publication", "smaller"),
        ("list", "name"),
        ("cells", "source"),
    ):
        record[part][key] = f"<img src=x onerror=alert(1)> {key}"
    record["cells"]["lists"][0]["values"] = ["=1+1", "no"]
    text = csv_bytes([["answer", "people"], ["=1+1", 40], ["no", 60]])
    made = released(Settings.from_record(record), files_from_bytes({"list.csv": text}, PAGE_BOUNDS))
    for name in ("record.html", "memo.html", "assessment.html"):
        assert b"<img" not in made.files[name]
        assert b"&lt;img" in made.files[name]
    assert table_of(made)[1][0][1] == "'=1+1"
