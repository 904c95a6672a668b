"""State of the page beside the files: level of the intervals, and reports of one person.

A link holds these two alone: a collection's files stay in the visit.
"""

from dataclasses import dataclass
from typing import Final

from caldp_core.basics.errors import check_choice
from caldp_ui.session.page_state import PageState
from caldp_ui.session.record_link import RecordLink

LEVELS: Final = (0.8, 0.9, 0.95, 0.99, 0.999)
TIMES: Final = (1, 2, 3, 5, 7, 10, 30, 100, 365)


@dataclass(frozen=True)
class ResultsState:
    """The page's record. `level`: chance that an interval holds its share, one of `LEVELS`.

    `times`: reports of one person, one of `TIMES`.
    """

    level: float = 0.95
    times: int = 3


def _check(record: ResultsState) -> None:
    """Raise `CaldpError` for a level or a number of reports that the page does not offer."""
    check_choice("level", record.level, LEVELS)
    check_choice("times", record.times, TIMES)


LINK: Final = RecordLink(ResultsState(), _check)
STATE: Final = PageState("results", LINK)
