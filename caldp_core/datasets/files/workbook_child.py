"""A program of its own: a workbook on standard input becomes CSV on standard output.

Arguments: megabytes of memory, megabytes of CSV, the sheet's name or "". The first line is JSON:
the sheet that was read, and how many there are.
"""

import csv
import io
import json
import sys
from collections.abc import Iterator
from datetime import date, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from caldp_core.basics.errors import require
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.files import run_reader
from caldp_core.datasets.files.zero_formats import hidden_rows, texts_with_zeros

_SHEETS_MAX = 20
_ROWS_MAX = 1_000
_LIST_MAX = 500
"""Rows of a sheet that may explain codes."""
if TYPE_CHECKING:
    from python_calamine import CalamineSheet


def _text(cell: object) -> str:
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, datetime) and not (cell.hour or cell.minute or cell.second):
        return cell.date().isoformat()
    return cell.isoformat() if isinstance(cell, date) else str(cell)


def _rows_of_several(sheet: "CalamineSheet") -> int:
    """How many of the first rows have several cells, as those of tables do."""
    first = islice(sheet.iter_rows(), _ROWS_MAX)
    return sum(sum(cell != "" for cell in row) > 1 for row in first)


def _rows(sheet: "CalamineSheet", data: bytes) -> Iterator[list[Any]]:
    """The rows of a sheet, numbers with the zeros that their format shows before them.

    Cells that are merged downwards all hold what the first one does.
    """
    begin: dict[int, list[tuple[int, int]]] = {}
    _, first = sheet.start or (0, 0)  # rows begin at the sheet's first, columns at the first used
    for (top, left), (bottom, _) in sheet.merged_cell_ranges or ():
        if bottom > top and first <= left < first + sheet.width:
            begin.setdefault(top, []).append((left - first, bottom))
    held: dict[int, tuple[int, Any]] = {}
    zeros = texts_with_zeros(data, sheet.name)
    for at, row in enumerate(sheet.iter_rows()):
        row[:] = (zeros.get((at, first + left), cell) for left, cell in enumerate(row))
        held = {left: cell for left, cell in held.items() if at <= cell[0]}
        for left, (_, value) in held.items():
            row[left] = value
        held |= {left: (bottom, row[left]) for left, bottom in begin.get(at, ())}
        yield row


def read(data: bytes) -> bytes:
    """The reply and the CSV; raises `CaldpError` if that is too long."""
    with explain_missing("A workbook"):
        from python_calamine import CalamineWorkbook

    most, wanted = int(sys.argv[2]), sys.argv[3]
    workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
    names = workbook.sheet_names
    hidden = {
        each.name for each in workbook.sheets_metadata if not str(each.visible).endswith(".Visible")
    }
    looked_at = dict.fromkeys([*names[:_SHEETS_MAX], *(each for each in names if each == wanted)])
    sheets = {name: workbook.get_sheet_by_name(name) for name in looked_at}
    rows = {name: _rows_of_several(sheet) for name, sheet in sheets.items()}
    best = sorted(sheets, key=lambda name: (name in hidden, not rows[name], -rows[name]))
    filled = [name for name in best if sheets[name].total_height > 0]
    name = wanted if wanted in best else (filled or best)[0]
    tables = [each for each in filled if rows[each] > 1 and each not in hidden]
    merged = any(top[0] < bottom[0] for top, bottom in sheets[name].merged_cell_ranges or ())
    lists = {
        each: [[*map(_text, row)] for row in _rows(sheet, data)]
        for each, sheet in sheets.items()
        if each != name and 1 < sheet.width <= 3 and sheet.total_height <= _LIST_MAX
    }
    reply = {"sheet": name, "sheets": len(names), "tables": tables, "merged": merged}
    reply |= {"all": best, "lists": lists, "hidden": hidden_rows(data, name)}
    buffer = io.BytesIO(json.dumps(reply).encode() + b"\n")
    buffer.seek(0, io.SEEK_END)
    out = io.TextIOWrapper(buffer, "utf-8", newline="")
    writer, written = csv.writer(out), 0
    for row in _rows(sheets[name], data) if filled else ():
        written += writer.writerow([_one_line(_text(cell)) for cell in row])
        require(written <= most * 2**20, "holds too much")
    out.flush()
    return buffer.getvalue()


def _one_line(text: str) -> str:
    """A cell with spaces for line breaks."""
    return " ".join(text.splitlines()) if "\n" in text or "\r" in text else text


if __name__ == "__main__":
    sys.exit(run_reader(read))
