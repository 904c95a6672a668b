"""Sentences of the page of sensitive answers alone.

Every sentence here must be true of the scenario that it is shown with.
"""

from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.words import result
from caldp_ui.words.headline import Headline
from caldp_ui.words.vocabulary import ANSWERS


def headline(data: ComparisonData) -> Headline:
    """How many people both put under the wrong answer, or who is not protected."""
    ours, plain = (
        None if each is None else each.first.errors.tv for each in (data.ours, data.plain)
    )
    return result.headline(ANSWERS, data.setup, ours, plain)


def one_line_summary(data: ComparisonData) -> str:
    """Both lines of it, one after the other."""
    made = headline(data)
    return f"{made.sentence} {made.second}".strip()
