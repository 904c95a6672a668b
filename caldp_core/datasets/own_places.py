"""Places of one's own: how many people are in each cell of a map.

The record holds the cells and never a place itself: finer than a cell nothing is kept. What a
person pastes or uploads is read by `reading.py` and `files/`.
"""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.errors import CaldpError, check_counts, require
from caldp_core.basics.limits import OWN_CELLS_MAX
from caldp_core.basics.types import Ints, Progress, no_progress
from caldp_core.datasets.base import Dataset, from_counts
from caldp_core.datasets.own import check_line, quoted
from caldp_core.domain.grid import Area, GridDomain

_PAIR: Final = re.compile(r"([0-9]{1,7}):([0-9]{1,13})")


@dataclass(frozen=True)
class OwnPlaces:
    """Places of one's own, counted on a map: people may be taken as they are or drawn from it.

    `people`: the cells with people, ascending, as "cell:people" with spaces between them: "17:3
    25:1". `area`: the map, "south,north,west,east" in degrees; `cell`: side of a cell in degrees;
    at most 43,750 cells. `title`: what the places are called. Raises `CaldpError` for anything
    else.
    """

    people: str
    area: str
    cell: float = 0.2
    title: str = "Own places"

    def __post_init__(self) -> None:
        check_line("title", self.title)
        self.counts()

    def grid(self) -> GridDomain:
        """The map's cells."""
        grid = GridDomain.filling(Area.parse(self.area), self.cell)
        require(
            grid.k <= OWN_CELLS_MAX,
            f"A map of one's own may have up to {OWN_CELLS_MAX:,} cells, got {grid.k:,}; take "
            "larger ones.",
        )
        return grid

    def counts(self) -> Ints:
        """(k,) people in each cell."""
        counts = np.zeros(self.grid().k, dtype=np.int64)
        before = -1
        for pair in self.people.split(" "):
            found = _PAIR.fullmatch(pair)
            if found is None or not before < int(found[1]) < counts.size:
                raise CaldpError(
                    f"people must be cells and their people such as '17:3 25:1', cells ascending "
                    f"below {counts.size:,}, got {quoted(pair)}."
                )
            before = int(found[1])
            counts[before] = int(found[2])
        require(bool(counts.any()), "people must be at least one person, got none.")
        return check_counts("people", counts, counts.size)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The people of the map."""
        grid, counts = self.grid(), self.counts()
        progress(1.0)
        note = (
            f"Places of one's own, {int(counts.sum()):,} people in {int((counts > 0).sum()):,} of "
            f"{grid.k:,} cells of {grid.cell:g}°: nobody has checked them."
        )
        return from_counts(self.title, note, grid, counts)


def places_of(counts: Ints, grid: GridDomain, title: str) -> OwnPlaces:
    """The record of (k,) people in each cell of a map."""
    cells = np.flatnonzero(counts)
    pairs = zip(cells.tolist(), counts[cells].tolist(), strict=True)
    people = " ".join(f"{cell}:{number}" for cell, number in pairs)
    return OwnPlaces(people, str(grid.area), grid.cell, title)
