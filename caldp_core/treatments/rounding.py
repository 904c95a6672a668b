"""Random rounding: every number up or down to a multiple of a base, right on average.

Source: Statistics New Zealand's random rounding to base 3 since the census of 1981, Statistics
Canada's to base 5 (2011 Census, confidentiality rules).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from caldp_core.basics.errors import check_counts, check_whole
from caldp_core.basics.types import Floats, Ints
from caldp_core.treatments.release import Release

BASE_MAX: Final = 1000


@dataclass(frozen=True)
class Rounding:
    """To multiples of `base`, a whole number from 2 to 1,000; each number on its own."""

    base: int = 5

    def __post_init__(self) -> None:
        check_whole("base", self.base, 2, BASE_MAX)

    def draw(self, counts: Ints, rng: np.random.Generator) -> Ints:
        """Rounded numbers of the shape of `counts`: n = qb + r goes up with probability r/b."""
        rest = counts % self.base
        up = rng.integers(0, self.base, counts.shape) < rest
        return np.asarray(counts - rest + self.base * up, dtype=np.int64)

    def law(self, count: int) -> dict[int, Fraction]:
        """The published values of a count, each with its probability."""
        low, rest = count - count % self.base, count % self.base
        up = Fraction(rest, self.base)
        return {value: p for value, p in ((low, 1 - up), (low + self.base, up)) if p}

    def variance(self, counts: Ints) -> Floats:
        """r(b − r) for r = n mod b, of the shape of `counts`; 0 for multiples of the base."""
        rest = counts % self.base
        return np.asarray(rest * (self.base - rest), dtype=np.float64)

    def publish(self, counts: Ints, rng: np.random.Generator) -> Release:
        """The table of (k,) counts with every number rounded."""
        checked = check_counts("counts", counts, counts.size)
        rounded = self.draw(checked, rng)
        return Release(rounded.astype(np.float64), np.zeros(checked.size, np.bool_))
