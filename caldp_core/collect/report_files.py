"""Files of reports as DuckDB sees them: Parquet, CSV and JSON lines, each as three columns.

`report`; `protocol`, the mark of the protocol that it was drawn by, and `batch`, the delivery that
it came in, where the file has them. Whoever wrote a file may be hostile: what is no report is
counted as such and stops nothing.
"""

import csv
import gzip
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.files import refuse_address
from caldp_core.collect.file_contents import ZIPPED
from caldp_core.collect.formats import AROUND, QUOTE
from caldp_core.collect.text_lines import fields_sql, lines_sql

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_WHOLE: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_INTEGERS: Final = {*_WHOLE, *(f"U{name}" for name in _WHOLE)}
_HEADER_MAX: Final = 1 << 16
"""Characters of the names of columns that are read."""
_COLUMNS_MAX: Final = 1_000
"""Columns of a CSV file: its lines are matched by an expression as long as they are many."""
_REJECTS: Final = "ignore_errors = true, store_rejects = true"


@dataclass(frozen=True)
class ReportFile:
    """A file of reports, as SQL that reads it.

    `rows_sql`: a query of `report`, `protocol` and `batch`, with the parameter $path. `type`:
    "integer", "bytes" or "text", what its reports are; `has_batches`: whether there are any;
    `counts_rejects`: whether DuckDB may find lines that are no rows.
    """

    path: Path
    rows_sql: str
    type: str
    has_batches: bool
    counts_rejects: bool

    @property
    def sql_parameters(self) -> dict[str, Any]:
        """The query's parameter by name."""
        return {"path": str(self.path.resolve())}


def detect_report_file(connection: "DuckDBPyConnection", path: Path) -> ReportFile:
    """How to read a file; raises `CaldpError` for another kind, and for one without `report`."""
    name = path.name.lower().removesuffix(ZIPPED)
    suffix = Path(name).suffix
    require(
        suffix in _READERS,
        f"Reports come in files that end in {', '.join(_READERS)}, got {path.name!r}; rename or "
        "convert it.",
    )
    return _READERS[suffix](connection, path)


def _columns(connection: "DuckDBPyConnection", path: Path, reader: str) -> dict[str, str]:
    """Name → type of the file's columns; raises `CaldpError` where it can't be read."""
    import duckdb

    try:
        described = connection.execute(
            f"DESCRIBE SELECT * FROM {reader}", {"path": str(path.resolve())}
        ).fetchall()
    except duckdb.Error as error:
        raise unreadable_error(path, error) from None
    columns = {name.lower(): kind for name, kind, *_ in described}
    _require_report(path, columns)
    return columns


def _selected(columns: dict[str, str], reader: str) -> str:
    texts = ", ".join(
        f"trim(CAST({name} AS VARCHAR), '{QUOTE}') AS {name}"
        if name in columns
        else f"NULL AS {name}"
        for name in ("protocol", "batch")
    )
    report = f"trim(report, '{AROUND}') AS report" if columns["report"] == "VARCHAR" else "report"
    return f"SELECT {report}, {texts} FROM {reader}"


def _parquet(connection: "DuckDBPyConnection", path: Path) -> ReportFile:
    reader = "read_parquet($path)"
    columns = _columns(connection, path, reader)
    kind = columns["report"]
    known = {**dict.fromkeys(_INTEGERS, "integer"), "BLOB": "bytes", "VARCHAR": "text"}
    require(
        kind in known,
        f"The column report of {str(path)!r} must hold whole numbers, bytes or texts, it has "
        f"{kind}; write it as one of those.",
    )
    return ReportFile(path, _selected(columns, reader), known[kind], "batch" in columns, False)


def _csv(connection: "DuckDBPyConnection", path: Path) -> ReportFile:
    del connection
    columns = _header(path)
    rows = _selected(columns, fields_sql(list(columns), _REJECTS))
    return ReportFile(path, rows, "text", "batch" in columns, True)


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
        f"The file {str(path)!r} must begin with the names of its columns, each once.",
    )
    require(
        len(lower) <= _COLUMNS_MAX,
        f"The file {str(path)!r} has {len(lower):,} columns, and may have {_COLUMNS_MAX:,}; "
        "give the column report and those that go with it.",
    )
    _require_report(path, lower)
    return dict.fromkeys(lower, "VARCHAR")


def _require_report(path: Path, columns: Iterable[str]) -> None:
    require(
        "report" in columns,
        f"The file {str(path)!r} has no column report, only {', '.join(columns) or 'none'}; "
        "give it a header with report.",
    )


def _json_lines(connection: "DuckDBPyConnection", path: Path) -> ReportFile:
    del connection
    parts = ", ".join(
        f"CASE WHEN json_valid(line) THEN json_extract_string(line, '$.{name}') END AS {name}"
        for name in ("report", "protocol", "batch")
    )
    reader = f"(SELECT {parts} FROM {lines_sql(False, _REJECTS)})"
    columns = dict.fromkeys(("report", "protocol", "batch"), "VARCHAR")
    return ReportFile(path, _selected(columns, reader), "text", True, True)


_READERS: Final[dict[str, Callable[["DuckDBPyConnection", Path], ReportFile]]] = {
    ".parquet": _parquet,
    ".csv": _csv,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
}


def columns_of_file(connection: "DuckDBPyConnection", path: Path) -> tuple[str, dict[str, str]]:
    """(SQL that reads a Parquet or CSV file, name → type of its columns); raises `CaldpError`."""
    if path.suffix.lower() != ".parquet":
        columns = _header(path)
        return fields_sql(list(columns), "ignore_errors = false"), columns
    reader = "read_parquet($path)"
    return reader, _columns(connection, path, reader)


def unreadable_error(path: Path, error: Exception) -> CaldpError:
    """The error for a file that DuckDB can't read."""
    refuse_address(path)
    if isinstance(error, UnicodeDecodeError):
        return CaldpError(f"The file {str(path)!r} must be text in UTF-8; write it anew as such.")
    lines = str(error).splitlines() or ["no reason given"]
    return CaldpError(f"The file {str(path)!r} can't be read: {lines[0]}")
