"""A program of its own: a workbook on standard input becomes CSV on standard output.

What a hostile workbook does to its reader (memory by the gigabyte, a crash) it does here, within
this process's own bounds. Arguments: megabytes of memory, megabytes of CSV. The first line is JSON:
the sheet that was read, and how many there are.
"""

import csv
import io
import json
import sys
from datetime import date, datetime
from itertools import islice
from typing import TYPE_CHECKING

_SHEETS_MAX = 20
_ROWS = 1_000
if TYPE_CHECKING:
    from python_calamine import CalamineSheet


def _bound_memory(megabytes: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20, megabytes * 2**20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


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
    first = islice(sheet.iter_rows(), _ROWS)
    return sum(sum(cell != "" for cell in row) > 1 for row in first)


def main() -> int:
    """Read, write, and return 0; 3 if the CSV is too long."""
    memory, most = (int(text) for text in sys.argv[1:3])
    wanted = sys.argv[3]
    _bound_memory(memory)
    from python_calamine import CalamineWorkbook

    workbook = CalamineWorkbook.from_filelike(io.BytesIO(sys.stdin.buffer.read()))
    names = workbook.sheet_names
    hidden = {
        each.name for each in workbook.sheets_metadata if not str(each.visible).endswith(".Visible")
    }
    sheets = {name: workbook.get_sheet_by_name(name) for name in names[:_SHEETS_MAX]}
    rows = {name: _rows_of_several(sheet) for name, sheet in sheets.items()}
    best = sorted(sheets, key=lambda name: (name in hidden, not rows[name], -rows[name]))
    filled = [name for name in best if sheets[name].total_height > 0]
    name = wanted or (filled or best)[0]
    tables = [each for each in filled if rows[each] > 1 and each not in hidden]
    reply = {"sheet": name, "sheets": len(names), "tables": tables}
    sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
    sheet = sheets[name]
    if not filled:
        return 0
    out = io.TextIOWrapper(sys.stdout.buffer, "utf-8", newline="")
    writer, written = csv.writer(out), 0
    for row in sheet.iter_rows():
        written += writer.writerow([_text(cell) for cell in row])
        if written > most * 2**20:
            return 3
    out.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
