"""How far is far: secrecy that fades with distance, beside blocks in which reports lie as far."""

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.compute import runs
from caldp_ui.distances import below, designing, scene, side, words
from caldp_ui.distances.shown import shown
from caldp_ui.distances.slot import SLOT
from caldp_ui.parts import mathematics
from caldp_ui.session.opening import opened

record = opened(SLOT)

with plain_errors():
    with st.container(key=SLOT.key("title")):
        st.header("How far is far", anchor=False)
        said = st.container()
    main, beside = st.columns([3.1, 1], gap="medium")
    with main:
        what = shown(designing.made(record))
        scene.maps(what)
    with said, st.container(key="headline"):
        st.markdown(words.headline(what))
    with beside, st.container(key=SLOT.key("side")):
        side.dials(record, runs.dataset(record.scenario).n)
        st.caption(words.ring(record))
        side.odds(what)
        side.controls(what, record)
    with main:
        below.show(what)
    mathematics.drawer("distances")
