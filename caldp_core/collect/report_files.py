"""Files of reports: their names in the books, their columns as SQL, and the deliveries in them.

Files are Parquet, CSV and JSON lines, as columns `report`; `protocol`, the mark of the protocol
that it was drawn by, and `batch`, the delivery that it came in, where the file has them. Text files
are read line by line, as DuckDB's own reader of quotes lets a broken one swallow all lines up to
the next.
"""

import csv
import gzip
import hashlib
import io
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeAlias, cast

from caldp_core.basics.errors import CaldpError, quoted, require
from caldp_core.basics.files import engine_reason, exact_pattern, parse_int, refuse_address
from caldp_core.collect.device import AROUND, QUOTE

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FILE_PREFIX: Final = "sha256:"
"""How a file's name in the books begins."""
ZIPPED: Final = ".gz"
"""How the names of files end that are unpacked while they are read."""
_BLOCK: Final = 1 << 20


class Books:
    """Names of batches that are counted.

    `lengths`: those in bytes of the files among them, each once, the shortest first.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names: set[str] = set()
        self.lengths: list[int] = []
        self.add(names)

    def add(self, names: Iterable[str]) -> None:
        """Add batches."""
        self._names.update(names := set(names))
        files = (name for name in names if name.startswith(FILE_PREFIX))
        lengths = {parse_int(name.rpartition(":")[2]) for name in files}
        found = {length for length in lengths if length is not None and length > 0}
        self.lengths = sorted(found.union(self.lengths))

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
        with _open_unpacked(path) as file:
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


def _open_unpacked(path: Path) -> BinaryIO:
    """The file's bytes, unpacked where its name says that it is packed."""
    if path.name.lower().endswith(ZIPPED):
        return cast("BinaryIO", gzip.open(path))
    return path.open("rb")


def _first_name(file: BinaryIO, books: Books) -> tuple[str, bool]:
    """(batch name of its first bytes that were counted, or of all; whether more bytes follow)."""
    digest = hashlib.sha256()
    length = 0
    # The name is made at each length that a counted file has, so that one that has grown since is
    # found by its beginning; at last at the end of the file.
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
    names = []
    fields = []
    for name in columns:
        if name in _READ:
            names.append(name)
            fields.append(f"({_FIELD})")
        else:
            fields.append(_FIELD)
    pattern = ",".join(fields)
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
    """SQL of a field, from `plain` or `quoted` of its line; NULL for an empty one."""
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

    `rows_sql`: a query of `report`, `protocol`, `batch` and `filename`, with the parameter $path,
    by `connection`.
    `type`: "integer", "bytes" or "text", what the reports are; `has_batches`: whether there are
    any.
    """

    connection: "DuckDBPyConnection"
    paths: tuple[Path, ...]
    rows_sql: str
    type: str
    has_batches: bool

    @property
    def sql_parameters(self) -> dict[str, Any]:
        """The query's parameter by name."""
        return {"path": [exact_pattern(path) for path in self.by_name.values()]}

    def of_question(self, name: str) -> "ReportFiles":
        """The same with each report's part for one question; NULL where a report has none."""
        part = f"json_extract_string(report, '$.\"{name}\"')"
        rows = f"SELECT * REPLACE (CAST(report AS VARCHAR) AS report) FROM ({self.rows_sql})"
        sql = f"SELECT * REPLACE (CASE WHEN json_valid(report) THEN {part} END AS report)"
        return replace(self, rows_sql=f"{sql} FROM ({rows})", type="text")

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
    if path.name.lower().endswith(ZIPPED):
        return "compression = 'gzip'"
    return "compression = 'none'"


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
    state, ending = file_state(path), path.suffix.lower()
    if ending not in _TEXTS or state is None or state[0] > _SMALL_BYTES:
        return None
    # JSON lines have the names of their columns in each line.
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    columns = ""
    if ending == ".csv":
        columns = text.partition("\n")[0]
    return ending, columns


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
    """SQL of the four columns that are read; NULL for a protocol or batch that a file has not."""
    report = "report"
    if columns["report"] == "VARCHAR":
        report = f"trim(report, '{AROUND}') AS report"
    selected = [report]
    for name in ("protocol", "batch"):
        if name in columns:
            selected.append(f"trim(CAST({name} AS VARCHAR), '{QUOTE}') AS {name}")
        else:
            selected.append(f"NULL AS {name}")
    return f"SELECT {', '.join(selected)}, {filename} AS filename FROM {reader}"


def _parquet(connection: "DuckDBPyConnection", paths: tuple[Path, ...]) -> ReportFiles:
    (path,) = paths
    columns = _columns(connection, path, _PARQUET)
    reader = _PARQUET
    kind = columns["report"]
    # Reports of several questions are a record each: they go on as JSON, as in other files.
    if kind.startswith("STRUCT"):
        as_text = "CAST(to_json(report) AS VARCHAR) AS report"
        reader = f"(SELECT * REPLACE ({as_text}) FROM {_PARQUET})"
        kind = "VARCHAR"
    known = {**dict.fromkeys(_INTEGERS, "integer"), "BLOB": "bytes", "VARCHAR": "text"}
    require(
        kind in known,
        f"The column report of {quoted(path)} must hold whole numbers, bytes or texts, it has "
        f"{kind}; write it as one of those.",
    )
    rows = _selected(columns | {"report": kind}, reader, _FILE)
    return ReportFiles(connection, paths, rows, known[kind], "batch" in columns)


def _csv(connection: "DuckDBPyConnection", paths: tuple[Path, ...]) -> ReportFiles:
    columns = _header(paths[0])
    rows = _selected(columns, fields_sql(list(columns), f"{_REJECTS}, {_packing(paths[0])}"))
    return ReportFiles(connection, paths, rows, "text", "batch" in columns)


def _header(path: Path) -> dict[str, str]:
    """The columns of a CSV file, all of them texts, by its first line alone.

    What DuckDB itself would find depends on how many lines it looks at.
    """
    try:
        with (
            _open_unpacked(path) as binary,
            io.TextIOWrapper(binary, encoding="utf-8-sig", newline="") as file,
        ):
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
    parts = []
    for name in ("report", "protocol", "batch"):
        value = f"json_extract_string(line, '$.{name}')"
        parts.append(f"CASE WHEN json_valid(line) THEN {value} END AS {name}")
    lines = lines_sql(False, f"{_REJECTS}, {_packing(paths[0])}")
    reader = f"(SELECT {', '.join(parts)}, filename FROM {lines})"
    columns = dict.fromkeys(("report", "protocol", "batch"), "VARCHAR")
    return ReportFiles(connection, paths, _selected(columns, reader), "text", True)


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
    return CaldpError(f"The file {quoted(path)} can't be read: {engine_reason(str(error))}")


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


def batches_of_files(source: ReportFiles) -> dict[Path, frozenset[str]]:
    """File → its deliveries, as books name them; of several files only those with rows.

    Raises `CaldpError` as `book_names` does. A single file without batches is not read.
    """
    is_single = len(source.paths) == 1
    if is_single and not source.has_batches:
        return {source.paths[0]: frozenset()}
    most = (BATCHES_MAX + 2) * len(source.paths)
    sql = f"SELECT DISTINCT filename, batch FROM ({source.rows_sql}) LIMIT {most}"
    # A file with rows is in `found`, be it without any batch.
    found: dict[str, set[str]] = defaultdict(set)
    for filename, name in source.connection.execute(sql, source.sql_parameters).fetchall():
        names = found[filename]
        if name is not None:
            names.add(name)
    batches = {}
    for filename, path in source.by_name.items():
        if is_single or filename in found:
            batches[path] = book_names(found[filename], f"The file {quoted(path)}")
    return batches


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
    source: ReportFiles, report_sql: str, name: str
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
    rows = source.connection.execute(sql, parameters).fetchall()
    content_of = {filename: (n, total) for filename, n, total in rows}
    contents = []
    for filename, path in source.by_name.items():
        if filename in content_of:
            contents.append((path, content_of[filename]))
    return contents


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
                file_state(path) == state,
                f"The file {quoted(path)} has changed while it was counted; count it once it is "
                "finished.",
            )


def name_files(paths: Sequence[Path], books: Books) -> NamedFiles:
    """The files that are not in the books; raises `CaldpError` as `file_batch_name` does."""
    names: dict[Path, str] = {}
    states: dict[Path, tuple[int, int] | None] = {}
    for path in paths:
        state = file_state(path)
        name = file_batch_name(path, books)
        if not books.has_file(name) and name not in names.values():
            names[path] = name
            states[path] = state
    return NamedFiles(names, states)


def file_state(path: Path) -> tuple[int, int] | None:
    """(bytes, time of the last change in nanoseconds) of a file, None where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns
