"""The states of the US on the paper's map: which cells are whose, and the border lines.

Room: datasets. Made by `scripts/make_state_cells.py` from data/us_states.geojson (US Census
Bureau geometry). Runs from cell 0 on: a state's name and for how many cells it goes on.
"""

from typing import Final

import numpy as np

from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets.shipped import read_rows

ELSEWHERE: Final = "Offshore and abroad"


def us_state_labels() -> tuple[Ints, tuple[str, ...]]:
    """(43750,) block of each cell of `US_GRID`, and the blocks' names.

    A cell belongs to the state that its centre is in. Blocks 0, …, m−2 are states in the order
    of the alphabet, the last one is `ELSEWHERE`: sea, lakes and other countries. Every block has
    a cell; the District of Columbia lies between cell centres and therefore has none, its people
    count in the cells of Virginia and Maryland. Raises `CaldpError` if the file is gone.
    """
    runs = read_rows("us_states_cells.csv.gz")
    states = sorted({name for name, _ in runs} - {ELSEWHERE})
    names = (*states, ELSEWHERE)
    number = {name: label for label, name in enumerate(names)}
    labels = np.array([number[name] for name, _ in runs], dtype=np.int64)
    return np.repeat(labels, [int(cells) for _, cells in runs]), names


def state_outline() -> tuple[Floats, Floats]:
    """(longitudes, latitudes) of coasts and state borders in degrees, to be drawn as one line.

    Each (points,), with NaN between one line and the next. Within 0.05° of the Census Bureau's
    lines; islands smaller than that are left out, narrow ones are strokes. Raises `CaldpError`
    if the file is gone.
    """
    table = np.array(read_rows("us_states_outline.csv.gz"), dtype=np.float64)
    gaps = np.flatnonzero(np.diff(table[:, 0])) + 1
    with_gaps = np.insert(table[:, 1:], gaps, np.nan, axis=0)
    return with_gaps[:, 0], with_gaps[:, 1]
