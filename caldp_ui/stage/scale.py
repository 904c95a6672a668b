"""The one colour scale of all maps: shares of all people in a cell, logarithmic.

Room: stage.
"""

from dataclasses import dataclass
from typing import Final


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


def nobody_below(people: int) -> float:
    """Share that is less than half a person, and so little that the scale does not tell it."""
    return min(0.5 / people, SCALE.low)
