"""Beside the maps: how secret, how many people, what is protected, and the odds.

Room: places.
"""

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.controls import common, presets
from caldp_ui.parts import headline, pins
from caldp_ui.places import controls, edits
from caldp_ui.places.presets import presets_of
from caldp_ui.places.slot import SLOT


def show(setup: Setup, domain: GridDomain) -> None:
    """All controls of the page; the two that matter most come first and stay on screen."""
    scenario = setup.scenario
    with st.container(key=SLOT.key("dials")):
        common.epsilon(SLOT)
        common.people(SLOT, setup.dataset.n)
    headline.odds(setup)
    presets.picker(SLOT, presets_of(domain))
    pins.again(SLOT)
    # What is closed is not drawn: every control costs each run a little.
    protection = st.expander("What is protected", key=SLOT.key("protection"), on_change="rerun")
    if protection.open:
        with protection:
            controls.protection(scenario, domain)
            _clear(scenario)
    more = st.expander("Data, method, estimate", key=SLOT.key("more"), on_change="rerun")
    if more.open:
        with more:
            controls.more()


def _clear(scenario: Scenario) -> None:
    st.button(
        "Clear the drawing",
        icon=":material/delete:",
        key=SLOT.key("clear"),
        disabled=not edits.is_drawn(scenario) and SLOT.now().region is None,
        on_click=edits.clear,
        help="What was protected before the drawing is protected again.",
    )
