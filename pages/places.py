"""Places on a map: choose what is protected; see truth, plain LDP and this protection."""

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.compute import runs
from caldp_ui.parts import headline, mathematics
from caldp_ui.parts.comparison import shown
from caldp_ui.places import below, board, brought, side, tour
from caldp_ui.places.slot import SLOT
from caldp_ui.session.opening import opened
from caldp_ui.words.vocabulary import PLACES

scenario = opened(SLOT).scenario

with plain_errors():
    setup = runs.setup(scenario)
    domain = runs.map_of(setup.dataset)
    with st.container(key=SLOT.key("title")):
        st.title("Places on a map", anchor=False)
        said = st.container()
        brought.popover()
        tour.button(domain)
    tour.strip()
    main, beside = st.columns([3.1, 1], gap="medium")
    with main:
        what = shown(SLOT, scenario)
        stage = board.maps(what, domain)
    with said:
        headline.sentence(PLACES, setup, what.ours, what.plain)
    with beside, st.container(key=SLOT.key("side")):
        side.show(setup, domain)
    with main:
        board.after(what, domain, stage)
    below.show(what)
    mathematics.drawer("places")
