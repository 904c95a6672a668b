"""Simulated phones that remember: what `DailyMean` states in rationals, drawn one by one."""

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import check_symbols
from caldp_core.basics.types import WordSource
from caldp_core.lecture.daily import Bits, DailyMean, round_by_offset
from caldp_core.mechanisms.randomness import uniform_below

_NOT_DRAWN = -1


class Phones:
    """n phones that remember: offsets (n,), and the bit of every multiple once it was drawn.

    `bits`: (n, m/s + 1) int8, −1 where not yet drawn.
    """

    def __init__(self, daily: DailyMean, n: int, words: WordSource) -> None:
        self.daily, self._words = daily, words
        width = daily.width
        self.offset = uniform_below(np.full(n, width, np.uint64), words).astype(np.int64)
        self.bits: Bits = np.full((n, daily.mean.most // width + 1), _NOT_DRAWN, np.int8)

    def report(self, x: ArrayLike) -> Bits:
        """(n,) numbers of today → (n,) bits."""
        numbers = check_symbols("x", x, self.daily.mean.most + 1)
        rounded = round_by_offset(numbers, self.offset, self.daily.width)
        phones, place = np.arange(numbers.size), rounded // self.daily.width
        new = np.flatnonzero(self.bits[phones, place] == _NOT_DRAWN)
        self.bits[new, place[new]] = self.daily.mean.privatize(rounded[new], self._words)
        return np.asarray(self.bits[phones, place])
