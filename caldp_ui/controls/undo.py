"""The button that takes a page's last change back."""

from typing import Any

import streamlit as st

from caldp_ui.session.page_state import PageState


def button(state: PageState[Any]) -> None:
    """Undo, grey while there is nothing to undo."""
    st.button(
        "Undo",
        icon=":material/undo:",
        key=state.key("undo"),
        disabled=not state.can_undo,
        on_click=state.undo,
    )
