"""Start here: what this is, and scenarios that open with one click."""

import streamlit as st

from caldp_ui.app.navigation import enter
from caldp_ui.start import cards

enter()
st.header("See what privacy costs, and what context saves", anchor=False)
st.markdown(
    "You want to know where people are, but not where *anyone* is. With **local differential "
    "privacy** everybody randomises their own answer before it leaves their device. Hiding every "
    "answer from every other is expensive. **Context-aware** privacy hides only what matters, and "
    "keeps the rest accurate."
)
cards.scenarios()
cards.idea()
