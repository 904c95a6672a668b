"""Scripts that make what ships. Their tables depend on rows only, not on time or file name."""

import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd

DATA: Final = Path(__file__).parents[1] / "data"


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write `header` and `rows` as gzipped csv, and print how many rows and bytes there are."""
    frame = pd.DataFrame([*rows], columns=list(header))
    text = frame.to_csv(index=False, lineterminator="\n")
    path.write_bytes(gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0))
    print(f"{path.name}: {len(frame):,} rows, {path.stat().st_size:,} bytes")
