"""A file as a table that DuckDB reads: its columns as text, whatever the file is.

How a text of rows is written: what sets cells apart, where rows begin, how many cells they have.

DuckDB's own sniffing skips rows that do not fit, and takes a short list with commas for something
else; here nothing is skipped silently.

Workbooks of spreadsheets: read in a process of their own, which they may crash.
"""

import codecs
import csv
import io
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from caldp_core.basics.counted import count_text
from caldp_core.basics.duck import connect, fetch_rows
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.files import BYTE_ORDER_MARK
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets.files import geojson
from caldp_core.datasets.files.source import (
    PROTOCOL,
    UTF_8,
    ZIP,
    Bounds,
    FileSource,
    file_system,
    source_from_bytes,
    to_utf_8,
    unpack,
    zip_members,
)
from caldp_core.datasets.own import excerpt

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_OLD_EXCEL: Final = b"\xd0\xcf\x11\xe0"
_CHILD: Final = Path(__file__).with_name("workbook_child.py")
_PARTS: Final = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")
_TOO_LONG: Final = 3
_UNCHECKED_BYTES: Final = 2**24
_TIMES: Final = 100
"""Beyond 16 MB a workbook that grows more than 100-fold is a bomb."""


def is_workbook(source: FileSource) -> bool:
    """True of Excel's and LibreOffice's files, by what is in them."""
    head = source.head(4)
    if head == _OLD_EXCEL:
        return True
    return head == ZIP and any(each.filename in _PARTS for each in zip_members(source))


def as_csv(source: FileSource, bounds: Bounds) -> tuple[FileSource, str]:
    """The first sheet that holds anything as CSV in UTF-8, and what it is, in words.

    Raises `CaldpError` for what is damaged, needs a password, or is larger than it may be.
    """
    megabytes = bounds.parsed_bytes // 2**20
    require(
        _unpacked_bytes(source) <= bounds.parsed_bytes,
        str(_unreadable(source.name, "is too large")),
    )
    command = [sys.executable, "-P", str(_CHILD), str(256 + 8 * megabytes), str(megabytes)]
    with source.open() as file:
        data = file.read()
    try:
        process = subprocess.run(
            command, input=data, capture_output=True, timeout=bounds.seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise _unreadable(source.name, "takes too long") from None
    require(process.returncode != _TOO_LONG, str(_unreadable(source.name, "holds too much")))
    if process.returncode:
        raise _unreadable(source.name, "is damaged, too large, or asks for a password")
    first_line, _, text = process.stdout.partition(b"\n")
    reply = json.loads(first_line)
    sheet = f"sheet {excerpt(reply['sheet'])}"
    if reply["sheets"] > 1:
        sheet += f", one of {reply['sheets']:,}"
    return source_from_bytes(text, source.name), f"a workbook, {sheet}"


def _unpacked_bytes(source: FileSource) -> int:
    """Bytes that a workbook unpacks to by its directory; `sys.maxsize` for a bomb."""
    if source.head(4) != ZIP:
        return source.size
    size = sum(each.file_size for each in zip_members(source))
    return size if size <= max(_UNCHECKED_BYTES, _TIMES * source.size) else sys.maxsize


def _unreadable(name: str, why: str) -> CaldpError:
    return CaldpError(f"The workbook {excerpt(name)} {why}; save it as “CSV UTF-8”.")


HEAD_BYTES: Final = 2**18
COLUMNS_MAX: Final = 1_000
CELL_MAX: Final = 100_000
"""Most characters of a cell at the beginning of a file."""
NO_DELIMITER: Final = "\x1f"
DELIMITERS: Final = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars"}
"""In the order of preference where several fit equally well: a comma may be within numbers."""
_ROWS: Final = 1_000
_FIT_MIN: Final = 0.5


@dataclass(frozen=True)
class TableDialect:
    """`delimiter` between the `width` cells of a row; rows begin after `skip` lines.

    `skip_with_header`: lines until the end of the first row, for where it is the header.
    """

    delimiter: str
    width: int
    skip: int
    skip_with_header: int

    def describe(self) -> str:
        """What sets cells apart, and what is skipped, in words."""
        above = f", below {count_text(self.skip, 'other line', 'other lines')}" if self.skip else ""
        if self.width == 1:
            return f"one column{above}"
        return f"{self.width:,} columns with {DELIMITERS[self.delimiter]} between them{above}"


def detect_dialect(head: str, name: str) -> TableDialect:
    """The dialect of a text by its beginning; raises `CaldpError` for what is no table."""
    lines = head.splitlines()[:_ROWS] or [""]
    most = max(line.count(sign) for line in lines for sign in DELIMITERS)
    require(
        most < COLUMNS_MAX,
        f"A table may have up to {COLUMNS_MAX:,} columns, {excerpt(name)} has {most + 1:,}; keep "
        "those that are needed.",
    )
    candidates = [_try_delimiter(head, delimiter, name) for delimiter in DELIMITERS]
    fits, _, dialect = max(candidates, key=lambda each: each[:2])
    if fits >= _FIT_MIN:
        return dialect
    return _try_delimiter(head, NO_DELIMITER, name)[2]


def _try_delimiter(head: str, delimiter: str, name: str) -> tuple[float, bool, TableDialect]:
    """Share of rows with the commonest number of cells, 0 if that is one; preference; dialect."""
    ends: list[int] = []
    widths: list[int] = []
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                require(max(map(len, cells)) <= CELL_MAX, str(_too_long(name)))
                ends.append(reader.line_num)
                widths.append(len(cells))
            if len(widths) >= _ROWS:
                break
    except csv.Error:
        raise _too_long(name) from None
    require(bool(widths), f"There is nothing to read in {excerpt(name)}; give rows of data.")
    if len(widths) > 2 and len(widths) < _ROWS:
        del widths[-1]  # it may be cut
    (width, times), *_ = Counter(widths).most_common()
    first = widths.index(width)
    skip = ends[first - 1] if first else 0
    fits = times / len(widths) if width > 1 else 0.0
    return fits, delimiter != ",", TableDialect(delimiter, width, skip, ends[first])


def _too_long(name: str) -> CaldpError:
    return CaldpError(
        f"A cell at the beginning of {excerpt(name)} has more than {CELL_MAX:,} characters; a "
        "quotation mark may be open there: close it, or take it out."
    )


_PATH: Final = f"{PROTOCOL}://file"
_PARQUET: Final = b"PAR1"
_LINE_MAX: Final = 2**20
_BUFFER: Final = 2**22
REJECTS_MAX: Final = 100_000
_UNLIKE_LINES: Final = "state machine reached an invalid state"
"""What DuckDB says of lines that end in \\r\\r\\n, or now in \\n and now in \\r\\n."""
_BINARY: Final = {
    b"BZh": ("packed by bzip2", "unpack it first"),
    b"\xfd7zXZ": ("packed by xz", "unpack it first"),
    b"\x28\xb5\x2f\xfd": ("packed by zstd", "unpack it first"),
    b"7z\xbc\xaf": ("packed by 7-Zip", "unpack it first"),
    b"Rar!": ("packed by RAR", "unpack it first"),
    b"%PDF": ("a PDF", "copy its table into a spreadsheet, and save that"),
    b"SQLite format": ("a database", "save one table of it as CSV"),
}
"""By the first bytes of a file: what it is, and what to do."""


@dataclass(frozen=True)
class Table:
    """An opened file: `kind` in words, `dialect` None for Parquet, whose columns have `names`."""

    source: FileSource
    bounds: Bounds
    kind: str
    dialect: TableDialect | None
    names: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.dialect.width if self.dialect else len(self.names)

    def relation_sql(self, header: bool) -> str:
        """SQL of the rows, with columns c0, c1, … as texts; without the first if it is a header."""
        if self.dialect is None:
            casts = ", ".join(
                f'"{_escaped(name)}"::VARCHAR AS c{i}' for i, name in enumerate(self.names)
            )
            return f"(SELECT {casts} FROM read_parquet('{_PATH}'))"
        columns = ", ".join(f"c{i}: 'VARCHAR'" for i in range(self.width))
        skip = self.dialect.skip_with_header if header else self.dialect.skip
        return (
            f"read_csv('{_PATH}', auto_detect = false, header = false, skip = {skip}, "
            f"delim = '{self.dialect.delimiter}', quote = '\"', escape = '\"', "
            f"columns = {{{columns}}}, store_rejects = true, rejects_limit = {REJECTS_MAX}, "
            f"max_line_size = {_LINE_MAX}, buffer_size = {_BUFFER}, parallel = true)"
        )

    @contextmanager
    def open_reader(self) -> Iterator["Reader"]:
        """A reader of its rows, closed at the end."""
        faults: list[CaldpError] = []
        memory = self.bounds.memory_mb
        with (
            file_system(self.source, faults) as files,
            connect(memory, files=files) as connection,
        ):
            yield Reader(self, connection, faults)


@dataclass(frozen=True)
class Reader:
    """Runs queries on a table; `faults` are errors of reading its file."""

    table: Table
    connection: "DuckDBPyConnection"
    faults: list[CaldpError]

    def fetch_rows(
        self, sql: str, parameters: Sequence[Any] = (), progress: Progress = no_progress
    ) -> list[tuple[Any, ...]]:
        """The rows of a query; raises `CaldpError`."""
        import duckdb

        try:
            return fetch_rows(self.connection, sql, parameters, self.table.bounds.seconds, progress)
        except duckdb.Error as error:
            raise self._error(str(error)) from None

    def _error(self, message: str) -> CaldpError:
        if self.faults:
            return self.faults[0]
        require(
            _UNLIKE_LINES not in message,
            f"The lines of the file {excerpt(self.table.source.name)} must end alike, in \\n or in "
            "\\r\\n; write it anew (by Python's csv: open it with newline='').",
        )
        why = " ".join(message.split())[:200]
        return CaldpError(f"The file {excerpt(self.table.source.name)} can't be read: {why}")

    def rejected_rows(self) -> list[tuple[str, int, int, str]]:
        """Lines of the last query that are no rows: why, how many, number and text of the first."""
        if self.table.dialect is None:
            return []
        rejects = self.fetch_rows(
            "SELECT error_type::VARCHAR, count(DISTINCT line), min(line), arg_min(csv_line, line) "
            "FROM reject_errors WHERE scan_id = (SELECT max(scan_id) FROM reject_scans) "
            "AND trim(csv_line, chr(9) || chr(10) || chr(13) || ' ,;|') <> '' GROUP BY 1"
        )
        return [(str(why), int(n), int(line), str(text or "")) for why, n, line, text in rejects]


def open_table(source: FileSource, bounds: Bounds) -> Table:
    """A file as a table; raises `CaldpError` for what can't be one."""
    source, packed = unpack(source, bounds)
    head = source.head(2**16)
    require(bool(head.strip()), f"There is nothing to read in {excerpt(source.name)}.")
    if head.startswith(_PARQUET):
        return _parquet(source, bounds, packed)
    for start, (kind, then) in _BINARY.items():
        require(not head.startswith(start), f"The file {excerpt(source.name)} is {kind}; {then}.")
    if is_workbook(source):
        source, kind = as_csv(source, bounds)
        return _text(source, bounds, [kind])
    as_it_is = source
    source, code = to_utf_8(source)
    if packed or source is not as_it_is:
        source = source.with_measured_size(bounds.seconds)
    kinds = [*(f"packed by {by}" for by in packed), *([code] if code != UTF_8 else [])]
    if geojson.is_geojson(source.head(100)):
        return _text(geojson.as_csv(source, bounds), bounds, ["GeoJSON", *kinds])
    return _text(source, bounds, kinds)


def _text(source: FileSource, bounds: Bounds, kinds: Sequence[str]) -> Table:
    head = codecs.getincrementaldecoder("utf-8")("replace").decode(source.head(HEAD_BYTES))
    dialect = detect_dialect(head.removeprefix(BYTE_ORDER_MARK), source.name)
    return Table(source, bounds, ", ".join([*kinds, dialect.describe()]), dialect)


def _parquet(source: FileSource, bounds: Bounds, packed: Sequence[str]) -> Table:
    require(not packed, "A Parquet file is packed by itself: unpack what is around it first.")
    table = Table(source, bounds, "Parquet", None)
    with table.open_reader() as reader:
        ((count, size),) = reader.fetch_rows(
            "SELECT (SELECT sum(num_rows) FROM parquet_file_metadata($1)), "
            "(SELECT sum(total_uncompressed_size) FROM parquet_metadata($1))",
            [_PATH],
        )
        described = reader.fetch_rows(f"DESCRIBE SELECT * FROM read_parquet('{_PATH}')")
    require(
        0 <= (count or 0) <= bounds.rows and (size or 0) <= bounds.unpacked_bytes,
        f"A Parquet file may have up to {bounds.rows:,} rows and unpack to "
        f"{bounds.unpacked_bytes / 2**20:,.0f} MB, {excerpt(source.name)} says {count or 0:,} "
        "rows and "
        f"{(size or 0) / 2**20:,.0f} MB; give a part, or count it with `caldp count`.",
    )
    names = tuple(str(row[0]) for row in described)
    return Table(
        source, bounds, f"Parquet, {count_text(len(names), 'column', 'columns')}", None, names
    )


def _escaped(name: str) -> str:
    return name.replace('"', '""')
