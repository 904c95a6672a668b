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
        sheet = answers.get("sheet", "")
        if sheet == "keep":
            sheet = ""
        # What is kept is the Western encoding, in which a text is unless another fits better.
        encoding = answers.get("encoding", "")
        if encoding == "keep":
            encoding = "cp1252"
        return replace(self, sheet=self.sheet or sheet, encoding=self.encoding or encoding)

    def with_column(self, column: int, kind: str) -> "Chosen":
        """The choices, with this type of a column; questions and crossed columns may be several."""
        role = COLUMN_TYPES[kind]
        may_be_several = role in ("", *_SEVERAL)
        kept = []
        for other, other_kind in self.columns:
            if other == column:
                continue
            if may_be_several or COLUMN_TYPES[other_kind] != role:
                kept.append((other, other_kind))
        return replace(self, columns=(*kept, (column, kind)))

    def layout(self, file: "DetectedFile", guess: "Layout") -> "Layout":
        """The layout that was guessed, with the types and the decimal mark that were chosen."""
        chosen = dict(self.columns)
        roles: dict[str, Any] = {}
        # 1. A column whose type was chosen is no longer what it was guessed to be.
        for role in COLUMN_TYPES.values():
            if role and role not in _SEVERAL and getattr(guess, role) in chosen:
                roles[role] = None
        # 2. It is what was chosen.
        for column, kind in self.columns:
            role = COLUMN_TYPES[kind]
            if role:
                roles[role] = column
        for role, kind in _SEVERAL.items():
            roles[role] = tuple(column for column, of_column in self.columns if of_column == kind)
        named = tuple(column for column, _ in self.columns)
        layout = replace(guess, mark=self.mark or guess.mark, named=named, **roles)

        # 3. Several questions have no groups, and the first of them is the answer if none is.
        if layout.others:
            layout = replace(layout, group=None)
            if layout.answer is None:
                layout = replace(layout, answer=layout.others[0], others=layout.others[1:])

        # 4. Where answers come again rows are records: their people are in a column that is called
        # so, as other numbers there are answers.
        asked = layout.answer in chosen or layout.others
        if asked and "count" not in roles and (layout.others or file.repeats(layout.answer)):
            weights = file.named_weights
            if weights in chosen:
                weights = None
            layout = replace(layout, count=weights)
        return layout

    def type_of(self, column: int, layout: "Layout", is_identifier: bool) -> str:
        """The type that a column has in a layout."""
        role = _role_of(column, layout)
        # "weight" and "people" are one role: a choice says which of them.
        chosen = dict(self.columns).get(column, "")
        if chosen and COLUMN_TYPES[chosen] == role:
            return chosen
        if not role:
            return "id" if is_identifier else "leave-out"
        kinds = [kind for kind, of_kind in COLUMN_TYPES.items() if of_kind == role]
        return kinds[0]

    def answered(self) -> frozenset[str]:
        """Names of the checks that these choices answer."""
        answered: set[str] = set()
        for name, value in (
            ("sheet", self.sheet),
            ("encoding", self.encoding),
            ("thousands", self.mark),
        ):
            if value:
                answered.add(name)
        for _, kind in self.columns:
            answered |= _ANSWERED.get(kind, frozenset())
        return frozenset(answered)

    def describe(self, names: tuple[str, ...]) -> str:
        """The choices in words, for the record; "" if there are no choices."""
        delimiter = {"\t": "tab", "\x1f": "none"}.get(self.delimiter, self.delimiter)
        parts = []
        if self.sheet:
            parts.append(f"sheet “{self.sheet}”")
        if self.encoding:
            parts.append(f"encoding {self.encoding}")
        if delimiter:
            parts.append(f"delimiter “{delimiter}”")
        if self.header is not None:
            parts.append(f"{'a' if self.header else 'no'} row of column names")
        if self.mark:
            parts.append(f"decimals after “{self.mark}”")
        if self.words:
            parts.append(f"words for codes {self.words}")
        for column, kind in self.columns:
            parts.append(f"“{names[column]}” as {kind.replace('-', ' ')}")
        for column, cells in self.only:
            listed = " or ".join(f"“{cell}”" for cell in cells)
            parts.append(f"only rows with {listed} in “{names[column]}”")
        if not parts:
            return ""
        return f"chosen by hand: {', '.join(parts)}"


def _role_of(column: int, layout: "Layout") -> str:
    """The field of a layout that holds a column; "" where none does."""
    for role in COLUMN_TYPES.values():
        if not role:
            continue
        held = getattr(layout, role)
        if held == column or (isinstance(held, tuple) and column in held):
            return role
    return ""


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
    return head == ZIP and any(member.filename in _PARTS for member in zip_members(source))


def _read_sheet(source: FileSource, bounds: Bounds, wanted: str) -> "Table":
    """A sheet of a workbook; "": that with the most rows of several cells, hidden ones last.

    Raises `CaldpError` for a workbook that is damaged, needs a password, is larger than it may be
    or lacks the sheet.
    """
    # 1. The workbook is read in a process of its own, within bounds of time and memory: libraries
    # that read workbooks may crash, or need many times the memory of the file.
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

    # 2. It answers with a line of facts, and the sheet as CSV.
    first_line, _, text = found.partition(b"\n")
    reply = json.loads(first_line)
    name = reply["sheet"]
    sheets = tuple(reply["all"])
    require(
        wanted in ("", name),
        f"The workbook {excerpt(source.name)} has the sheets {', '.join(sheets)[:300]}, got "
        f"{wanted!r}; choose one of them.",
    )
    kind = f"a workbook, sheet {excerpt(name)}"
    if reply["sheets"] > 1:
        kind += f", one of {reply['sheets']:,}"
    if reply["merged"]:
        kind += ", merged cells filled"
    if reply["hidden"]:
        rows = count_text(reply["hidden"], "hidden row", "hidden rows")
        kind += f", {rows} read as the others"

    # 3. Which sheet is meant is asked where several hold a table.
    sheet = source_from_bytes(text, source.name)
    table = _text(sheet, bounds, [kind], ",", TableDialect.describe_sheet)
    asks = ""
    if len(reply["tables"]) > 1:
        asks = "sheet"
    return replace(
        table,
        asks=asks,
        ways=tuple((title, title) for title in reply["tables"]),
        opened=Chosen(sheet=name),
        sheets=sheets,
        lists=tuple(reply["lists"].items()),
    )


def _unpacked_bytes(source: FileSource) -> int:
    """Bytes that a workbook unpacks to by its directory; `sys.maxsize` for a bomb."""
    if source.head(4) != ZIP:
        return source.size
    size = sum(member.file_size for member in zip_members(source))
    if size > max(_UNCHECKED_BYTES, _TIMES * source.size):
        return sys.maxsize
    return size


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
        if self.derived:
            return len(self.derived[-1])
        return self.own_width

    @property
    def own_width(self) -> int:
        """Number of columns of the file."""
        if self.dialect is not None:
            return self.dialect.width
        return len(self.names)

    def relation_sql(self, header: bool) -> str:
        """SQL of the rows, with columns c0, c1, … as texts; without the first if it is a header."""
        relation = self._file_sql(header)
        if self.where:
            relation = f"(SELECT * FROM {relation} WHERE {self.where})"
        for step in self.derived:
            columns = ", ".join(f"{sql} AS c{column}" for column, sql in enumerate(step))
            relation = f"(SELECT {columns} FROM {relation})"
        return relation

    def _file_sql(self, header: bool) -> str:
        """SQL of the rows as they are in the file, with its own columns."""
        if self.dialect is None:
            casts = []
            for column, name in enumerate(self.names):
                quoted_name = name.replace('"', '""')
                casts.append(f'"{quoted_name}"::VARCHAR AS c{column}')
            return f"(SELECT {', '.join(casts)} FROM {self.reader}('{_PATH}'))"
        columns = ", ".join(f"c{column}: 'VARCHAR'" for column in range(self.dialect.width))
        skip = self.dialect.skip
        if header:
            skip = self.dialect.skip_with_header
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
        found = []
        for why, times, line, text in rejects:
            found.append((str(why), int(times), int(line), str(text or "")))
        return found


def open_table(source: FileSource, bounds: Bounds, chosen: Chosen | None = None) -> Table:
    """A file as a table; raises `CaldpError` for what can't be one.

    `chosen`: the sheet, encoding and delimiter, where a user says them.
    """
    # 1. What is inside, and what is refused as another program's file.
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

    # 2. All else is a text. Where its encoding is not certain, the likeliest other one is taken
    # until somebody has said which it is.
    as_it_is = source
    source, code = to_utf_8(as_it_is)
    others: tuple[tuple[str, str], ...] = ()
    if code not in ("utf_8", "utf_16", "utf_32"):
        others = other_encodings(head)
    wanted = chosen.encoding
    if not wanted and others:
        wanted, _ = others[0]
    if wanted:
        source, code = to_utf_8(as_it_is, wanted)
    if packed or source is not as_it_is:
        source = source.with_measured_size(bounds.seconds)
    kinds = [f"packed by {program}" for program in packed]
    if code != "utf_8":
        kinds.append(ENCODINGS[code])

    # 3. JSON and GeoJSON say so in their first bytes; what does not is cells between delimiters.
    source = _with_plain_records(source, bounds)
    if _holds_records(source.head(HEAD_BYTES)):
        kind = ", ".join(["JSON records", *kinds])
        return _with_own_columns(source, bounds, kind, "read_json_auto")
    if geojson.is_geojson(source.head(100)):
        return _read_geojson(geojson.as_csv(source, bounds), bounds, ["GeoJSON", *kinds])
    table = _text(source, bounds, kinds, chosen.delimiter)
    assert table.dialect is not None
    opened = Chosen(encoding=code, delimiter=table.dialect.delimiter)
    asks = ""
    if others:
        asks = "encoding"
    return replace(table, asks=asks, ways=others, opened=opened)


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
    if not dialect.titles or not COMPOUND.fullmatch(dialect.titles[0]):
        return table

    # The first column holds several, such as “age,sex,geo\time”: each becomes a column.
    names = dialect.titles[0].partition("\\")[0].split(",")
    columns = []
    for number in range(1, len(names) + 1):
        columns.append(f"trim(string_split(c0, ',')[{number}])")
    for column in range(1, dialect.width):
        columns.append(f"c{column}")
    return replace(table, names=(*names, *dialect.titles[1:]), derived=(tuple(columns),))


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
        found = _rows_within(found)

    # Lists are rows, the first of them their titles.
    if found and all(isinstance(row, list) for row in found):
        titles = [str(title) for title in found[0]]
        found = [dict(zip(titles, row, strict=False)) for row in found[1:]]
    if not found or not all(isinstance(record, dict) for record in found):
        return b""
    if all(record.get("type") == "Feature" for record in found):
        return json.dumps({"type": "FeatureCollection", "features": found}).encode()
    return "".join(json.dumps(_flat(record)) + "\n" for record in found).encode()


def _rows_within(found: dict[str, Any]) -> list[Any]:
    """The one list in an object, such as the records of a reply; else its numbers as records."""
    # CKAN, which many portals run on, wraps its records in a result, beside their fields.
    inner = found.get("result")
    if isinstance(inner, dict) and "records" in inner:
        found = inner
    lists = []
    numbers = []
    for name, value in found.items():
        if isinstance(value, list) and name != "fields":
            lists.append(value)
        elif isinstance(value, int):
            numbers.append({"answer": name, "people": value})
    if len(lists) == 1:
        return lists[0]
    return numbers


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """A record with the fields of records within it as its own."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict) and value:
            for inner_name, inner_value in value.items():
                flat[f"{name} {inner_name}"] = inner_value
        else:
            flat[name] = value
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
