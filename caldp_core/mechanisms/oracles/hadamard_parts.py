"""How the symbols of Hadamard response's blocks are divided into parts, and where these lie.

Used by `hadamard.py`. Parts of one order lie next to each other in the tally, so that
they transform at once, and the parts of one block follow each other.
"""

from dataclasses import dataclass
from typing import Self, TypeVar

import numpy as np

from caldp_core.basics.types import Floats, Ints

Cells = TypeVar("Cells", Ints, Floats)


@dataclass(frozen=True, eq=False)
class Group:
    """Parts of one order b, next to each other in the tally. `parts`: (p,) their numbers."""

    start: int
    order: int
    parts: Ints

    @property
    def stop(self) -> int:
        """One past its last cell."""
        return self.start + self.order * self.parts.size

    def of(self, cells: Cells) -> Cells:
        """(…, parts, order) view of a (…, cells) array."""
        return cells[..., self.start : self.stop].reshape(
            *cells.shape[:-1], self.parts.size, self.order
        )


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of all blocks, numbered block after block; a block without symbols has one of none.

    `counts`, `orders`: (m,) parts of each block, and their order b. `block`: (parts,) whose each
    is; `starts`: (parts,) their first cells. `of_rank`, `row`: (s,) each symbol's part, and its
    row in there.
    """

    counts: Ints
    orders: Ints
    block: Ints
    starts: Ints
    of_rank: Ints
    row: Ints
    groups: tuple[Group, ...]

    @classmethod
    def of(cls, sizes: Ints, wanted: Ints) -> Self:
        """(m,) symbols of each block and the B ≥ 1 that is wanted for it.

        b is the least power of two above s/B: row 0, all ones, is nobody's. Of B parts only
        ⌈s/(b − 1)⌉ are needed; the symbols go to them in turn, so that parts are of a size.
        """
        orders = np.where(sizes > 0, 1 << bit_length(-(-sizes // wanted)), 0)
        counts = np.where(sizes > 0, -(-sizes // np.maximum(orders - 1, 1)), 1)
        block = np.repeat(np.arange(sizes.size), counts)
        owner = np.repeat(np.arange(sizes.size), sizes)
        place = np.arange(owner.size) - (np.cumsum(sizes) - sizes)[owner]
        of_rank = (np.cumsum(counts) - counts)[owner] + place % counts[owner]
        starts, groups = _laid_out(orders[block])
        return cls(counts, orders, block, starts, of_rank, place // counts[owner] + 1, groups)

    @property
    def first(self) -> Ints:
        """(m,) the first part of each block."""
        return np.cumsum(self.counts) - self.counts

    @property
    def cells(self) -> Ints:
        """(m,) cells of each block."""
        return self.orders * self.counts


def bit_length(sizes: Ints) -> Ints:
    """2^bit_length(s) is the least power of two above s: the paper's 2^⌈log₂(s+1)⌉."""
    return np.frexp(sizes.astype(np.float64))[1].astype(np.int64)


def one_part(sizes: Ints, epsilon: Floats) -> Ints:
    """(m,) B = 1: the form for high privacy, and that of CALDP."""
    del epsilon
    return np.ones_like(sizes)


def published_parts(sizes: Ints, epsilon: Floats) -> Ints:
    """(m,) the B of Acharya, Sun, Zhang 2019: the greatest power of two below min(e^ε, 2s), or 1.

    In their words 2^(⌈log₂ min(e^ε, 2k)⌉ − 1).
    """
    fraction, exponent = np.frexp(np.minimum(np.exp(epsilon), 2.0 * sizes))
    below = exponent.astype(np.int64) - np.where(fraction == 0.5, 2, 1)
    return np.asarray(1 << np.maximum(below, 0))


def _laid_out(orders: Ints) -> tuple[Ints, tuple[Group, ...]]:
    """(parts,) orders → (parts,) first cells, and the groups."""
    by_order = np.argsort(orders, kind="stable")
    ends = np.cumsum(orders[by_order])
    starts = np.empty_like(orders)
    starts[by_order] = ends - orders[by_order]
    same = [np.flatnonzero(orders == order) for order in np.unique(orders[orders > 0])]
    return starts, tuple(Group(int(starts[p[0]]), int(orders[p[0]]), p) for p in same)
