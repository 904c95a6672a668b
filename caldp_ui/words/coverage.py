"""Sentences on how many people are protected, the unprotected first."""

import numpy as np

from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.privacy.coverage import Coverage, exposed_clause
from caldp_ui.words import formats
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import Vocabulary


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


def unprotected_first(nouns: Vocabulary, exposed: str, covered: float) -> list[str]:
    """The sentences on who is not protected, `exposed` values first; none where everybody is."""
    return [text for text in (exposed, unprotected_text(nouns, covered)) if text]


def unprotected_text(nouns: Vocabulary, covered: float) -> str:
    """How many people are not protected, in one sentence; "" where everybody is.

    `covered`: share of the protected, in [0, 1].
    """
    if covered >= 1.0:
        return ""
    if covered <= 0.0:
        return f"Nobody is protected: everybody's {nouns.unit} can be read."
    if covered < 0.5:
        return (
            f"Only {formats.out_of(covered)} people are protected; everybody else's {nouns.unit} "
            "can be read."
        )
    left = formats.out_of(1.0 - covered)
    return f"{left} people are not protected: their {nouns.unit} can be read."


def protected_text(covered: float) -> str:
    """How many people are not protected and how many are; `covered`: share of the protected."""
    if formats.out_of(covered) == "100 of 100":
        return "**100 of 100 people are protected.**"
    if formats.out_of(covered) == "0 of 100":
        return "**Nobody is protected.**"
    left, has = (formats.out_of_few(each) for each in (1.0 - covered, covered))
    return f"**{left} people are not protected, {has} are.**"
