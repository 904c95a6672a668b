"""The discrete square wave, for values in an order: reports near one's own are likelier.

Li, Wang, Lopuhaä-Zwakenberg, Škorić, Li 2020, section 5.4. Of d values, x sends one of d + 2b
reports: each of the 2b + 1 within b of its own with probability e^ε·q, each other with q. In a
context the hidden values of each block, in their order, are such a scale by themselves; another
value of the block sends each report of the scale with probability q, which covers the hidden ones,
and otherwise names itself.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.limits import EXACT_MAX_ENTRIES
from caldp_core.basics.powers import floor_of
from caldp_core.basics.types import Ints, counts_by
from caldp_core.mechanisms.base import Tally
from caldp_core.mechanisms.capabilities import SymbolPartition
from caldp_core.mechanisms.written_out import WrittenOut
from caldp_core.privacy.context import Context

WHOLE: Final = 1 << 100
"""Denominator of all probabilities; by it no ratio is off by more than 2^-50 of itself."""


def half_width(size: int, epsilon: float) -> int:
    """b = ⌊d·(εe^ε − e^ε + 1)/(2e^ε(e^ε − 1 − ε))⌋, of the largest mutual information (§5.3).

    `size`: d ≥ 0; `epsilon`: in [0.001, 20].
    """
    power = math.exp(epsilon)
    near = epsilon * power - math.expm1(epsilon)
    return int(size * near / (2 * power * (math.expm1(epsilon) - epsilon)))


@dataclass(frozen=True)
class Wave:
    """The law of one scale in whole numbers: `near` reports have `high` or one more, others `low`.

    `spare`: how many have one more, so that a row sums to `WHOLE`.
    """

    size: int
    half: int
    low: int
    high: int
    spare: int

    @classmethod
    def of(cls, size: int, epsilon: float) -> "Wave":
        """The highest `high` that e^ε·`low` allows, see the module."""
        half = half_width(size, epsilon)
        near, far = 2 * half + 1, max(size - 1, 0)
        low = floor_of(lambda power: WHOLE / (near * power + far), epsilon)
        while near * floor_of(lambda power, low=low: low * power, epsilon) + far * low < WHOLE:
            low += 1
        high, spare = divmod(WHOLE - far * low, near)
        return cls(size, half, low, high, spare)

    @property
    def outputs(self) -> int:
        """Number of different reports; none where nothing is hidden."""
        return self.size + 2 * self.half if self.size else 0

    def row(self, x: int) -> list[int]:
        """Numerators of the reports of the x-th value."""
        row = [self.low] * self.outputs
        for place in range(2 * self.half + 1):
            row[x + place] = self.high + (place < self.spare)
        return row


class SquareWaveMechanism(WrittenOut):
    """See the module and `Mechanism`. The estimate is the best linear one where people are even.

    `symbol_partition`: which values are hidden, see `HasSymbolPartition`.
    Raises `CaldpError` where the channel would have more than 200,000 entries.
    """

    policy: Context

    def __init__(self, context: Context) -> None:
        waves = [
            Wave.of(size, epsilon)
            for size, epsilon in zip(
                context.hidden_sizes.tolist(), context.epsilon.tolist(), strict=True
            )
        ]
        outputs = sum(wave.outputs for wave in waves) + context.clear_symbols.size
        require(
            context.k * outputs <= EXACT_MAX_ENTRIES,
            f"The square wave needs a table of values times reports, here {context.k:,} × "
            f"{outputs:,}, of at most {EXACT_MAX_ENTRIES:,} entries; take wider steps.",
        )
        even = np.full(context.k, 1.0 / context.k)
        base = np.array([wave.low * wave.outputs for wave in waves], np.float64) / WHOLE
        self.symbol_partition = SymbolPartition(
            context.hidden_symbols, context.clear_symbols, context.hidden_sizes, 1.0 - base
        )
        super().__init__(context, _rows(context, waves, outputs), WHOLE, even)
        self._block_of_report = np.concatenate(
            [
                np.repeat(np.arange(context.m), [wave.outputs for wave in waves]),
                context.blocks[context.clear_symbols],
            ]
        )

    @property
    def blocks(self) -> Ints:
        """(k,) labels of the context's blocks, which no report hides."""
        return self.policy.blocks

    def block_counts(self, tally: Tally) -> Ints:
        """(m,) people per block (see `HasVisibleBlocks`)."""
        return counts_by(self._block_of_report, tally.counts, self.policy.m)


def _rows(context: Context, waves: list[Wave], outputs: int) -> list[list[int]]:
    """k rows of numerators: block after block its scale's reports, then those in the clear."""
    rows = [[0] * outputs for _ in range(context.k)]
    first = np.cumsum([0, *(wave.outputs for wave in waves)]).tolist()
    before = np.cumsum(context.hidden_sizes) - context.hidden_sizes
    for rank, x in enumerate(context.hidden_symbols.tolist()):
        block = int(context.blocks[x])
        wave = waves[block]
        start = first[block]
        rows[x][start : start + wave.outputs] = wave.row(rank - int(before[block]))
    for place, x in enumerate(context.clear_symbols.tolist()):
        wave, start = waves[int(context.blocks[x])], first[int(context.blocks[x])]
        if wave.size:
            rows[x][start : start + wave.outputs] = [wave.low] * wave.outputs
        rows[x][first[-1] + place] = WHOLE - sum(rows[x])
    return rows
