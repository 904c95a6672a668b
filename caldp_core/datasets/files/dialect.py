"""How a text of rows is written: what sets cells apart, where rows begin, how many cells they have.

DuckDB's own sniffing skips rows that do not fit, and takes a short list with commas for something
else; here nothing is skipped silently.
"""

import csv
import io
from collections import Counter
from dataclasses import dataclass
from typing import Final

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import CaldpError, require
from caldp_core.datasets.own import excerpt

HEAD_BYTES: Final = 2**18
COLUMNS_MAX: Final = 1_000
CELL_MAX: Final = 100_000
"""Most characters of a cell at the beginning of a file."""
NO_DELIMITER: Final = "\x1f"
DELIMITERS: Final = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars"}
"""In the order of preference where several fit alike: a comma may be within numbers."""
_ROWS: Final = 1_000
_FIT_MIN: Final = 0.5


@dataclass(frozen=True)
class Dialect:
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


def detect_dialect(head: str, name: str) -> Dialect:
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


def _try_delimiter(head: str, delimiter: str, name: str) -> tuple[float, bool, Dialect]:
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
    return fits, delimiter != ",", Dialect(delimiter, width, skip, ends[first])


def _too_long(name: str) -> CaldpError:
    return CaldpError(
        f"A cell at the beginning of {excerpt(name)} has more than {CELL_MAX:,} characters; a "
        "quotation mark may be open there: close it, or take it out."
    )
