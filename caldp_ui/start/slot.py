"""What the start page shows: the paper's blocks beside plain LDP, at a level of ε."""

from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import PLACES
from caldp_ui.maps.presets import BEGIN
from caldp_ui.session.record_link import ScenarioLink
from caldp_ui.session.scenarios import WithScenario
from caldp_ui.session.slot import Slot
from caldp_ui.stage import BROWSER_KEYS


@dataclass(frozen=True)
class Start(WithScenario):
    """The page's record; of the scenario only ε ever changes."""

    scenario: Scenario = BEGIN


def _taken(found: Scenario) -> Scenario:
    return BEGIN.with_context(epsilon=found.context.epsilon)


LINK: Final = ScenarioLink(Start(), lambda _: None, BROWSER_KEYS, taken=_taken)
"""Nothing but ε can change, and any ε fits."""
SLOT: Final = Slot("start", LINK)


def hand_over_links_to_the_map() -> None:
    """Links without a page were to the map before this page was the first one: they open it."""
    link = SLOT.codec
    query = {k: v for k, v in st.query_params.to_dict().items() if k not in link.browser}
    strangers = link.strangers(query)
    ours = {key: text for key, text in query.items() if key not in strangers}
    if ours and not _is_own(ours):
        st.switch_page(PLACES, query_params=query)


def _is_own(query: dict[str, str]) -> bool:
    try:
        return SLOT.codec.write(SLOT.codec.read(query)) == query
    except CaldpError:  # the map says what is wrong
        return False
