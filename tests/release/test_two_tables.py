"""Two tables of one list: what follows from both is refused, and what was not compared is said."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools
from caldp_core.datasets.files.source import PAGE_BOUNDS
from caldp_core.release import desk
from caldp_core.release.files import Files, files_from_bytes
from caldp_core.release.frozen import Row
from caldp_core.release.office import Office
from caldp_core.release.settings import Settings
from tests.contract.checks import naming
from tests.release.lists import PUBLICATION, csv_bytes, new_office

pytestmark = pytest.mark.slow
OFFICES = ("A", "B", "C", "D")
ANSWERS = ("yes", "no", "rather not say")
SEXES = ("f", "m")


def staff(seed: int = 3) -> list[list[Any]]:
    """900 people with office, answer and sex; a few answers are rare."""
    rng = np.random.default_rng(seed)
    office = rng.choice(OFFICES, 900, p=[0.5, 0.3, 0.17, 0.03])
    answer = rng.choice(ANSWERS, 900, p=[0.03, 0.85, 0.12])
    sex = rng.choice(SEXES, 900)
    return [["office", "answer", "sex"], *np.stack([office, answer, sex], 1).tolist()]


def files_of(rows: list[list[Any]]) -> Files:
    return files_from_bytes({"list.csv": csv_bytes(rows)}, PAGE_BOUNDS)


VALUES = {"office": OFFICES, "answer": ANSWERS, "sex": SEXES}


def settings_of(
    *columns: str, threshold: int = 10, kind: str = "hide", where: Any = None
) -> Settings:
    held: dict[str, Any] = {"name": "Staff", "file": "list.csv"}
    if where:
        held["where"] = where
    lists = [
        {"column": name, "values": list(VALUES[name]), "source": "the plan"} for name in columns
    ]
    treatment: dict[str, Any] = {"kind": kind, "threshold": threshold}
    if kind == "central":
        treatment = {"kind": kind, "epsilon": 1.0}
    return Settings.from_record(
        {
            "list": held,
            "cells": {"source": "the plan", "lists": lists},
            "treatment": treatment,
            "publication": PUBLICATION,
        }
    )


def release(settings: Settings, files: Files, office: Office) -> desk.Released:
    return desk.release(settings, files, office, second=True)


GROUPS = [(office, answer, sex) for office in OFFICES for answer in ANSWERS for sex in SEXES]
Table = tuple[tuple[str, ...], desk.Released]
"""A release, and the columns of its table."""


def members_of(columns: tuple[str, ...], row: Row) -> Bools:
    """(24,) True for the groups of people whom a row counts, by the names in it."""
    if row.level == "all":
        return np.ones(len(GROUPS), np.bool_)
    if row.name == "everybody else in the list":
        return np.zeros(len(GROUPS), np.bool_)
    values = {row.level: row.name}
    if row.level == "cell":
        values = dict(zip(columns, row.name.split(" · "), strict=True))
    found = np.ones(len(GROUPS), np.bool_)
    for place, column in enumerate(VALUES):
        if column in values:
            found &= np.array([group[place] == values[column] for group in GROUPS])
    return found


def narrow_ones(rows: list[list[Any]], tables: Sequence[Table]) -> int:
    """Hidden small numbers with fewer than eleven values, for who knows all tables and a cell.

    Or no cell. By programs over the unknown people of each office, answer and sex: a second route.
    """
    truth = np.array([sum(tuple(row) == group for row in rows[1:]) for group in GROUPS])
    published = [
        (members_of(columns, row), row) for columns, made in tables for row in made.frozen.rows
    ]
    known = [members for members, row in published if row.people is not None]
    hidden = [(members, row) for members, row in published if row.people is None]
    small = [members for members, _ in hidden if 1 <= int(truth[members].sum()) <= 9]
    insiders = [members for members, row in hidden if row.level == "cell"]
    found = 0
    for members in small:
        others = [cell for cell in insiders if (cell != members).any() and cell.any()]
        for own in ([], *([cell] for cell in others)):
            matrix = np.array([*known, *own], np.float64)
            values = matrix @ truth
            ends = []
            for sign in (1, -1):
                solved = milp(
                    sign * members.astype(np.float64),
                    integrality=np.ones(len(GROUPS), np.int64),
                    bounds=Bounds(0, 2_000),
                    constraints=LinearConstraint(matrix, values, values),
                )
                assert solved.fun is not None
                ends.append(sign * round(solved.fun))
            found += ends[1] - ends[0] < 10
    return found


def test_a_lower_threshold_afterwards_is_refused() -> None:
    """The second table alone has nothing below 4, and gives the first one's small numbers."""
    files, office = files_of(staff()), new_office()
    release(settings_of("office", "answer"), files, office)
    lower = settings_of("office", "answer", threshold=4)
    with pytest.raises(CaldpError, match="would follow from the two tables together"):
        release(lower, files, office)
    with pytest.raises(CaldpError, match="would follow from the two tables together"):
        desk.preview_hiding(lower, files, office)
    assert len(office.entries()) == 1, "what is refused is not counted"


def test_the_same_table_on_another_day_is_compared_and_says_so() -> None:
    files, office = files_of(staff()), new_office()
    first = release(settings_of("office", "answer"), files, office)
    settings = settings_of("office", "answer")
    later = replace(settings, publication=replace(settings.publication, date="2026-12-24"))
    second = release(later, files, office)
    assert second.frozen.rows == first.frozen.rows
    assert second.frozen.facts["checked"] == ["2026-11-28"]
    for name in ("record.html", "memo.html", "assessment.html"):
        assert "Compared with the table of 2026-11-28" in second.files[name].decode(), name
        assert "Not compared" not in second.files[name].decode()


def test_two_tables_that_share_a_question_hide_together_what_each_hides() -> None:
    """Either the second one is refused, or no small number of the two is narrow."""
    released_twice = 0
    for seed in range(4):
        rows = staff(seed)
        files, office = files_of(rows), new_office()
        first = release(settings_of("office", "answer"), files, office)
        tables: list[Table] = [(("office", "answer"), first)]
        with suppress(CaldpError):
            second = release(settings_of("answer", "sex"), files, office)
            tables.append((("answer", "sex"), second))
            released_twice += 1
        with naming(str(seed)):
            assert narrow_ones(rows, tables) == 0
    assert released_twice >= 2, "or this test says nothing"


def test_the_second_route_finds_what_is_refused() -> None:
    """Two tables of two offices, which do not know of each other: then small numbers are narrow."""
    rows = staff()
    files = files_of(rows)
    first = release(settings_of("office", "answer"), files, new_office())
    second = release(settings_of("office", "answer", threshold=4), files, new_office())
    assert second.frozen.facts == {"checked": [], "unchecked": []}
    columns = ("office", "answer")
    assert narrow_ones(rows, [(columns, first), (columns, second)]) > 0


def test_a_difference_of_two_tables_is_a_number_too() -> None:
    """All people by office, then those of one sex: who is left is 3 in one office."""
    rows: list[list[Any]] = [["office", "answer", "sex"]]
    for name, men, women in (("A", 200, 60), ("B", 90, 3), ("C", 80, 40), ("D", 70, 30)):
        rows += [[name, "no", "m"]] * men + [[name, "no", "f"]] * women
    files, office = files_of(rows), new_office()
    release(settings_of("office"), files, office)
    with pytest.raises(CaldpError, match="1 small number would follow"):
        release(settings_of("office", where={"sex": ["m"]}), files, office)
    others = [row if row[2] == "m" or row[0] != "B" else ["B", "no", "m"] for row in rows]
    files, office = files_of(others), new_office()
    release(settings_of("office"), files, office)
    made = release(settings_of("office", where={"sex": ["m"]}), files, office)
    assert made.frozen.facts["checked"] == ["2026-11-28"]


def test_what_cannot_be_compared_is_said() -> None:
    """Rounding, another state of the list, and a record from elsewhere; noise alone needs none."""
    files, office = files_of(staff()), new_office()
    first = release(settings_of("office"), files, office)
    rounded = release(settings_of("office", kind="round"), files, office)
    assert rounded.frozen.facts["unchecked"] == ["2026-11-28"]
    assert "Not compared with the release of 2026-11-28" in rounded.files["record.html"].decode()
    one_more = files_of([*staff(), ["A", "no", "f"]])
    again = release(settings_of("office"), one_more, office)
    assert again.frozen.facts["unchecked"] == ["2026-11-28", "2026-11-28"]
    text = {"list.csv": csv_bytes(staff()), "one.json": first.files["release.json"]}
    brought = replace(settings_of("office"), earlier=("one.json",))
    fresh = release(brought, files_from_bytes(text, PAGE_BOUNDS), new_office())
    assert fresh.frozen.facts["unchecked"] == ["2026-11-28"]
    assert json.loads(fresh.files["release.json"])["facts"]["checked"] == []
    noisy, quiet = new_office(), settings_of("office", kind="central")
    release(quiet, files, noisy)
    second = release(settings_of("answer", kind="central"), files, noisy)
    assert second.frozen.facts["unchecked"] == []
