"""Results of a collection: what came in, what it says of the people, and what it shows of one."""

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_ui.app.errors import plain_errors
from caldp_ui.parts.layout import laid_out
from caldp_ui.results import bars, below, files, maps, side, words
from caldp_ui.results.slot import SLOT
from caldp_ui.session.opening import opened

record = opened(SLOT)

with plain_errors():
    page = laid_out(SLOT)
    with page.main:
        data = files.load(record)
    page.say(words.headline(data.results, made_up=data.made_up) if data else words.READING)
    with page.title:
        files.popover(made_up=data is not None and data.made_up)
    if data is not None:
        # The example's height is known, and is kept free until its bars are drawn.
        with page.main, st.container(key=SLOT.key("made-up" if data.made_up else "own-picture")):
            on_map = isinstance(data.results.protocol.domain, GridDomain)
            (maps if on_map else bars).show(data.results)
        with page.below:
            below.show(data.results)
        with page.side:
            side.show(record, data.results)
