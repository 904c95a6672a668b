"""What the start page shows: the paper's blocks beside plain LDP, at a level of ε."""

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
    """The page's record; of the scenario only ε ever changes."""

    scenario: Scenario = BEGIN


def _adopt_scenario(source: Scenario) -> Scenario:
    return BEGIN.with_context(epsilon=source.context.epsilon)


LINK: Final = ScenarioLink(
    StartState(), lambda _: None, BROWSER_KEYS, restrict_scenario=_adopt_scenario
)
"""Nothing but ε can change, and any ε fits."""
STATE: Final = PageState("start", LINK)


def redirect_map_links() -> None:
    """Links without a page were to the map before this page was the first one: they open it."""
    link = STATE.codec
    query = {k: v for k, v in st.query_params.to_dict().items() if k not in link.browser}
    strangers = link.unknown_keys(query)
    ours = {key: text for key, text in query.items() if key not in strangers}
    if ours and not _is_own(ours):
        st.switch_page(PLACES, query_params=query)


def _is_own(query: dict[str, str]) -> bool:
    try:
        return STATE.codec.write(STATE.codec.read(query)) == query
    except CaldpError:  # the map says what is wrong
        return False
