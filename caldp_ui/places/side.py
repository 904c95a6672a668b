"""Controls in the free corner of the maps: an example, ε, people, the protection, the odds."""

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.controls import common, presets
from caldp_ui.maps import readable
from caldp_ui.maps.presets import presets_of
from caldp_ui.parts import odds, pins
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.places import cells, controls, edits, pin_view, upload
from caldp_ui.places.page_state import STATE
from caldp_ui.words.vocabulary import PLACES


def show(data: ComparisonData) -> None:
    """All controls of the page at the left, the odds for a person at the right."""
    setup = data.setup
    domain = runs.finest_map_of(setup.dataset)
    with st.container(key=STATE.key("steer"), gap="small"):
        presets.menu(STATE, presets_of(domain))
        with st.container(key=STATE.key("dials"), gap="small"):
            common.epsilon(STATE)
            common.people(STATE, setup.dataset.n)
        with st.container(key=STATE.key("forms"), horizontal=True, gap="xsmall"):
            _forms(data, domain)
    with st.container(key=STATE.key("risk"), gap="small"):
        odds.show(PLACES, setup)
        pins.redraw_and_pin(STATE, pin_view.PIN_VIEW.title)


def _forms(data: ComparisonData, domain: GridDomain) -> None:
    """The forms behind buttons; closed ones are not drawn, as every control costs each run."""
    setup, scenario = data.setup, data.setup.scenario
    protection = st.popover(
        _protection_label(setup),
        icon=":material/tune:",
        key=STATE.key("protection"),
        on_change="rerun",
    )
    if protection.open:
        with protection:
            controls.protection_controls(scenario, domain)
            _clear_button(scenario)
    more = st.popover(
        "Data, cells", icon=":material/database:", key=STATE.key("more"), on_change="rerun"
    )
    if more.open:
        with more:
            controls.data_control()
            cells.controls(data)
            controls.method_controls()
    upload.popover()


def _protection_label(setup: Setup) -> str:
    """The label of the protection form; it stays while the form is open, which else would close."""
    key, is_open = STATE.key("protection-label"), st.session_state.get(STATE.key("protection"))
    if key not in st.session_state or not is_open:
        everybody = readable.readable_people(setup) is None
        st.session_state[key] = "What is protected" if everybody else "Protect more places"
    return str(st.session_state[key])


def _clear_button(scenario: Scenario) -> None:
    st.button(
        "Clear the drawing",
        icon=":material/delete:",
        key=STATE.key("clear"),
        disabled=not edits.has_drawing(scenario) and STATE.current().region is None,
        on_click=edits.clear_drawing,
        help="What was protected before the drawing is protected again.",
    )
