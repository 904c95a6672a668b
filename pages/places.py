"""Places on a map: choose what is protected, run it, see truth, estimate and error."""

import streamlit as st

from caldp_ui.app.shell import as_text, enter, heading, plain_errors
from caldp_ui.compute import runs as compute
from caldp_ui.parts import readout, slow
from caldp_ui.places import controls, drawing, sections, tour
from caldp_ui.session import state

enter()
title, guide = st.columns([6, 1], vertical_alignment="bottom")
with title:
    heading(
        "Places on a map",
        "Millions of people say where they are, each behind a coin of their own. Choose what stays "
        "secret; see what it costs.",
    )
with guide:
    tour.button()
state.follow_link()
scenario = state.scenario()
state.show_notice()
state.write_link()

with plain_errors(state.start_afresh):
    dataset = compute.dataset(scenario)
    domain = compute.map_of(dataset)

side, main = st.columns([1, 3.2], gap="medium")
with side:
    controls.preset_picker(scenario)
    controls.protection(scenario, domain)
    controls.people(scenario, dataset.n)
    controls.more(scenario)

with main, plain_errors():
    comparison = slow.comparison(scenario)
    with st.container(gap="xsmall"):
        readout.headline(comparison)
        readout.shield(comparison.setup)
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
    readout.promise(comparison.setup)
    st.caption(f"Data: **{dataset.name}**. {as_text(dataset.note)}")
