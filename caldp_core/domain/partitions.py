"""Ways to cut a domain into blocks.

A `Partition` is labels and names; secrecy comes in `privacy/`. All blocks of a map are public
knowledge, so none may be made from private data: adaptive blocks split a public prior. Blocks
fitted to the data themselves would leak where the people are before a single report is sent,
and no ε would account for it.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import check_counts, check_symbols, check_whole, require
from caldp_core.basics.limits import AREAS_MAX
from caldp_core.basics.types import Floats, Ints, read_only, sums_by
from caldp_core.domain.answers import Domain
from caldp_core.domain.area import Area
from caldp_core.domain.grid import GridDomain

_CELLS_MIN: Final = 2
"""Fewest cells of an adaptive block: a report from a block of one would name it."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Blocks of a domain: `labels` (k,) int64 in [0, m), `names` of the m blocks for readers."""

    labels: Ints
    names: tuple[str, ...]

    @property
    def m(self) -> int:
        """Number of blocks."""
        return len(self.names)

    def sizes(self) -> Ints:
        """(m,) symbols in each block."""
        return np.bincount(self.labels, minlength=self.m)

    def sums(self, values: Floats) -> Floats:
        """(m,) sum of (k,) values over each block."""
        return sums_by(self.labels, values, self.m)


def single_block(domain: Domain | GridDomain) -> Partition:
    """One block that holds everything: plain LDP if all of it is sensitive."""
    return Partition(read_only(np.zeros(domain.k, np.int64)), ("everything",))


def even_blocks(k: int, m: int) -> Partition:
    """m runs of neighbouring symbols, as even as can be (CALDP §7: {0 … k/m−1}, …).

    Raises `CaldpError` unless 1 ≤ m ≤ k.
    """
    check_whole("blocks", m, 1, k)
    labels = np.arange(k) * m // k
    return Partition(read_only(labels), tuple(f"block {j + 1}" for j in range(m)))


def grid_blocks(domain: GridDomain, rows: int, columns: int) -> Partition:
    """rows × columns rectangles (CALDP §7's m₁ × m₂), as even as can be if they don't divide.

    Raises `CaldpError` unless 1 ≤ m₁ ≤ rows of the map and 1 ≤ m₂ ≤ its columns.
    """
    check_whole("rows of blocks", rows, 1, domain.rows)
    check_whole("columns of blocks", columns, 1, domain.columns)
    row = np.arange(domain.rows) * rows // domain.rows
    column = np.arange(domain.columns) * columns // domain.columns
    labels = (row[:, None] * columns + column[None, :]).ravel()
    names = tuple(f"row {i + 1}, column {j + 1}" for i in range(rows) for j in range(columns))
    return Partition(read_only(labels), names)


def named_blocks(labels: ArrayLike, names: Sequence[str]) -> Partition:
    """Blocks from labels made elsewhere, such as US states; (k,) labels in [0, len(names)).

    Raises `CaldpError` unless labels are whole numbers that use every block.
    """
    array = check_symbols("labels", labels, len(names))
    require(
        bool(np.array_equal(np.unique(array), np.arange(len(names)))),
        f"labels must use every number from 0 to {len(names) - 1}, one per name.",
    )
    return Partition(read_only(array.copy()), tuple(names))


def drawn_blocks(domain: GridDomain, areas: Sequence[Area]) -> Partition:
    """Each drawn area is a block (a later one wins where two overlap); the rest is one more.

    Areas without a cell of their own, hidden under later ones or off the map, are left out.
    """
    require(len(areas) <= AREAS_MAX, f"At most {AREAS_MAX} areas, got {len(areas)}.")
    raw = np.zeros(domain.k, np.int64)
    for number, area in enumerate(areas, start=1):
        raw[domain.area_mask(area)] = number
    present, labels = np.unique(raw, return_inverse=True)
    names = tuple("everywhere else" if j == 0 else f"drawn block {j}" for j in present)
    return Partition(read_only(labels.astype(np.int64)), names)


def adaptive_blocks(domain: GridDomain, prior: ArrayLike, blocks: int) -> Partition:
    """Rectangles that hold similar numbers of people of a *public* prior (k-d splitting).

    The heaviest rectangle is halved along its longer side (on the ground) until there are enough.
    None holds a single cell, as nobody would be hidden there. `blocks`: up to a third of the cells.
    `prior`: (k,) whole numbers ≥ 0, such as inhabitants; never the private data. Where nobody
    lives the prior counts one person a cell, so that empty land is split by area.
    """
    check_whole("blocks", blocks, 1, max(1, domain.k // 3))
    people = check_counts("prior", prior, domain.k).reshape(domain.rows, domain.columns) + 1
    sums = np.zeros((domain.rows + 1, domain.columns + 1), np.int64)
    sums[1:, 1:] = people.cumsum(axis=0).cumsum(axis=1)
    squeeze = float(np.cos(np.radians(domain.latitudes().mean())))
    heap = [_Rectangle(0, domain.rows, 0, domain.columns).heap_entry(sums)]
    done: list[_Rectangle] = []
    while len(heap) + len(done) < blocks:
        rectangle = heapq.heappop(heap)[-1]
        if rectangle.cells < 2 * _CELLS_MIN:
            done.append(rectangle)
            continue
        for part in rectangle.halves(sums, squeeze):
            heapq.heappush(heap, part.heap_entry(sums))
    rectangles = sorted(done + [entry[-1] for entry in heap])
    return _from_rectangles(domain, rectangles)


@dataclass(frozen=True, order=True)
class _Rectangle:
    top: int
    bottom: int
    left: int
    right: int

    @property
    def cells(self) -> int:
        return (self.bottom - self.top) * (self.right - self.left)

    def heap_entry(self, sums: Ints) -> tuple[int, "_Rectangle"]:
        """Entry of a heap that gives the rectangle with the most people first."""
        return -int(self.people_above(sums, along_rows=np.array([self.bottom]))[0]), self

    def people_above(self, sums: Ints, along_rows: Ints) -> Ints:
        """People between the top edge and each given row edge."""
        right = sums[along_rows, self.right] - sums[self.top, self.right]
        left = sums[along_rows, self.left] - sums[self.top, self.left]
        return np.asarray(right - left)

    def halves(self, sums: Ints, squeeze: float) -> tuple["_Rectangle", "_Rectangle"]:
        """Two parts that hold as similar numbers as can be, cut across the longer side."""
        rows, columns = self.bottom - self.top, self.right - self.left
        if columns == 1 or (rows > 1 and rows >= columns * squeeze):
            cut = self._cut(sums)
            return (
                _Rectangle(self.top, cut, self.left, self.right),
                _Rectangle(cut, self.bottom, self.left, self.right),
            )
        turned = _Rectangle(self.left, self.right, self.top, self.bottom)
        cut = turned._cut(sums.T)
        return (
            _Rectangle(self.top, self.bottom, self.left, cut),
            _Rectangle(self.top, self.bottom, cut, self.right),
        )

    def _cut(self, sums: Ints) -> int:
        # A part one column wide needs two rows, so that it holds two cells.
        margin = _CELLS_MIN if self.right - self.left == 1 else 1
        edges = np.arange(self.top + margin, self.bottom - margin + 1)
        before = self.people_above(sums, edges)
        total = self.people_above(sums, np.array([self.bottom]))[0]
        return int(edges[np.argmin(np.abs(2 * before - total))])


def _from_rectangles(domain: GridDomain, rectangles: Sequence[_Rectangle]) -> Partition:
    labels = np.empty((domain.rows, domain.columns), np.int64)
    for j, r in enumerate(rectangles):
        labels[r.top : r.bottom, r.left : r.right] = j
    names = tuple(f"block {j + 1}" for j in range(len(rectangles)))
    return Partition(read_only(labels.ravel()), names)
