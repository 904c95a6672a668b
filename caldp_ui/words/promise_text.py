"""What a scenario promises, in sentences: the same record whatever kind its policy is of.

`policies.py` says which module writes it for which kind.
"""

from dataclasses import dataclass

from caldp_ui.words import formats
from caldp_ui.words.strength import strength

_NOBODY = 1e-12
"""A share of people that only sums of floats leave."""


@dataclass(frozen=True)
class Grade:
    """How well a group of people is protected.

    `people`: its share of all by the truth, in [0, 1]. `protected`: whether E limits what its
    reports show. `chance`: most that an even guess about one of the group becomes right, over all
    pairs that `odds` speaks of, in [0.5, 1]; 1 without protection. `odds`: sentences; `**` around
    what is bold.
    """

    people: float
    protected: bool
    chance: float
    odds: str

    @property
    def word(self) -> str:
        """One of `STRENGTHS`; without protection always none."""
        return strength(self.chance if self.protected else 1.0).word

    @property
    def title(self) -> str:
        """What is graded, and for whom."""
        if self.people >= 1.0:
            return f"Protection: {self.word}"
        return f"{formats.out_of_few(self.people)}: protection {self.word}"


@dataclass(frozen=True)
class PromiseText:
    """Sentences that are true of one scenario. `**` around what is bold.

    `grades`: of the unprotected, if there are any, then of the protected, if there are any.
    `summary`: who is not protected and what an attacker can guess of the others, in a sentence or
    two. `protected`: who is and why the rest is not; `odds`: what an attacker can guess from one
    report; `repeats`: from several, empty where nothing is hidden. `not_promised`: what the policy
    leaves open. `levels`: names and values of its numbers.
    """

    grades: tuple[Grade, ...]
    summary: str
    protected: str
    odds: str
    repeats: str
    not_promised: tuple[str, ...]
    levels: tuple[tuple[str, str], ...]

    @property
    def chance(self) -> float:
        """Most that an even guess about a protected person becomes right; 1 if there is none."""
        return self.grades[-1].chance

    @property
    def protected_share(self) -> float:
        """The share of people who are protected, in [0, 1]; 1.0 just if everybody is."""
        return sum(grade.people for grade in self.grades if grade.protected)


def grades(covered: float, chance: float, odds: str, read: str) -> tuple[Grade, ...]:
    """The grades of both groups; `covered`: share of the protected, `read`: of the others."""
    if covered > 1.0 - _NOBODY:
        return (Grade(1.0, True, chance, odds),)
    if covered < _NOBODY:
        return (Grade(1.0, False, 1.0, read),)
    return Grade(1.0 - covered, False, 1.0, read), Grade(covered, True, chance, odds)


def right_guess_text(share: float) -> str:
    """A bound on right guesses: the end of a sentence that begins with the attacker.

    None is named beyond what is told apart from certainty.
    """
    best = formats.hundred(share)
    if best.startswith("more"):
        return f"may be right **{best} times in 100**"
    return f"is right at most **{best} times in 100**"


def bound_text(share: float) -> str:
    """The same bound as a number alone."""
    best = formats.hundred(share)
    return f"**{best}** of 100" if best.startswith("more") else f"at most **{best}** of 100"
