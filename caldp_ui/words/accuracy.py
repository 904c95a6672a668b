"""Plain words for how far off an estimate is, and what it takes to be as close.

Room: words. Every sentence here must be true of the scenario that it is shown with.
"""

from caldp_core.experiments.run import Setup
from caldp_core.theory.expected_error import Forecast
from caldp_ui.words import formats
from caldp_ui.words.vocabulary import Vocabulary


def tv_in_words(nouns: Vocabulary, tv: float) -> str:
    """A total variation as people, the end of a sentence."""
    if tv > 1 + 1e-9:
        return "more than shares of people can be off by, as this estimate is not made of shares"
    return f"about {formats.of_hundred(tv)} people {nouns.wrong}"


def wrong_of_hundred(nouns: Vocabulary, tv: float) -> tuple[str, str]:
    """The same as a number for large type and what it counts."""
    if tv > 1 + 1e-9:
        return formats.share(tv), "total variation: this estimate is not made of shares"
    return formats.per_hundred(tv), f"of 100 people {nouns.wrong}"


def headline(nouns: Vocabulary, ours: float | None, plain: float | None) -> str:
    """Both errors in one sentence; what is not there yet is left out."""
    if ours is None:
        return "" if plain is None else f"Plain LDP: {tv_in_words(nouns, plain)}."
    first = tv_in_words(nouns, ours).removeprefix("about ")
    if plain is None:
        return f"**{first}**."
    beside = formats.of_hundred(plain) if plain <= 1 + 1e-9 else formats.share(plain)
    return f"**{first}**; with plain LDP {beside}."


def forecast(expected: Forecast | None) -> str:
    """An expected TV with two standard deviations, and how it was found."""
    if expected is None:
        return "not known: it takes long trials"
    if expected.tv == 0:
        return "0: nothing is hidden, and everybody takes part"
    return f"{formats.plus_minus(expected.tv, 2 * expected.deviation)} ({expected.way})"


def plain_needs(setup: Setup, needed: int | None) -> tuple[str, str]:
    """The number of people plain LDP needs, and how many times as many that is."""
    if needed is None:
        return "over 10¹²", "people, more than this tool looks for, for the same accuracy"
    times = needed / setup.n
    if times < 1.005:
        return formats.people(needed), "people: no more than this protection needs"
    return formats.people(needed), f"people for the same accuracy: {formats.times(times)} as many"
