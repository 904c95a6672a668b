"""Which symbols lie beside each other: tiles that grow from level to level, and means around.

Which symbols are neighbours is public, as blocks are: it comes from the domain,
never from the private data.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Floats, Ints, read_only
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain

SIDE_MOST: Final = 32
"""Cells along the side of the largest tile."""
_SHIFTS: Final = ((0, 0), (21, 11), (10, 21), (31, 0))
"""Cells by which tiles are moved: other borders at every size. Maps draw the first cut."""


class Neighbours(Protocol):
    """Which symbols lie beside each other in a domain of k symbols."""

    def tilings(self) -> Iterator[Iterator[Ints]]:
        """Cuts into tiles: of each cut (k,) labels ≥ 0 level by level, each level inside the next.

        A cut whose largest tile is everything ends without that level.
        """
        ...

    def neighbour_means(self, values: Floats) -> Floats:
        """(k,) mean of the values beside each symbol, its own left out."""
        ...


@dataclass(frozen=True)
class GridNeighbours:
    """Cells of a map: squares of 2 × 2, 4 × 4, … cells, and the eight cells around each.

    Those of the first cut are counted from the first row and column.
    """

    rows: int
    columns: int

    def tilings(self) -> Iterator[Iterator[Ints]]:
        """One cut for each of `_SHIFTS`."""
        return (self._tiles(down, right) for down, right in _SHIFTS)

    def _tiles(self, down: int, right: int) -> Iterator[Ints]:
        row, column = np.arange(self.rows) + down, np.arange(self.columns) + right
        for side in _sides(max(self.rows, self.columns)):
            across = int(column[-1]) // side + 1
            yield ((row // side * across)[:, None] + column // side).ravel()

    def neighbour_means(self, values: Floats) -> Floats:
        """(k,) means in which cells that share a side count twice, those at a corner once."""
        grid = values.reshape(self.rows, self.columns)
        weights = _binomial(_binomial(np.ones_like(grid)).T).T - 4.0
        return np.asarray(_mean(_binomial(_binomial(grid).T).T - 4.0 * grid, weights).ravel())


@dataclass(frozen=True)
class SequenceNeighbours:
    """Values in a row: runs of 2, 4, … values, and two values on each side."""

    k: int

    def tilings(self) -> Iterator[Iterator[Ints]]:
        """One cut for each of `_SHIFTS`."""
        places = np.arange(self.k)
        return (((places + by) // side for side in _sides(self.k)) for by, _ in _SHIFTS)

    def neighbour_means(self, values: Floats) -> Floats:
        """(k,) means in which the nearer value of each side counts twice."""

        def beside(row: Floats) -> Floats:
            padded = np.pad(row, 2)
            near, far = padded[1:-3] + padded[3:-1], padded[:-4] + padded[4:]
            return np.asarray(2.0 * near + far)

        return _mean(beside(values), beside(np.ones(self.k)))


@dataclass(frozen=True, eq=False)
class GroupNeighbours:
    """Values in named groups, of which nothing else is known; `labels`: (k,)."""

    labels: Ints

    def tilings(self) -> Iterator[Iterator[Ints]]:
        """One cut: the groups."""
        return iter([iter([self.labels])])

    def neighbour_means(self, values: Floats) -> Floats:
        """(k,) means of the others of the group; 0 where there are none."""
        sums, sizes = np.bincount(self.labels, values), np.bincount(self.labels)
        others = sizes[self.labels].astype(np.float64) - 1.0
        return _mean(sums[self.labels] - values, others)


def _sides(longest: int) -> Iterator[int]:
    side = 2
    while side <= min(SIDE_MOST, longest):
        yield side
        side *= 2


def _binomial(grid: Floats) -> Floats:
    """Sums along the first axis with weights 1, 2, 1; nothing lies beyond the edge."""
    sums = 2.0 * grid
    sums[1:] += grid[:-1]
    sums[:-1] += grid[1:]
    return sums


def _mean(sums: Floats, weights: Floats) -> Floats:
    return np.asarray(np.where(weights > 0, sums / np.maximum(weights, 1.0), 0.0))


def neighbours(domain: Domain | GridDomain) -> Neighbours:
    """The neighbours of a domain: squares on a map, else groups, else the order of the values."""
    if isinstance(domain, GridDomain):
        return GridNeighbours(domain.rows, domain.columns)
    if domain.groups:
        return GroupNeighbours(np.unique(domain.groups, return_inverse=True)[1].astype(np.int64))
    return SequenceNeighbours(domain.k)


Tree = tuple[Ints, ...]
"""Level by level the number of the tile that each tile lies in, from symbols upwards."""


def tile_trees(domain: Domain | GridDomain, blocks: Ints) -> tuple[Tree, ...]:
    """Each tiling inside each block: no tile reaches over a border. `blocks`: (k,) labels."""
    return _trees(domain, blocks.astype(np.int64).tobytes())


@cached
def _trees(domain: Domain | GridDomain, labels: bytes) -> tuple[Tree, ...]:
    """`tile_trees`, cached: sorting cells takes half the time, and every ε has the same blocks."""
    blocks = np.frombuffer(labels, np.int64)
    return tuple(tuple(_tree(levels, blocks)) for levels in neighbours(domain).tilings())


def _tree(levels: Iterator[Ints], blocks: Ints) -> Iterator[Ints]:
    members = np.arange(blocks.size)  # a symbol of each tile
    m = int(blocks.max()) + 1
    for labels in levels:
        joint = labels[members] * m + blocks[members]
        _, first, parent = np.unique(joint, return_index=True, return_inverse=True)
        yield read_only(parent.astype(np.int64))
        members = members[first]
