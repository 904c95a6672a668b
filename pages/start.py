"""Start here: what privacy costs and what context saves; a way to every page."""

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.app.navigation import ensure_navigation
from caldp_ui.session.opening import begin_page
from caldp_ui.start import cards, directory, hero, idea, purposes, questions
from caldp_ui.start.page_state import STATE, redirect_map_links

ensure_navigation()
redirect_map_links()
begin_page(STATE)

with plain_errors():
    with st.container(key=STATE.key("first")):
        hero.show()
        purposes.show()
    cards.show()
    directory.show()
    idea.show()
    questions.show()
