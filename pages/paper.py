"""The paper's results: Table 1 and Figures 1 to 3, recomputed beside what is printed."""

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.paper import figures, files, page_state, region, sensitive_sets, table_1, take_home
from caldp_ui.paper.page_state import STATE
from caldp_ui.parts import mathematics
from caldp_ui.parts.layout import title_row
from caldp_ui.session.opening import begin_page

VIEWS = {
    "table-1": table_1.view,
    "figure-1": region.view,
    "figure-2": figures.figure_2,
    "figure-3": figures.figure_3,
    "sensitive-sets": sensitive_sets.view,
    "unchecked": figures.unchecked,
}

record = begin_page(STATE)

with plain_errors():
    _, switch = title_row(STATE)
    with switch:
        page_state.tabs()
    with st.container(key=STATE.key("result")):
        if record.view in ("table-1", "figure-2"):
            main, beside = st.columns([3.1, 1], gap="medium")
            with beside.container(key=STATE.key("side")):
                page_state.settings(record)
            with main:
                VIEWS[record.view](record)
        else:
            VIEWS[record.view](record)
    files.show(record, take_home.show)
    mathematics.drawer("paper")
