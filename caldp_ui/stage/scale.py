"""The colour scale of maps: shares of all people in a cell, logarithmic; one for a whole stage.

It is the same wherever it can be, so that maps compare. Of a small map, whose every cell holds many
of its people, all would be of the brightest colour: its scale is fitted to its truth.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats


@dataclass(frozen=True)
class Scale:
    """Shares of the darkest and the brightest colour; less is drawn low, more is drawn high.

    `ticks`: shares and what they are called.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]


SCALE: Final = Scale(
    1e-6, 1e-2, ((1e-6, "1 in a million"), (1e-4, "1 in 10,000"), (1e-2, "1 in 100"))
)


_CROWDED: Final = 3e-4
"""Median share of cells with people, from which on a map is too small for the common scale."""
_RANGE: Final = 1000.0
_ROUND: Final = (1, 2, 5, 10)


def scale_of(shares: Floats) -> Scale:
    """The common scale, or one that ends at or just above the largest of (k,) true shares."""
    positive = shares[shares > 0]
    if not positive.size or float(np.median(positive)) < _CROWDED:
        return SCALE
    largest = min(float(positive.max()), 1.0)
    power = 10.0 ** math.floor(math.log10(largest))
    high = next(power * step for step in _ROUND if power * step >= largest * (1 - 1e-9))
    ends = high / _RANGE, high
    low, top = ((end, f"1 in {round(1 / end):,}") for end in ends)
    return Scale(*ends, (low, top))


def nobody_below(people: int) -> float:
    """Share that is less than half a person, and too small for the scale to show."""
    return min(0.5 / people, SCALE.low)
