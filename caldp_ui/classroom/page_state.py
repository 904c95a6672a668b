"""State of the page: which station is open, and the few numbers that all stations share.

Ε and the number of people go from station to station with the class.
"""

from dataclasses import dataclass
from typing import Final

from caldp_core.basics.errors import check_choice, check_number, check_whole, require
from caldp_core.basics.limits import SEED_MAX
from caldp_ui.session.links import RecordLink
from caldp_ui.session.page_state import PageState

NAMES: Final = ("trust", "sum", "selection", "rappor", "bits", "means", "shuffling")
"""Stations by their names in links, in the order of the lecture."""
EPSILON_LEAST: Final = 0.1
EPSILON_MOST: Final = 10.0
PEOPLE_MOST: Final = 10**9
ITEMS_MOST: Final = 1024
DAYS_MOST: Final = 60
WIDTHS: Final = (1, 2, 5, 10, 20, 40, 60, 120, 240)
"""Minutes of a bucket: divisors of the largest value, 240."""
BLOCKS_MOST: Final = 10_000
VIEWS: Final = ("phone", "crowd", "people", "percent")
"""Views of RAPPOR, one phone's reports or the counts of all, and units of sums and leads."""


@dataclass(frozen=True)
class Lesson:
    """The page's record. `n`: people. `broken`: the station's naive version is shown as well.

    `items`: d of selection and of counting, a power of two; `days`: reports of one person;
    `values`: how many values a person has had; `view`: one of `VIEWS`, another station's counts as
    the first one; `width`: minutes of a bucket; `blocks`: blocks of equal size; people
    hide each other within one only.
    """

    station: str = NAMES[0]
    epsilon: float = 1.0
    n: int = 10_000
    broken: bool = False
    items: int = 16
    days: int = 7
    values: int = 1
    view: str = "phone"
    width: int = 120
    blocks: int = 1
    seed: int = 1


def _check(record: Lesson) -> None:
    """Raise `CaldpError` for unknown stations and numbers out of bounds."""
    check_choice("station", record.station, NAMES)
    check_number("epsilon", record.epsilon, EPSILON_LEAST, EPSILON_MOST)
    check_whole("n", record.n, 1, PEOPLE_MOST)
    check_whole("items", record.items, 4, ITEMS_MOST)
    require(record.items.bit_count() == 1, f"items must be a power of two, got {record.items}.")
    check_whole("days", record.days, 1, DAYS_MOST)
    check_whole("values", record.values, 1, DAYS_MOST)
    check_choice("view", record.view, VIEWS)
    check_choice("width", record.width, WIDTHS)
    check_whole("blocks", record.blocks, 1, BLOCKS_MOST)
    check_whole("seed", record.seed, 0, SEED_MAX)


LINK: Final = RecordLink(Lesson(), _check)
STATE: Final = PageState("classroom", LINK)
