"""Which rows of a file are not counted, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from caldp_core.basics.errors import CaldpError, excerpt
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.table import REJECTS_MAX, Reader

_WHY: Final = {
    "MISSING COLUMNS": "too few cells",
    "TOO MANY COLUMNS": "too many cells",
    "UNQUOTED VALUE": "a quotation mark in the wrong place",
    "LINE SIZE OVER MAXIMUM": "far too long a line",
    "INVALID ENCODING": "signs that are no UTF-8",
}
_OPEN_QUOTE: Final = "UNQUOTED VALUE"


@dataclass(frozen=True)
class RefusedRows:
    """`rows` in all; `reasons` with how many rows each; `example`: the first that is refused."""

    rows: int
    reasons: tuple[tuple[str, int], ...] = ()
    example: str = ""

    @property
    def count(self) -> int:
        """How many rows are not counted."""
        return sum(times for _, times in self.reasons)

    def describe(self) -> str:
        """What is refused, as sentences; empty where nothing is."""
        if not self.count:
            return ""
        why = "; ".join(f"{times:,} with {reason}" for reason, times in self.reasons)
        rows, verb = (
            ("row", "is") if self.rows == 1 else ("rows", "is" if self.count == 1 else "are")
        )
        sentence = f"{self.count:,} of {self.rows:,} {rows} {verb} not counted: {why}."
        return f"{sentence} The first is {self.example}." if self.example else sentence


def find_refused_rows(
    reader: Reader,
    file: DetectedFile,
    layout: Layout,
    *,
    rows_sql: str,
    codes: Mapping[int, int],
    words: Mapping[int, str],
) -> RefusedRows:
    """The rows of the last query that DuckDB rejected or whose `code` says what is wrong.

    `rows_sql`: SQL of all rows with `code` (0: nothing wrong) and the columns; `codes`: how many
    rows each has; `words`: what each means. Raises `CaldpError` for a quotation mark that opens
    and never closes.
    """
    rejects = reader.rejected_rows()
    reasons = [(words[code], times) for code, times in sorted(codes.items()) if code]
    dialect = file.table.dialect
    skipped = (dialect.skip, dialect.skip_with_header) if dialect else (0, 0)
    first: tuple[int, str] | None = None
    for why, times, line, text in rejects:
        if why == _OPEN_QUOTE and "\n" in text.strip("\r\n"):
            raise CaldpError(
                f"Line {line:,} of {excerpt(file.table.source.name)}: a quotation mark opens there "
                "and does not close on that line; close it, or take it out."
            )
        more = " (and perhaps more)" if times >= REJECTS_MAX else ""
        reasons.append((_WHY.get(why, why.lower()) + more, times))
        first = min(first or (line, text), (line, text))
    if any(codes[code] for code in codes if code):
        first = _first_refused(reader, file, rows_sql, skipped[bool(layout.header)], first)
    example = f"line {first[0]:,}, {excerpt(' '.join(first[1].split()))}" if first else ""
    total = sum(codes.values()) + sum(times for _, times, _, _ in rejects)
    return RefusedRows(total, tuple(reasons), example)


def _first_refused(
    reader: Reader, file: DetectedFile, rows_sql: str, start: int, other: tuple[int, str] | None
) -> tuple[int, str]:
    """The first row with something wrong: its line, if no cell before holds several, and itself."""
    cells = ", ".join(f"coalesce(c{at}, '')" for at in range(min(file.table.width, 10)))
    ((line, text),) = reader.fetch_rows(
        f"SELECT line, text FROM (SELECT row_number() OVER () AS line, code, "
        f"concat_ws(' | ', {cells}) AS text FROM ({rows_sql})) WHERE code <> 0 LIMIT 1"
    )
    found = (start + int(line), str(text))
    return found if other is None else min(found, other)
