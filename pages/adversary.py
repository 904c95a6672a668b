"""What an adversary learns: one person's reports, and what an onlooker believes after them."""

import streamlit as st

from caldp_ui.adversary import below, scene, side, words
from caldp_ui.adversary.beliefs import shown
from caldp_ui.adversary.slot import SLOT
from caldp_ui.app.errors import plain_errors
from caldp_ui.compute import runs
from caldp_ui.session.opening import opened

record = opened(SLOT)

with plain_errors():
    domain = runs.map_of(runs.dataset(record.scenario))
    what = shown(record)
    with st.container(key=SLOT.key("title")):
        st.header("What an adversary learns", anchor=False)
        with st.container(), st.container(key="headline"):
            st.markdown(words.headline(what))
    main, beside = st.columns([3.1, 1], gap="medium")
    with main:
        scene.maps(what, domain)
    with beside, st.container(key=SLOT.key("side")):
        side.dials(record)
        side.odds(what, domain)
        side.controls(record, domain)
    with main:
        below.show(what)
