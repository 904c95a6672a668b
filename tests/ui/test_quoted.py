"""Names in sentences are names: no sign of Python's or Markdown's escaping is ever read with one.

A name that a reader knows stands in a sentence as they know it: in a command, in a log and on a
page, once Markdown has been read.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from caldp_core.basics.errors import quoted
from caldp_core.cli.commands import main
from caldp_ui.app import navigation
from caldp_ui.app.errors import escape_markdown
from tests.contract.checks import naming
from tests.ui.driver import as_read, checked, jobs_done, open_page

NAME = "a_b*c[d]-1 'of' \"us\".csv"
WINDOWS = "C:\\data\\a_b.csv"
FILES = {
    "no text": b"\xff\xfe\x00a,b\xff",
    "without a latitude": b"x_y*z[q],n\na,3\nb,4\n",
    "a damaged workbook": b"PK\x03\x04",
}
READ_AS_MARKDOWN = ("error", "warning", "info", "success", "markdown", "caption", "toast")
LABELLED = ("selectbox", "text_input", "multiselect", "expander")
"""Their labels are Markdown; what is in them is read as it stands."""


def sentences(at: AppTest) -> Iterator[str]:
    """What a reader sees of all that may name a file or a column."""
    for kind in READ_AS_MARKDOWN:
        yield from (as_read(item.value) for item in getattr(at, kind))
    for kind in LABELLED:
        for item in getattr(at, kind):
            yield as_read(item.label)
            value = getattr(item, "value", "")
            yield from (str(text) for text in (value, *getattr(item, "options", ())))


def test_a_name_is_quoted_as_it_stands() -> None:
    assert quoted(WINDOWS) == f"'{WINDOWS}'"
    assert quoted(NAME) == f"'{NAME}'"
    assert quoted("a\x1b[31mb\n") == "'a\N{REPLACEMENT CHARACTER}[31mb\N{REPLACEMENT CHARACTER}'"


def test_markdown_shows_a_quoted_name_and_a_twice_escaped_one_is_found() -> None:
    assert as_read(escape_markdown(f"{NAME} {WINDOWS}")) == f"{NAME} {WINDOWS}"
    assert "\\" in as_read(escape_markdown(escape_markdown("UTF-8 a_b")))


@pytest.mark.parametrize(("page", "kind"), [*zip(("values", "places") * 3, FILES, strict=False)])
def test_a_page_names_files_and_columns_as_they_are(page: str, kind: str) -> None:
    at = open_page(f"pages/{page}.py", state={f"{page}-own": True})
    at.file_uploader(key=f"{page}-own-file").set_value((NAME, FILES[kind], "text/plain"))
    jobs_done(checked(at.button(key=f"{page}-own-file-show").click().run()))
    found = list(sentences(at))
    assert not [each for each in found if "\\" in each]
    assert any(NAME in each for each in found)


def test_results_name_files_as_they_are() -> None:
    at, named = open_page(navigation.RESULTS, state={"results-own": True}), 0
    for data in FILES.values():
        at.file_uploader(key="results-files").set_value([(NAME, data, "application/json")])
        jobs_done(checked(at.button(key="results-show").click().run()))
        (error,) = (as_read(item.value) for item in at.error)
        assert "\\" not in error
        named += NAME in error
    assert named  # of files that are nothing of a collection none is named


@pytest.mark.parametrize(
    "command",
    [
        ("count", "{}", "-o", "out.csv"),
        ("run", "{}"),
        ("tally", "{}", "{}", "-o", "out.json"),
        ("estimate", "{}", "{}"),
        ("audit", "{}"),
    ],
)
def test_commands_name_files_as_they_are(command: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / NAME
    for kind in ("no text", "a damaged workbook"):
        path.write_bytes(FILES[kind])
        done = CliRunner().invoke(main, [part.format(path) for part in command])
        with naming(kind):
            assert done.exit_code == 2, done.output
            assert NAME in done.output
            assert not re.search(r"\\", done.output)
