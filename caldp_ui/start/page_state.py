"""State of the start page: the paper's blocks beside plain LDP, at a level of ε."""

from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import PLACES
from caldp_ui.maps.presets import BEGIN
from caldp_ui.session.page_state import PageState
from caldp_ui.session.record_link import ScenarioLink
from caldp_ui.session.scenarios import ScenarioRecord
from caldp_ui.stage import BROWSER_KEYS


@dataclass(frozen=True)
class StartState(ScenarioRecord):
    """The page's record; only ε of the scenario ever changes."""

    scenario: Scenario = BEGIN


def _adopt_scenario(source: Scenario) -> Scenario:
    return BEGIN.with_context(epsilon=source.context.epsilon)


LINK: Final = ScenarioLink(
    StartState(), lambda _: None, BROWSER_KEYS, restrict_scenario=_adopt_scenario
)
"""A link changes only ε, and any ε is valid: nothing is checked."""
STATE: Final = PageState("start", LINK)


def redirect_map_links() -> None:
    """Open the map for old links without a page: they date from when the map was the first page."""
    link = STATE.codec
    query = {k: v for k, v in st.query_params.to_dict().items() if k not in link.browser}
    unknown = link.unknown_keys(query)
    known = {key: text for key, text in query.items() if key not in unknown}
    if known and not _is_own(known):
        st.switch_page(PLACES, query_params=query)


def _is_own(query: dict[str, str]) -> bool:
    try:
        return STATE.codec.write(STATE.codec.read(query)) == query
    except CaldpError:  # the map says what is wrong
        return False
