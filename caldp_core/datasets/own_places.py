"""Places of one's own: how many people are in each cell of a map.

The record holds the cells and never a place itself: finer than a cell nothing is kept. What a
person pastes or uploads is read by `reading.py` and `files/`.
"""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import CaldpError, check_counts, require
from caldp_core.basics.types import Ints, Progress, no_progress
from caldp_core.datasets.base import Dataset, from_counts, with_larger_cells
from caldp_core.datasets.own import check_line, excerpt
from caldp_core.domain.grid import Area, GridDomain
from caldp_core.domain.partitions import LargerCells

_PAIR: Final = re.compile(r"([0-9]{1,7}):([0-9]{1,13})")
_PAIRS: Final = re.compile(r"[0-9]{1,7}:[0-9]{1,13}(?: [0-9]{1,7}:[0-9]{1,13})*")


@dataclass(frozen=True)
class OwnPlaces:
    """Places of one's own, counted on a map: people may be taken as they are or drawn from it.

    `people`: the cells with people, ascending, as "cell:people" with spaces between them: "17:3
    25:1". `area`: the map, "south,north,west,east" in degrees; `cell`: side of a cell in degrees;
    at most 2²⁰ cells. `title`: what the places are called. `part`: what of the map is taken, cut
    between cells, all of it if empty; `together`: cells along the side of a larger one. Raises
    `CaldpError` for anything else.
    """

    people: str
    area: str
    cell: float = 0.2
    title: str = "Own places"
    part: str = ""
    together: int = 1

    def __post_init__(self) -> None:
        check_line("title", self.title)
        self.counts()
        LargerCells(self.selected_grid(), self.together)

    def grid(self) -> GridDomain:
        """The whole map."""
        return GridDomain.from_area(Area.parse(self.area), self.cell)

    def selected_grid(self) -> GridDomain:
        """The part of the map that is taken."""
        return self.grid().subgrid(Area.parse(self.part)) if self.part else self.grid()

    def counts(self) -> Ints:
        """(k,) people in each cell of `grid`."""
        counts = np.zeros(self.grid().k, dtype=np.int64)
        cells, people = parse_cells("people", self.people, counts.size)
        counts[cells] = people
        require(bool(counts.any()), "people must be at least one person, got none.")
        return check_counts("people", counts, counts.size)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The people of the part, in its larger cells."""
        whole, grid, counts = self.grid(), self.selected_grid(), self.counts()
        if grid != whole:
            counts = counts[whole.area_mask(grid.area)]
        progress(1.0)
        note = (
            f"Places of one's own, {count_text(int(counts.sum()), 'person', 'people')} in "
            f"{int((counts > 0).sum()):,} of "
            f"{grid.k:,} cells of {grid.cell:g}°: nobody has checked them."
        )
        return with_larger_cells(from_counts(self.title, note, grid, counts), self.together)


def parse_cells(name: str, text: str, k: int) -> tuple[Ints, Ints]:
    """Cells, ascending in [0, k), and the number of each, from "17:3 25:1".

    Raises `CaldpError`, calling it `name`, for any other text.
    """
    if _PAIRS.fullmatch(text):
        cells, numbers = np.array(re.split("[ :]", text), dtype=np.int64).reshape(-1, 2).T
        if int(cells[-1]) < k and bool((np.diff(cells) > 0).all()):
            return cells, numbers
    before = -1
    for pair in text.split(" "):
        match = _PAIR.fullmatch(pair)
        if match is None or not before < int(match[1]) < k:
            break
        before = int(match[1])
    raise CaldpError(
        f"{name} must be cells and their {name} such as '17:3 25:1', cells ascending "
        f"below {k:,}, got {excerpt(pair)}."
    )


def format_cells(numbers: Ints) -> str:
    """(k,) whole numbers of cells as a text such as "17:3 25:1", without cells that have 0."""
    cells = np.flatnonzero(numbers)
    pairs = zip(cells.tolist(), numbers[cells].tolist(), strict=True)
    return " ".join(f"{cell}:{number}" for cell, number in pairs)


def places_from_counts(counts: Ints, grid: GridDomain, title: str) -> OwnPlaces:
    """The record of (k,) people in each cell of a map."""
    return OwnPlaces(format_cells(counts), str(grid.area), grid.cell, title)
