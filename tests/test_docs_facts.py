"""Lists in the documentation hold what the code has: options, commands, dependencies, sizes."""

import gzip
import json
import re
import tomllib

from click.testing import CliRunner

from caldp_core.cli.commands import main
from caldp_core.datasets.files.table import COLUMN_TYPES
from caldp_ui.room import phone
from tests import ROOT


def docs_text(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def test_own_data_names_every_type_of_column_and_every_option() -> None:
    page = docs_text("docs/own-data.md")
    types = next(line for line in page.splitlines() if "`--column NAME=TYPE`" in line)
    named = set(re.findall(r"`([a-z-]+)`", types))
    assert named == set(COLUMN_TYPES)
    options = {name for option in main.commands["count"].params for name in option.opts}
    # Columns have an option each as well; the page has --column, which takes all of them.
    by_column = {"--latitude", "--longitude", "--count", "--answer", "--group", "--question"}
    elsewhere = {"path", "-o", "--output", "--area", "--cell"}
    lacking = {name for name in options - by_column - elsewhere if name not in page}
    assert not lacking


def test_every_command_is_named_before_the_list_of_all_and_in_the_changelog() -> None:
    page = docs_text("docs/command-line.md").split("## All commands")[0]
    changes = docs_text("CHANGELOG.md")
    for command in main.commands:
        assert f"`{command}`" in page or f"caldp {command}" in page, command
        assert re.search(rf"\b{command}\b", changes), command


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads(docs_text("pyproject.toml"))["project"]
    wanted = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        wanted += extra
    names = {re.split(r"[<>=!~\[;]", requirement)[0].strip().lower() for requirement in wanted}
    reasons = docs_text("docs/what-we-learned.md").split("## Dependencies, and why")[1]
    with_reason = set(re.findall(r"^\| ([\w-]+) \|", reasons, re.MULTILINE))
    assert names <= with_reason, names - with_reason


def test_files_that_the_notes_on_data_name_exist() -> None:
    named = re.findall(
        r"`((?:caldp_core|scripts|tests|docs)/[\w./-]+)`", docs_text("data/README.md")
    )
    assert len(named) > 5
    assert not [path for path in named if not (ROOT / path).exists()]


def test_the_example_of_a_plan_prints_what_its_comment_says() -> None:
    line = re.search(
        r"caldp (plan .*?) +# .*\? ([\d.]+)$", docs_text("docs/command-line.md"), re.MULTILINE
    )
    assert line
    found = json.loads(CliRunner().invoke(main, line[1].split()).stdout)
    assert found["limit"] == "found"
    assert found["epsilon"] == float(line[2])


def test_a_phone_loads_what_the_lesson_says() -> None:
    told = re.search(
        r"a page of (\d+) kB and\n(\d+) kB of packed script", docs_text("docs/lesson.md")
    )
    assert told
    script = gzip.compress(phone._script().encode())
    assert round(len(phone.document()) / 1000) == int(told[1])
    assert round(len(script) / 1000) == int(told[2])
