"""All pages by what one does there, and the ways in for data of one's own."""

from typing import Any, Final

import streamlit as st

from caldp_ui.app.navigation import PAGES, PLACES, SECTIONS, VALUES
from caldp_ui.parts import own_data
from caldp_ui.places.slot import SLOT as MAP
from caldp_ui.session.slot import Slot
from caldp_ui.start.slot import SLOT
from caldp_ui.values.slot import SLOT as TABLES

_YOURS: Final[tuple[tuple[str, str, str, Slot[Any], str], ...]] = (
    (
        "Places",
        "map",
        PLACES,
        MAP,
        "Bring a list of latitudes and longitudes. See how accurate your own map would be.",
    ),
    (
        "A table of answers",
        "fact_check",
        VALUES,
        TABLES,
        "Paste your own survey. See who is protected, and how accurate the shares would be.",
    ),
)
"""Title, icon, page, its slot, and what one does there."""


def show() -> None:
    """Columns of links, each with a sentence."""
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
            _yours()


def _yours() -> None:
    st.markdown("**Your data**")
    for title, icon, page, slot, sentence in _YOURS:
        key = SLOT.key(f"yours-{slot.page}")
        if st.button(title, type="tertiary", icon=f":material/{icon}:", key=key):
            own_data.lead_to(slot)
            st.switch_page(page)
        st.caption(sentence)
