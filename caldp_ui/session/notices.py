"""Sentences that wait for the next drawing of a page: callbacks can't show any."""

from typing import Final

import streamlit as st

from caldp_core.basics.errors import make_readable
from caldp_ui.app.errors import escape_markdown

_NOTICE: Final = "notice"
_HINT: Final = "hint"
_SHOWN_KEY: Final = "notice-shown"
_STAYS: Final = "notice-stays"


def notify(sentence: str) -> None:
    """Keep a sentence to be shown above the page."""
    st.session_state[_NOTICE] = make_readable(sentence)


def show_toast_later(sentence: str) -> None:
    """Keep a sentence that floats over the page, so that everything stays where it is."""
    st.session_state[_HINT] = make_readable(sentence)


def keep_for_next_run() -> None:
    """Show the present notice in the next run, too, which the reader has not caused."""
    st.session_state[_STAYS] = True


def show() -> None:
    """Show the kept sentences until the reader does something."""
    floating = st.session_state.pop(_HINT, None)
    if floating:
        st.toast(escape_markdown(floating), icon=":material/info:", duration="long")
    stays = st.session_state.pop(_STAYS, False)
    sentence = st.session_state.pop(_NOTICE, st.session_state.get(_SHOWN_KEY) if stays else None)
    st.session_state[_SHOWN_KEY] = sentence
    with st.container():  # always there: what follows keeps its place, and is not drawn twice
        if sentence:
            st.warning(escape_markdown(sentence), icon=":material/info:")
