"""Cells of a map put together into fewer, larger ones: less noise in each, and less detail.

Which cells go together is public: it follows from the map alone.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from caldp_core.basics.errors import check_whole, require
from caldp_core.basics.limits import TOGETHER_MAX
from caldp_core.basics.types import Bools, Floats, Ints, read_only, sums_by
from caldp_core.domain.grid import GridDomain
from caldp_core.domain.partitions import Partition

_WHOLE_WITHIN = 1e-6


@dataclass(frozen=True)
class LargerCells:
    """The cells of `fine` put together, `together` by `together` of them.

    Where these do not divide the map it grows to whole larger cells, to the north and the east as
    far as the Earth goes, then to the south and the west. Raises `CaldpError` where it can't.
    """

    fine: GridDomain
    together: int

    def __post_init__(self) -> None:
        check_whole("together", self.together, 1, TOGETHER_MAX)
        _ = self.grid

    @cached_property
    def grid(self) -> GridDomain:
        """The map of the larger cells."""
        fine, times = self.fine, self.together
        down, left = self._padding
        return GridDomain(
            round(fine.south - down * fine.cell, 9),
            round(fine.west - left * fine.cell, 9),
            round(fine.cell * times, 9),
            -(-(fine.rows + down) // times),
            -(-(fine.columns + left) // times),
        )

    @cached_property
    def _padding(self) -> tuple[int, int]:
        """Rows and columns by which the map grows to the south and to the west."""
        area, fine = self.fine.area, self.fine
        down = self._padding_before(fine.rows, 90 - area.north, area.south + 90)
        if area.crosses_antimeridian:  # a larger cell ends at 180°, too
            return down, -round((180 - fine.west) / fine.cell) % self.together
        return down, self._padding_before(fine.columns, 180 - area.east, area.west + 180)

    def _padding_before(self, cells: int, after: float, before: float) -> int:
        missing = -cells % self.together
        rest = max(0, missing - int(after / self.fine.cell + _WHOLE_WITHIN))
        require(
            rest * self.fine.cell <= before + _WHOLE_WITHIN,
            f"{cells:,} cells from edge to edge of the Earth can't be put together "
            f"{self.together} by {self.together}; take a number that divides them.",
        )
        return rest

    @cached_property
    def larger_cell_of(self) -> Ints:
        """(fine.k,) number of the larger cell that each small cell is in, read-only."""
        down, left = self._padding
        row = (np.arange(self.fine.rows) + down) // self.together
        column = (np.arange(self.fine.columns) + left) // self.together
        return read_only((row[:, None] * self.grid.columns + column[None, :]).ravel())

    def sums(self, values: Floats) -> Floats:
        """(grid.k,) sums of (fine.k,) values over each larger cell."""
        return sums_by(self.larger_cell_of, values, self.grid.k)

    def spread_evenly(self, values: Floats) -> Floats:
        """(fine.k,) shares of (grid.k,) values, each spread evenly over its small cells."""
        sizes = np.bincount(self.larger_cell_of, minlength=self.grid.k)
        return np.asarray((values / np.maximum(sizes, 1))[self.larger_cell_of])

    def any_in_cell(self, flags: Bools) -> Bools:
        """(grid.k,) True for larger cells with a small cell flagged in (fine.k,) `flags`."""
        any_flagged = np.zeros(self.grid.k, np.bool_)
        any_flagged[self.larger_cell_of[flags]] = True
        return any_flagged

    def coarsen(self, partition: Partition) -> Partition:
        """A partition of the larger cells, each in the block of its middle small cell.

        Blocks without a larger cell are left out.
        """
        down, left = self._padding
        rows, columns = self.grid.rows, self.grid.columns
        half = self.together // 2
        row = np.clip(np.arange(rows) * self.together + half - down, 0, self.fine.rows - 1)
        column = np.clip(np.arange(columns) * self.together + half - left, 0, self.fine.columns - 1)
        middle = (row[:, None] * self.fine.columns + column[None, :]).ravel()
        present, labels = np.unique(partition.labels[middle], return_inverse=True)
        names = tuple(partition.names[number] for number in present)
        return Partition(read_only(labels.astype(np.int64)), names)
