"""Where the files that come with the project are.

Room: datasets. What each file is, where it comes from and under which licence is told in
`data/README.md`; how each is made, in `scripts/`.
"""

import csv
import gzip
from pathlib import Path
from typing import Final

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Ints
from caldp_core.domain.grid import US_GRID

DATA_FOLDER: Final = Path(__file__).resolve().parents[2] / "data"


def read_rows(name: str) -> list[list[str]]:
    """The rows of data/`name`, a gzipped csv file, without its header; raises `CaldpError`."""
    path = DATA_FOLDER / name
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            return list(csv.reader(file))[1:]
    except (OSError, EOFError) as error:
        raise CaldpError(
            f"The project's own file {path} can't be read ({error}); "
            "restore it from the repository."
        ) from None


def read_us_cells(name: str) -> Ints:
    """(43750,) whole numbers per cell of `US_GRID` from data/`name`; cells not listed are 0.

    The file has the columns lat_index (0 is the southernmost row), lon_index (0 is the
    westernmost column) and the number. Raises `CaldpError` if the file can't be read.
    """
    table = np.array(read_rows(name), dtype=np.int64)
    cells = np.zeros(US_GRID.k, dtype=np.int64)
    cells[table[:, 0] * US_GRID.columns + table[:, 1]] = table[:, 2]
    return cells
