"""Write a gzipped csv file whose bytes depend on its rows only, not on time or file name."""

import csv
import gzip
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import Final

DATA: Final = Path(__file__).parents[1] / "data"


def write_table(path: Path, header: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """Write `header` and `rows` to `path`, and print how many rows and bytes there are."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    path.write_bytes(gzip.compress(text.getvalue().encode("utf-8"), compresslevel=9, mtime=0))
    written = text.getvalue().count("\n") - 1
    print(f"{path.name}: {written:,} rows, {path.stat().st_size:,} bytes")
