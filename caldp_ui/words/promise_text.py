"""The promise of a scenario in sentences: one record for all kinds of policies.

`policies.py` has the function that writes it for each kind.
"""

from dataclasses import dataclass

from caldp_ui.words import formats
from caldp_ui.words.formats import NONE, strength

_NOBODY = 1e-12
"""Smaller shares of people are rounding errors of sums."""


@dataclass(frozen=True)
class Grade:
    """How well a group of people is protected.

    `people`: its share of all by the truth, in [0, 1]. `protected`: whether E limits what its
    reports show. `chance`: largest chance that an even guess about one of the group is right, over
    all pairs that `odds` names, in [0.5, 1]; 1 without protection. `odds`: sentences, bold words
    between `**`.
    """

    people: float
    protected: bool
    chance: float
    odds: str

    @property
    def word(self) -> str:
        """Word of one of `STRENGTHS`; without protection always "none"."""
        return strength(self.chance if self.protected else 1.0).word

    @property
    def counts_as_none(self) -> bool:
        """Whether E limits what reports show, but so little that it counts as no protection."""
        return self.protected and self.word == NONE

    @property
    def title(self) -> str:
        """Title of the grade: its people, if not all, and its word."""
        if self.people >= 1.0:
            return f"Protection: {self.word}"
        return f"{formats.out_of_few(self.people)}: protection {self.word}"


@dataclass(frozen=True)
class PromiseText:
    """Sentences that are true of one scenario; bold words between `**`.

    `grades`: of the unprotected, if there are any, then of the protected, if there are any.
    `summary`: who is not protected and what an attacker can guess of the others, in a sentence or
    two. `protected`: who is and why the rest is not; `odds`: what an attacker can guess from one
    report; `repeats`: from several, "" where nothing is hidden. `not_promised`: what the policy
    leaves open. `levels`: names and values of its numbers. `exposed`: the values that were to be
    protected and are not, by their raw names, in a sentence that comes before all others, or "".
    `readable`: share of the unprotected, in [0, 1], whose value one report names.
    """

    grades: tuple[Grade, ...]
    summary: str
    protected: str
    odds: str
    repeats: str
    not_promised: tuple[str, ...]
    levels: tuple[tuple[str, str], ...]
    exposed: str = ""
    readable: float = 1.0

    @property
    def chance(self) -> float:
        """Largest chance that an even guess about a protected person is right; 1 without any."""
        return self.grades[-1].chance

    @property
    def protects_all(self) -> bool:
        """Whether every person and every value that is to be protected is."""
        return self.protected_share >= 1.0 and not self.exposed

    @property
    def protected_share(self) -> float:
        """Share of people who are protected, in [0, 1]; 1.0 only if everybody is."""
        return sum(grade.people for grade in self.grades if grade.protected)


def grades(covered: float, chance: float, odds: str, read: str) -> tuple[Grade, ...]:
    """Grades of the unprotected and the protected, without empty groups.

    `covered`: share of the protected, in [0, 1]; `chance`, `odds`: of their grade; `read`: the
    sentences of the others' grade.
    """
    if covered > 1.0 - _NOBODY:
        return (Grade(1.0, True, chance, odds),)
    if covered < _NOBODY:
        return (Grade(1.0, False, 1.0, read),)
    return Grade(1.0 - covered, False, 1.0, read), Grade(covered, True, chance, odds)


def right_guess_text(share: float) -> str:
    """A bound on right guesses, to follow "the attacker": "is right at most **73 times in 100**".

    `share`: in [0, 1]; near 1 the text says that there is no useful bound.
    """
    best = formats.hundred(share)
    if formats.is_almost_sure(share):
        return f"may be right **{best} times in 100**"
    return f"is right at most **{best} times in 100**"


def bound_text(share: float) -> str:
    """A bound on right guesses as a number: "at most **73** of 100"."""
    best = formats.hundred(share)
    return f"**{best}** of 100" if formats.is_almost_sure(share) else f"at most **{best}** of 100"
