"""A file as a table that DuckDB reads: its columns as text, whatever the file is."""

import codecs
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from caldp_core.basics.counted import count_text
from caldp_core.basics.duck import connect, fetch_rows
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.files import BYTE_ORDER_MARK
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets.files import geojson, workbook
from caldp_core.datasets.files.compression import unpack
from caldp_core.datasets.files.dialect import HEAD_BYTES, Dialect, detect_dialect
from caldp_core.datasets.files.encodings import UTF_8, to_utf_8
from caldp_core.datasets.files.source import PROTOCOL, Bounds, Source, file_system
from caldp_core.datasets.own import excerpt

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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

    source: Source
    bounds: Bounds
    kind: str
    dialect: Dialect | None
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


def open_table(source: Source, bounds: Bounds) -> Table:
    """A file as a table; raises `CaldpError` for what can't be one."""
    source, packed = unpack(source, bounds)
    head = source.head(2**16)
    require(bool(head.strip()), f"There is nothing to read in {excerpt(source.name)}.")
    if head.startswith(_PARQUET):
        return _parquet(source, bounds, packed)
    for start, (kind, then) in _BINARY.items():
        require(not head.startswith(start), f"The file {excerpt(source.name)} is {kind}; {then}.")
    if workbook.is_workbook(source):
        source, kind = workbook.as_csv(source, bounds)
        return _text(source, bounds, [kind])
    as_it_is = source
    source, code = to_utf_8(source)
    if packed or source is not as_it_is:
        source = source.with_measured_size(bounds.seconds)
    kinds = [*(f"packed by {by}" for by in packed), *([code] if code != UTF_8 else [])]
    if geojson.is_geojson(source.head(100)):
        return _text(geojson.as_csv(source, bounds), bounds, ["GeoJSON", *kinds])
    return _text(source, bounds, kinds)


def _text(source: Source, bounds: Bounds, kinds: Sequence[str]) -> Table:
    head = codecs.getincrementaldecoder("utf-8")("replace").decode(source.head(HEAD_BYTES))
    dialect = detect_dialect(head.removeprefix(BYTE_ORDER_MARK), source.name)
    return Table(source, bounds, ", ".join([*kinds, dialect.describe()]), dialect)


def _parquet(source: Source, bounds: Bounds, packed: Sequence[str]) -> Table:
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
