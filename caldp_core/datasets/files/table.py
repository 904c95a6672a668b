"""A file as a table that DuckDB reads: its columns as text, whatever the file is.

Workbooks are read in a process of their own, which they may crash.
"""

import codecs
import csv
import io
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from caldp_core.basics.errors import CaldpError, count_text, excerpt, require
from caldp_core.basics.files import (
    BYTE_ORDER_MARK,
    ReaderFailedError,
    connect,
    engine_reason,
    fetch_rows,
    read_aside,
)
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets.files import geojson
from caldp_core.datasets.files.dialect import (
    COMPOUND,
    HEAD_BYTES,
    TableDialect,
    detect_dialect,
    is_drawn,
    without_drawing,
)
from caldp_core.datasets.files.numbers import WORDS, DecimalMark
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

    from caldp_core.datasets.files.layout_detection import DetectedFile, Layout

COLUMN_TYPES: Final[Mapping[str, str]] = WORDS["types"]
"""Each type of a column with its field in `Layout`; "" for columns that are not read."""
_SEVERAL: Final = {"others": "question", "crossed": "crossed"}
"""Fields that hold several columns, with their type."""
_ANSWERED: Final = {kind: frozenset(checks.split()) for kind, checks in WORDS["answered"].items()}
"""Checks that the type of a column answers."""


@dataclass(frozen=True)
class Chosen:
    """A user's choices of how to read a file; "" and None: detected.

    `words`: for codes of questions, such as "1 = yes; 2 = no"; `encoding`: one of `ENCODINGS`;
    `only`: by column the cells of the rows that are read, all others are left out;
    `columns`: types (`COLUMN_TYPES`) by column number, in the
    order in which they were chosen.
    """

    sheet: str = ""
    encoding: str = ""
    delimiter: str = ""
    header: bool | None = None
    mark: DecimalMark | None = None
    columns: tuple[tuple[int, str], ...] = ()
    words: str = ""
    only: tuple[tuple[int, tuple[str, ...]], ...] = ()

    def with_answers(self, answers: Mapping[str, str]) -> "Chosen":
        """The choices, with the answers to checks of how the file is opened; "keep": as it was."""
        sheet, encoding = (
            kept if answers.get(name) == "keep" else answers.get(name, "")
            for name, kept in {"sheet": "", "encoding": "cp1252"}.items()
        )
        return replace(self, sheet=self.sheet or sheet, encoding=self.encoding or encoding)

    def with_column(self, column: int, kind: str) -> "Chosen":
        """The choices, with this type of a column; questions and crossed columns may be several."""
        role = COLUMN_TYPES[kind]
        others = tuple(
            (at, other)
            for at, other in self.columns
            if at != column and (role in ("", *_SEVERAL) or COLUMN_TYPES[other] != role)
        )
        return replace(self, columns=(*others, (column, kind)))

    def layout(self, file: "DetectedFile", guess: "Layout") -> "Layout":
        """The layout that was guessed, with the types and the decimal mark that were chosen."""
        chosen = dict(self.columns)
        roles: dict[str, Any] = {
            role: None
            for role in filter(None, COLUMN_TYPES.values())
            if role not in _SEVERAL and getattr(guess, role) in chosen
        }
        roles |= {role: at for at, kind in self.columns if (role := COLUMN_TYPES[kind])}
        for several, kind in _SEVERAL.items():
            roles[several] = tuple(at for at, each in self.columns if each == kind)
        named = tuple(at for at, _ in self.columns)
        layout = replace(guess, mark=self.mark or guess.mark, named=named, **roles)
        if layout.others:
            layout = replace(layout, group=None)
        if layout.others and layout.answer is None:
            layout = replace(layout, answer=layout.others[0], others=layout.others[1:])
        asked = layout.answer in chosen or layout.others
        if asked and "count" not in roles and (layout.others or file.repeats(layout.answer)):
            weights = file.named_weights
            layout = replace(layout, count=None if weights in chosen else weights)
        return layout

    def type_of(self, column: int, layout: "Layout", is_identifier: bool) -> str:
        """The type that a column has in a layout."""
        chosen = dict(self.columns).get(column, "")
        role = next((r for r in COLUMN_TYPES.values() if r and _holds(layout, r, column)), "")
        if chosen and COLUMN_TYPES[chosen] == role:
            return chosen
        if not role:
            return "id" if is_identifier else "leave-out"
        return next(kind for kind, each in COLUMN_TYPES.items() if each == role)

    def answered(self) -> frozenset[str]:
        """Names of the checks that these choices answer."""
        opened = {"sheet": self.sheet, "encoding": self.encoding, "thousands": self.mark}
        by_type = (_ANSWERED.get(kind, frozenset()) for _, kind in self.columns)
        return frozenset(name for name, value in opened.items() if value).union(*by_type)

    def describe(self, names: tuple[str, ...]) -> str:
        """The choices in words, for the record; "" if there are no choices."""
        delimiter = {"\t": "tab", "\x1f": "none"}.get(self.delimiter, self.delimiter)
        opened = {
            "sheet": self.sheet and f"“{self.sheet}”",
            "encoding": self.encoding,
            "delimiter": delimiter and f"“{delimiter}”",
        }
        parts = [f"{name} {value}" for name, value in opened.items() if value]
        if self.header is not None:
            parts.append(f"{'a' if self.header else 'no'} row of column names")
        if self.mark:
            parts.append(f"decimals after “{self.mark}”")
        parts += [f"words for codes {self.words}"] if self.words else []
        parts += [f"“{names[at]}” as {kind.replace('-', ' ')}" for at, kind in self.columns]
        for at, cells in self.only:
            listed = " or ".join(f"“{cell}”" for cell in cells)
            parts.append(f"only rows with {listed} in “{names[at]}”")
        return f"chosen by hand: {', '.join(parts)}" if parts else ""


def _holds(layout: "Layout", role: str, column: int) -> bool:
    value = getattr(layout, role)
    return column in value if isinstance(value, tuple) else value == column


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


def _read_sheet(source: FileSource, bounds: Bounds, wanted: str) -> "Table":
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
    if reply["hidden"]:
        rows = count_text(reply["hidden"], "hidden row", "hidden rows")
        kind += f", {rows} read as the others"
    sheet = source_from_bytes(text, source.name)
    table = _text(sheet, bounds, [kind], ",", TableDialect.describe_sheet)
    ways = tuple((each, each) for each in reply["tables"])
    asks = "sheet" if len(ways) > 1 else ""
    table = replace(table, asks=asks, ways=ways, opened=Chosen(sheet=name), sheets=sheets)
    return replace(table, lists=tuple(reply["lists"].items()))


def _unpacked_bytes(source: FileSource) -> int:
    """Bytes that a workbook unpacks to by its directory; `sys.maxsize` for a bomb."""
    if source.head(4) != ZIP:
        return source.size
    size = sum(each.file_size for each in zip_members(source))
    return size if size <= max(_UNCHECKED_BYTES, _TIMES * source.size) else sys.maxsize


def _unreadable(name: str, why: str) -> CaldpError:
    return CaldpError(f"The workbook {excerpt(name)} {why}; save it as “CSV UTF-8”.")


_PATH: Final = f"{PROTOCOL}://file"
_PARQUET: Final = b"PAR1"
_LINE_MAX: Final = 2**20
_BUFFER: Final = 2**22
REJECTS_MAX: Final = 100_000
_UNLIKE_LINES: Final = "state machine reached an invalid state"
"""What DuckDB says of lines that end in \\r\\r\\n, or now in \\n and now in \\r\\n."""
_PROGRAMS: Final[list[list[str]]] = tomllib.loads(
    Path(__file__).with_name("programs.toml").read_text("utf-8")
)["program"]
"""Pattern of the beginning of a file of another program, what it is, and what to do."""
_NEAR: Final = 4_000
_JSON_BYTES: Final = 2**23
_GEOJSON: Final = frozenset({"type", "features", "geometry", "coordinates"})


@dataclass(frozen=True)
class Table:
    """An opened file: `kind` in words, `dialect` None where DuckDB's `reader` knows its columns.

    `names`: of its columns, where these are known; `derived`: steps in each of which a column is
    SQL of the columns c0, c1, … of the step before, at first the file's own. `asks`: a check,
    "sheet" or "encoding", where the file may be opened otherwise; `ways`: by what answers it, and
    how that is shown. `opened`: the sheet, encoding and delimiter that were read, "" where the file
    has none; `sheets`: of a workbook, the best first; `lists`: its short sheets of two or three
    columns, by name, as rows of texts. `met`: CSV of its own rows that checks look at as well.
    `where`: SQL of the rows that are read, of its own columns; "" for all.
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
    lists: tuple[tuple[str, list[list[str]]], ...] = ()
    met: bytes = b""
    where: str = ""

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.derived[-1]) if self.derived else self.own_width

    @property
    def own_width(self) -> int:
        """Number of columns of the file."""
        return self.dialect.width if self.dialect else len(self.names)

    def relation_sql(self, header: bool) -> str:
        """SQL of the rows, with columns c0, c1, … as texts; without the first if it is a header."""
        relation = self._file_sql(header)
        if self.where:
            relation = f"(SELECT * FROM {relation} WHERE {self.where})"
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
            f"All lines of the file {excerpt(self.table.source.name)} must end in \\n, or all in "
            "\\r\\n; write it anew (by Python's csv: open it with newline='').",
        )
        why = engine_reason(message)
        return CaldpError(f"The file {excerpt(self.table.source.name)} can't be read: {why}")

    def rejected_rows(self) -> list[tuple[str, int, int, str]]:
        """Lines of the last query that are not rows: why, how many, the first's number and text."""
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
        require(not packed, "A Parquet file is already packed: unpack what is around it first.")
        _check_parquet(source, bounds)
        return _with_own_columns(source, bounds, "Parquet", "read_parquet")
    if is_workbook(source):
        return _read_sheet(source, bounds, chosen.sheet)
    as_it_is = source
    source, code = to_utf_8(as_it_is)
    others = other_encodings(head) if code not in ("utf_8", "utf_16", "utf_32") else ()
    wanted = chosen.encoding or "".join(name for name, _ in others[:1])
    if wanted:
        source, code = to_utf_8(as_it_is, wanted)
    if packed or source is not as_it_is:
        source = source.with_measured_size(bounds.seconds)
    by = [f"packed by {each}" for each in packed]
    kinds = [*by, *([ENCODINGS[code]] if code != "utf_8" else [])]
    source = _with_plain_records(source, bounds)
    if _holds_records(source.head(HEAD_BYTES)):
        kind = ", ".join(["JSON records", *kinds])
        return _with_own_columns(source, bounds, kind, "read_json_auto")
    if geojson.is_geojson(source.head(100)):
        return _read_geojson(geojson.as_csv(source, bounds), bounds, ["GeoJSON", *kinds])
    table = _text(source, bounds, kinds, chosen.delimiter)
    assert table.dialect is not None
    opened = Chosen(encoding=code, delimiter=table.dialect.delimiter)
    return replace(table, asks="encoding" if others else "", ways=others, opened=opened)


def _check_known(head: bytes, name: str) -> None:
    """Raise `CaldpError` for a file of another program, and say the way out."""
    text = head[:_NEAR].removeprefix(codecs.BOM_UTF8)
    for pattern, kind, then in _PROGRAMS:
        found = re.match(pattern.encode(), text)
        require(found is None, f"The file {excerpt(name)} is {kind}; {then}.")


def _text(
    source: FileSource,
    bounds: Bounds,
    kinds: Sequence[str],
    delimiter: str,
    describe: Callable[[TableDialect], str] = TableDialect.describe,
) -> Table:
    """The table of a text; `delimiter` "": detected."""
    source = _with_equal_ends(source)
    head = codecs.getincrementaldecoder("utf-8")("replace").decode(source.head(HEAD_BYTES))
    if source.size <= _JSON_BYTES and is_drawn(head):
        text = source.head(source.size).decode("utf-8", "replace")
        source = source_from_bytes(without_drawing(text).encode(), source.name)
        return _text(source, bounds, [*kinds, "a drawn table"], delimiter, describe)
    dialect = detect_dialect(head.removeprefix(BYTE_ORDER_MARK), source.name, delimiter)
    kind = ", ".join([*kinds, describe(dialect)])
    table = Table(source, bounds, kind, dialect, dialect.titles)
    if not COMPOUND.fullmatch("".join(dialect.titles[:1])):
        return table
    own = dialect.titles[0].partition("\\")[0].split(",")
    parts = (f"trim(string_split(c0, ',')[{number}])" for number in range(1, len(own) + 1))
    columns = (*parts, *(f"c{at}" for at in range(1, dialect.width)))
    return replace(table, names=(*own, *dialect.titles[1:]), derived=(columns,))


def _with_equal_ends(source: FileSource) -> FileSource:
    """A text of up to 8 MB whose lines end now in one way, now in another, with all in one way."""
    if source.size > _JSON_BYTES:
        return source
    data = source.head(source.size)
    windows = data.count(b"\r\n")
    if not 0 < windows < data.count(b"\n") + data.count(b"\r\r\n"):
        return source
    lines = data.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n")
    return source_from_bytes(lines, source.name)


def _read_geojson(source: FileSource, bounds: Bounds, kinds: Sequence[str]) -> Table:
    """The table of GeoJSON as CSV, whose titles are known; polygons may be long cells."""
    with source.open() as file:
        titles = tuple(next(csv.reader(io.TextIOWrapper(file, "utf-8", newline=""))))
    dialect = TableDialect(",", len(titles), 1, 1, titles)
    kind = ", ".join([*kinds, count_text(len(titles), "column", "columns")])
    return Table(source, bounds, kind, dialect, titles)


def _with_plain_records(source: FileSource, bounds: Bounds) -> FileSource:
    """JSON up to 8 MB as records a line each where it holds rows in another form; else unchanged.

    Raises `CaldpError` where it can't be read within bounds.
    """
    if source.size > _JSON_BYTES or source.head(1) not in (b"{", b"["):
        return source
    data = source.head(source.size)
    if len(data) <= geojson.HERE_BYTES:
        text = plain_records(data)
    else:
        text = geojson.read_json_aside("records", data, source.name, _JSON_BYTES, bounds.seconds)
    return source_from_bytes(text, source.name) if text else source


def plain_records(data: bytes) -> bytes:
    """JSON in another form as records a line each, read in this process; b"" for anything else.

    Lists below their titles, records below one key, numbers by answer, records within records.
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return b""
    if isinstance(found, dict):
        if _GEOJSON.intersection(found):
            return b""
        inner = found.get("result")
        found = inner if isinstance(inner, dict) and "records" in inner else found
        lists = [v for key, v in found.items() if isinstance(v, list) and key != "fields"]
        numbers = [{"answer": name, "people": n} for name, n in found.items() if isinstance(n, int)]
        found = lists[0] if len(lists) == 1 else numbers
    if found and all(isinstance(each, list) for each in found):
        found = [dict(zip(map(str, found[0]), row, strict=False)) for row in found[1:]]
    if not found or not all(isinstance(each, dict) for each in found):
        return b""
    if all(each.get("type") == "Feature" for each in found):
        return json.dumps({"type": "FeatureCollection", "features": found}).encode()
    return "".join(json.dumps(_flat(each)) + "\n" for each in found).encode()


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """A record with the fields of records within it as its own."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        within = value if isinstance(value, dict) else {}
        flat |= {f"{name} {key}": each for key, each in within.items()} or {name: value}
    return flat


def _holds_records(head: bytes) -> bool:
    """Whether a text is JSON objects in a list, or a line each, that are not features."""
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if text.startswith(b"["):
        return text[1:].lstrip().startswith(b"{")
    first, _, rest = text.partition(b"\n")
    if not rest.lstrip().startswith(b"{"):  # first: to parse a long line of lists holds others up
        return False
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and record.get("type") != "Feature"


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
        f"rows and {(size or 0) / 2**20:,.0f} MB; give a part, or count it with `caldp count`.",
    )


def _with_own_columns(source: FileSource, bounds: Bounds, kind: str, reader: str) -> Table:
    """The table of a file whose columns DuckDB's `reader` knows."""
    with Table(source, bounds, kind, None).open_reader() as opened:
        described = opened.fetch_rows(f"DESCRIBE SELECT * FROM {reader}('{_PATH}')")
    names = tuple(str(row[0]) for row in described)
    kind = f"{kind}, {count_text(len(names), 'column', 'columns')}"
    return Table(source, bounds, kind, None, names, reader)
