"""How phones find a poll: its link, its code as people type it, and the worker that holds it.

Where several workers stand behind one address, a poll is in the memory of the one that opened it.
"""

from typing import Final
from urllib.parse import urlencode

from caldp_ui.app.gate import QUERY
from caldp_ui.app.theme import settings
from caldp_ui.room.page_state import CODE
from caldp_ui.room.registry import CODE_LENGTH, format_code, normalize_code

_TYPED_MAX: Final = 60
"""Characters that are looked at of a code as it is typed."""


def query_of(code: str) -> dict[str, str]:
    """The query of a phone's link: the code, and the worker where there are several."""
    worker = settings().worker
    return {CODE: code, QUERY: worker} if worker else {CODE: code}


def display_code(code: str) -> str:
    """The code as the projector shows it, with the worker's name where there are several."""
    worker = settings().worker
    return f"{worker.upper()} {format_code(code)}" if worker else format_code(code)


def typed_link(typed: str) -> str:
    """The link of a code with a worker's name before it, relative to any phone's; "" without one.

    `typed`: what somebody has typed.
    """
    signs = "".join(filter(str.isalnum, typed[:_TYPED_MAX]))
    worker, code = signs[:-CODE_LENGTH].lower(), normalize_code(signs[-CODE_LENGTH:])
    return f"?{urlencode({CODE: code, QUERY: worker})}" if worker else ""
