"""The privacy matrix: E to be edited, and any channel held against it, entry by entry."""

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.matrix import below, board, side, words
from caldp_ui.matrix.slot import SLOT
from caldp_ui.matrix.verdict import Shown, judged
from caldp_ui.parts import mathematics
from caldp_ui.session.opening import opened

record = opened(SLOT)

with st.container(key=SLOT.key("title")):
    st.header("The privacy matrix", anchor=False)
    said = st.container()
main, beside = st.columns([3.1, 1], gap="medium")
with beside, st.container(key=SLOT.key("side")), plain_errors():
    side.matrix(record)
    candidate = side.channel(record)
with main, plain_errors():
    what = judged(record.names, record.matrix, candidate)
    with said, st.container(key="headline"):
        st.markdown(words.headline(what))
    board.editable(what)
    below.show(Shown(record, what))
    mathematics.drawer("matrix")
