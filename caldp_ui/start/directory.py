"""All pages by what one does there.

Room: start.
"""

import streamlit as st

from caldp_ui.app.navigation import EXPLORE, MEASURE, PAGES, UNDERSTAND


def show() -> None:
    """Three columns of links, each with a sentence."""
    sections = (EXPLORE, UNDERSTAND, MEASURE)
    with st.container(key="start-directory"):
        for column, section in zip(st.columns(len(sections), gap="large"), sections, strict=True):
            with column:
                st.markdown(f"**{section}**")
                for entry in PAGES:
                    if entry.section == section:
                        st.page_link(entry.path, label=entry.title, icon=f":material/{entry.icon}:")
                        st.caption(entry.purpose)
