"""Sentences of the page of sensitive values alone.

Room: values. Every sentence here must be true of the scenario that it is shown with.
"""

from caldp_core.experiments.run import Result
from caldp_ui.parts.comparison import Shown
from caldp_ui.words import formats, promise


def headline(what: Shown) -> str:
    """How many people both count at a wrong answer, and what an onlooker can guess."""
    ours, plain = _wrong(what.ours), _wrong(what.plain)
    off = ""
    if ours:
        off = f"With this protection **{ours} people are counted at the wrong answer**"
        off += f"; with plain LDP **{plain}**. " if plain else ". "
    return f"{off}{onlooker(what)}"


def _wrong(result: Result | None) -> str:
    """Of how many; empty where that is not there yet."""
    if result is None:
        return ""
    tv = result.first.errors.tv
    return formats.out_of(tv) if tv <= 1 + 1e-9 else f"{formats.share(tv)} times as many"


def onlooker(what: Shown) -> str:
    """What an onlooker can guess from one report, of an even guess between two answers."""
    share = promise.chance(what.setup)
    if share == 1.0:
        return "An onlooker reads every answer: nobody is protected."
    best = formats.hundred(share)
    most = "" if best.startswith("over") else "at most "
    return f"An onlooker torn between two guesses right {most}**{best} of 100** times."
