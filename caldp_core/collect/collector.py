"""Files of reports to tallies, within bounds of memory, on all cores that DuckDB is given.

Reports that are numbers are counted by DuckDB alone. Reports in bytes are read by it, a part at a
time, and added up bit by bit by the mechanism's own oracles. Files are Parquet, CSV and JSON lines,
as columns `report`; `protocol`, the mark of the protocol that it was drawn by, and `batch`, the
delivery that it came in, where the file has them. They are untrusted input: what is not a report is
counted as such and stops nothing. Text files are read line by line, as DuckDB's own reader of
quotes lets a broken one swallow all lines up to the next.

A *batch* is a delivery: all reports with one name in their column `batch`. One run counts it, be it
of files, of a frame or of a query, and no other does: a tally's books name its batches, and tallies
with a batch in common are not added. Files of one run that share a batch are its parts: each report
is in one of them, and parts that hold the same reports are refused. A file is in the books by its
contents as well, so that a run that broke off goes on where it was. Reports without a batch are
known by their file, or by the name that their frame is given.
"""

import csv
import gzip
import hashlib
import sys
import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import BufferedIOBase
from itertools import groupby
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from caldp_core.basics.duck import THREADS, connect, exact_pattern
from caldp_core.basics.errors import CaldpError, quoted, require
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.files import hold_file, is_stream, parse_int, refuse_address
from caldp_core.basics.types import Ints, Progress, no_progress
from caldp_core.collect.client import MARK_LENGTH
from caldp_core.collect.collected_tally import (
    MALFORMED,
    OTHER_PROTOCOL,
    OUT_OF_RANGE,
    REASONS,
    CollectedTally,
    RecordChecker,
    Rows,
    buckets_of_histogram,
    buckets_of_records,
    no_buckets,
    parse_records,
    zero_refusals,
)
from caldp_core.collect.device import AROUND, DIGITS_END, NUMBER, QUOTE
from caldp_core.collect.protocol import Protocol
from caldp_core.mechanisms.base import Tally

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FILE_PREFIX: Final = "sha256:"
"""How a file's name in the books begins."""
ZIPPED: Final = ".gz"
"""How the names of files end that are unpacked while they are read."""
_BLOCK: Final = 1 << 20


class Books:
    """Names of batches that are counted, with the lengths of the files among them."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names: set[str] = set()
        self._lengths: list[int] = []
        self.add(names)

    def add(self, names: Iterable[str]) -> None:
        """Add batches."""
        self._names.update(names := set(names))
        files = (name for name in names if name.startswith(FILE_PREFIX))
        lengths = {parse_int(name.rpartition(":")[2]) for name in files}
        found = {length for length in lengths if length is not None and length > 0}
        self._lengths = sorted(found.union(self._lengths))

    @property
    def lengths(self) -> Sequence[int]:
        """The lengths in bytes of files among the batches, each once, the shortest first."""
        return self._lengths

    def has_file(self, name: str) -> bool:
        """Whether a file of this batch name is in the books."""
        # Earlier versions wrote the digest alone.
        return name in self._names or name.rpartition(":")[0] in self._names


def file_batch_name(path: Path, books: Books | None = None) -> str:
    """The batch name of a file: digest and length in bytes of its contents, unpacked.

    Raises `CaldpError` if it can't be read, and if it begins with the contents of a file in the
    books: it has grown since.
    """
    # A pipe gives its bytes only once, and a device may have no end.
    require(
        path.is_file() or not path.exists(),
        f"The file {quoted(path)} can't be read: it is a pipe, a device or a folder; give a file.",
    )
    try:
        with gzip.open(path) if path.name.lower().endswith(ZIPPED) else path.open("rb") as file:
            name, has_more = _first_name(file, books or Books())
    except (OSError, ValueError, EOFError, zlib.error) as error:
        refuse_address(path)
        reason = getattr(error, "strerror", None) or error
        raise CaldpError(f"The file {quoted(path)} can't be read: {reason}.") from None
    require(
        not has_more,
        f"The file {quoted(path)} has grown since it was counted, and its beginning would count "
        "twice; count finished files only, or count all anew into another output.",
    )
    return name


def _first_name(file: BufferedIOBase, books: Books) -> tuple[str, bool]:
    """(batch name of its first bytes that were counted, or of all; whether more bytes follow)."""
    digest, length = hashlib.sha256(), 0
    for end in [*books.lengths, sys.maxsize]:
        while block := file.read(min(_BLOCK, end - length)):
            digest.update(block)
            length += len(block)
        name = f"{FILE_PREFIX}{digest.hexdigest()}:{length}"
        if length < end or books.has_file(name):
            break
    return name, bool(file.read(1))


_READ: Final = ("report", "protocol", "batch", "n")
"""The columns of CSV that are read: of reports, and of their histogram."""
_FIELD: Final = '(?:"(?:[^"]|"")*"|[^",][^,]*|)'
"""A field of CSV (RFC 4180) as a regular expression; a quote within an unquoted one is a sign."""


def lines_sql(header: bool, options: str) -> str:
    r"""SQL of a text file's lines that are not empty; without the first if it is a `header`.

    Quotes mean nothing here, so that a broken one spoils its own line and no other. Where lines end
    in \r\r\n they begin with a \n that is left over.
    """
    reader = (
        "read_csv($path, columns = {'line': 'VARCHAR'}, delim = '\n', quote = '', escape = '', "
        f"auto_detect = false, strict_mode = false, header = {header}, filename = true, "
        f"hive_partitioning = false, {options})"
    )
    return f"(FROM {reader} WHERE trim(line) <> '' AND line <> '\n')"


def fields_sql(columns: Sequence[str], options: str) -> str:
    """SQL of a CSV file's columns that are read; in a line with other fields all are NULL."""
    names = [name for name in columns if name in _READ]
    pattern = ",".join(f"({_FIELD})" if name in _READ else _FIELD for name in columns)
    # Most lines have no quotes, and are split in a third of the time.
    parts = (
        "CASE WHEN NOT contains(line, '\"') THEN string_split(replace(line, '\n', ''), ',') END "
        "AS plain, CASE WHEN contains(line, '\"') "
        f"THEN regexp_extract(line, '^\\n?{pattern}$', {names}) END AS quoted"
    )
    values = ", ".join(f"{_value_sql(name, columns)} AS {name}" for name in names)
    lines = lines_sql(True, options)
    return f"(SELECT {values}, filename FROM (SELECT {parts}, filename FROM {lines}))"


def _value_sql(name: str, columns: Sequence[str]) -> str:
    field, plain = f"quoted.{name}", f"plain[{columns.index(name) + 1}]"
    return (
        f"nullif(CASE WHEN len(plain) = {len(columns)} THEN {plain} WHEN starts_with({field}, "
        f"'\"') THEN replace({field}[2:-2], '\"\"', '\"') ELSE {field} END, '')"
    )


_WHOLE: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_INTEGERS: Final = {*_WHOLE, *(f"U{name}" for name in _WHOLE)}
_HEADER_MAX: Final = 1 << 16
"""Characters of the names of columns that are read."""
_COLUMNS_MAX: Final = 1_000
"""Columns of a CSV file: its lines are matched by an expression as long as they are many."""
_REJECTS: Final = "ignore_errors = true, store_rejects = true"


@dataclass(frozen=True)
class ReportFiles:
    """Files of reports with the same columns, as SQL that reads them together.

    `rows_sql`: a query of `report`, `protocol`, `batch` and `filename`, with the parameter $path.
    `type`: "integer", "bytes" or "text", what the reports are; `has_batches`: whether there are
    any; `counts_rejects`: whether DuckDB may find lines that are not rows.
    """

    paths: tuple[Path, ...]
    rows_sql: str
    type: str
    has_batches: bool
    counts_rejects: bool

    @property
    def sql_parameters(self) -> dict[str, Any]:
        """The query's parameter by name."""
        return {"path": [exact_pattern(path) for path in self.by_name.values()]}

    @cached_property
    def by_name(self) -> dict[str, Path]:
        """Each file by the name that DuckDB has for it."""
        return {str(path.resolve()): path for path in self.paths}


def detect_report_files(connection: "DuckDBPyConnection", paths: Sequence[Path]) -> ReportFiles:
    """How to read files; raises `CaldpError` for another kind, and for one without `report`."""
    (first, *others) = (Path(path.name.lower().removesuffix(ZIPPED)).suffix for path in paths)
    assert not set(others) - {first}
    require(
        first in _READERS,
        f"Reports come in files that end in {', '.join(_READERS)}, got {quoted(paths[0].name)}; "
        "rename or convert it.",
    )
    return _READERS[first](connection, tuple(paths))


def _packing(path: Path) -> str:
    """The option of DuckDB's reader that says whether a file is unpacked, by its name as given."""
    return f"compression = '{'gzip' if path.name.lower().endswith(ZIPPED) else 'none'}'"


def small_files_together(paths: Iterable[Path]) -> Iterator[list[Path]]:
    """All files in their order, small neighbours that one query can read in one list.

    A query takes 10 ms, and the rows of a small file next to nothing.
    """
    for form, files in groupby(paths, _form):
        group: list[Path] = []
        for path in files:
            if group and (form is None or len(group) == GROUP_FILES):
                yield group
                group = []
            group.append(path)
        yield group


def _form(path: Path) -> tuple[str, str] | None:
    """(ending, columns) of a small text file; None for others, which are read alone."""
    state, ending = _state(path), path.suffix.lower()
    if ending not in _TEXTS or state is None or state[0] > _SMALL_BYTES:
        return None
    with suppress(OSError, UnicodeDecodeError):
        columns = path.read_text(encoding="utf-8").partition("\n")[0] if ending == ".csv" else ""
        return ending, columns
    return None


_FILE: Final = '"name of this file"'
_PARQUET: Final = f"read_parquet($path, hive_partitioning = false, filename = {_FILE})"
"""The file's own columns (its folders' names add none), and `_FILE`, unlikely to be one of them."""


def _columns(connection: "DuckDBPyConnection", path: Path, reader: str) -> dict[str, str]:
    """Name → type of the file's columns; raises `CaldpError` where it can't be read."""
    import duckdb

    try:
        described = connection.execute(
            f"DESCRIBE SELECT * EXCLUDE ({_FILE}) FROM {reader}", {"path": exact_pattern(path)}
        ).fetchall()
    except duckdb.Error as error:
        raise unreadable_error(path, error) from None
    columns = {name.lower(): kind for name, kind, *_ in described}
    _require_report(path, columns)
    return columns


def _selected(columns: dict[str, str], reader: str, filename: str = "filename") -> str:
    texts = ", ".join(
        f"trim(CAST({name} AS VARCHAR), '{QUOTE}') AS {name}"
        if name in columns
        else f"NULL AS {name}"
        for name in ("protocol", "batch")
    )
    report = f"trim(report, '{AROUND}') AS report" if columns["report"] == "VARCHAR" else "report"
    return f"SELECT {report}, {texts}, {filename} AS filename FROM {reader}"


def _parquet(connection: "DuckDBPyConnection", paths: tuple[Path, ...]) -> ReportFiles:
    (path,) = paths
    columns = _columns(connection, path, _PARQUET)
    kind = columns["report"]
    known = {**dict.fromkeys(_INTEGERS, "integer"), "BLOB": "bytes", "VARCHAR": "text"}
    require(
        kind in known,
        f"The column report of {quoted(path)} must hold whole numbers, bytes or texts, it has "
        f"{kind}; write it as one of those.",
    )
    rows = _selected(columns, _PARQUET, _FILE)
    return ReportFiles(paths, rows, known[kind], "batch" in columns, False)


def _csv(connection: "DuckDBPyConnection", paths: tuple[Path, ...]) -> ReportFiles:
    del connection
    columns = _header(paths[0])
    rows = _selected(columns, fields_sql(list(columns), f"{_REJECTS}, {_packing(paths[0])}"))
    return ReportFiles(paths, rows, "text", "batch" in columns, True)


def _header(path: Path) -> dict[str, str]:
    """The columns of a CSV file, all of them texts, by its first line alone.

    What DuckDB itself would find depends on how many lines it looks at.
    """
    open_text = gzip.open if path.name.lower().endswith(ZIPPED) else open
    try:
        with open_text(path, "rt", encoding="utf-8-sig", newline="") as file:
            names = next(csv.reader([file.readline(_HEADER_MAX)]), [])
    except (OSError, ValueError, EOFError, csv.Error) as error:
        raise unreadable_error(path, error) from None
    lower = [name.strip().lower() for name in names]
    require(
        len(set(lower)) == len(lower) > 0,
        f"The file {quoted(path)} must begin with the names of its columns, each once.",
    )
    require(
        len(lower) <= _COLUMNS_MAX,
        f"The file {quoted(path)} has {len(lower):,} columns, and may have {_COLUMNS_MAX:,}; "
        "give the column report and those that go with it.",
    )
    _require_report(path, lower)
    return dict.fromkeys(lower, "VARCHAR")


def _require_report(path: Path, columns: Iterable[str]) -> None:
    require(
        "report" in columns,
        f"The file {quoted(path)} has no column report, only {', '.join(columns) or 'none'}; "
        "give it a header with report.",
    )


def _json_lines(connection: "DuckDBPyConnection", paths: tuple[Path, ...]) -> ReportFiles:
    del connection
    parts = ", ".join(
        f"CASE WHEN json_valid(line) THEN json_extract_string(line, '$.{name}') END AS {name}"
        for name in ("report", "protocol", "batch")
    )
    lines = lines_sql(False, f"{_REJECTS}, {_packing(paths[0])}")
    reader = f"(SELECT {parts}, filename FROM {lines})"
    columns = dict.fromkeys(("report", "protocol", "batch"), "VARCHAR")
    return ReportFiles(paths, _selected(columns, reader), "text", True, True)


_READERS: Final[dict[str, Callable[["DuckDBPyConnection", tuple[Path, ...]], ReportFiles]]] = {
    ".parquet": _parquet,
    ".csv": _csv,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
}
_TEXTS: Final = set(_READERS) - {".parquet"}
_SMALL_BYTES: Final = 1 << 14
GROUP_FILES: Final = 500
"""Small files that are read together: up to 8 MB, which costs little if they are read again."""


def columns_of_file(connection: "DuckDBPyConnection", path: Path) -> tuple[str, dict[str, str]]:
    """(SQL that reads a Parquet or CSV file, name → type of its columns); raises `CaldpError`."""
    if path.suffix.lower() != ".parquet":
        columns = _header(path)
        return fields_sql(list(columns), f"ignore_errors = false, {_packing(path)}"), columns
    return _PARQUET, _columns(connection, path, _PARQUET)


def unreadable_error(path: Path, error: Exception) -> CaldpError:
    """The error for a file that DuckDB can't read."""
    refuse_address(path)
    if isinstance(error, UnicodeDecodeError):
        return CaldpError(f"The file {quoted(path)} must be text in UTF-8; write it anew as such.")
    lines = str(error).splitlines() or ["no reason given"]
    return CaldpError(f"The file {quoted(path)} can't be read: {lines[0]}")


BATCH_PREFIX: Final = "batch:"
"""How a delivery's name in the books begins; a file's with `FILE_PREFIX`."""
BATCHES_MAX: Final = 1_000
"""Most batches of one file or frame: a batch is a delivery, not a report."""


def book_names(names: Iterable[str], source: str) -> frozenset[str]:
    """Names of deliveries as books have them; raises `CaldpError` where `source` has too many."""
    found = frozenset(f"{BATCH_PREFIX}{name}" for name in names)
    require(
        len(found) <= BATCHES_MAX,
        f"{source} names more than {BATCHES_MAX:,} batches; a batch is a delivery of many reports.",
    )
    return found


def batches_of_files(
    connection: "DuckDBPyConnection", source: ReportFiles
) -> dict[Path, frozenset[str]]:
    """File → its deliveries, as books name them; of several files only those with rows.

    Raises `CaldpError` as `book_names` does. A single file without batches is not read.
    """
    is_single = len(source.paths) == 1
    if is_single and not source.has_batches:
        return {source.paths[0]: frozenset()}
    most = (BATCHES_MAX + 2) * len(source.paths)
    sql = f"SELECT DISTINCT filename, batch FROM ({source.rows_sql}) LIMIT {most}"
    found: dict[str, set[str]] = defaultdict(set)
    for filename, name in connection.execute(sql, source.sql_parameters).fetchall():
        found[filename].update(() if name is None else (name,))
    return {
        path: book_names(found[filename], f"The file {quoted(path)}")
        for filename, path in source.by_name.items()
        if is_single or filename in found
    }


def holders_of_batches(batches: Mapping[Path, Iterable[str]]) -> dict[str, list[Path]]:
    """Delivery → the files that hold it, of file → its deliveries."""
    holders = defaultdict(list)
    for path, names in batches.items():
        for name in names:
            holders[name].append(path)
    return holders


Contents: TypeAlias = dict[tuple[int, int], Path]
"""(reports, sum of their hashes) of a batch's part in a file → that file."""


def batch_contents(
    connection: "DuckDBPyConnection", source: ReportFiles, report_sql: str, name: str
) -> list[tuple[Path, tuple[int, int]]]:
    """Each file with (reports, sum of their hashes) of a batch: equal for the same reports.

    `report_sql`: a report, the same in files of all forms; `name`: of the batch in the books.
    """
    rows_sql = f"SELECT {report_sql} AS sent, batch, filename FROM ({source.rows_sql})"
    sql = (
        f"SELECT filename, count(*), coalesce(sum(hash(sent)), 0) FROM ({rows_sql}) "
        "WHERE batch = $batch GROUP BY filename"
    )
    parameters = {**source.sql_parameters, "batch": name.removeprefix(BATCH_PREFIX)}
    rows = connection.execute(sql, parameters).fetchall()
    contents = {filename: (n, total) for filename, n, total in rows}
    by_name = source.by_name.items()
    return [(path, contents[filename]) for filename, path in by_name if filename in contents]


MEMORY_MB: Final = 700
"""What DuckDB may take; the rest of a gigabyte is for Python and the counts."""
_PART_BYTES: Final = 1 << 23
"""Bytes of reports in memory at a time, for each thread."""


_Counted: TypeAlias = tuple[Tally, dict[str, int], Ints]
"""A file's tally, reports refused by their reason, and the counts by buckets."""


class Collector:
    """Tallies files of reports of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._is_number = protocol.format.kind == NUMBER
        self._checker = None if self._is_number else RecordChecker(protocol)

    def tally(self, path: Path) -> CollectedTally:
        """All reports of a file that a device can have sent, with its batches and refusals.

        Raises `CaldpError` for a file that can't be read or that grows meanwhile.
        """
        return self.tally_together(_name_files([path], Books()), lambda _: None)

    def tally_together(
        self, files: "NamedFiles", check_batches: Callable[[Mapping[str, list[Path]]], None]
    ) -> CollectedTally:
        """The reports of files that one query can read, as `tally`.

        `check_batches` raises `CaldpError` for deliveries, given with their files, that may not be
        counted. Raises `CaldpError` also for several files of which one has lines that can't be
        read: count these one by one.
        """
        import duckdb

        paths = list(files.names)
        with self._open(paths) as (connection, source):
            try:
                batches = batches_of_files(connection, source)
                check_batches(holders_of_batches(batches))
                before = _rejects(connection, source)
                count = self._tally_numbers if self._is_number else self._tally_bytes
                tally, refused, buckets = count(connection, source)
                rejects = _rejects(connection, source) - before
                refused[MALFORMED] += rejects
            except duckdb.Error as error:
                raise unreadable_error(paths[0], error) from None
        require(len(paths) == 1 or not rejects, "Of several files each must be readable.")
        files.check_unchanged()
        if not tally.n + sum(refused.values()):
            batches = {}  # others may begin like a file in which there is nothing
        books = frozenset(name for path in batches for name in (files.names[path], *batches[path]))
        return CollectedTally(self._protocol.fingerprint, tally, books, refused, buckets)

    def batches(self, paths: Sequence[Path]) -> dict[str, list[Path]]:
        """Deliveries, as books name them, with those of the files that hold them."""
        with self._open(paths) as (connection, source):
            return holders_of_batches(batches_of_files(connection, source))

    def contents(self, paths: Sequence[Path], batch: str) -> list[tuple[Path, tuple[int, int]]]:
        """Each file's part of a batch as `batch_contents` says it."""
        with self._open(paths) as (connection, source):
            report_sql = (_number_sql if self._is_number else _bytes_sql)(source)
            return batch_contents(connection, source, report_sql, batch)

    @contextmanager
    def _open(self, paths: Sequence[Path]) -> Iterator[tuple["DuckDBPyConnection", ReportFiles]]:
        folders = sorted({path.resolve().parent for path in paths})
        with connect(MEMORY_MB, folders=folders) as connection:
            yield connection, detect_report_files(connection, paths)

    def _other_protocol_sql(self) -> str:
        return "protocol IS NOT NULL AND protocol <> $mark AND protocol <> $fingerprint"

    def _sql_parameters(self, source: ReportFiles) -> dict[str, Any]:
        mark = self._protocol.fingerprint
        return {**source.sql_parameters, "mark": mark[:MARK_LENGTH], "fingerprint": mark}

    def _tally_numbers(self, connection: "DuckDBPyConnection", source: ReportFiles) -> _Counted:
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
        refused = {why: int(n[sent == -1 - code].sum()) for code, why in enumerate(REASONS)}
        histogram = np.zeros(values, np.int64)
        histogram[sent[sent >= 0]] = n[sent >= 0]
        tally = self._protocol.mechanism.tally_of_histogram(histogram)
        return tally, refused, buckets_of_histogram(self._protocol, histogram)

    def _tally_bytes(self, connection: "DuckDBPyConnection", source: ReportFiles) -> _Counted:
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


def _number_sql(source: ReportFiles) -> str:
    """A report as a whole number, from a text of at most 18 digits; NULL for any other text."""
    number = "TRY_CAST(report AS BIGINT)"
    if source.type == "integer":
        return number
    right = "regexp_full_match(CAST(report AS VARCHAR), '-?[0-9]{1,18}')"
    return f"CASE WHEN {right} THEN {number} END"


def _bytes_sql(source: ReportFiles) -> str:
    """A report as bytes."""
    return "report" if source.type == "bytes" else "TRY(from_base64(CAST(report AS VARCHAR)))"


@dataclass(frozen=True)
class NamedFiles:
    """Files that are not counted yet: their batch names, and their states before these were made.

    Of files with equal contents it has the first.
    """

    names: dict[Path, str]
    states: dict[Path, tuple[int, int] | None]

    def check_unchanged(self) -> None:
        """Raise `CaldpError` where a file has changed since."""
        for path, state in self.states.items():
            require(
                _state(path) == state,
                f"The file {quoted(path)} has changed while it was counted; count it once it is "
                "finished.",
            )


def _name_files(paths: Sequence[Path], books: Books) -> NamedFiles:
    """The files that are not in the books; raises `CaldpError` as `file_batch_name` does."""
    names: dict[Path, str] = {}
    states: dict[Path, tuple[int, int] | None] = {}
    for path in paths:
        state = _state(path)
        name = file_batch_name(path, books)
        if not books.has_file(name) and name not in names.values():
            names[path], states[path] = name, state
    return NamedFiles(names, states)


def _state(path: Path) -> tuple[int, int] | None:
    """(bytes, time of the last change in nanoseconds) of a file, None where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns


def _rejects(connection: "DuckDBPyConnection", source: ReportFiles) -> int:
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
        counted, before = self.collected.tally.n, self.before.tally.n
        refused, earlier = (sum(t.refused.values()) for t in (self.collected, self.before))
        some = ((refused, counted), (refused - earlier, counted - before))
        return max(wrong / max(1, wrong + right) for wrong, right in some)


def tally_files(
    protocol: Protocol, paths: Iterable[Path], output: Path, progress: Progress = no_progress
) -> TallyRun:
    """Tally files into `output`, which is written as a whole every two seconds and at the end.

    If `output` is there, the run goes on with it, and files whose contents are in it are left out.
    Raises `CaldpError` for a file that cannot be read, holds a batch of another one or has grown
    since it was counted: `output` then has all files before it, and nothing of this one. Of a batch
    in several files all are in `paths`, also of a run that goes on. Runs into
    one output wait for each other. Of an output that is a pipe or a device nothing is read, and it
    is written once.
    """
    with hold_file(output):
        return _tally_files(protocol, list(paths), output, progress)


def _tally_files(
    protocol: Protocol, files: Sequence[Path], output: Path, progress: Progress
) -> TallyRun:
    total = CollectedTally.empty(protocol)
    goes_on = not is_stream(output)
    if goes_on and output.exists():
        total = CollectedTally.from_file(output)
        total.check(protocol)
    run, done, written = _Run(Collector(protocol), files, total), 0, monotonic()
    try:
        for paths in run.groups():
            done += len(paths)
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
        files = _name_files(paths, self._books)
        if files.names:
            held: dict[str, list[Path]] = {}
            contents: dict[str, Contents] = {}

            def check(batches: Mapping[str, list[Path]]) -> None:
                held.update(batches)
                contents.update((name, self._checked(name, held[name])) for name in sorted(held))

            found = self._collector.tally_together(files, check)
            self.total = self.total + replace(found, batches=found.batches - self.total.batches)
            self._books.add(found.batches)
            self._contents.update(contents)
            for name, holders in held.items():
                self._holders[name] += holders
        self.skipped += len(paths) - len(files.names)

    def _checked(self, name: str, holders: Sequence[Path]) -> Contents:
        """What is known of a batch's parts with those of `holders`, none of which may be a copy."""
        short, is_counted = name.removeprefix(BATCH_PREFIX), name in self.total.batches
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
        for group in small_files_together(path for path in earlier if path not in read):
            contents.update(
                (content, path) for path, content in self._collector.contents(group, name)
            )
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
            counted = (p for p in self._files if before.has_file(file_batch_name(p, before)))
            for group in small_files_together(counted):
                for each, holders in self._collector.batches(group).items():
                    self._holders[each] += holders
            self._before = frozenset()
        return self._holders[name]
