"""Files in every form say the same; those that mean harm are one sentence, within bounds."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from caldp_core.basics import duck
from caldp_core.basics.errors import SENTENCE_MAX, CaldpError
from caldp_core.datasets import OwnTable, inspect_data, read_places
from caldp_core.datasets.files import table
from caldp_core.datasets.files.counts_export import write_counts
from caldp_core.datasets.files.source import file_system, source_from_bytes
from tests.contract.checks import naming
from tests.datasets.files import GOOD, HARM, PARIS, hostile, read_table

FUZZED = 800


def test_the_same_rows_are_read_from_every_form() -> None:
    people = sum(row[-1] for row in PARIS)
    wanted = read_places(GOOD["commas"]).places
    assert int(wanted.counts().sum()) == people
    named = Counter[str]()
    for name, _, _, n in PARIS:
        named[name] += n
    for form, data in GOOD.items():
        with naming(form):
            found = read_places(data)
            assert (found.places, found.refused.rows, found.refused.count) == (wanted, 400, 0)
            answers = read_table(data).table
            assert dict(zip(answers.names, answers.counts, strict=True)) == named


def test_what_a_file_is_and_holds_is_told() -> None:
    file = inspect_data(GOOD["semicolons, decimal commas, Windows"])
    assert file.table.kind == "Windows-1252, 4 columns with semicolons between them"
    assert file.names == ("Stadtteil", "Breitengrad", "Längengrad", "Anzahl")
    assert (file.has_places, file.places.mark, file.places.count) == (True, ",", 3)
    assert file.rows[0] == ("Nº 1", "48,82000", "2,25000", "1")
    assert "below 3 other lines" in inspect_data(GOOD["lines above"]).table.kind
    assert "sheet 'Orte'" in inspect_data(GOOD["a workbook"]).table.kind


@pytest.mark.parametrize("name", HARM)
def test_what_means_harm_is_one_sentence(name: str) -> None:
    data = HARM[name]()
    for read in (read_places, read_table):
        with pytest.raises(CaldpError) as refused:
            read(data)
        assert len(str(refused.value)) <= SENTENCE_MAX


@pytest.fixture
def one_connection(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """To connect anew for each of hundreds of files would take most of the time."""
    with file_system(source_from_bytes(b"", "")) as none, duck.connect(200, files=none) as kept:

        @contextmanager
        def connect(memory_mb: int, files: Any) -> Iterator[Any]:
            kept.unregister_filesystem(files.protocol)
            kept.register_filesystem(files)
            yield kept

        monkeypatch.setattr(table, "connect", connect)
        yield


@pytest.mark.usefixtures("one_connection")
@pytest.mark.parametrize("files", [100, pytest.param(FUZZED, marks=pytest.mark.thorough)])
def test_hundreds_of_broken_files_are_read_or_refused_in_one_sentence(files: int) -> None:
    ends: Counter[str] = Counter()
    for name, data in hostile(files):
        with naming(name):
            sentence = ""
            try:
                found = read_places(data)
            except CaldpError as error:
                sentence = str(error)
            assert len(sentence) <= SENTENCE_MAX
            assert sentence or found.refused.rows > found.refused.count
            ends["refused" if sentence else "read"] += 1
    assert min(ends["read"], ends["refused"]) > files / 20


def test_counts_come_back_as_they_were(tmp_path: Path) -> None:
    places = read_places(GOOD["commas"]).places
    odd = OwnTable(("=1+1", "b, c", '"d" e', "'f"), (1, 2, 3, 0), ("x", "@y", "x", "+z"))
    for ending in ("csv", "parquet"):
        path = tmp_path / f"it's.{ending}"
        write_counts(places, path)
        assert read_places(path).places == places
        write_counts(odd, path)
        assert read_table(path).table == odd
    assert "'=1+1" in (tmp_path / "it's.csv").read_text("utf-8")
    for wrong in (
        tmp_path / "x.xlsx",
        tmp_path / "none" / "x.csv",
        tmp_path / "none" / "x.parquet",
    ):
        with pytest.raises(CaldpError, match=r"must end in|can't be written"):
            write_counts(odd, wrong)


def test_every_file_that_was_opened_is_closed_after_it_was_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handles: list[BinaryIO] = []
    source = source_from_bytes(GOOD["commas"], "paris.csv")

    def open_source() -> BinaryIO:
        handles.append(source.open())
        return handles[-1]

    with (
        file_system(replace(source, open=open_source)) as files,
        duck.connect(200, files=files) as connection,
    ):
        duck.fetch_rows(connection, f"from read_csv('{files.protocol}://paris.csv')")
        files.open("another reader's, which it never closes")
    assert len(handles) > 1
    assert all(each.closed for each in handles)
