"""Error curves: any methods, estimates and protections, against people, ε, blocks and more."""

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.curves import board, side
from caldp_ui.curves.slot import SLOT
from caldp_ui.parts import mathematics
from caldp_ui.session.opening import opened

record = opened(SLOT)

with plain_errors():
    with st.container(key=SLOT.key("title")):
        st.header("Error curves", anchor=False)
        side.tabs()
    main, beside = st.columns([3.1, 1], gap="medium")
    with beside:
        side.settings(record)
    with main:
        board.view(record)
    mathematics.drawer("curves")
