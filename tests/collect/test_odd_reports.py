"""An odd report is the same by every engine that counts it: files, Arrow, all dialects of SQL."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from caldp_core import CaldpError, Protocol
from caldp_core.collect.arrow import collected_from_rows, partial_tallies
from caldp_core.collect.collected_tally import (
    MALFORMED,
    OTHER_PROTOCOL,
    OUT_OF_RANGE,
    REASONS,
    CollectedTally,
)
from caldp_core.collect.collector import Collector
from caldp_core.collect.servers import DIALECTS
from tests.collect import written
from tests.collect.engines import in_duckdb, prepare_engine
from tests.collect.protocols import small
from tests.contract.checks import naming
from tests.products import thinned

TEXTS: Final[dict[str | None, int | str]] = {
    **dict.fromkeys(("3", " 3", "3 ", '"3"', ' "3" ', "03", "000000000000000003"), 3),
    "-0": 0,
    **dict.fromkeys(("-1", "11", "9" * 18, f"-{'9' * 18}", "-000000000000000001"), OUT_OF_RANGE),
    **dict.fromkeys(
        ("1.5", "2.4", "3.0", "1_0", "1e0", "1E0", "+2", "0x1", "1,000", "", " ", "9" * 19,
         f"-{'9' * 19}", "0000000000000000003", "1" * 40, "１", "٣", "½", "²", "3\t", "\t3",
         "3\n", "3\xa0", "3\u2028", "- 1", "--1", "NaN", "nan", "inf", "true", "NULL", "0b1",
         "'3'", "3;", "3 4", "$3", "1/2", "٣3", None),
        MALFORMED,
    ),
}  # fmt: skip
"""A report as text → the number that it is, or why it is refused."""
WHOLE: Final = {3: 3, -1: OUT_OF_RANGE, 11: OUT_OF_RANGE, None: MALFORMED,
                10**18 - 1: OUT_OF_RANGE, 10**18: MALFORMED, -(10**18): MALFORMED}  # fmt: skip
DOUBLES: Final = (3.0, 1.5, 0.0, -1.0, 1e20, float("nan"), float("inf"), None)
MARKS: Final[dict[str | None, str | None]] = {
    None: None, "mark": None, "whole": None, '"mark"': None,
    **dict.fromkeys(("", "x", "MARK", " mark"), OTHER_PROTOCOL),
}  # fmt: skip


@pytest.fixture(scope="module")
def protocol() -> Protocol:
    return small("randomized-response")


def reading(collected: CollectedTally) -> int | str:
    """The number of the only report, or why it was refused."""
    found: list[int | str] = [reason for reason in REASONS if collected.refused[reason]]
    found += np.flatnonzero(collected.tally.counts).tolist()
    (only,) = found
    return only


def by_workers(protocol: Protocol, report: Any, kind: Any) -> CollectedTally:
    batch = pa.RecordBatch.from_pydict({"report": pa.array([report], kind)})
    (row,) = next(partial_tallies(protocol.to_json())([batch])).to_pylist()
    return collected_from_rows(protocol, [row], "a")


@pytest.mark.parametrize("which", thinned(range(3), one_in=3))
def test_a_text_is_the_same_report_in_every_file_and_for_workers(
    protocol: Protocol, tmp_path: Path, which: int
) -> None:
    """`which`: of the texts a third is read from every file, the others from one, in turn."""
    for at, (text, right) in enumerate(TEXTS.items()):
        files = [written.write(tmp_path / "day.parquet", pa.array([text], pa.string()))]
        lines = tmp_path / "day.jsonl"
        lines.write_text(f"{json.dumps({'report': text})}\n", "utf-8")
        files.append(lines)
        if text and text.strip() and not set(text) & {"\n", '"'}:  # each is a line of CSV
            files.append(written.write(tmp_path / "day.csv", [text]))
        if (at + which) % 3:
            files = [files[(at + which) % len(files)]]
        found = [Collector(protocol).tally(path) for path in files]
        found += [by_workers(protocol, text, kind) for kind in (pa.string(), pa.large_string())]
        with naming(repr(text)):
            assert [reading(each) for each in found] == [right] * len(found)


def test_whole_numbers_are_and_floating_ones_are_none(protocol: Protocol, tmp_path: Path) -> None:
    for number, right in WHOLE.items():
        path = tmp_path / "day.parquet"
        written.write(path, pa.array([number], pa.int64()))
        with naming(str(number)):
            assert reading(Collector(protocol).tally(path)) == right
            assert reading(by_workers(protocol, number, pa.int64())) == right
    assert reading(by_workers(protocol, 2**64 - 1, pa.uint64())) == MALFORMED
    for double in DOUBLES:
        lines = tmp_path / "day.jsonl"
        lines.write_text(f'{{"report": {"null" if double is None else double}}}\n', "utf-8")
        with naming(str(double)):
            assert reading(Collector(protocol).tally(lines)) == MALFORMED
            assert reading(by_workers(protocol, double, pa.float64())) == MALFORMED
    with pytest.raises(CaldpError, match="it has DOUBLE"):
        Collector(protocol).tally(written.write(tmp_path / "doubles.parquet", [3.0]))


@pytest.fixture
def engine() -> Iterator["duckdb.DuckDBPyConnection"]:
    with duckdb.connect() as connection:
        prepare_engine(connection)
        yield connection


def rows_of(engine: Any, query: str, kind: str, report: Any, mark: str | None) -> list[Any]:
    engine.execute(f"CREATE OR REPLACE TABLE reports (report {kind}, protocol VARCHAR)")
    engine.execute("INSERT INTO reports VALUES (?, ?)", [report, mark])
    rows: list[Any] = engine.execute(query).fetchall()
    return rows


def test_every_dialect_counts_what_the_collector_counts(protocol: Protocol, engine: Any) -> None:
    codes: dict[Any, int] = {MALFORMED: -1, OTHER_PROTOCOL: -2, OUT_OF_RANGE: -3}
    for dialect in DIALECTS:
        query = in_duckdb(protocol, dialect)
        doubles = dict.fromkeys(DOUBLES, MALFORMED)
        tables: dict[str, Any] = {"VARCHAR": TEXTS, "BIGINT": WHOLE, "DOUBLE": doubles}
        for kind, cases in tables.items():
            for report, right in cases.items():
                with naming(f"{dialect}, {report!r}"):
                    found = rows_of(engine, query, kind, report, None)
                    assert found == [(codes.get(right, right), 1)]
        for given, right in MARKS.items():
            whole = protocol.fingerprint
            mark = given and given.replace("whole", whole).replace("mark", whole[:16])
            mark = whole[:16].upper() if mark == "MARK" else mark
            with naming(f"{dialect}, {given}"):
                assert rows_of(engine, query, "VARCHAR", "3", mark) == [(codes.get(right, 3), 1)]


def test_marks_are_read_alike_in_files_and_by_workers(protocol: Protocol, tmp_path: Path) -> None:
    whole = protocol.fingerprint
    for given, right in MARKS.items():
        mark = given and given.replace("whole", whole).replace("mark", whole[:16])
        mark = whole[:16].upper() if mark == "MARK" else mark
        path = tmp_path / "day.parquet"
        written.write(path, ["3"], protocol=pa.array([mark], pa.string()))
        marks = pa.array([mark], pa.string())
        batch = pa.RecordBatch.from_pydict({"report": ["3"], "protocol": marks})
        (row,) = next(partial_tallies(protocol.to_json())([batch])).to_pylist()
        with naming(str(given)):
            assert reading(Collector(protocol).tally(path)) == (right or 3)
            assert reading(collected_from_rows(protocol, [row], "a")) == (right or 3)
