"""Plan a survey: from the accuracy one needs to people and ε, and back."""

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.parts import mathematics
from caldp_ui.plan import board, side
from caldp_ui.plan.slot import SLOT
from caldp_ui.session.opening import opened

record = opened(SLOT)

with plain_errors():
    with st.container(key=SLOT.key("title")):
        st.header("Plan a survey", anchor=False)
        side.goals()
    main, beside = st.columns([3.1, 1], gap="medium")
    with beside:
        side.settings(record)
    with main:
        board.view(record)
    mathematics.drawer("plan")
