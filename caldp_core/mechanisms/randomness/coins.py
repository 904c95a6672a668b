"""Coins that decide privacy: whole-number thresholds, never floating-point comparisons.

A coin is 1 with probability T/2^48, T a whole number rounded so that the realised ε never exceeds
the stated one; estimators debias with the same T/2^48. Other draws are by inversion, from a
distribution in rationals: of a uniform number u the first 64 bits mostly settle its place among the
steps; else (once in 2^64 draws a step) more bits are drawn until it is.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import check_whole
from caldp_core.basics.powers import ceiling_of, floor_of
from caldp_core.basics.types import Bools, Floats, Ints, Seed, Words, WordSource

WORD_BITS: Final = 64
"""Bits of a random word, and of a word of packed bits."""
COIN_BITS: Final = 48
COIN_ONE: Final = 1 << COIN_BITS
SPARE_BITS: Final = WORD_BITS - COIN_BITS
"""Bits of a random word that the coin leaves free for other uses."""


def thresholds(rule: Callable[..., int], *columns: NDArray[Any]) -> Words:
    """rule(a, b, …) for the entries of each place of `columns`, reckoned once for equal entries.

    `columns`: arrays of one shape, of ε's and of whole numbers below 2^53; the result has their
    shape. `rule` is called with Python floats, and with ints where a column has whole numbers.
    """
    flat = [column.ravel() for column in columns]
    place = np.zeros(flat[0].size, np.int64)
    first = place[:1]
    for column in flat:  # a column at a time: unique rows of all at once take many times as long
        if (column == column[:1]).all():  # as of blocks that are all alike
            continue
        values, own = np.unique(column, return_inverse=True)
        _, first, place = np.unique(
            place * values.size + own, return_index=True, return_inverse=True
        )
    whole = [rule(*(column[i].item() for column in flat)) for i in first.tolist()]
    return np.array(whole, dtype=np.uint64)[place].reshape(columns[0].shape)


def truth_threshold(epsilon: Floats, lies: Ints | None = None) -> Words:
    """T = ⌊2^48·e^ε/(e^ε + l)⌋ for each ε: the truth with probability T/2^48, else one of l lies.

    Rounding down makes l·p/(1 − p) ≤ e^ε for p = T/2^48. `epsilon`: any shape, in [0.001, 20];
    `lies`: l ≥ 1 of that shape, or 1 for all.
    """

    def rule(level: float, others: int) -> int:
        return floor_of(lambda power: COIN_ONE * power / (others + power), level)

    alone = np.ones(epsilon.shape, np.int64)
    return thresholds(rule, epsilon, alone if lies is None else lies)


def noise_threshold(sizes: Ints, epsilon: Floats) -> Words:
    """N = ⌈2^48·s/(s+e^ε−1)⌉: k-RR on s symbols sends a uniform one with probability N/2^48.

    Rounding up makes (1−λ+λ/s)/(λ/s) ≤ e^ε. `sizes`, `epsilon`: (m,); 0 where s = 0.
    """
    return uniform_threshold(sizes, np.ones_like(sizes), epsilon)


def uniform_threshold(sizes: Ints, omega: Ints, epsilon: Floats) -> Words:
    """N = ⌈2^48·s/(s + ω(e^ε − 1))⌉: a uniform one of C(s, ω) subsets with probability N/2^48.

    Rounding up makes (λ/C(s, ω) + (1 − λ)/C(s − 1, ω − 1))/(λ/C(s, ω)) ≤ e^ε. All (m,); 0 where
    s = 0.
    """

    def rule(size: int, subset: int, level: float) -> int:
        if not size:
            return 0
        least = ceiling_of(lambda power: COIN_ONE * size / (size + subset * (power - 1)), level)
        return min(least, COIN_ONE)

    return thresholds(rule, sizes, omega, epsilon)


def flip_coins(words: Words, threshold: Words) -> Bools:
    """(n,) True with probability threshold/2^48: looks at the top 48 bits of each word."""
    return np.asarray((words >> np.uint64(SPARE_BITS)) < threshold)


def generator(seed: Seed) -> np.random.Generator:
    """The generator of a simulation; `CaldpError` for a seed that is not a whole number ≥ 0."""
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(check_whole("The seed", seed, 0, 2**63 - 1))


def seeded_words(seed: Seed) -> WordSource:
    """Random words for a simulation that can be repeated."""
    rng = generator(seed)
    return lambda n: rng.integers(0, 2**64 - 1, size=n, dtype=np.uint64, endpoint=True)


def system_words(n: int) -> Words:
    """(n,) random words from the operating system: what a real client uses. It takes no seed."""
    return np.frombuffer(os.urandom(8 * n), dtype=np.uint64).copy()  # callers may redraw some


def uniform_below(bound: Words, words: WordSource) -> Words:
    """(n,) whole numbers, each exactly uniform on [0, bound_i); `bound`: (n,) ≥ 1."""
    drawn = words(bound.size)
    # 2^64 mod bound top values would favour small results: draw those again.
    top = np.uint64(2**64 - 1) - (np.uint64(2**64 - 1) % bound + np.uint64(1)) % bound
    again = np.flatnonzero(drawn > top)
    while again.size:
        drawn[again] = words(again.size)
        again = again[drawn[again] > top[again]]
    return np.asarray(drawn % bound)


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
