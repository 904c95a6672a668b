"""Results of a collection: what came in, what it says of the people, and what it shows of one."""

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_ui.app.errors import plain_errors
from caldp_ui.parts.layout import column_layout
from caldp_ui.results import bars, below, files, maps, page_state, words
from caldp_ui.results.page_state import STATE
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    page = column_layout(STATE)
    with page.main:
        data = files.load_data(record)
    page.show_headline(
        words.headline(data.results, is_example=data.is_example) if data else words.READING
    )
    with page.title:
        files.popover(is_example=data is not None and data.is_example)
    if data is not None:
        # The example's height is known, and is reserved until its bars are drawn.
        with (
            page.main,
            st.container(key=STATE.key("made-up" if data.is_example else "own-picture")),
        ):
            on_map = isinstance(data.results.protocol.domain, GridDomain)
            (maps if on_map else bars).show(data.results)
        with page.below:
            below.show(data.results)
        with page.side:
            page_state.show(record, data.results)
