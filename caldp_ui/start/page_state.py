"""State of the start page: the paper's blocks beside plain LDP, at a level of ε."""

from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import PLACES
from caldp_ui.maps.scene import BEGIN
from caldp_ui.session import links
from caldp_ui.session.page_state import PageState, ScenarioLink, ScenarioRecord
from caldp_ui.stage.component import BROWSER_KEYS


@dataclass(frozen=True)
class StartState(ScenarioRecord):
    """The page's record; only ε of the scenario ever changes."""

    scenario: Scenario = BEGIN


LINK: Final = ScenarioLink(
    StartState(),
    lambda _: None,
    BROWSER_KEYS,
    restrict_scenario=lambda source: BEGIN.with_context(epsilon=source.context.epsilon),
)
"""A link changes only ε, and any ε is valid: nothing is checked."""
STATE: Final = PageState("start", LINK)


def redirect_map_links() -> None:
    """Open the map for old links without a page: they date from when the map was the first page."""
    received = links.receive(STATE.codec, STATE.page, ())
    known = [key for key in st.query_params if not STATE.codec.unknown_keys({key: ""})]
    if known and (received.fault or STATE.codec.write(received.record) != received.texts):
        st.switch_page(
            PLACES, query_params={key: st.query_params.get_all(key) for key in st.query_params}
        )
