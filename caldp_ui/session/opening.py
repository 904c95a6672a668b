"""How every page begins."""

from typing import TypeVar

from caldp_ui.app.navigation import ensure_navigation
from caldp_ui.session import notices
from caldp_ui.session.page_state import PageState

R = TypeVar("R")


def begin_page(slot: PageState[R]) -> R:
    """Begin a run of the page: notices, the link; returns the record to show."""
    ensure_navigation()
    slot.follow_link()
    record = slot.current()
    notices.show()
    slot.write_link()
    return record
