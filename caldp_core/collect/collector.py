"""Files of reports to tallies, within bounds of memory, on all cores that DuckDB is given.

Reports that are numbers are counted by DuckDB alone. Reports in bytes are read by it, a part at a
time, and added up bit by bit by the mechanism's own oracles.
"""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from caldp_core.basics.duck import THREADS, connect
from caldp_core.basics.errors import require
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.types import Ints
from caldp_core.collect.batches import Parts, batch_content, batches_of_file, check_new_batches
from caldp_core.collect.client import MARK_LENGTH
from caldp_core.collect.collected_tally import (
    MALFORMED,
    OTHER_PROTOCOL,
    OUT_OF_RANGE,
    CollectedTally,
    zero_refusals,
)
from caldp_core.collect.file_contents import file_batch_name, is_counted
from caldp_core.collect.formats import DIGITS_END, NUMBER
from caldp_core.collect.protocol import Protocol
from caldp_core.collect.records import RecordChecker, Rows, parse_records
from caldp_core.collect.repeats import buckets_of_histogram, buckets_of_records, no_buckets
from caldp_core.collect.report_files import ReportFile, detect_report_file, unreadable_error
from caldp_core.mechanisms.base import Tally

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY_MB: Final = 700
"""What DuckDB may take; the rest of a gigabyte is for Python and the counts."""
_PART_BYTES: Final = 1 << 23
"""Bytes of reports in memory at a time, for each thread."""
_REFUSED: Final = {-1: MALFORMED, -2: OTHER_PROTOCOL, -3: OUT_OF_RANGE}


_Counted: TypeAlias = tuple[Tally, dict[str, int], Ints]
"""A file's tally, reports refused by their reason, and the counts by buckets."""


class Collector:
    """Tallies files of reports of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._is_number = protocol.format.kind == NUMBER
        self._checker = None if self._is_number else RecordChecker(protocol)

    def tally(
        self, path: Path, counted_batches: frozenset[str] = frozenset(), parts: Parts = dict
    ) -> CollectedTally:
        """All reports of a file that a device can have sent, with its new batches and refusals.

        `counted_batches`: batches that are in a tally already. Raises `CaldpError` for a file with
        one of those, unless it is another of their `parts`, and for one that cannot be read or that
        grows meanwhile; no report of it is counted then. A file in which there is nothing makes no
        batch: others may begin like it.
        """
        import duckdb

        state = _state(path)
        batch = file_batch_name(path, counted_batches)
        require(
            not is_counted(batch, counted_batches), f"The file {str(path)!r} was counted before."
        )
        with connect(MEMORY_MB, folders=[path.parent]) as connection:
            source = detect_report_file(connection, path)
            try:
                batches = batches_of_file(connection, source) | {batch}
                if twice := batches & counted_batches:
                    check_new_batches(path, twice, parts(), partial(self._is_copy, path))
                before = _rejects(connection, source)
                count = self._tally_numbers if self._is_number else self._tally_bytes
                tally, refused, buckets = count(connection, source)
                refused[MALFORMED] += _rejects(connection, source) - before
            except duckdb.Error as error:
                raise unreadable_error(path, error) from None
        require(
            _state(path) == state,
            f"The file {str(path)!r} has changed while it was counted; count it once it is "
            "finished.",
        )
        if not tally.n and not any(refused.values()):
            batches = frozenset()
        books = batches - counted_batches
        return CollectedTally(self._protocol.fingerprint, tally, books, refused, buckets)

    def batches(self, path: Path) -> frozenset[str]:
        """The deliveries in a file, as books name them; raises `CaldpError`."""
        with connect(MEMORY_MB, folders=[path.parent]) as connection:
            return batches_of_file(connection, detect_report_file(connection, path))

    def _is_copy(self, path: Path, batch: str, other: Path) -> bool:
        """Whether two files hold the same reports of a batch, in whatever order and form."""
        contents = set()
        for each in (path, other):
            with connect(MEMORY_MB, folders=[each.parent]) as connection:
                source = detect_report_file(connection, each)
                report_sql = (_number_sql if self._is_number else _bytes_sql)(source)
                contents.add(batch_content(connection, source, report_sql, batch))
        return len(contents) == 1

    def _other_protocol_sql(self) -> str:
        return "protocol IS NOT NULL AND protocol <> $mark AND protocol <> $fingerprint"

    def _sql_parameters(self, source: ReportFile) -> dict[str, Any]:
        mark = self._protocol.fingerprint
        return {**source.sql_parameters, "mark": mark[:MARK_LENGTH], "fingerprint": mark}

    def _tally_numbers(self, connection: "DuckDBPyConnection", source: ReportFile) -> _Counted:
        values = self._protocol.format.values
        # Most numbers are in range: looked at first, they cost no other comparison.
        sql = (
            f"SELECT CASE WHEN {self._other_protocol_sql()} THEN -2 "
            f"WHEN number >= 0 AND number < {values} THEN number "
            f"WHEN number > -{DIGITS_END} AND number < {DIGITS_END} THEN -3 ELSE -1 END AS sent, "
            "count(*) AS n "
            f"FROM (SELECT {_number_sql(source)} AS number, protocol FROM ({source.rows_sql})) "
            "GROUP BY sent"
        )
        found = connection.execute(sql, self._sql_parameters(source)).fetchnumpy()
        sent, n = (np.asarray(found[name], np.int64) for name in ("sent", "n"))
        refused = zero_refusals()
        for code, reason in _REFUSED.items():
            refused[reason] = int(n[sent == code].sum())
        histogram = np.zeros(values, np.int64)
        histogram[sent[sent >= 0]] = n[sent >= 0]
        tally = self._protocol.mechanism.tally_of_histogram(histogram)
        return tally, refused, buckets_of_histogram(self._protocol, histogram)

    def _tally_bytes(self, connection: "DuckDBPyConnection", source: ReportFile) -> _Counted:
        size = self._protocol.format.size
        sql = (
            f"SELECT CASE WHEN {self._other_protocol_sql()} THEN ''::BLOB "
            f"WHEN octet_length(report) = {size} THEN report END AS sent "
            f"FROM (SELECT {_bytes_sql(source)} AS report, protocol FROM ({source.rows_sql}))"
        )
        total = _Total(CollectedTally.empty(self._protocol).tally, no_buckets(self._protocol))
        refused = total.refused
        parts = _parts(connection, sql, self._sql_parameters(source), max(1, _PART_BYTES // size))
        with ThreadPoolExecutor(THREADS) as threads:
            waiting: deque[Future[tuple[Tally, int, Ints]]] = deque()
            for valid, offsets, data in parts:
                sent = int(np.count_nonzero(np.diff(offsets)))
                refused[OTHER_PROTOCOL] += valid - sent
                refused[MALFORMED] += len(offsets) - 1 - valid
                rows = data[offsets[0] : offsets[-1]].reshape(-1, size)
                waiting.append(threads.submit(self._tally_rows, rows))
                if len(waiting) > THREADS:
                    total.add(*waiting.popleft().result())
            while waiting:
                total.add(*waiting.popleft().result())
        return total.tally, refused, total.buckets

    def _tally_rows(self, rows: Rows) -> tuple[Tally, int, Ints]:
        """The tally of all valid rows, how many are not valid, and the valid ones' buckets."""
        assert self._checker is not None
        records = parse_records(self._protocol, rows)
        valid = self._checker.valid_mask(records)
        if not valid.all():
            records = records[valid]
        tally = self._protocol.mechanism.tally(records)
        return tally, int(len(rows) - len(records)), buckets_of_records(self._protocol, records)


@dataclass
class _Total:
    """The sum of the parts of a file of reports in bytes."""

    tally: Tally
    buckets: Ints
    refused: dict[str, int] = field(default_factory=zero_refusals)

    def add(self, tally: Tally, wrong: int, buckets: Ints) -> None:
        self.tally, self.buckets = self.tally + tally, self.buckets + buckets
        self.refused[OUT_OF_RANGE] += wrong


def _number_sql(source: ReportFile) -> str:
    """A report as a whole number, of a text of at most 18 digits; NULL for one that is none."""
    number = "TRY_CAST(report AS BIGINT)"
    if source.type == "integer":
        return number
    right = "regexp_full_match(CAST(report AS VARCHAR), '-?[0-9]{1,18}')"
    return f"CASE WHEN {right} THEN {number} END"


def _bytes_sql(source: ReportFile) -> str:
    """A report as bytes."""
    return "report" if source.type == "bytes" else "TRY(from_base64(CAST(report AS VARCHAR)))"


def _state(path: Path) -> tuple[int, int] | None:
    """(bytes, time of the last change in nanoseconds) of a file, None where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns


def _rejects(connection: "DuckDBPyConnection", source: ReportFile) -> int:
    """Number of lines that are no rows, over all scans so far."""
    if not source.counts_rejects:
        return 0
    table_sql = "SELECT 1 FROM duckdb_tables() WHERE table_name = 'reject_errors'"
    if not connection.execute(table_sql).fetchall():
        return 0
    sql = "SELECT count(DISTINCT (scan_id, line)) FROM reject_errors"
    (row,) = connection.execute(sql).fetchall()
    return int(row[0])


def _parts(
    connection: "DuckDBPyConnection", sql: str, parameters: dict[str, Any], rows: int
) -> Iterator[tuple[int, Any, Rows]]:
    """(number that is not null, (n + 1,) offsets, bytes) of some reports at a time."""
    with explain_missing("Counting reports in bytes"):
        import pyarrow as pa
    reader = connection.sql(sql, params=parameters).to_arrow_reader(rows)
    for batch in reader:
        column = batch.column(0)
        wide = pa.types.is_large_binary(column.type)
        _, offsets, data = column.buffers()
        kind = np.dtype(np.int64 if wide else np.int32)
        ends = np.frombuffer(offsets, kind, len(column) + 1, column.offset * kind.itemsize)
        content = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
        yield len(column) - column.null_count, ends, content
