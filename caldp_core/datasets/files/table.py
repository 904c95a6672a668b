"""A file as a table that DuckDB reads: its columns as text, whatever the file is.

DuckDB's own sniffing skips rows that do not fit, and takes a short list with commas for something
else; here nothing is skipped silently. Workbooks are read in a process of their own, which they may
crash.
"""

import codecs
import csv
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from caldp_core.basics.aside import ReaderFailedError, read_aside
from caldp_core.basics.counted import count_text
from caldp_core.basics.duck import connect, fetch_rows
from caldp_core.basics.errors import CaldpError, excerpt, require
from caldp_core.basics.files import BYTE_ORDER_MARK
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets.files import geojson
from caldp_core.datasets.files.by_hand import Chosen
from caldp_core.datasets.files.numbers import looks_like_number
from caldp_core.datasets.files.source import (
    ENCODINGS,
    PROTOCOL,
    ZIP,
    Bounds,
    FileSource,
    file_system,
    other_encodings,
    source_from_bytes,
    to_utf_8,
    unpack,
    zip_members,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_OLD_EXCEL: Final = b"\xd0\xcf\x11\xe0"
_CHILD: Final = Path(__file__).with_name("workbook_child.py")
_PARTS: Final = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")
_UNCHECKED_BYTES: Final = 2**24
_TIMES: Final = 100
"""Beyond 16 MB a workbook that grows more than 100-fold is a bomb."""


def is_workbook(source: FileSource) -> bool:
    """True of Excel's and LibreOffice's files, by what is in them."""
    head = source.head(4)
    if head == _OLD_EXCEL:
        return True
    return head == ZIP and any(each.filename in _PARTS for each in zip_members(source))


@dataclass(frozen=True)
class _Sheet:
    """A sheet as CSV in UTF-8, what it is in words, and the names of all sheets, the best first.

    `tables`: the visible sheets that may be meant.
    """

    csv: FileSource
    name: str
    kind: str
    sheets: tuple[str, ...]
    tables: tuple[str, ...]


def _read_sheet(source: FileSource, bounds: Bounds, wanted: str) -> _Sheet:
    """A sheet of a workbook; "": that with the most rows of several cells, hidden ones last.

    Raises `CaldpError` for a workbook that is damaged, needs a password, is larger than it may be
    or lacks the sheet.
    """
    megabytes = bounds.parsed_bytes // 2**20
    require(
        _unpacked_bytes(source) <= bounds.parsed_bytes,
        str(_unreadable(source.name, "is too large")),
    )
    with source.open() as file:
        data = file.read()
    arguments = str(megabytes), wanted
    try:
        found = read_aside(_CHILD, arguments, data, 256 + 8 * megabytes, bounds.seconds)
    except CaldpError as error:
        raise _unreadable(source.name, str(error)) from None
    except ReaderFailedError as error:
        raise _unreadable(source.name, f"{error}, or asks for a password") from None
    first_line, _, text = found.partition(b"\n")
    reply = json.loads(first_line)
    name, sheets = reply["sheet"], tuple(reply["all"])
    require(
        wanted in ("", name),
        f"The workbook {excerpt(source.name)} has the sheets {', '.join(sheets)[:300]}, got "
        f"{wanted!r}; choose one of them.",
    )
    kind = f"a workbook, sheet {excerpt(name)}"
    if reply["sheets"] > 1:
        kind += f", one of {reply['sheets']:,}"
    kind += ", merged cells filled" if reply["merged"] else ""
    return _Sheet(source_from_bytes(text, source.name), name, kind, sheets, tuple(reply["tables"]))


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
_SEPARATOR_LINE: Final = re.compile(r'"?sep=([\t;,|])"?\r?\n', re.IGNORECASE)
"""Excel's first line, which says what sets cells apart."""
_QUALTRICS: Final = '{"ImportId"'
"""What the third row of Qualtrics begins with, below short names and the text of questions."""
_ROWS: Final = 1_000
_FILLED_MIN: Final = 0.5
"""Of the rows of a table, those with several cells, where rows above with a single one are none."""
_FIT_MIN: Final = 0.5


@dataclass(frozen=True)
class TableDialect:
    """`delimiter` between the `width` cells of a row; data begin after `skip` rows.

    `skip_with_header`: rows until the end of the first, for where it is the header; a cell may hold
    line breaks, so that these are rows and no lines. `titles`: names of the columns that are known
    for sure, () where they are not: then both numbers are equal; `remark`: what names them.
    """

    delimiter: str
    width: int
    skip: int
    skip_with_header: int
    titles: tuple[str, ...] = ()
    remark: str = ""

    def describe(self) -> str:
        """What sets cells apart, and what is skipped, in words."""
        above = f", below {count_text(self.skip, 'other line', 'other lines')}" if self.skip else ""
        above = self.remark or above
        if self.width == 1:
            return f"one column{above}"
        return f"{self.width:,} columns with {DELIMITERS[self.delimiter]} between them{above}"


def detect_dialect(head: str, name: str, delimiter: str = "") -> TableDialect:
    """The dialect of a text by its beginning; `delimiter`: where it is known.

    Raises `CaldpError` if the text is not a table.
    """
    lines = head.splitlines()[:_ROWS] or [""]
    most = max(line.count(sign) for line in lines for sign in DELIMITERS)
    require(
        most < COLUMNS_MAX,
        f"A table may have up to {COLUMNS_MAX:,} columns, {excerpt(name)} has {most + 1:,}; keep "
        "those that are needed.",
    )
    line = _SEPARATOR_LINE.match(head)
    if line is not None:
        found = _try_delimiter(head[line.end() :], delimiter or line[1], name)[2]
        skip, then = found.skip + 1, found.skip_with_header + 1
        return replace(found, skip=skip, skip_with_header=then)
    signs = [delimiter] if delimiter else list(DELIMITERS)
    candidates = [_try_delimiter(head, sign, name) for sign in signs]
    fits, _, dialect = max(candidates, key=lambda each: each[:2])
    if delimiter or fits >= _FIT_MIN:
        return dialect
    return _try_delimiter(head, NO_DELIMITER, name)[2]


def _try_delimiter(head: str, delimiter: str, name: str) -> tuple[float, bool, TableDialect]:
    """Share of rows with the commonest number of cells, 0 if that is one; preference; dialect."""
    rows: list[tuple[int, list[str]]] = []
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
    try:
        for number, cells in enumerate(reader, start=1):
            if any(cell.strip() for cell in cells):
                require(max(map(len, cells)) <= CELL_MAX, str(_too_long(name)))
                rows.append((number, cells))
            if len(rows) >= _ROWS:
                break
    except csv.Error:
        raise _too_long(name) from None
    require(bool(rows), f"There is nothing to read in {excerpt(name)}; give rows of data.")
    whole = rows[:-1] if 2 < len(rows) < _ROWS else rows  # the last may be cut
    widths = [len(cells) for _, cells in whole]
    (width, times), *_ = Counter(widths).most_common()
    first = _first_of_table([cells for _, cells in whole], width)
    skip = rows[first][0] - 1 if first else 0
    fits = times / len(widths) if width > 1 else 0.0
    dialect = TableDialect(delimiter, width, skip, rows[first][0])
    return fits, delimiter != ",", _with_known_titles(dialect, rows, first)


def _first_of_table(rows: Sequence[list[str]], width: int) -> int:
    """The first row with all cells, without titles above a table in which most rows are filled."""
    whole = [at for at, cells in enumerate(rows) if len(cells) == width]
    filled = [at for at in whole if sum(cell.strip() != "" for cell in rows[at]) > 1]
    return filled[0] if len(filled) >= _FILLED_MIN * len(whole) else whole[0]


def _two_headers(rows: Sequence[list[str]]) -> tuple[str, ...]:
    """Titles out of two rows: names of groups of columns above those of columns; () for one row."""
    top, below, *data = rows
    spanned = [at for at, (a, b) in enumerate(zip(top, below, strict=False)) if b and not a]
    numeric = [at for at in spanned if sum(looks_like_number(r[at]) for r in data) * 2 > len(data)]
    if not spanned or spanned != numeric or any(map(looks_like_number, (*top, *below))):
        return ()
    titles, group = [], ""
    for above, title in zip(top, below, strict=True):
        group = above or group
        titles.append(above if title in ("", above) else f"{group} {title}")
    return tuple(titles)


def _with_known_titles(
    dialect: TableDialect, rows: Sequence[tuple[int, list[str]]], first: int
) -> TableDialect:
    """The dialect with the titles of Qualtrics, or of a header that is a cell too short.

    R leaves out the title above its names of rows; a comma may end every other row.
    """
    below = [cells for _, cells in rows[first:]]
    if len(below) > 2 and any(cell.startswith(_QUALTRICS) for cell in below[2]):
        titles = tuple(text.strip() or code for code, text in zip(*below[:2], strict=False))
        end = rows[first + 2][0]
        return replace(
            dialect, skip=end, skip_with_header=end, titles=titles, remark=", Qualtrics’ titles"
        )
    if len(below) > 2 and len({dialect.width, *map(len, below)}) == 1:
        titles, end = _two_headers(below), rows[first + 1][0]
        if titles:
            two = replace(dialect, skip=end, skip_with_header=end, titles=titles)
            return replace(two, remark=", two rows of titles")
    above = rows[first - 1][1] if first else []
    is_header = len(above) == dialect.width - 1 > 1 and all(cell.strip() for cell in above)
    if not is_header or any(map(looks_like_number, above)) or not _is_data(below):
        return dialect
    is_last_empty = not any(cells[-1].strip() for cells in below)
    titles = (*above, "") if is_last_empty else ("", *above)
    return replace(
        dialect, skip_with_header=dialect.skip, titles=titles, remark=", one without a title"
    )


def _is_data(rows: Sequence[list[str]]) -> bool:
    """Whether the first of some rows has a number, or a cell that a row below has, too."""
    return any(
        looks_like_number(cell) or (cell and any(cell in row for row in rows[1:]))
        for cell in rows[0]
    )


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
    b"$FL": ("a file of SPSS", "in SPSS, save it as CSV"),
    b"<stata_dta>": ("a file of Stata", "in Stata, export it as CSV"),
    b"\0\0'\n": ("a shapefile", "in QGIS, save it as GeoJSON in degrees (EPSG:4326)"),
}
"""By the first bytes of a file: what it is, and what to do."""
_OTHERS: Final = {
    b"<kml": ("a KML file", "in QGIS, save it as CSV with the geometry as X and Y"),
    b"<gpx": ("a GPX file", "in QGIS, save its points as CSV with the geometry as X and Y"),
    b"<html": ("a web page", "copy its table into a spreadsheet, and save that"),
    b'"locations": [': ("a Google Timeline", "convert it to CSV, a row a place"),
    b'"semanticSegments"': ("a Google Timeline", "convert it to CSV, a row a place"),
    b'"timelineObjects"': ("a Google Timeline", "convert it to CSV, a row a place"),
}
"""By a text near the beginning of a file: what it is, and what to do."""
_NEAR: Final = 1_000


@dataclass(frozen=True)
class Table:
    """An opened file: `kind` in words, `dialect` None where DuckDB's `reader` knows its columns.

    `names`: of its columns, where these are known; `derived`: steps in each of which a column is
    SQL of the columns c0, c1, … of the step before, at first the file's own. `asks`: a check,
    "sheet" or "encoding", where the file may be opened otherwise; `ways`: by what answers it, and
    how that is shown. `opened`: the sheet, encoding and delimiter that were read, "" where the file
    has none; `sheets`: of a workbook, the best first.
    """

    source: FileSource
    bounds: Bounds
    kind: str
    dialect: TableDialect | None
    names: tuple[str, ...] = ()
    reader: str = ""
    derived: tuple[tuple[str, ...], ...] = ()
    asks: str = ""
    ways: tuple[tuple[str, str], ...] = ()
    opened: Chosen = Chosen()
    sheets: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Number of columns."""
        if self.derived:
            return len(self.derived[-1])
        return self.dialect.width if self.dialect else len(self.names)

    def relation_sql(self, header: bool) -> str:
        """SQL of the rows, with columns c0, c1, … as texts; without the first if it is a header."""
        relation = self._file_sql(header)
        for step in self.derived:
            columns = ", ".join(f"{sql} AS c{at}" for at, sql in enumerate(step))
            relation = f"(SELECT {columns} FROM {relation})"
        return relation

    def _file_sql(self, header: bool) -> str:
        if self.dialect is None:
            names = (name.replace('"', '""') for name in self.names)
            casts = ", ".join(f'"{name}"::VARCHAR AS c{i}' for i, name in enumerate(names))
            return f"(SELECT {casts} FROM {self.reader}('{_PATH}'))"
        columns = ", ".join(f"c{i}: 'VARCHAR'" for i in range(self.dialect.width))
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
        with (
            file_system(self.source) as files,
            connect(self.bounds.memory_mb, files=files) as connection,
        ):
            yield Reader(self, connection)


@dataclass(frozen=True)
class Reader:
    """Runs queries on a table."""

    table: Table
    connection: "DuckDBPyConnection"

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


def open_table(source: FileSource, bounds: Bounds, chosen: Chosen | None = None) -> Table:
    """A file as a table; raises `CaldpError` for what can't be one.

    `chosen`: the sheet, encoding and delimiter, where a user says them.
    """
    chosen = chosen or Chosen()
    source, packed = unpack(source, bounds)
    head = source.head(2**16)
    require(bool(head.strip()), f"There is nothing to read in {excerpt(source.name)}.")
    _check_known(head, source.name)
    if head.startswith(_PARQUET):
        require(not packed, "A Parquet file is packed by itself: unpack what is around it first.")
        _check_parquet(source, bounds)
        return _with_own_columns(source, bounds, "Parquet", "read_parquet")
    if is_workbook(source):
        sheet = _read_sheet(source, bounds, chosen.sheet)
        table = _text(sheet.csv, bounds, [sheet.kind], ",")
        asks = "sheet" if len(sheet.tables) > 1 else ""
        ways, opened = tuple((name, name) for name in sheet.tables), Chosen(sheet=sheet.name)
        return replace(table, asks=asks, ways=ways, opened=opened, sheets=sheet.sheets)
    as_it_is = source
    source, code = to_utf_8(as_it_is)
    others = other_encodings(head) if code not in ("utf_8", "utf_16") else ()
    wanted = chosen.encoding or "".join(name for name, _ in others[:1])
    if wanted:
        source, code = to_utf_8(as_it_is, wanted)
    if packed or source is not as_it_is:
        source = source.with_measured_size(bounds.seconds)
    by = [f"packed by {each}" for each in packed]
    kinds = [*by, *([ENCODINGS[code]] if code != "utf_8" else [])]
    if _holds_records(source.head(HEAD_BYTES)):
        kind = ", ".join(["JSON records", *kinds])
        return _with_own_columns(source, bounds, kind, "read_json_auto")
    if geojson.is_geojson(source.head(100)):
        return _text(geojson.as_csv(source, bounds), bounds, ["GeoJSON", *kinds], ",")
    table = _text(source, bounds, kinds, chosen.delimiter)
    assert table.dialect is not None
    opened = Chosen(encoding=code, delimiter=table.dialect.delimiter)
    return replace(table, asks="encoding" if others else "", ways=others, opened=opened)


def _check_known(head: bytes, name: str) -> None:
    """Raise `CaldpError` for a file of another program, and say the way out."""
    for start, (kind, then) in (_BINARY | _OTHERS).items():
        found = head.startswith(start) or (start in _OTHERS and start in head[:_NEAR])
        require(not found, f"The file {excerpt(name)} is {kind}; {then}.")


def _text(source: FileSource, bounds: Bounds, kinds: Sequence[str], delimiter: str) -> Table:
    """The table of a text; `delimiter` "": detected."""
    head = codecs.getincrementaldecoder("utf-8")("replace").decode(source.head(HEAD_BYTES))
    dialect = detect_dialect(head.removeprefix(BYTE_ORDER_MARK), source.name, delimiter)
    kind = ", ".join([*kinds, dialect.describe()])
    return Table(source, bounds, kind, dialect, dialect.titles)


def _holds_records(head: bytes) -> bool:
    """Whether a text is JSON objects in a list, or a line each, that are no features."""
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if text.startswith(b"["):
        return text[1:].lstrip().startswith(b"{")
    first, _, rest = text.partition(b"\n")
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    is_record = isinstance(record, dict) and record.get("type") != "Feature"
    return is_record and rest.lstrip().startswith(b"{")


def _check_parquet(source: FileSource, bounds: Bounds) -> None:
    """Raise `CaldpError` for a Parquet file that says that it holds too much."""
    with Table(source, bounds, "", None).open_reader() as reader:
        ((count, size),) = reader.fetch_rows(
            "SELECT (SELECT sum(num_rows) FROM parquet_file_metadata($1)), "
            "(SELECT sum(total_uncompressed_size) FROM parquet_metadata($1))",
            [_PATH],
        )
    require(
        0 <= (count or 0) <= bounds.rows and (size or 0) <= bounds.unpacked_bytes,
        f"A Parquet file may have up to {bounds.rows:,} rows and unpack to "
        f"{bounds.unpacked_bytes / 2**20:,.0f} MB, {excerpt(source.name)} says {count or 0:,} "
        "rows and "
        f"{(size or 0) / 2**20:,.0f} MB; give a part, or count it with `caldp count`.",
    )


def _with_own_columns(source: FileSource, bounds: Bounds, kind: str, reader: str) -> Table:
    """The table of a file whose columns DuckDB's `reader` knows."""
    with Table(source, bounds, kind, None).open_reader() as opened:
        described = opened.fetch_rows(f"DESCRIBE SELECT * FROM {reader}('{_PATH}')")
    names = tuple(str(row[0]) for row in described)
    kind = f"{kind}, {count_text(len(names), 'column', 'columns')}"
    return Table(source, bounds, kind, None, names, reader)
