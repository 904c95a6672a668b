"""The button that takes a page's last change back."""

from typing import Any

import streamlit as st

from caldp_ui.session.page_state import PageState


def button(slot: PageState[Any]) -> None:
    """Undo, grey while there is nothing to undo."""
    st.button(
        "Undo",
        icon=":material/undo:",
        key=slot.key("undo"),
        disabled=not slot.can_undo,
        on_click=slot.undo,
    )
