"""A table of a reader's own on the page of sensitive values."""

from typing import Final

from caldp_core.datasets import OwnTable, read_table
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.parts import own_data
from caldp_ui.values.slot import SLOT, taking
from caldp_ui.values.tables import table_of


def popover() -> None:
    """The button, and the form that it opens."""
    own_data.popover(SLOT, FORM)


def _taken(scenario: Scenario, data: str | bytes, title: str) -> own_data.Taken:
    read = read_table(data, title or OwnTable.title)
    table = table_of(read.table)
    assert table is not None  # a table of one's own always is one
    then = "Everything is hidden at first. Untick what is harmless, and see what that saves."
    return own_data.Taken(taking(scenario, table), read.refused.told(), then)


FORM: Final = own_data.Form(
    "Your own table of answers",
    "A line for each answer: **the answer, how many people gave it**, and perhaps a group. Or one "
    "person's answer on each line.",
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
    _taken,
)
