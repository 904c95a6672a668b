"""Sentences of the page of sensitive values alone.

Room: values. Every sentence here must be true of the scenario that it is shown with.
"""

from caldp_core.privacy.context import Context
from caldp_ui.parts.comparison import Shown
from caldp_ui.words import formats, promise


def headline(what: Shown) -> str:
    """How many people both count at a wrong answer, and what an onlooker can guess."""
    if what.ours is None:
        return onlooker(what)
    ours = what.ours.first.errors.tv
    shares = ours <= 1 + 1e-9
    off = (
        f"With this protection **{_told(ours)} people are counted at the wrong answer**"
        if shares
        else f"This estimate is not made of shares: an error of **{_told(ours)}**"
    )
    beside = (
        "" if what.plain is None else f"; with plain LDP **{_told(what.plain.first.errors.tv)}**"
    )
    return f"{off}{beside}. {onlooker(what)}"


def _told(tv: float) -> str:
    return formats.of_hundred(tv) if tv <= 1 + 1e-9 else formats.share(tv)


def onlooker(what: Shown) -> str:
    """What an onlooker can guess from one report, of an even guess between two answers."""
    share = promise.chance(what.setup)
    if share == 1.0:
        return "An onlooker reads every answer: nobody is protected."
    best = formats.hundred(share)
    most = "" if best.startswith("over") else "at most "
    pair = "two" if isinstance(what.setup.policy, Context) else "two neighbours"
    return f"An onlooker torn between {pair} guesses right {most}**{best} of 100** times."
