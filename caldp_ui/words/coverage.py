"""Sentences on how many people are protected, the unprotected first."""

from typing import Final

import numpy as np

from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.privacy.coverage import Coverage, exposed_clause
from caldp_ui.words import formats
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import Vocabulary

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
    value one report names, as some send a cover report (`inference.readable_share`).
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
