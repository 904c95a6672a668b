"""Files of reports to tallies, within bounds of memory, on all cores that DuckDB is given.

Reports that are numbers are counted by DuckDB alone. Reports in bytes are read by it, a part at a
time, and added up bit by bit by the mechanism's own oracles. Files (`report_files.py`) are
untrusted input: what is not a report is counted as such and stops nothing.

A *batch* is a delivery: all reports with one name in their column `batch`. One run counts it, be it
of files, of a frame or of a query, and no other does: a tally's books name its batches, and tallies
with a batch in common are not added. Files of one run that share a batch are its parts: each report
is in one of them, and parts that hold the same reports are refused. A file is in the books by its
contents as well, so that a run that broke off goes on where it was. Reports without a batch are
known by their file, or by the name that their frame is given.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any, Final

import numpy as np

from caldp_core.basics.errors import CaldpError, quoted, require
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.files import THREADS, connect, hold_file, is_stream
from caldp_core.basics.types import Progress, no_progress
from caldp_core.collect.client import MARK_LENGTH
from caldp_core.collect.collected_tally import (
    MALFORMED,
    OTHER_PROTOCOL,
    REASONS,
    CollectedTally,
    RecordChecker,
    Rows,
    require_one_delivery,
)
from caldp_core.collect.device import DIGITS_END, NUMBER
from caldp_core.collect.protocol import Protocol
from caldp_core.collect.report_files import (
    BATCH_PREFIX,
    Books,
    Contents,
    NamedFiles,
    ReportFiles,
    batch_contents,
    batches_of_files,
    detect_report_files,
    file_batch_name,
    holders_of_batches,
    name_files,
    small_files_together,
    unreadable_error,
)

MEMORY_MB: Final = 700
"""What DuckDB may take; the rest of a gigabyte is for Python and the counts."""
_OTHER_PROTOCOL: Final = "protocol IS NOT NULL AND protocol <> $mark AND protocol <> $fingerprint"
_PART_BYTES: Final = 1 << 23
"""Bytes of reports in memory at a time, for each thread."""


class Collector:
    """Tallies files of reports of one protocol.

    Where it is one `question` of several, by its name, reports have their fingerprint as `mark`.
    """

    def __init__(self, protocol: Protocol, question: str = "", mark: str = "") -> None:
        self.protocol, self._question = protocol, question
        whole = mark or protocol.fingerprint
        self._marks = {"mark": whole[:MARK_LENGTH], "fingerprint": whole}
        self._is_number = protocol.format.kind == NUMBER

    def tally(self, path: Path) -> CollectedTally:
        """All reports of a file that a device can have sent, with its batches and refusals.

        Raises `CaldpError` for a file that can't be read or that grows meanwhile.
        """
        return self.tally_together(name_files([path], Books()), lambda _: None)

    def tally_together(
        self, files: "NamedFiles", check_batches: Callable[[Mapping[str, list[Path]]], None]
    ) -> CollectedTally:
        """The reports of files that one query can read, as `tally`.

        `check_batches` raises `CaldpError` for deliveries, given with their files, that may not be
        counted. Raises `CaldpError` also for several files of which one has lines that can't be
        read: count these one by one.
        """
        with explain_missing("Reading reports", "collect"):
            import duckdb

        paths = list(files.names)
        with self._open(paths) as source:
            try:
                batches = batches_of_files(source)
                require_one_delivery(self.protocol, deliveries_of(batches))
                check_batches(holders_of_batches(batches))
                before = _rejects(source)
                count = self._tally_numbers if self._is_number else self._tally_bytes
                found = count(source)
                rejects = _rejects(source) - before
            except duckdb.Error as error:
                raise unreadable_error(paths[0], error) from None
        require(len(paths) == 1 or not rejects, "Of several files each must be readable.")
        files.check_unchanged()
        refused = {**found.refused, MALFORMED: found.refused[MALFORMED] + rejects}
        if not found.tally.n + sum(refused.values()):
            batches = {}  # others may begin like a file in which there is nothing
        # The books name each file and each batch in it, so that neither is counted again.
        books: set[str] = set()
        for path, batch_names in batches.items():
            books.add(files.names[path])
            books |= batch_names
        return replace(found, batches=frozenset(books), refused=refused)

    def batches(self, paths: Sequence[Path]) -> dict[str, list[Path]]:
        """Deliveries, as books name them, with those of the files that hold them."""
        with self._open(paths) as source:
            return holders_of_batches(batches_of_files(source))

    def contents(self, paths: Sequence[Path], batch: str) -> list[tuple[Path, tuple[int, int]]]:
        """Each file's part of a batch as `batch_contents` says it."""
        with self._open(paths) as source:
            if self._is_number:
                return batch_contents(source, _number_sql(source), batch)
            return batch_contents(source, _bytes_sql(source), batch)

    @contextmanager
    def _open(self, paths: Sequence[Path]) -> Iterator[ReportFiles]:
        """The files as DuckDB reads them: no other folder, and no more memory than it may have."""
        folders = sorted({path.resolve().parent for path in paths})
        with connect(MEMORY_MB, folders=folders) as connection:
            source = detect_report_files(connection, paths)
            if self._question:
                source = source.of_question(self._question)
            yield source

    def _tally_numbers(self, source: ReportFiles) -> CollectedTally:
        """The tally of reports that are numbers: one query counts them all."""
        values = self.protocol.format.values
        # Most numbers are in range: looked at first, they cost no other comparison.
        sql = (
            f"SELECT CASE WHEN {_OTHER_PROTOCOL} THEN -2 "
            f"WHEN number >= 0 AND number < {values} THEN number "
            f"WHEN number > -{DIGITS_END} AND number < {DIGITS_END} THEN -3 ELSE -1 END AS sent, "
            "count(*) AS n "
            f"FROM (SELECT {_number_sql(source)} AS number, protocol FROM ({source.rows_sql})) "
            "GROUP BY sent"
        )
        parameters = source.sql_parameters | self._marks
        found = source.connection.execute(sql, parameters).fetchnumpy()
        sent = np.asarray(found["sent"], np.int64)
        n = np.asarray(found["n"], np.int64)
        # The query writes reasons of refusal as −1, −2, … in the order of `REASONS`.
        refused = {}
        for code, reason in enumerate(REASONS):
            refused[reason] = int(n[sent == -1 - code].sum())
        histogram = np.zeros(values, np.int64)
        histogram[sent[sent >= 0]] = n[sent >= 0]
        return CollectedTally.of_histogram(self.protocol, histogram, refused)

    def _tally_bytes(self, source: ReportFiles) -> CollectedTally:
        """The tally of reports in bytes: read in parts, each of which a thread counts."""
        size = self.protocol.format.size
        sql = (
            f"SELECT CASE WHEN {_OTHER_PROTOCOL} THEN ''::BLOB "
            f"WHEN octet_length(report) = {size} THEN report END AS sent "
            f"FROM (SELECT {_bytes_sql(source)} AS report, protocol FROM ({source.rows_sql}))"
        )
        total = CollectedTally.empty(self.protocol)
        checker = RecordChecker(self.protocol)
        parts = _parts(source, sql, self._marks, max(1, _PART_BYTES // size))
        with ThreadPoolExecutor(THREADS) as threads:
            waiting: deque[Future[CollectedTally]] = deque()
            for valid, offsets, data in parts:
                # The query makes NULL of malformed reports, and no bytes of another protocol's.
                sent = int(np.count_nonzero(np.diff(offsets)))
                refused = {OTHER_PROTOCOL: valid - sent, MALFORMED: len(offsets) - 1 - valid}
                rows = data[offsets[0] : offsets[-1]].reshape(-1, size)
                waiting.append(threads.submit(checker.tally, rows, refused))
                # Reading waits for counting, so that memory holds a few parts at most.
                if len(waiting) > THREADS:
                    total = total.joined(waiting.popleft().result())
            while waiting:
                total = total.joined(waiting.popleft().result())
        return total


def deliveries_of(batches: Mapping[Path, frozenset[str]]) -> set[object]:
    """The batches of these files, and the files that have none."""
    found: set[object] = set()
    for path, names in batches.items():
        if names:
            found |= names
        else:
            found.add(path)
    return found


def deliveries_in_books(collected: CollectedTally) -> set[object]:
    """The batches of a tally; where it has none, its files."""
    named = {name for name in collected.batches if name.startswith(BATCH_PREFIX)}
    return set(named or collected.batches)


def _number_sql(source: ReportFiles) -> str:
    """A report as a whole number, from a text of at most 18 digits; NULL for any other text."""
    number = "TRY_CAST(report AS BIGINT)"
    if source.type == "integer":
        return number
    right = "regexp_full_match(CAST(report AS VARCHAR), '-?[0-9]{1,18}')"
    return f"CASE WHEN {right} THEN {number} END"


def _bytes_sql(source: ReportFiles) -> str:
    """A report as bytes."""
    if source.type == "bytes":
        return "report"
    return "TRY(from_base64(CAST(report AS VARCHAR)))"


def _rejects(source: ReportFiles) -> int:
    """Number of lines that are not rows, over all scans so far."""
    table_sql = "SELECT 1 FROM duckdb_tables() WHERE table_name = 'reject_errors'"
    if not source.connection.execute(table_sql).fetchall():
        return 0
    sql = "SELECT count(DISTINCT (scan_id, line)) FROM reject_errors"
    (row,) = source.connection.execute(sql).fetchall()
    return int(row[0])


def _parts(
    source: ReportFiles, sql: str, marks: dict[str, str], rows: int
) -> Iterator[tuple[int, Any, Rows]]:
    """(number that is not null, (n + 1,) offsets, bytes) of some reports at a time."""
    with explain_missing("Counting reports in bytes"):
        import pyarrow as pa
    relation = source.connection.sql(sql, params=source.sql_parameters | marks)
    for batch in relation.to_arrow_reader(rows):
        column = batch.column(0)
        # Arrow's own memory, without a copy: where each report ends, and the bytes of all.
        _, offsets, data = column.buffers()
        kind: np.dtype[Any] = np.dtype(np.int32)
        if pa.types.is_large_binary(column.type):
            kind = np.dtype(np.int64)
        ends = np.frombuffer(offsets, kind, len(column) + 1, column.offset * kind.itemsize)
        content = np.zeros(0, np.uint8)
        if data is not None:
            content = np.frombuffer(data, np.uint8)
        yield len(column) - column.null_count, ends, content


SAVE_INTERVAL_S: Final = 2.0
"""Seconds between saves: at most so much work is lost when a run is interrupted."""


@dataclass(frozen=True, eq=False)
class TallyRun:
    """The result of a run: the tally, files counted now, and files that were in it already.

    `before`: the tally that the run began with.
    """

    before: CollectedTally
    collected: CollectedTally
    files_counted: int
    files_skipped: int

    @property
    def refused_share(self) -> float:
        """Share of reports refused, in this run or in the whole tally, where it is larger."""
        counted = self.collected.tally.n
        refused = sum(self.collected.refused.values())
        counted_now = counted - self.before.tally.n
        refused_now = refused - sum(self.before.refused.values())
        share = refused / max(1, refused + counted)
        share_now = refused_now / max(1, refused_now + counted_now)
        return max(share, share_now)


def tally_files(
    protocol: Protocol,
    paths: Iterable[Path],
    output: Path,
    progress: Progress = no_progress,
    collector: Collector | None = None,
) -> TallyRun:
    """Tally files into `output`, which is written as a whole every two seconds and at the end.

    If `output` is there, the run goes on with it, and files whose contents are in it are left out.
    Raises `CaldpError` for a file that cannot be read, holds a batch of another one or has grown
    since it was counted: `output` then has all files before it, and nothing of this one. Of a batch
    in several files all are in `paths`, also of a run that goes on. Runs into one output wait for
    each other. Of an output that is a pipe or a device nothing is read, and it is written once.
    `collector`: of one of several questions.
    """
    files, goes_on = list(paths), not is_stream(output)
    with hold_file(output):
        total = CollectedTally.empty(protocol)
        if goes_on and output.exists():
            total = CollectedTally.from_file(output)
            total.check(protocol)
        run = _Run(collector or Collector(protocol), files, total)
        done = 0
        written = monotonic()
        try:
            for group in run.groups():
                done += len(group)
                if goes_on and monotonic() - written > SAVE_INTERVAL_S:
                    run.total.write(output)
                    written = monotonic()
                progress(done / len(files))
        finally:
            if done:  # where the first file can't be read nothing is left behind
                run.total.write(output)
    return TallyRun(total, run.total, len(files) - run.skipped, run.skipped)


class _Run:
    """Counts files, group by group, and knows which of them hold which delivery."""

    def __init__(self, collector: Collector, files: Sequence[Path], total: CollectedTally) -> None:
        self.total, self.skipped = total, 0
        self._collector, self._files = collector, files
        self._books, self._before = Books(total.batches), total.batches
        self._holders: defaultdict[str, list[Path]] = defaultdict(list)
        self._contents: defaultdict[str, Contents] = defaultdict(dict)

    def groups(self) -> Iterator[list[Path]]:
        """Count the files; yield each group of them once it is counted.

        Raises `CaldpError` for the first file that can't be counted, after all before it.
        """
        # One query for a group is quicker; if it fails, one by one says which file it was.
        waiting = deque(small_files_together(self._files))
        while waiting:
            paths = waiting.popleft()
            try:
                self._add(paths)
            except CaldpError:
                if len(paths) == 1:
                    raise
                waiting.extendleft([path] for path in reversed(paths))
            else:
                yield paths

    def _add(self, paths: list[Path]) -> None:
        """Count those files that are not in the tally; raises `CaldpError`, and changes nothing."""
        files = name_files(paths, self._books)
        if not files.names:
            self.skipped += len(paths)
            return
        held: dict[str, list[Path]] = {}
        contents: dict[str, Contents] = {}

        def check(batches: Mapping[str, list[Path]]) -> None:
            held.update(batches)
            for name in sorted(held):
                contents[name] = self._checked(name, held[name])

        found = self._collector.tally_together(files, check)
        if found.tally.n:
            deliveries = deliveries_in_books(found)
            if self.total.tally.n:
                deliveries |= deliveries_in_books(self.total)
            require_one_delivery(self._collector.protocol, deliveries)

        # Nothing can go wrong any more: the tally and what is known of batches go on together.
        new = replace(found, batches=found.batches - self.total.batches)
        self.total = self.total.joined(new)
        self._books.add(found.batches)
        self._contents.update(contents)
        for name, holders in held.items():
            self._holders[name] += holders
        self.skipped += len(paths) - len(files.names)

    def _checked(self, name: str, holders: Sequence[Path]) -> Contents:
        """What is known of a batch's parts with those of `holders`, none of which may be a copy."""
        short = name.removeprefix(BATCH_PREFIX)
        is_counted = name in self.total.batches
        # A new batch in one file cannot be counted twice, so that nothing has to be compared.
        if not is_counted and len(holders) == 1:
            return {}
        earlier = self._earlier(name)
        require(
            not is_counted or bool(earlier),
            f"The batch {short!r} of {quoted(holders[0])} was counted before; take its reports out "
            "of the file, or name all files of the batch in one run.",
        )
        contents = dict(self._contents[name])
        read = set(contents.values())
        unread = [path for path in earlier if path not in read]
        for group in small_files_together(unread):
            for path, content in self._collector.contents(group, name):
                contents[content] = path
        for path, content in self._collector.contents(holders, name):
            copy = contents.setdefault(content, path)
            require(
                copy == path,
                f"The files {quoted(path)} and {quoted(copy)} hold the same reports of the batch "
                f"{short!r}; name one of them, or put parts that happen to be equal into one file.",
            )
        return contents

    def _earlier(self, name: str) -> Sequence[Path]:
        """Files of this run that hold a batch and are in the tally."""
        if self._before:  # a run that goes on has not read these
            before = Books(self._before)
            counted = []
            for path in self._files:
                if before.has_file(file_batch_name(path, before)):
                    counted.append(path)
            for group in small_files_together(counted):
                for batch, holders in self._collector.batches(group).items():
                    self._holders[batch] += holders
            self._before = frozenset()
        return self._holders[name]
