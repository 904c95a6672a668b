"""Strength of a protection by the odds, in four words and four colours for all pages."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Strength:
    """A word for a protection. `most`: largest chance that an even guess is right, in (0.5, 1].

    `light`, `dark`: its colour as text on a page of each theme (WCAG AA).
    """

    word: str
    most: float
    light: str
    dark: str


NONE: Final = "none"
"""The word for a protection that leaves an attacker almost sure."""
STRENGTHS: Final = (
    Strength("strong", 0.675, "#006B4F", "#3CC79B"),
    Strength("fair", 0.805, "#005F9E", "#7CC4F2"),
    Strength("weak", 0.955, "#8A5A00", "#F0B73E"),
    Strength(NONE, 1.0, "#A63A00", "#FF9B6A"),
)
"""Odds of about 2 : 1, 4 : 1 and 20 : 1 at most (ε up to 0.73, 1.41 and 3.05 between two protected
values), and beyond: 67, 80 and 95 right guesses of 100 as pages show them, rounded."""
MEANING: Final = (
    "Under “strong” protection an attacker's even guess is right up to 67 times in 100, “fair” up "
    "to 80, “weak” up to 95, “none” more. Without a report it is right 50 times in 100."
)


def strength(chance: float) -> Strength:
    """Strength where an even guess is right with at most this chance, in [0.5, 1]."""
    return next(each for each in STRENGTHS if chance <= each.most)
