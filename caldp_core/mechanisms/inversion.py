"""Exact draws from a rational law by inversion: one random word a draw, and more where it ties.

Room: mechanisms, beside `coins.py`. A uniform number u in [0, 1) is known by its first 64 bits U.
Where U differs from ⌊2^64·c⌋ of every step c of the distribution function, u's place among the
steps is settled; else (once in 2^64 draws a step) more bits are drawn until it is. So the law is
the rational one itself, not one rounded to 64 bits.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from caldp_core.types import Ints, Words, WordSource

WORD: Final = 1 << 64


class ExactInversion:
    """Draws i with probability steps[i] − steps[i−1] (steps[−1] = 0, and 1 after the last).

    `steps`: non-decreasing rationals in [0, 1), the distribution function without its last 1.
    """

    def __init__(self, steps: Sequence[Fraction]) -> None:
        self._steps = steps
        self._floors: Words = np.array([step * WORD // 1 for step in steps], dtype=np.uint64)

    def draw(self, n: int, words: WordSource) -> Ints:
        """(n,) places in [0, len(steps)]."""
        drawn = words(n)
        place = np.searchsorted(self._floors, drawn, side="left")
        if self._floors.size:
            last = self._floors.size - 1
            tied = (place <= last) & (self._floors[np.minimum(place, last)] == drawn)
            for i in np.flatnonzero(tied):
                place[i] = self._settle(int(drawn[i]), words)
        return place.astype(np.int64, copy=False)

    def _settle(self, known: int, words: WordSource) -> int:
        size = WORD
        while True:
            low, high = Fraction(known, size), Fraction(known + 1, size)
            if not any(low < step < high for step in self._steps):
                return sum(step <= low for step in self._steps)
            known, size = known * WORD + int(words(1)[0]), size * WORD
