"""How every page begins."""

from typing import TypeVar

from caldp_ui.app.navigation import enter
from caldp_ui.session import notices
from caldp_ui.session.slot import Slot

R = TypeVar("R")


def opened(slot: Slot[R]) -> R:
    """Enter the page, show what waits to be told, and keep the link up; the record to be shown."""
    enter()
    slot.follow_link()
    record = slot.now()
    notices.show()
    slot.write_link()
    return record
