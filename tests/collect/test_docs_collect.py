"""docs/collect.md is walked through, docs/reports.md is held against the protocols."""

import csv
import io
import json
import re
import shlex
import shutil
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from caldp_core.cli.commands import main
from caldp_core.collect.collected import REASONS
from caldp_core.collect.sql import DIALECTS
from tests import ROOT
from tests.collect.protocols import SPECS, small
from tests.contract.checks import naming

STEP = re.compile(r"^ {4}caldp ([^\n]*)$|^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def text_of(page: str) -> str:
    return (ROOT / "docs" / page).read_text("utf-8")


def words_of(command: str) -> list[str]:
    """As a shell hands them over, with files in the place of patterns."""
    parts = [sorted(map(str, Path().glob(w))) if "*" in w else [w] for w in shlex.split(command)]
    return [word for part in parts for word in part]


def test_a_walk_through_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ROOT / "examples" / "own-table.json", tmp_path / "scenario.json")
    monkeypatch.chdir(tmp_path)
    known: dict[str, Any] = {}
    steps = STEP.findall(re.sub(r"^( {4}.*)$", r"\1\n", text_of("collect.md"), flags=re.MULTILINE))
    assert len(steps) == 13
    for command, code in steps:
        with naming(command or code):
            if command:
                done = CliRunner().invoke(main, words_of(command))
                assert done.exit_code == 0, done.output
                continue
            with redirect_stdout(io.StringIO()) as printed:
                exec(code, known)
            assert printed.getvalue().splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)
    assert "export class Client" in Path("client.js").read_text("utf-8")
    assert Path("both.tally.json").read_bytes() == Path("week.tally.json").read_bytes()
    rows = list(csv.DictReader(Path("estimate.csv").read_text("utf-8").splitlines()))
    assert {"estimated share", "estimated people", "low", "high"} < set(rows[0])
    record = json.loads(Path("record.json").read_text("utf-8"))
    assert (record["reports"], record["files"]) == (300, 2)
    assert record["batches"] == ["monday", "tuesday"]
    (block,) = record["privacy"]["if_mixed"]["blocks"]
    assert block["people"] == 300


def test_names_of_the_page_are_those_of_the_code() -> None:
    page = text_of("collect.md")
    for name in (*REASONS, *DIALECTS, *(family for family in SPECS if " " not in family)):
        assert f"`{name}`" in page


def table(header: str) -> list[list[str]]:
    body = text_of("reports.md").split(header, 1)[1].split("\n\n", 1)[0]
    return [[c.strip() for c in line.strip("|").split("|")] for line in body.splitlines()[2:]]


def names(cell: str) -> list[str]:
    return re.findall(r"`([\w-]+)`", cell)


def test_every_family_and_its_numbers_are_told() -> None:
    forms = {
        family: form.strip("`")
        for form, families, *_ in table("| form | families")
        for family in names(families)
    }
    drawn = {family for kinds, *_ in table("| `mechanism.kind`") for family in names(kinds)}
    families = [name for name in SPECS if " " not in name]
    assert forms == {name: small(name).format.kind for name in families}
    assert drawn == set(families)
    parts = [small(name).plan.mechanism_part() for name in families]
    words = set(re.findall(r"\w+", text_of("reports.md")))
    assert {number for part in parts for number in part["numbers"]} <= words
