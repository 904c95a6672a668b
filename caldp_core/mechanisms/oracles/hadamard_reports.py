"""How a report of Hadamard response is drawn, and the parities that it may have.

Used by `hadamard.py`.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.types import Ints, Words, WordSource
from caldp_core.mechanisms.oracles.tables import lookup
from caldp_core.mechanisms.randomness.coins import SPARE_BITS, flip_coins, uniform_below

Bytes: TypeAlias = NDArray[np.uint8]


def truth_codes(rows: Ints, order: int) -> Bytes:
    """(rows, order) 2 where H(r, y) = +1 and 0 elsewhere: even parity of r & y.

    By the Kronecker sum of the low bits' codes and the high bits' own, in one pass over the result.
    """
    low_bits = (order.bit_length() - 1) // 2
    low = 2 * (np.bitwise_count(rows[:, None] & np.arange(1 << low_bits)) & np.uint8(1))
    high = 2 * (np.bitwise_count((rows >> low_bits)[:, None] & np.arange(order >> low_bits)) & 1)
    even: Bytes = (high ^ np.uint8(2))[:, :, None] ^ low[:, None, :]
    return even.reshape(rows.size, order)


@dataclass(frozen=True)
class ReportTables:
    """Tables to draw reports with: one entry per rank, or a single one for all.

    `row`, `mask`, `start`: in the symbol's own part; `first`, `parts`: of its block.
    """

    row: Ints
    mask: Ints
    start: Ints
    truth: Words
    first: Ints
    parts: Ints

    def draw(self, rank: Ints, words: WordSource) -> Ints:
        """(n,) ranks → (n,) cells of the tally."""
        coin = words(rank.size)
        row, mask = lookup(self.row, rank), lookup(self.mask, rank)
        y = self._spare(coin, words).view(np.int64) & mask
        odd = np.bitwise_count(row & y) & 1
        truthful = flip_coins(coin, lookup(self.truth, rank))
        # Flipping y's bit at the row's lowest set bit mends the parity and keeps y uniform.
        reports: Ints = (y ^ ((row & -row) * (odd == truthful))) + lookup(self.start, rank)
        if self.parts.max() > 1:
            liars = np.flatnonzero(~truthful)
            self._stray(reports, rank, y, liars, words)
        return reports

    def _stray(self, reports: Ints, rank: Ints, y: Ints, liars: Ints, words: WordSource) -> None:
        """Move liars to other parts: of 2B − 1 halves two are each other part's, one their own's.

        `reports`, `rank`, `y`: (n,), y uniform; `liars`: places of those who do not tell the truth.
        """
        halves = 2 * lookup(self.parts, rank[liars]) - 1
        half = uniform_below(np.broadcast_to(halves, liars.shape).astype(np.uint64), words)
        steps = (half.astype(np.int64) + 1) // 2
        movers = liars[steps > 0]
        x, order = rank[movers], lookup(self.mask, rank[movers]) + 1
        first, parts = lookup(self.first, x), lookup(self.parts, x)
        own = lookup(self.start, x) - first
        reports[movers] = first + (own + steps[steps > 0] * order) % (parts * order) + y[movers]

    def _spare(self, coin: Words, words: WordSource) -> Words:
        # The coin takes the top 48 bits; the 16 below are free for y if they suffice.
        return coin if int(self.mask.max()) < 1 << SPARE_BITS else words(coin.size)
