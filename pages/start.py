"""Start here: what privacy costs and what context saves; a way to every page."""

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.app.navigation import enter
from caldp_ui.session import notices
from caldp_ui.start import cards, directory, hero, idea, questions, ways
from caldp_ui.start.slot import SLOT, hand_over_links_to_the_map

enter()
hand_over_links_to_the_map()
SLOT.follow_link()
notices.show()
SLOT.write_link()

with plain_errors():
    with st.container(key=SLOT.key("first")):
        hero.show()
        ways.show()
    cards.show()
    directory.show()
    idea.show()
    questions.show()
