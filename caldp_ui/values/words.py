"""Sentences of the page “Sensitive answers”.

Every sentence here must be true of the scenario that it is shown with.
"""

from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.words import result
from caldp_ui.words.headline import Headline
from caldp_ui.words.vocabulary import ANSWERS


def headline(data: ComparisonData) -> Headline:
    """How many people both protections put under the wrong answer, or who is not protected."""
    ours, plain = (
        None if each is None else each.first.errors.tv for each in (data.ours, data.plain)
    )
    return result.headline(ANSWERS, data.setup, ours, plain)


def one_line_summary(data: ComparisonData) -> str:
    """The headline's two lines as one text."""
    lines = headline(data)
    return f"{lines.sentence} {lines.second}".strip()
