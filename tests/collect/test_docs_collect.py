"""docs/collect.md is run, docs/reports.md is held against the protocols."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from caldp_core.cli.commands import main
from tests import ROOT
from tests.collect.protocols import SPECS, small
from tests.contract.checks import naming


def text_of(page: str) -> str:
    return (ROOT / "docs" / page).read_text("utf-8")


def test_the_commands_run_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(ROOT / "examples" / "own-table.json", tmp_path / "scenario.json")
    monkeypatch.chdir(tmp_path)
    told = re.findall(r"^ {4}caldp (.*)$", text_of("collect.md"), re.MULTILINE)
    assert told
    for line in told:
        with naming(line):
            done = CliRunner().invoke(main, shlex.split(line))
            assert done.exit_code == 0, done.output


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
    words = set(re.findall(r"\w+", text_of("reports.md")))
    assert {number for name in families for number in small(name).device.blocks[0]} <= words
    assert all(f"`{name}`" in text_of("collect.md") for name in families)
