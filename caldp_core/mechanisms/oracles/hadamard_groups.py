"""How the blocks of Hadamard response lie in its tally: those of one order next to each other.

Room: mechanisms; the machine room of `hadamard.py`.
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from caldp_core.basics.types import Floats, Ints

Cells = TypeVar("Cells", Ints, Floats)


@dataclass(frozen=True)
class Group:
    """Blocks of one order S lie next to each other in the tally, so they transform at once."""

    start: int
    order: int
    blocks: int

    @property
    def stop(self) -> int:
        """Its last cell, and one."""
        return self.start + self.order * self.blocks

    def of(self, cells: Cells) -> Cells:
        """(…, blocks, order) view of a (…, cells) array."""
        return cells[..., self.start : self.stop].reshape(
            *cells.shape[:-1], self.blocks, self.order
        )


def bit_length(sizes: Ints) -> Ints:
    """2^bit_length(s) is the least power of two above s: the paper's 2^⌈log₂(s+1)⌉."""
    return np.frexp(sizes.astype(np.float64))[1].astype(np.int64)


def layout(orders: Ints) -> tuple[list[Group], Ints]:
    """(m,) orders → all groups, and (m,) the first cell of each block."""
    by_order = np.argsort(orders, kind="stable")
    ends = np.cumsum(orders[by_order])
    starts = np.empty_like(orders)
    starts[by_order] = ends - orders[by_order]
    groups = [
        Group(int(starts[orders == order].min()), int(order), int((orders == order).sum()))
        for order in np.unique(orders[orders > 0])
    ]
    return groups, starts
