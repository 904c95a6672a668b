"""Documentation and tutorials are held against the code: snippets, links, keys, outputs.

They are run as `scripts/run_tutorials.py` runs them: in this process, without Jupyter.
"""

import base64
import contextlib
import io
import json
import re
import shlex
import zlib
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from markdown import markdown

import caldp_core
from caldp_core.basics.errors import CaldpError
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms import FAMILIES
from caldp_core.scenarios.scenario import FORMAT, SLOTS, Scenario
from caldp_ui.words.accuracy import DEFINITIONS
from scripts.run_tutorials import TUTORIALS, outputs_of, read, text_of
from scripts.site_hooks import as_markdown, fetched_from_elsewhere, finished
from tests import ROOT
from tests.attempts import ATTEMPTS
from tests.stats import SAME_DRAWS

PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/index.md",
    "docs/lesson.md",
    "docs/deploy.md",
    "docs/security.md",
    "docs/what-we-learned.md",
    "docs/coarser.md",
    "docs/pages.md",
    "docs/choose-epsilon.md",
    "docs/choose-protection.md",
    "docs/keep-running.md",
    "docs/compared.md",
    "docs/glossary.md",
    "docs/limits.md",
    "docs/plan-survey.md",
    "docs/several-rows.md",
    "docs/versions.md",
    "SECURITY.md",
    "docs/own-data.md",
    "docs/reading-files.md",
    "docs/release.md",
    "docs/command-line.md",
    "docs/api.md",
    "docs/scenario.md",
    "docs/mathematics.md",
    "docs/galois.md",
    "docs/derivations.md",
    "docs/estimators.md",
    "docs/collect.md",
    "docs/compatibility.md",
    "docs/reports.md",
    "benchmarks/README.md",
    "benchmarks/results.md",
    "benchmarks/estimators.md",
)
SECTIONS = {
    "dataset": "Datasets",
    "policy": "Policies",
    "blocks": "Blocks",
    "sensitive": "Sensitive values",
    "mechanism": "Mechanisms",
    "prior": "Public maps",
}
CHECK_INS = {"path": "check-ins.txt"}
"""What a `snap` must have; it is not opened before it is loaded."""


def test_the_table_of_attempts_is_what_its_command_prints() -> None:
    """A row for each attempt, in its order: what was tried, how often, and the result."""
    text = (ROOT / "docs" / "security.md").read_text("utf-8")
    rows = text.partition("| tried | tests | got through |\n|---|---|---|\n")[2].splitlines()
    for tried, row in zip(ATTEMPTS.values(), rows, strict=False):
        name, tests, through = row.strip("| ").split(" | ")
        assert name == tried
        assert int(tests.replace(",", "")) > 0
        assert through == "none"
    assert not rows[len(ATTEMPTS)].startswith("|"), "a row that no attempt has made"


def docs_text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def fenced(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", docs_text_of(page), re.DOTALL | re.MULTILINE)


def docs_commands(page: str) -> list[str]:
    return re.findall(r"^ {4}(\S.*)$", docs_text_of(page), re.MULTILINE)


WALK = "docs/collect.md"
"""Its commands follow each other: tests/collect/test_collect_commands.py runs them."""
PYTHON = [(page, code) for page in PAGES if page != WALK for code in fenced(page, "python")]
SCENARIOS = [(page, code) for page in PAGES for code in fenced(page, "json")]


def rows(section: str) -> list[list[str]]:
    """Cells of the first table below a heading of docs/scenario.md, its header left out."""
    body = docs_text_of("docs/scenario.md").split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    table = [line for line in body.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def kinds_of(slot: str) -> dict[str, dict[str, tuple[str, str]]]:
    """Kind → key → (values, default) as told in docs/scenario.md."""
    kinds: dict[str, dict[str, tuple[str, str]]] = {}
    for kind, key, values, default, _ in rows(SECTIONS[slot]):
        if kind:
            current = kinds.setdefault(kind.strip("`"), {})
        if key:
            current[key.strip("`")] = (values, default)
    return kinds


def default_of(field: Field[Any]) -> str:
    if field.default is MISSING:
        return "none: it must be there"
    if is_dataclass(field.default):
        kind = next(
            k for _, ks in SLOTS.values() for k, c in ks.items() if c is type(field.default)
        )
        return f'`{{"kind": "{kind}"}}`'
    value = list(field.default) if isinstance(field.default, tuple) else field.default
    return f"`{json.dumps(value)}`"


@pytest.mark.parametrize(
    ("page", "code"), PYTHON, ids=[f"{p}-{i}" for i, (p, _) in enumerate(PYTHON)]
)
def test_python_snippets_print_what_they_say(page: str, code: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, page, "exec"), {})
    comments = re.findall(r"^# (.*)$", code.rsplit("print(", maxsplit=1)[-1], re.MULTILINE)
    assert comments
    assert printed.getvalue().splitlines() == comments


@pytest.mark.parametrize(
    ("page", "code"), SCENARIOS, ids=[f"{p}-{i}" for i, (p, _) in enumerate(SCENARIOS)]
)
def test_json_snippets_are_scenarios_that_run(page: str, code: str) -> None:
    scenario = Scenario.from_dict(json.loads(code))
    result = run(prepare(replace(scenario, n=1000, trials=1)))
    assert result.first.people.sum() == 1000


def test_first_scenario_of_the_page_holds_all_defaults() -> None:
    full = json.loads(SCENARIOS[0][1])
    assert full == Scenario().to_dict()
    assert list(full) == list(Scenario().to_dict())


def test_every_key_of_a_scenario_is_told_with_its_default() -> None:
    defaults = {key.strip("`"): default for key, _, default, _ in rows("Keys")}
    assert defaults.pop("caldp_scenario") == "none: it must be there"
    plain = {f.name: default_of(f) for f in fields(Scenario) if f.name not in SLOTS}
    slots = {
        name: f'`{{"kind": "{Scenario().kind(name)}"}}`'
        for name in ("dataset", "policy", "mechanism", "prior")
    }
    assert defaults == plain | slots
    assert f"version {FORMAT} of" in docs_text_of("CHANGELOG.md")


def test_the_glossary_is_that_of_the_dashboard() -> None:
    page = (ROOT / "docs/glossary.md").read_text("utf-8")
    entries = re.findall(r"^\*\*(.+)\*\*$\n\n((?:.+\n)+)", page, re.MULTILINE)
    assert {name: " ".join(text.split()) for name, text in entries} == dict(DEFINITIONS)


def test_every_estimator_is_told() -> None:
    values = next(values for name, values, _, _ in rows("Keys") if name == "`estimator`")
    assert re.findall(r'"([^"]+)"', values) == list(ESTIMATORS)


@pytest.mark.parametrize("slot", SLOTS)
def test_every_kind_and_field_is_told_with_its_default(slot: str) -> None:
    defaults = {
        kind: {key: default for key, (_, default) in keys.items()}
        for kind, keys in kinds_of(slot).items()
    }
    assert defaults == {
        kind: {field.name: default_of(field) for field in fields(cls)}
        for kind, cls in SLOTS[slot][1].items()
    }


RANGES = [
    (slot, kind, key, values)
    for slot in SLOTS
    for kind, keys in kinds_of(slot).items()
    for key, (values, _) in keys.items()
    if "in [" in values
] + [(None, None, key.strip("`"), values) for key, values, _, _ in rows("Keys") if "in [" in values]


@pytest.mark.parametrize(("slot", "kind", "key", "values"), RANGES)
def test_ranges_are_those_of_the_code(slot: str, kind: str, key: str, values: str) -> None:
    ((low, high),) = (map(float, edges) for edges in re.findall(r"in \[(\S+), (\S+)\]", values))
    whole = "whole number" in values

    def make(value: Any) -> Any:
        extra = {key: int(value) if whole else value}
        if kind in ("snap", "places", "map"):
            # One cell, as far in the south-west as it can be.
            side = min(value, 180)
            extra |= {"snap": CHECK_INS, "places": {"people": "0:1"}, "map": {"parts": "0:1"}}[kind]
            extra |= {"area": f"-90,{side - 90:.10g},-180,{side - 180:.10g}"}
        if (kind, key) == ("inhabited", "least"):
            extra["most"] = 10**12
        if kind == "distances":
            extra["rows"] = [[0, 1], [1, 0]]
        if slot is not None:
            extra = {slot: {"kind": kind} | extra}
        if slot in ("blocks", "sensitive"):
            extra = {"policy": {"kind": "context"} | extra}
        return Scenario.from_dict({"caldp_scenario": 2} | extra)

    below = low - (1 if whole else low / 100 or 0.01)
    above = high + (1 if whole else high / 100)
    make(low)
    make(high)
    for value in (below, above):
        with pytest.raises(CaldpError):
            make(value)


def test_links_of_the_page_are_read_and_written() -> None:
    links = [line for line in docs_commands("docs/scenario.md") if line.startswith("?")]
    assert len(links) > 1
    for link in links:
        query = dict(parse_qsl(link[1:], keep_blank_values=True))
        assert Scenario.from_query(query).to_query() == query


@pytest.mark.parametrize("page", PAGES)
def test_relative_links_lead_to_files(page: str) -> None:
    text = docs_text_of(page)
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    missing = [
        link
        for link in links
        if not link.startswith("http") and not ((ROOT / page).parent / link).exists()
    ]
    assert not missing


@pytest.mark.parametrize("page", PAGES)
def test_paths_in_code_marks_exist(page: str) -> None:
    rooms = "caldp_core|caldp_ui|pages|data|docs|tests|benchmarks|scripts|examples"
    paths = re.findall(rf"`((?:{rooms})/[\w./-]*)`", docs_text_of(page))
    paths += [
        word
        for line in docs_commands(page)
        for word in line.split()
        if re.fullmatch(rf"(?:(?:{rooms})/[\w./-]+|[\w-]+\.txt|app\.py|\.ci/run)", word)
    ]
    # NAME stands for a name that the reader picks.
    known = [path for path in paths if "NAME" not in path]
    assert not [path for path in known if not (ROOT / path).exists()]


def test_files_named_in_code_marks_exist_in_docstrings_and_comments_too() -> None:
    rooms = "caldp_core caldp_ui pages docs tests benchmarks scripts deploy examples .streamlit"
    files = [path for room in rooms.split() for path in (ROOT / room).rglob("*")]
    files = [path for path in files if "node_modules" not in path.parts] + [*ROOT.glob("*.*")]
    texts = [p for p in files if p.suffix in {".py", ".md", ".toml", ".js", ".ts", ".css"}]
    ends = {"/" + "/".join(path.parts[i:]) for path in files for i in range(1, len(path.parts))}
    marks = re.compile(r"`([\w./-]+\.(?:py|js|mjs|ts|toml|css))`")
    named = {
        (name, path.relative_to(ROOT).as_posix())
        for path in texts
        if path.name != "CHANGELOG.md"
        for name in marks.findall(path.read_text(encoding="utf-8"))
        if "NAME" not in name
    }
    assert len(named) > 200
    assert not [each for each in named if "/" + each[0].removeprefix("../") not in ends]


def test_commands_of_the_command_line_are_known() -> None:
    from caldp_core.cli.commands import main

    caldp = re.compile(r"(?:python -m caldp_core|\.venv/bin/caldp|caldp) (.*)")
    invocations = [
        shlex.split(found[1], comments=True)
        for page in PAGES
        for line in docs_commands(page)
        if (found := caldp.match(line))
    ]
    assert {words[0] for words in invocations} == set(main.commands)
    for words in invocations:
        with contextlib.redirect_stdout(io.StringIO()), pytest.raises(SystemExit) as ended:
            main([*words, "--help"])
        assert ended.value.code == 0


def test_continuous_checks_use_the_readme_test_command() -> None:
    command = next(line for line in docs_commands("README.md") if line.endswith("pytest"))
    assert command.startswith("python3 -m venv")
    script = docs_text_of(".ci/run")
    for part in ("-m venv", "-r requirements-dev.txt", "/bin/pytest"):
        assert part in command
        assert part in script


NOTEBOOKS = sorted(TUTORIALS.glob("*.ipynb"))
CELLS_MAX = 15
KILOBYTES_MAX = 30


def without_compression(output: object) -> str:
    """An output with its pictures unpacked: zlib's versions pack equal pixels differently."""

    def unpack(found: re.Match[str]) -> str:
        data = base64.b64decode(found[1])
        start = data.index(b"IDAT") + 4
        return zlib.decompress(data[start : data.index(b"IEND") - 8]).hex()

    return re.sub(r"data:image/png;base64,([\w+/=]+)", unpack, str(output))


@pytest.mark.slow
@SAME_DRAWS
@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_cells_show_what_the_tutorial_says(path: Path) -> None:
    notebook = read(path)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    found = [without_compression(each) for each in outputs_of(notebook)]
    assert found == [without_compression(cell["outputs"]) for cell in cells], (
        "run python -m scripts.run_tutorials, and read whether the texts around are still true"
    )
    assert "text/html" in cells[-1]["outputs"][-1]["data"], "a tutorial ends with a picture"
    assert notebook["cells"][-1]["cell_type"] == "markdown"
    assert "".join(notebook["cells"][-1]["source"]).startswith("**")
    assert len(notebook["cells"]) <= CELLS_MAX
    assert path.stat().st_size < KILOBYTES_MAX * 1024
    assert text_of(notebook) == path.read_text("utf-8")


def test_there_is_one_for_each_reader() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["engineer", "policy", "teacher"]
    readme = (ROOT / "README.md").read_text("utf-8")
    assert all(f"docs/tutorials/{path.name}" in readme for path in NOTEBOOKS)
    assert len(readme.splitlines()) < 150


def test_a_cell_that_gives_something_else_is_found() -> None:
    cell = {"cell_type": "code", "source": ["print(1)\n", "x = 2\n", "x + 1"]}
    (outputs,) = outputs_of({"cells": [cell]})
    assert [each["output_type"] for each in outputs] == ["stream", "execute_result"]
    assert outputs[0]["text"] == ["1\n"]
    assert outputs[1]["data"] == {"text/plain": ["3"]}


def test_a_notebook_is_a_page_with_its_outputs() -> None:
    page = as_markdown(read(NOTEBOOKS[0]), "engineer.ipynb")
    assert page.startswith("# ")
    assert page.count("```python") == page.count("```text") + page.count("<div><") == 6
    assert "[This page as a notebook](engineer.ipynb)" in page
    assert finished("[a](tutorials/engineer.ipynb)") == "[a](tutorials/engineer.md)"
    assert finished(page).count("engineer.ipynb") == 1


def test_every_command_is_on_its_page() -> None:
    from caldp_core.cli.commands import main

    page = markdown((ROOT / "docs/command-line.md").read_text("utf-8"), extensions=["mkdocs-click"])
    assert re.findall(r"<h4[^>]*>(\S+)</h4>", page) == sorted(main.commands)
    below = re.findall(r"<h5[^>]*>(\S+)</h5>", page)
    assert below == ["gowalla", "figure2", "figure3", "table1"]
    assert "--runs INTEGER RANGE" in page


def test_all_that_is_handed_out_is_in_the_reference() -> None:
    entries = re.findall(
        r"^::: (caldp_core\S+)$", (ROOT / "docs/api.md").read_text("utf-8"), re.MULTILINE
    )
    assert {f"caldp_core.{name}" for name in caldp_core.__all__} <= set(entries)
    paths = [entry.rpartition(".") for entry in entries]
    found = [getattr(import_module(module), name) for module, _, name in paths]
    assert len({id(each) for each in found}) == len(found)
    lacking = [
        f"::: {kind.__module__}.{kind.__qualname__}"
        for _, kinds in SLOTS.values()
        for kind in kinds.values()
        if kind not in found
    ]
    assert not lacking, "errors name each class of a scenario: docs/api.md lacks these lines"


def test_families_are_as_many_as_is_said_and_each_has_its_place_by_speed() -> None:
    word = {7: "seven", 8: "eight", 9: "nine", 10: "ten"}[len(FAMILIES)]
    mathematics = (ROOT / "docs" / "mathematics.md").read_text("utf-8")
    assert f"The first {word} are *families*" in mathematics
    assert f"{word} families" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    ranks = sorted(family.tally_rank for family in FAMILIES.values())
    assert ranks == list(range(len(FAMILIES))), "tally ranks: 0 is the quickest, each is there once"


@pytest.mark.parametrize(
    ("html", "foreign"),
    [
        ('<link rel="stylesheet" href="https://fonts.example/a.css">', 1),
        ('<script src="//cdn.example/a.js"></script>', 1),
        ('<img src="https://example.org/a.png"><img src="a.png">', 1),
        ('<a href="https://example.org">there</a>', 0),
        ('<link rel="canonical" href="https://example.org/">', 0),
        ('<script src="assets/a.js"></script><img src="data:image/png;base64,AA">', 0),
    ],
)
def test_what_is_fetched_from_elsewhere_is_found(html: str, foreign: int) -> None:
    assert len(fetched_from_elsewhere(html)) == foreign
