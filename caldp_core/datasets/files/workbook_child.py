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

_SHEETS_MAX = 20


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


def main() -> int:
    """Read, write, and return 0; 3 if the CSV is too long."""
    memory, most = (int(text) for text in sys.argv[1:3])
    _bound_memory(memory)
    from python_calamine import CalamineWorkbook

    workbook = CalamineWorkbook.from_filelike(io.BytesIO(sys.stdin.buffer.read()))
    names = workbook.sheet_names
    sheets = ((name, workbook.get_sheet_by_name(name)) for name in names[:_SHEETS_MAX])
    name, sheet = next(((n, s) for n, s in sheets if s.total_height > 0), (names[0], None))
    sys.stdout.buffer.write(json.dumps({"sheet": name, "sheets": len(names)}).encode() + b"\n")
    if sheet is None:
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
