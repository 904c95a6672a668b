"""The tutorials say what their cells give, and the site keeps to itself.

They are run as `scripts/run_tutorials.py` runs them: in this process, without Jupyter.
"""

import base64
import re
import zlib
from pathlib import Path

import pytest
from run_tutorials import TUTORIALS, outputs_of, read, text_of
from site_hooks import as_markdown, commands, fetched_from_elsewhere, on_page_markdown

import caldp_core
from tests import ROOT

NOTEBOOKS = sorted(TUTORIALS.glob("*.ipynb"))
CELLS_MAX = 15
KILOBYTES_MAX = 30


def without_compression(output: object) -> str:
    """An output with its pictures unpacked: zlib's versions pack alike pixels differently."""

    def unpack(found: re.Match[str]) -> str:
        data = base64.b64decode(found[1])
        start = data.index(b"IDAT") + 4
        return zlib.decompress(data[start : data.index(b"IEND") - 8]).hex()

    return re.sub(r"data:image/png;base64,([\w+/=]+)", unpack, str(output))


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
    page = as_markdown(read(NOTEBOOKS[0]), "engineer")
    assert page.startswith("# ")
    assert page.count("```python") == page.count("```text") + page.count("<div><figure") == 6
    assert "[This page as a notebook](engineer.ipynb)" in page
    assert on_page_markdown("[a](tutorials/engineer.ipynb)") == "[a](tutorials/engineer.md)"
    assert on_page_markdown(page).count("engineer.ipynb") == 1


def test_every_command_is_on_its_page() -> None:
    from caldp_core.cli.commands import main

    headings = re.findall(r"^### caldp (\S+)$", commands(), re.MULTILINE)
    assert headings == sorted(main.commands)
    below = re.findall(r"^### caldp (\S+ \S+)$", commands(), re.MULTILINE)
    assert below == ["fetch gowalla", "reproduce table1"]
    assert "--runs INTEGER RANGE" in commands()
    assert "<!-- commands: " in (ROOT / "docs" / "command-line.md").read_text("utf-8")


def test_all_that_is_handed_out_is_in_the_reference() -> None:
    entries = re.findall(
        r"^::: (caldp_core\S+)$", (ROOT / "docs/api.md").read_text("utf-8"), re.MULTILINE
    )
    assert {f"caldp_core.{name}" for name in caldp_core.__all__} <= set(entries)


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
