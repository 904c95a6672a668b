"""Sentences of the page of sensitive answers alone.

Every sentence here must be true of the scenario that it is shown with.
"""

from caldp_ui.parts.comparison import Shown
from caldp_ui.words import result
from caldp_ui.words.headline import Headline
from caldp_ui.words.vocabulary import ANSWERS


def headline(what: Shown) -> Headline:
    """How many people both put under the wrong answer, or who is not protected."""
    ours, plain = (
        None if each is None else each.first.errors.tv for each in (what.ours, what.plain)
    )
    return result.headline(ANSWERS, what.setup, ours, plain)


def in_one_line(what: Shown) -> str:
    """Both lines of it, one after the other."""
    made = headline(what)
    return f"{made.sentence} {made.second}".strip()
