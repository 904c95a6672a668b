"""Exact draws from a distribution in rationals by inversion: one random word a draw, mostly.

Beside `coins.py`. A uniform number u in [0, 1) is known by its first 64 bits U. Where U
differs from ⌊2^64·c⌋ of every step c of the distribution function, u's place among the steps is
settled; else (once in 2^64 draws a step) more bits are drawn until it is. So draws have the
rational distribution itself, not one rounded to 64 bits.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from caldp_core.basics.types import Ints, Words, WordSource
from caldp_core.mechanisms.randomness.coins import WORD_BITS

WORD: Final = 1 << WORD_BITS


@dataclass(frozen=True, eq=False)
class ExactInversion:
    """Draws i with probability steps[i] − steps[i−1] (steps[−1] = 0, and 1 after the last).

    `steps`: gives the non-decreasing rationals in [0, 1), the distribution function without its
    last 1; it is called for ties only. `floors`: (steps,) ⌊2^64·step⌋.
    """

    floors: Words
    steps: Callable[[], Sequence[Fraction]]

    @classmethod
    def of(cls, steps: Sequence[Fraction]) -> "ExactInversion":
        """Draws by a short list of steps."""
        floors = np.array([step * WORD // 1 for step in steps], dtype=np.uint64)
        return cls(floors, lambda: steps)

    def draw(self, n: int, words: WordSource) -> Ints:
        """(n,) places in [0, len(steps)]."""
        drawn = words(n)
        place = np.searchsorted(self.floors, drawn, side="left")
        if self.floors.size:
            last = self.floors.size - 1
            tied = (place <= last) & (self.floors[np.minimum(place, last)] == drawn)
            for i in np.flatnonzero(tied):
                place[i] = self._settle(int(drawn[i]), words)
        return place.astype(np.int64, copy=False)

    def _settle(self, known: int, words: WordSource) -> int:
        size, steps = WORD, self.steps()
        while True:
            low, high = Fraction(known, size), Fraction(known + 1, size)
            if not any(low < step < high for step in steps):
                return sum(step <= low for step in steps)
            known, size = known * WORD + int(words(1)[0]), size * WORD
