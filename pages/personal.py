"""Personal secrets: everybody hides their own places behind tags; four ways on the same people."""

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.compute import runs
from caldp_ui.parts import mathematics
from caldp_ui.personal import below, scene, side, words
from caldp_ui.personal.shown import shown
from caldp_ui.personal.slot import SLOT
from caldp_ui.session.opening import opened

record = opened(SLOT)

with plain_errors():
    with st.container(key=SLOT.key("title")):
        st.header("Personal secrets", anchor=False)
        said = st.container()
    main, beside = st.columns([3.1, 1], gap="medium")
    with main:
        what = shown(record)
        scene.maps(what)
    with said, st.container(key="headline"):
        st.markdown(words.headline(what))
    with beside, st.container(key=SLOT.key("side")):
        side.dials(record, runs.dataset(record.scenario).n)
        side.odds(what)
        side.controls(what)
    with main:
        below.show(what)
    mathematics.drawer("personal")
