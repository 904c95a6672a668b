"""In the corner that the maps leave free: an example, ε, people, what is protected, the odds."""

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.controls import common, presets
from caldp_ui.maps import readable
from caldp_ui.maps.presets import presets_of
from caldp_ui.parts import odds, pins
from caldp_ui.parts.comparison import Shown
from caldp_ui.places import brought, cells, controls, edits, pinned
from caldp_ui.places.slot import SLOT
from caldp_ui.words.vocabulary import PLACES


def show(what: Shown) -> None:
    """All controls of the page at the left, what they mean for a person at the right."""
    setup = what.setup
    domain = runs.finest_map_of(setup.dataset)
    with st.container(key=SLOT.key("steer"), gap="small"):
        presets.menu(SLOT, presets_of(domain))
        with st.container(key=SLOT.key("dials"), gap="small"):
            common.epsilon(SLOT)
            common.people(SLOT, setup.dataset.n)
        with st.container(key=SLOT.key("forms"), horizontal=True, gap="xsmall"):
            _forms(what, domain)
    with st.container(key=SLOT.key("risk"), gap="small"):
        odds.show(PLACES, setup)
        pins.again(SLOT, pinned.BESIDE.title)


def _forms(what: Shown, domain: GridDomain) -> None:
    """What is closed is not drawn: every control costs each run a little."""
    setup, scenario = what.setup, what.setup.scenario
    protection = st.popover(
        _label(setup),
        icon=":material/tune:",
        key=SLOT.key("protection"),
        on_change="rerun",
    )
    if protection.open:
        with protection:
            controls.protection(scenario, domain)
            _clear(scenario)
    more = st.popover(
        "Data, cells", icon=":material/database:", key=SLOT.key("more"), on_change="rerun"
    )
    if more.open:
        with more:
            controls.data()
            cells.controls(what)
            controls.method()
    brought.popover()


def _label(setup: Setup) -> str:
    """What the form of protection is called; under another name an open one would close."""
    kept, is_open = SLOT.key("protection-label"), st.session_state.get(SLOT.key("protection"))
    if kept not in st.session_state or not is_open:
        everybody = readable.of(setup) is None
        st.session_state[kept] = "What is protected" if everybody else "Protect more places"
    return str(st.session_state[kept])


def _clear(scenario: Scenario) -> None:
    st.button(
        "Clear the drawing",
        icon=":material/delete:",
        key=SLOT.key("clear"),
        disabled=not edits.is_drawn(scenario) and SLOT.now().region is None,
        on_click=edits.clear,
        help="What was protected before the drawing is protected again.",
    )
