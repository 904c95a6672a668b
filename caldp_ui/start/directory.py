"""Links to all pages by section, and buttons for data of one's own."""

from pathlib import PurePath
from typing import Final

import streamlit as st

from caldp_ui.app.navigation import PAGES, PLACES, SECTIONS, VALUES
from caldp_ui.session import handover
from caldp_ui.start.page_state import STATE

_OWN_DATA_LINKS: Final[tuple[tuple[str, str, str, str], ...]] = (
    (
        "Places",
        "map",
        PLACES,
        "Bring a list of latitudes and longitudes. See how accurate your own map would be.",
    ),
    (
        "A table of answers",
        "fact_check",
        VALUES,
        "Paste your own survey. See who is protected, and how accurate the shares would be.",
    ),
)
"""Title, icon, page, and a sentence on what one does there."""


def show() -> None:
    """Show columns of links, each with a sentence."""
    with st.container(key="start-directory"):
        *columns, last = st.columns(len(SECTIONS) + 1, gap="medium")
        for column, section in zip(columns, SECTIONS, strict=True):
            with column:
                st.markdown(f"**{section}**")
                for entry in PAGES:
                    if entry.section == section:
                        st.page_link(entry.path, label=entry.title, icon=f":material/{entry.icon}:")
                        st.caption(entry.purpose)
        with last:
            _own_data_links()


def _own_data_links() -> None:
    st.markdown("**Your data**")
    for title, icon, page, sentence in _OWN_DATA_LINKS:
        key = STATE.key(f"yours-{PurePath(page).stem}")
        if st.button(title, type="tertiary", icon=f":material/{icon}:", key=key):
            handover.open_part(page, "own")
            st.switch_page(page)
        st.caption(sentence)
