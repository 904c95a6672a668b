"""How strong a promise is, in four words and four colours, by the odds: the same everywhere.

Room: words.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Strength:
    """A word for a promise. `most`: an even guess becomes right at most this often, in (0.5, 1].

    `light`, `dark`: its colour as text on a page of each theme (WCAG AA).
    """

    word: str
    most: float
    light: str
    dark: str


STRENGTHS: Final = (
    Strength("strong", 0.675, "#006B4F", "#3CC79B"),
    Strength("fair", 0.805, "#005F9E", "#7CC4F2"),
    Strength("weak", 0.955, "#8A5A00", "#F0B73E"),
    Strength("none", 1.0, "#A63A00", "#FF9B6A"),
)
"""Odds of about 2 : 1, 4 : 1 and 20 : 1 at most (ε up to 0.73, 1.41 and 3.05), and beyond: 67, 80
and 95 right guesses of 100 as they are told, rounded."""
MEANING: Final = (
    "In words: “strong” up to 67 right guesses of 100, “fair” up to 80, “weak” up to 95, “none” "
    "beyond, where a guess started at 50."
)


def strength(chance: float) -> Strength:
    """The word for an even guess that becomes right with at most this chance, in [0.5, 1]."""
    return next(each for each in STRENGTHS if chance <= each.most)
