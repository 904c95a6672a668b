"""A file as a table that DuckDB reads: its columns as text, whatever the file is."""

import codecs
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from caldp_core.basics.duck import connected, rows
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets.files import geojson, workbook
from caldp_core.datasets.files.dialect import HEAD_BYTES, Dialect, dialect_of
from caldp_core.datasets.files.encodings import UTF_8, in_utf_8
from caldp_core.datasets.files.packed import unpacked
from caldp_core.datasets.files.source import PROTOCOL, Bounds, Source, file_system
from caldp_core.datasets.own import quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_PATH: Final = f"{PROTOCOL}://file"
_PARQUET: Final = b"PAR1"
_LINE_MAX: Final = 2**20
_BUFFER: Final = 2**22
REJECTS_MAX: Final = 100_000
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

    def relation(self, header: bool) -> str:
        """SQL of the rows, with columns c0, c1, … as texts; without the first if it is a header."""
        if self.dialect is None:
            told = ", ".join(
                f'"{_escaped(name)}"::VARCHAR AS c{i}' for i, name in enumerate(self.names)
            )
            return f"(SELECT {told} FROM read_parquet('{_PATH}'))"
        columns = ", ".join(f"c{i}: 'VARCHAR'" for i in range(self.width))
        skip = self.dialect.after if header else self.dialect.skip
        return (
            f"read_csv('{_PATH}', auto_detect = false, header = false, skip = {skip}, "
            f"delim = '{self.dialect.delimiter}', quote = '\"', escape = '\"', "
            f"columns = {{{columns}}}, store_rejects = true, rejects_limit = {REJECTS_MAX}, "
            f"max_line_size = {_LINE_MAX}, buffer_size = {_BUFFER}, parallel = true)"
        )

    @contextmanager
    def reading(self) -> Iterator["Reader"]:
        """A reader of its rows, closed at the end."""
        faults: list[CaldpError] = []
        memory = self.bounds.memory_mb
        with (
            file_system(self.source, faults) as files,
            connected(memory, files=files) as connection,
        ):
            yield Reader(self, connection, faults)


@dataclass(frozen=True)
class Reader:
    """Asks for rows of a table; its faults are sentences."""

    table: Table
    connection: "DuckDBPyConnection"
    faults: list[CaldpError]

    def rows(
        self, sql: str, parameters: Sequence[Any] = (), progress: Progress = no_progress
    ) -> list[tuple[Any, ...]]:
        """The rows of a query; raises `CaldpError`."""
        import duckdb

        try:
            return rows(self.connection, sql, parameters, self.table.bounds.seconds, progress)
        except duckdb.Error as error:
            raise self._sentence(str(error)) from None

    def _sentence(self, told: str) -> CaldpError:
        if self.faults:
            return self.faults[0]
        why = " ".join(told.split())[:200]
        return CaldpError(f"The file {quoted(self.table.source.name)} can't be read: {why}")

    def rejects(self) -> list[tuple[str, int, int, str]]:
        """Rows of the last query that are none: why, how many, the first one's line, and it."""
        if self.table.dialect is None:
            return []
        found = self.rows(
            "SELECT error_type::VARCHAR, count(DISTINCT line), min(line), arg_min(csv_line, line) "
            "FROM reject_errors WHERE scan_id = (SELECT max(scan_id) FROM reject_scans) "
            "AND trim(csv_line, chr(9) || chr(10) || chr(13) || ' ,;|') <> '' GROUP BY 1"
        )
        return [(str(why), int(n), int(line), str(text or "")) for why, n, line, text in found]


def opened(source: Source, bounds: Bounds) -> Table:
    """A file as a table; raises `CaldpError` for what can't be one."""
    source, packed = unpacked(source, bounds)
    head = source.head(2**16)
    require(bool(head.strip()), f"There is nothing to read in {quoted(source.name)}.")
    if head.startswith(_PARQUET):
        return _parquet(source, bounds, packed)
    for start, (kind, then) in _BINARY.items():
        require(not head.startswith(start), f"The file {quoted(source.name)} is {kind}; {then}.")
    if workbook.is_workbook(source):
        source, kind = workbook.as_csv(source, bounds)
        return _text(source, bounds, [kind])
    as_it_is = source
    source, code = in_utf_8(source)
    if packed or source is not as_it_is:
        source = source.measured(bounds.seconds)
    kinds = [*(f"packed by {by}" for by in packed), *([code] if code != UTF_8 else [])]
    if geojson.is_geojson(source.head(100)):
        return _text(geojson.as_csv(source, bounds), bounds, ["GeoJSON", *kinds])
    return _text(source, bounds, kinds)


def _text(source: Source, bounds: Bounds, kinds: Sequence[str]) -> Table:
    head = codecs.getincrementaldecoder("utf-8")("replace").decode(source.head(HEAD_BYTES))
    dialect = dialect_of(head.removeprefix("\ufeff"), source.name)
    return Table(source, bounds, ", ".join([*kinds, dialect.told()]), dialect)


def _parquet(source: Source, bounds: Bounds, packed: Sequence[str]) -> Table:
    require(not packed, "A Parquet file is packed by itself: unpack what is around it first.")
    table = Table(source, bounds, "Parquet", None)
    with table.reading() as reader:
        ((count, size),) = reader.rows(
            "SELECT (SELECT sum(num_rows) FROM parquet_file_metadata($1)), "
            "(SELECT sum(total_uncompressed_size) FROM parquet_metadata($1))",
            [_PATH],
        )
        described = reader.rows(f"DESCRIBE SELECT * FROM read_parquet('{_PATH}')")
    require(
        0 <= (count or 0) <= bounds.rows and (size or 0) <= bounds.unpacked,
        f"A Parquet file may have up to {bounds.rows:,} rows and unpack to "
        f"{bounds.unpacked / 2**20:,.0f} MB, {quoted(source.name)} says {count or 0:,} rows and "
        f"{(size or 0) / 2**20:,.0f} MB; give a part, or count it with `caldp count`.",
    )
    names = tuple(str(row[0]) for row in described)
    return Table(source, bounds, f"Parquet, {len(names):,} columns", None, names)


def _escaped(name: str) -> str:
    return name.replace('"', '""')
