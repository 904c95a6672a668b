"""Sentences that wait for the next drawing of a page: callbacks can't show any.

Room: session.
"""

from typing import Final

import streamlit as st

from caldp_ui.app.errors import as_text

_NOTICE: Final = "notice"
_HINT: Final = "hint"


def notify(sentence: str) -> None:
    """Keep a sentence to be shown above the page."""
    st.session_state[_NOTICE] = sentence


def hint(sentence: str) -> None:
    """Keep a sentence that floats over the page, so that everything stays where it is."""
    st.session_state[_HINT] = sentence


def show() -> None:
    """Show the kept sentences once."""
    floating = st.session_state.pop(_HINT, None)
    if floating:
        st.toast(as_text(floating), icon=":material/info:", duration="long")
    sentence = st.session_state.pop(_NOTICE, None)
    if sentence:
        st.warning(as_text(sentence), icon=":material/info:")
