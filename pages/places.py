"""Places on a map: choose what is protected, run it, see truth, estimate and error."""

import streamlit as st

from caldp_ui.app.errors import as_text, plain_errors
from caldp_ui.app.navigation import enter
from caldp_ui.compute import runs
from caldp_ui.controls import common
from caldp_ui.parts import readout, slow
from caldp_ui.places import controls, drawing, sections, tour
from caldp_ui.places.slot import SLOT
from caldp_ui.session import notices
from caldp_ui.words.vocabulary import PLACES

enter()
title, guide = st.columns([6, 1], vertical_alignment="bottom")
with title:
    st.header("Places on a map", anchor=False)
    st.markdown(
        "Millions of people say where they are, each behind a coin of their own. Choose what stays "
        "secret; see what it costs.",
    )
with guide:
    tour.button()
SLOT.follow_link()
scenario = SLOT.now().scenario
notices.show()
SLOT.write_link()

dataset = runs.dataset(scenario)
domain = runs.map_of(dataset)

side, main = st.columns([1, 3.2], gap="medium")
with side:
    controls.preset_picker(scenario)
    controls.protection(scenario, domain)
    common.epsilon(SLOT)
    common.people(SLOT, dataset.n)
    controls.more()

with main, plain_errors():
    comparison = slow.comparison(SLOT, PLACES)
    with st.container(gap="xsmall"):
        readout.headline(PLACES, comparison)
        readout.shield(PLACES, comparison.setup)
    flat, deep, table = st.tabs(
        ["Maps", "Columns in 3-D", "Numbers"], key="view", on_change="rerun"
    )
    if flat.open:
        with flat.container(gap="xsmall"):
            drawing.toolbar(scenario)
            sections.upper_maps(comparison, domain)
            sections.region(comparison, domain)
            drawing.keyboard(domain)
            sections.lower_maps(comparison, domain)
    if deep.open:
        with deep:
            sections.columns_in_3d(comparison, domain)
    if table.open:
        with table:
            readout.numbers(comparison)
    readout.promise(PLACES, comparison.setup)
    st.caption(f"Data: **{dataset.name}**. {as_text(dataset.note)}")
