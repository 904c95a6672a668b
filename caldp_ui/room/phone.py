"""A phone in a room: the question, the coin that the phone throws by itself, and what it sent.

The true answer never comes here; see `web/phone.js`.
"""

from collections.abc import Mapping
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError, require
from caldp_ui.app import gate
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.navigation import ensure_navigation
from caldp_ui.room import boards, poll_links, words
from caldp_ui.room.attempts import REPORT, Busy, attempt_limiter
from caldp_ui.room.page_state import STATE
from caldp_ui.room.registry import ALREADY_ANSWERED, format_code, rooms
from caldp_ui.session.ticking import redraw_every, run_page

KEY: Final = STATE.key("phone")
_RECEIVED: Final = f"{KEY}/received"
"""The mark of the question that this visit has answered, and nothing of its report."""
_REFUSED: Final = f"{KEY}/refused"
"""Why the report of a question was not counted, by the question's mark."""


def page(code: str) -> None:
    """Draw the whole page of a phone."""
    ensure_navigation()
    try:
        poll = rooms().get_poll(code)
    except CaldpError as error:
        _no_poll(code, str(error))
        st.button("Back to the poll", key=STATE.key("leave"), on_click=st.query_params.clear)
        return
    refused = st.session_state.get(_REFUSED, {})
    received = st.session_state.get(_RECEIVED) == poll.mark
    boards.phone(poll, KEY, received, refused.get(poll.mark), lambda: _receive_report(code))
    stamp = _stamp(code)
    redraw_every("phone", 3.0, lambda: _listen(code, stamp))


def _no_poll(code: str, why: str) -> None:
    link = poll_links.typed_code_link() if poll_links.is_elsewhere() else None
    if link:
        st.link_button("Open the poll", link, type="primary", icon=":material/login:")
    else:
        message = (
            words.lost_server_sentence(format_code(code)) if poll_links.is_elsewhere() else why
        )
        st.info(escape_markdown(message), icon=":material/info:")


def _receive_report(code: str) -> None:
    message = st.session_state[KEY].get("report")
    if not isinstance(message, Mapping):
        return
    mark, token = str(message.get("mark")), str(message.get("token"))
    try:
        attempt_limiter().record_attempt(REPORT, gate.visitor_address())
        is_repeat = rooms().has_answered(code, mark, token)
        require(is_repeat or st.session_state.get(_RECEIVED) != mark, ALREADY_ANSWERED)
        rooms().report(code, mark, token, message.get("report"))
    except Busy:
        return  # the phone sends it again by itself
    except CaldpError as error:
        st.session_state[_REFUSED] = {mark: str(error)}
    else:
        st.session_state[_RECEIVED] = mark


def _stamp(code: str) -> tuple[str, bool, bool]:
    try:
        poll = rooms().get_poll(code)
    except CaldpError:
        return "", False, False
    return poll.mark, poll.is_open, poll.is_shown


def _listen(code: str, stamp: tuple[str, bool, bool]) -> None:
    """Run the page again once the room has another question or none, or its answer."""
    if _stamp(code) != stamp:
        run_page()
