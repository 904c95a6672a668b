"""Files that ship, cut, empty or wrong: a sentence on pages that need them, all others work."""

import gzip
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from caldp_core.datasets.shipped import DATA_FOLDER
from tests import ROOT
from tests.contract.checks import naming

_VISIT: Final = """
import sys
from pathlib import Path
from caldp_core.datasets import shipped
shipped.DATA_FOLDER = Path(sys.argv[1])
from tests.ui.driver import AppTest, APP
from caldp_ui.app.navigation import PAGES
for page in PAGES:
    if sys.argv[2:] and Path(page.path).stem not in sys.argv[2:]:
        continue
    at = AppTest.from_file(APP, default_timeout=200)
    at.run()
    at.switch_page(page.path).run()
    errors = [str(each.value) for each in at.error]
    outcome = "fault" if at.exception else "; ".join(errors) or "works"
    print(Path(page.path).stem, outcome, sep="\\t")
"""
"""Opens pages in a process of its own, as what is read is cached for good; says what came.

Its arguments are the folder of the data, and names of pages, none for all.
"""
CHANGES: Final = ("cut", "empty", "wrong")
NEEDED_BY: Final = {
    "surveys.csv.gz": {"values", "plan"},
    "gowalla_us_reconstruction.csv.gz": {
        *("places", "distances", "personal", "adversary", "coarser", "paper")
    },
}
"""Pages that open with these files; the others' files are needed for what readers choose there."""
FILES: Final = sorted(
    path.name for path in DATA_FOLDER.iterdir() if path.name.endswith((".csv.gz", ".npz"))
)


def broken(content: bytes, change: str) -> bytes:
    """The content of a file that was cut, emptied or replaced."""
    if change == "cut":
        return content[: len(content) // 2]
    return b"" if change == "empty" else gzip.compress(b"a,b\nx,y\n")


def outcomes(folder: Path, name: str, change: str, pages: Sequence[str]) -> dict[str, str]:
    """By page, "works", its sentences, or "fault"; with all data as they ship but for one file.

    `pages`: names of those that are opened, none for all.
    """
    for path in DATA_FOLDER.iterdir():
        if path.name != name:
            (folder / path.name).symlink_to(path)
    (folder / name).write_bytes(broken((DATA_FOLDER / name).read_bytes(), change))
    command = [sys.executable, "-c", _VISIT, str(folder), *pages]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(line.split("\t") for line in done.stdout.splitlines())


def expect_sentences(folder: Path, name: str, change: str, *pages: str) -> None:
    """Pages that need the file say so in a sentence, the others work; `pages`: as `outcomes`."""
    found = outcomes(folder, name, change, pages)
    assert len(found) >= (len(pages) or 10)
    needed = {page for page, outcome in found.items() if outcome != "works"}
    if name in NEEDED_BY:
        assert needed == NEEDED_BY[name] & found.keys()
    for page in needed:
        with naming(f"{page} without {name}"):
            assert "The project's own file" in found[page]
            assert "install caldp again" in found[page]


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_a_page_whose_file_is_broken_says_so_and_others_work(tmp_path: Path, change: str) -> None:
    """The page of answers could not be opened at all, nor the classroom, whose lesson shows it."""
    expect_sentences(tmp_path, "surveys.csv.gz", change, "values", "classroom")


@pytest.mark.thorough
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", FILES)
def test_no_broken_file_ends_a_page(tmp_path: Path, name: str, change: str) -> None:
    expect_sentences(tmp_path, name, change)
