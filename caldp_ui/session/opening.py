"""How every page begins."""

from typing import Final, TypeVar

import streamlit as st

from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.navigation import ensure_navigation
from caldp_ui.session import links, notices, visitor_data
from caldp_ui.session.page_state import PageState

R = TypeVar("R")
_PAGE: Final = "opening/page"
_IS_FIRST_RUN: Final = "opening/is-first-run"


def begin_page(state: PageState[R]) -> R:
    """Begin a run of the page: notices, the link; returns the record to show."""
    ensure_navigation()
    st.session_state[_IS_FIRST_RUN] = st.session_state.get(_PAGE) != state.page
    st.session_state[_PAGE] = state.page
    state.follow_link()
    record = state.current()
    links.show_fault(state.page, record)
    notices.show()
    _show_awaited(state)
    state.write_link()
    return record


def _show_awaited(state: PageState[R]) -> None:
    """Ask for the data of a link that waits for them: the browser's tab first, then the reader."""
    with st.container(gap=None):  # always there: what follows keeps its place
        visitor_data.show(state.awaited)
        if state.awaited is not None:
            text = visitor_data.request_text(state.awaited)
            st.info(escape_markdown(text), icon=":material/upload_file:")


def is_first_run() -> bool:
    """Whether the visit has just come to this page from another one, or from outside."""
    return bool(st.session_state.get(_IS_FIRST_RUN))
