"""Plain words for the error of an estimate, and for the people that the same accuracy needs.

Every sentence here must be true of the scenario that it is shown with.
"""

from statistics import NormalDist
from typing import Final

from caldp_core.experiments.run import Setup
from caldp_core.theory.expected_error import Forecast
from caldp_ui.words import formats
from caldp_ui.words.vocabulary import Vocabulary

_Z: Final = NormalDist().inv_cdf(0.975)


def is_share(tv: float) -> bool:
    """Whether a total variation is a share of people: between shares it is at most 1."""
    return tv <= 1 + 1e-9


def tv_in_words(nouns: Vocabulary, tv: float) -> str:
    """A total variation as people, to end a sentence: "12 of 100 people in the wrong place"."""
    if not is_share(tv):
        return "an error that no number of people stands for: this estimate is not made of shares"
    return f"{formats.of_hundred(tv)} people {nouns.wrong}"


def wrong_of_hundred(nouns: Vocabulary, tv: float) -> tuple[str, str]:
    """A total variation as a number for large type, and what it counts."""
    if not is_share(tv):
        return formats.share(tv), "total variation: this estimate is not made of shares"
    return formats.per_hundred(tv), f"of 100 people {nouns.wrong}"


def headline(nouns: Vocabulary, ours: float | None, plain: float | None) -> str:
    """Both errors, total variations, in one sentence; None: not computed yet, left out."""
    if ours is None:
        return "" if plain is None else f"Plain LDP puts {tv_in_words(nouns, plain)}."
    if not is_share(ours):
        return f"The estimate is off by a total variation of **{formats.share(ours)}**."
    first = f"This protection puts **{tv_in_words(nouns, ours)}**"
    if plain is None:
        return f"{first}."
    if not is_share(plain):
        return f"{first}; plain LDP's estimate is off by {formats.share(plain)}."
    if formats.per_hundred(ours) == formats.per_hundred(plain):
        return f"{first}, and so does plain LDP."
    return f"{first}, plain LDP {formats.of_hundred(plain)}."


def forecast(expected: Forecast | None) -> str:
    """An expected total variation, the 95 % range of one outcome's, and its method."""
    if expected is None:
        return "not known: it takes long trials"
    if expected.error == 0:
        return "0: nothing is hidden, and everybody takes part"
    spread = formats.plus_minus(expected.error, _Z * expected.deviation)
    return f"{spread}, 95 % range ({expected.method})"


def plain_needs(setup: Setup, needed: int | None) -> tuple[str, str]:
    """People that plain LDP needs for the same accuracy, and how many times as many that is.

    `needed`: their number; None for more than 10¹².
    """
    if needed is None:
        return "more than 1 trillion", "people for the same accuracy, and we look for no more"
    times = needed / setup.n
    if times < 1.005:
        return formats.people(needed), "people: no more than this protection needs"
    return formats.people(needed), f"people for the same accuracy: {formats.times(times)} as many"
