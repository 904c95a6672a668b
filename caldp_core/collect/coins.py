"""The random choices that every device makes, by whole numbers of 48 bits.

`js/client.js` makes the same: equal numbers give equal reports.
"""

import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

NUMBER_RANGE: Final = 1 << 48
"""How many values a drawn number can have."""
Numbers: TypeAlias = Callable[[], int]
"""Returns a whole number, uniform on 0 … 2^48 − 1, each time it is called."""


class Coins(Protocol):
    """The random choices by which a report is drawn."""

    def flip(self, threshold: int) -> bool:
        """True with probability threshold/2^48; `threshold`: in [0, 2^48]."""

    def uniform_below(self, bound: int) -> int:
        """A whole number, uniform on 0 … bound − 1; `bound` ≥ 1."""

    def draw_step(self, steps: Sequence[int], whole: int) -> int:
        """i with probability (steps[i] − steps[i−1])/whole; the last step is `whole`."""


def system_number() -> int:
    """48 bits from the operating system; it takes no seed."""
    return int.from_bytes(os.urandom(6), "little")


@dataclass(frozen=True)
class DrawnCoins:
    """Coins from numbers that a source gives: the operating system, or a test's list."""

    numbers: Numbers = system_number

    def flip(self, threshold: int) -> bool:
        """True if a drawn number is below the threshold."""
        return self.numbers() < threshold

    def uniform_below(self, bound: int) -> int:
        """A drawn number modulo `bound`, drawn again above the largest multiple of `bound`.

        A bound above 2^48 takes as many numbers as it needs, the highest first.
        """
        pieces = max(1, -(-(bound - 1).bit_length() // 48))
        fair = NUMBER_RANGE**pieces - NUMBER_RANGE**pieces % bound
        while True:
            drawn = 0
            for _ in range(pieces):
                drawn = drawn * NUMBER_RANGE + self.numbers()
            if drawn < fair:
                return drawn % bound

    def draw_step(self, steps: Sequence[int], whole: int) -> int:
        """Number of the first step above a number that is uniform below `whole`."""
        return bisect_right(steps, self.uniform_below(whole))
