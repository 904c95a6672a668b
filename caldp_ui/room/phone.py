"""A phone in a room: the question, the coin that the phone throws by itself, and what it sent.

The true answer never comes here; see `web/phone.js`.
"""

from collections.abc import Mapping
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError, require
from caldp_ui.app import addresses
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
"""The question whose report was not counted, and why."""


def page(code: str) -> None:
    """The whole page of a phone."""
    ensure_navigation()
    try:
        seen = rooms().get_poll(code)
    except CaldpError as error:
        _no_poll(code, str(error))
        st.button("Back to the poll", key=STATE.key("leave"), on_click=st.query_params.clear)
        return
    refused = st.session_state.get(_REFUSED, {})
    received = st.session_state.get(_RECEIVED) == seen.mark
    boards.phone(seen, KEY, received, refused.get(seen.mark), lambda: _receive_report(code))
    stamp = _stamp(code)
    redraw_every("phone", 3.0, lambda: _listen(code, stamp))


def _no_poll(code: str, why: str) -> None:
    link = poll_links.typed_code_link() if poll_links.is_elsewhere() else None
    if link:
        st.link_button("Open the poll", link, type="primary", icon=":material/login:")
    else:
        told = words.lost_server_sentence(format_code(code)) if poll_links.is_elsewhere() else why
        st.info(escape_markdown(told), icon=":material/info:")


def _receive_report(code: str) -> None:
    told = st.session_state[KEY].get("report")
    if not isinstance(told, Mapping):
        return
    mark, token = str(told.get("mark")), str(told.get("token"))
    try:
        attempt_limiter().record_attempt(REPORT, addresses.visitor_address())
        again = rooms().has_answered(code, mark, token)
        require(again or st.session_state.get(_RECEIVED) != mark, ALREADY_ANSWERED)
        rooms().report(code, mark, token, told.get("report"))
    except Busy:
        return  # the phone sends it again by itself
    except CaldpError as error:
        st.session_state[_REFUSED] = {mark: str(error)}
    else:
        st.session_state[_RECEIVED] = mark


def _stamp(code: str) -> tuple[str, bool, bool]:
    try:
        seen = rooms().get_poll(code)
    except CaldpError:
        return "", False, False
    return seen.mark, seen.is_open, seen.is_shown


def _listen(code: str, stamp: tuple[str, bool, bool]) -> None:
    """Run the page again once the room has another question or none, or its answer."""
    if _stamp(code) != stamp:
        run_page()
