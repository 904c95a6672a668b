"""The promise of a scenario in sentences: one record for all kinds of policies.

`policies.py` has the function that writes it for each kind.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.privacy.coverage import Coverage, exposed_clause
from caldp_ui.words import formats
from caldp_ui.words.formats import NONE, strength
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import Vocabulary

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


READ: Final = 0.995
"""From this share of reports on, sentences say that all of them name their value."""


def exposed_text(domain: Domain | GridDomain, found: Coverage) -> str:
    """Which values were to be protected and are not, in one sentence; "" if all are.

    It comes before how many people are protected: nobody may have such a value today.
    """
    values = np.flatnonzero(found.exposed).tolist()
    text = ""  # by name, but for places, which are many and far from the eye
    if values and isinstance(domain, GridDomain):
        first = place_name(domain, values[0])
        text = first if len(values) == 1 else f"{len(values):,} places, such as {first},"
    clause = exposed_clause(list(map(domain.name_of, values)), text)
    return clause and f"{clause}."


def unprotected_first(
    nouns: Vocabulary, exposed: str, covered: float, readable: float
) -> list[str]:
    """The sentences on who is not protected, `exposed` values first; none where everybody is."""
    return [text for text in (exposed, unprotected_text(nouns, covered, readable)) if text]


def unprotected_text(nouns: Vocabulary, covered: float, readable: float) -> str:
    """How many people are not protected, in one sentence; "" where everybody is.

    `covered`: share of the protected, in [0, 1]; `readable`: share of the others, in [0, 1], whose
    value one report names, as some report like protected people (`inference.readable_share`).
    """
    if covered >= 1.0:
        return ""
    if covered <= 0.0:
        read = _read_clause(nouns, readable, "everybody's", "people")
        return f"Nobody is protected: {read}."
    if covered < 0.5:
        read = _read_clause(nouns, readable, "everybody else's", "of the others")
        return f"Only {formats.out_of(covered)} people are protected; {read}."
    read = _read_clause(nouns, readable, "their", "of them")
    return f"{formats.out_of(1.0 - covered)} people are not protected: {read}."


def _read_clause(nouns: Vocabulary, readable: float, whose: str, of: str) -> str:
    """How often one report names the value of people without protection."""
    if readable >= READ:
        return f"{whose} {nouns.unit} can be read"
    if formats.out_of(readable) == "0 of 100":
        return f"no promise hides {whose} {nouns.unit}"
    return f"one report names the {nouns.unit} of {formats.out_of(readable)} {of}"


def protected_text(covered: float) -> str:
    """How many people are not protected and how many are; `covered`: share of the protected."""
    if formats.out_of(covered) == "100 of 100":
        return "**100 of 100 people are protected.**"
    if formats.out_of(covered) == "0 of 100":
        return "**Nobody is protected.**"
    left, has = (formats.out_of_few(each) for each in (1.0 - covered, covered))
    return f"**{left} people are not protected, {has} are.**"
