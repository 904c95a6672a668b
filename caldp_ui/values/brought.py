"""A table of a reader's own on the page of sensitive values."""

from collections.abc import Callable
from typing import Final

from caldp_core.datasets import OwnTable
from caldp_core.datasets.files.answers import CountedAnswers, count_answers
from caldp_core.scenarios.protection import GroupBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.parts import own_data
from caldp_ui.parts.own_file import Columns
from caldp_ui.values.slot import SLOT, taking
from caldp_ui.values.tables import table_of


def popover() -> None:
    """The button, and the form that it opens."""
    own_data.popover(SLOT, FORM)


def _take(scenario: Scenario, found: CountedAnswers) -> Scenario:
    table = table_of(found.table)
    assert table is not None  # a table of one's own always is one
    return taking(scenario, table)


def _ways(found: CountedAnswers) -> dict[str, Callable[[Scenario], Scenario]]:
    """Of a table with two sides, which is sensitive: blocks go by the side that is open."""
    if not found.table.groups:
        return {}
    return {
        "the answer and the group": lambda scenario: scenario,
        "the answer; the group is open": lambda scenario: scenario.with_context(
            blocks=GroupBlocks()
        ),
    }


_COLUMNS: Final = Columns(
    {"answer": "Answer", "count": "People (count or weight)", "group": "Group, or second answer"},
    ("answer",),
    lambda seen: seen.answers,
    count_answers,
    lambda found: sum(found.table.counts),
)
FORM: Final = own_data.Form(
    "Your own table of answers",
    "A row for each answer: **the answer, how many people gave it**, and perhaps a group. Or a row "
    "for each person, with one answer or many.",
    "Table",
    """answer,people
none of these,731
asthma,142
diabetes,118
depression,97
epilepsy,21
HIV,13
rather not say,82""",
    "Conditions (made up)",
    OwnTable.title,
    _COLUMNS,
    _take,
    lambda _: "All answers are hidden at first. Untick what is harmless, and see what that saves.",
    _ways,
)
