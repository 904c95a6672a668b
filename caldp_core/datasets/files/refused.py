"""Which rows of a file are not counted, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets.files.table import REJECTS_MAX, Reader
from caldp_core.datasets.files.understanding import Layout, Understood
from caldp_core.datasets.own import quoted

_WHY: Final = {
    "MISSING COLUMNS": "too few cells",
    "TOO MANY COLUMNS": "too many cells",
    "UNQUOTED VALUE": "a quotation mark in the wrong place",
    "LINE SIZE OVER MAXIMUM": "far too long a line",
    "INVALID ENCODING": "signs that are no UTF-8",
}
_OPEN_QUOTE: Final = "UNQUOTED VALUE"


@dataclass(frozen=True)
class Refused:
    """`rows` in all; `reasons` with how many rows each; `example`: the first that is refused."""

    rows: int
    reasons: tuple[tuple[str, int], ...] = ()
    example: str = ""

    @property
    def count(self) -> int:
        """How many rows are not counted."""
        return sum(times for _, times in self.reasons)

    def told(self) -> str:
        """What is refused, as sentences; empty where nothing is."""
        if not self.count:
            return ""
        why = "; ".join(f"{times:,} with {reason}" for reason, times in self.reasons)
        rows, verb = (
            ("row", "is") if self.rows == 1 else ("rows", "is" if self.count == 1 else "are")
        )
        told = f"{self.count:,} of {self.rows:,} {rows} {verb} not counted: {why}."
        return f"{told} The first is {self.example}." if self.example else told


def refused(
    reader: Reader,
    seen: Understood,
    layout: Layout,
    *,
    coded: str,
    codes: Mapping[int, int],
    words: Mapping[int, str],
) -> Refused:
    """Which rows of the last query were none or had a code of what is wrong with them.

    `coded`: SQL of all rows with `code` (0: nothing wrong) and the columns; `codes`: how many rows
    each has. Raises `CaldpError` for a quotation mark that opens and never closes.
    """
    rejects = reader.rejects()
    reasons = [(words[code], times) for code, times in sorted(codes.items()) if code]
    start = _lines_before(seen, layout)
    first: tuple[int, str] | None = None
    for why, times, line, text in rejects:
        if why == _OPEN_QUOTE and "\n" in text.strip("\r\n"):
            raise CaldpError(
                f"Line {line:,} of {quoted(seen.table.source.name)}: a quotation mark opens there "
                "and does not close on that line; close it, or take it out."
            )
        more = " (and perhaps more)" if times >= REJECTS_MAX else ""
        reasons.append((_WHY.get(why, why.lower()) + more, times))
        first = min(first or (line, text), (line, text))
    if any(codes[code] for code in codes if code):
        first = _first(reader, seen, coded, start, first)
    example = f"line {first[0]:,}, {quoted(' '.join(first[1].split()))}" if first else ""
    total = sum(codes.values()) + sum(times for _, times, _, _ in rejects)
    return Refused(total, tuple(reasons), example)


def _lines_before(seen: Understood, layout: Layout) -> int:
    dialect = seen.table.dialect
    if dialect is None:
        return 0
    return dialect.after if layout.header else dialect.skip


def _first(
    reader: Reader, seen: Understood, coded: str, start: int, other: tuple[int, str] | None
) -> tuple[int, str]:
    """The first row with something wrong: its line, if no cell before holds several, and itself."""
    cells = ", ".join(f"coalesce(c{at}, '')" for at in range(min(seen.table.width, 10)))
    ((line, text),) = reader.rows(
        f"SELECT line, text FROM (SELECT row_number() OVER () AS line, code, "
        f"concat_ws(' | ', {cells}) AS text FROM ({coded})) WHERE code <> 0 LIMIT 1"
    )
    found = (start + int(line), str(text))
    return found if other is None else min(found, other)
