"""How phones find a poll: its link, its code as people type it, and the worker that holds it.

Where several workers stand behind one address, a poll is in the memory of the one that opened it.
"""

from typing import Final

import streamlit as st

from caldp_ui.app import gate
from caldp_ui.app.gate import QUERY
from caldp_ui.app.theme import settings
from caldp_ui.room.page_state import CODE
from caldp_ui.room.registry import CODE_LENGTH, format_code, normalize_code

_TYPED: Final = "room/typed"
"""The query of a code that was typed here and belongs to another worker."""


def query_of(code: str) -> dict[str, str]:
    """The query of a phone's link: the code, and the worker where there are several."""
    worker = settings().worker
    return {CODE: code, QUERY: worker} if worker else {CODE: code}


def display_code(code: str) -> str:
    """The code as the projector shows it, with the worker's name where there are several."""
    worker = settings().worker
    return f"{worker.upper()} {format_code(code)}" if worker else format_code(code)


def code_asked() -> str | None:
    """The poll that the address names, if it names one."""
    code = st.query_params.get(CODE)
    return None if code is None else normalize_code(code)


def join(typed: str) -> None:
    """Go to the poll of a code as it is typed: the worker's name, if any, then the code."""
    signs = "".join(filter(str.isalnum, typed))
    worker, code = signs[:-CODE_LENGTH].lower(), normalize_code(signs[-CODE_LENGTH:])
    query = {CODE: code, QUERY: worker} if worker else {CODE: code}
    st.query_params.from_dict(query)
    st.session_state[_TYPED] = query


def is_elsewhere() -> bool:
    """Whether the address names another worker than the one that answers."""
    return st.query_params.get(QUERY, settings().worker) != settings().worker


def typed_code_link() -> str | None:
    """The link of a code that was typed here, if another worker holds the poll.

    None for a link that was opened: it has already led to that worker, if it still runs.
    """
    query = st.query_params.to_dict()
    return gate.current_address(query) if st.session_state.get(_TYPED) == query else None
