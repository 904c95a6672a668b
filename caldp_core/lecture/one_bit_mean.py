"""The mean of a number that is asked for every day, with one bit a day and memory.

Source: Ding, Kulkarni, Yekhanin 2017. A number x in [0, m] is sent as a bit that is 1 with
probability 1/(e^ε+1) + (x/m)·(e^ε−1)/(e^ε+1) (their (1)), so n bits give the mean. To ask every
day, x is first rounded to a multiple of s, up or down by an offset α that a phone draws once
(α-point rounding): right on average for every s. The bit of each multiple is drawn once and kept,
so a phone whose number stays within one bucket sends the same bit for ever.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caldp_core.basics.errors import (
    check_counts,
    check_epsilon,
    check_symbols,
    check_whole,
    require,
)
from caldp_core.basics.types import Floats, Ints, Words, WordSource
from caldp_core.mechanisms.randomness.coins import (
    COIN_ONE,
    flip_coins,
    truth_threshold,
)
from caldp_core.privacy.context import Context

Bits = NDArray[np.int8]


class OneBitMean:
    """One bit about a whole number in [0, m]; `most`: m.

    `chances`: (m+1,) whole numbers C: x sends 1 with probability C/2^48. They lie between those of
    0 and m, whose ratio is e^ε at most, so every pair keeps ε; rounding them down moves the mean by
    less than m·2^-48·c.
    """

    def __init__(self, most: int, epsilon: float) -> None:
        self.most = check_whole("most", most, 1, 1 << 20)
        self.policy = Context.plain(self.most + 1, float(check_epsilon(epsilon)))
        self._high = int(truth_threshold(np.array([epsilon]))[0])
        low = COIN_ONE - self._high
        steps = [low + x * (self._high - low) // self.most for x in range(self.most + 1)]
        self.chances: Words = np.array(steps, np.uint64)

    def privatize(self, x: ArrayLike, words: WordSource) -> Bits:
        """(n,) numbers → (n,) bits."""
        symbols = check_symbols("x", x, self.most + 1)
        return flip_coins(words(symbols.size), self.chances[symbols]).astype(np.int8)

    def sample_ones(self, counts: ArrayLike, rng: np.random.Generator) -> int:
        """How many of all people send 1; `counts`: (m+1,) people with each number. At any n."""
        people = check_counts("counts", counts, self.most + 1)
        return int(rng.binomial(people, self.chances / COIN_ONE).sum())

    def estimate(self, ones: int, n: int) -> float:
        """The mean, unbiased; may leave [0, m]."""
        low = COIN_ONE - self._high
        return self.most * (ones / n * COIN_ONE - low) / (self._high - low)

    def variance(self, counts: ArrayLike) -> float:
        """Exact variance of `estimate` over the coins, these (m+1,) people held fixed."""
        people = check_counts("counts", counts, self.most + 1)
        chance = self.chances / COIN_ONE
        slope = (2 * self._high - COIN_ONE) / COIN_ONE / self.most
        return float((people * chance * (1 - chance)).sum() / (people.sum() * slope) ** 2)

    def exact_channel(self) -> list[list[Fraction]]:
        """m+1 rows of 2 probabilities in rationals: of 0, and of 1."""
        ones = [Fraction(int(c), COIN_ONE) for c in self.chances]
        return [[1 - one, one] for one in ones]


def round_to_nearest(x: Ints, width: int) -> Ints:
    """The nearest multiple of `width`, halves up: off by as much as half a bucket, always alike."""
    return (2 * x + width) // (2 * width) * width


def round_by_offset(x: Ints, offset: Ints, width: int) -> Ints:
    """α-point rounding: up where x mod s ≥ s − α; right on average over α uniform on [0, s)."""
    down = x // width * width
    return np.asarray(down + np.where(x - down + offset >= width, width, 0))


@dataclass(frozen=True)
class DailyMean:
    """`mean`: the one bit. `width`: s, a divisor of m: numbers are rounded to its multiples."""

    mean: OneBitMean
    width: int

    def __post_init__(self) -> None:
        check_whole("width", self.width, 1, self.mean.most)
        require(
            self.mean.most % self.width == 0,
            f"width must divide {self.mean.most}, got {self.width}.",
        )

    def exact_channel(self, days: Sequence[Sequence[int]]) -> list[list[Fraction]]:
        """A row for each sequence of numbers: probabilities of all 2^days sequences of bits."""
        return [self._row(sequence, self._remembered) for sequence in days]

    def forgetful_channel(self, days: Sequence[Sequence[int]]) -> list[list[Fraction]]:
        """`exact_channel` of a naive phone, which tosses a new coin every day."""
        return [self._row(sequence, self._forgetful) for sequence in days]

    def _row(
        self,
        sequence: Sequence[int],
        chance: Callable[[Sequence[int], Sequence[int]], Fraction],
    ) -> list[Fraction]:
        numbers, paths = np.array(sequence), itertools.product((0, 1), repeat=len(sequence))
        rounded = [
            round_by_offset(numbers, np.full(numbers.shape, offset), self.width).tolist()
            for offset in range(self.width)
        ]
        return [sum((chance(at, path) for at in rounded), Fraction(0)) / self.width
                for path in paths]  # fmt: skip

    def _remembered(self, places: Sequence[int], path: Sequence[int]) -> Fraction:
        """Probability of the bits `path` at these multiples: each multiple has one bit."""
        bits = dict(zip(places, path, strict=True))
        if [bits[place] for place in places] != list(path):
            return Fraction(0)
        return self._forgetful(list(bits), list(bits.values()))

    def _forgetful(self, places: Sequence[int], path: Sequence[int]) -> Fraction:
        ones = (Fraction(int(self.mean.chances[place]), COIN_ONE) for place in places)
        pairs = zip(ones, path, strict=True)
        return math.prod((one if bit else 1 - one for one, bit in pairs), start=Fraction(1))


def coins_used(numbers: Ints, offset: Ints, width: int) -> Floats:
    """(n,) different multiples that (n, days) numbers of (n,) phones are rounded to."""
    places = np.sort(round_by_offset(numbers, offset[:, None], width), axis=1)
    return np.asarray(1.0 + (np.diff(places, axis=1) != 0).sum(axis=1))
