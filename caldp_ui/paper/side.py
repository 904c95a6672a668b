"""Controls beside a result."""

from dataclasses import replace

import streamlit as st

from caldp_core.experiments.reproduce import PAPER
from caldp_ui.compute import sources
from caldp_ui.controls import common
from caldp_ui.paper.page_state import RUNS, STATE, VIEWS, Paper
from caldp_ui.session.scenarios import update_scenario


def tabs() -> None:
    """The switch of the paper's results."""
    bound = STATE.bind("view", STATE.current().view, lambda r, v: replace(r, view=v))
    common.view_switch("Result", VIEWS, bound)


def settings(record: Paper) -> None:
    """Controls of ε, runs, method and estimate, and the way back to the paper's."""
    common.epsilon(STATE)
    if record.view == "table-1":
        st.select_slider(
            "Runs per column",
            sorted({*RUNS, record.runs}),
            help="The paper has 100. More runs make the intervals narrower.",
            **STATE.bind("runs", record.runs, lambda r, v: replace(r, runs=int(v))),
        )
    common.method(STATE)
    common.estimate(STATE)
    if sources.fetched_snap() is not None:
        common.data(STATE, {t: s for t, s in sources.places().items() if sources.has_people(s)})
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "As in the paper",
            icon=":material/undo:",
            key=STATE.key("as-printed"),
            disabled=record.scenario == PAPER,
            on_click=update_scenario,
            args=(STATE, lambda s: replace(PAPER, dataset=s.dataset)),
            help="ε = 1, Hadamard response, one projection on the shares.",
        )
        common.redraw_button(STATE)
