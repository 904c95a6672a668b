"""Yes or no: one question, two ε's; the plane of errors, one person's coin, many people."""

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.parts import mathematics
from caldp_ui.session.opening import opened
from caldp_ui.yesno import below, board, side, words
from caldp_ui.yesno.shown import shown
from caldp_ui.yesno.slot import SLOT

scenario = opened(SLOT).scenario

with st.container(key=SLOT.key("title")):
    st.header("Yes or no", anchor=False)
    said = st.container()
main, beside = st.columns([3.1, 1], gap="medium")
with beside, st.container(key=SLOT.key("side")):
    side.show(scenario)
with main, plain_errors():
    what = shown(scenario)
    with said, st.container(key="headline"):
        st.markdown(words.headline(what))
    board.pictures(what)
    below.show(what)
    mathematics.drawer("yesno")
