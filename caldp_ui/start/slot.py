"""What the start page shows: the paper's blocks beside plain LDP, at a level of ε."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import PLACES
from caldp_ui.maps.presets import BEGIN
from caldp_ui.session.scenarios import WithScenario, read_scenario, scenario_query, unknown_keys
from caldp_ui.session.slot import Slot
from caldp_ui.stage import BROWSER_KEYS


@dataclass(frozen=True)
class Start(WithScenario):
    """The page's record; of the scenario only ε ever changes."""

    scenario: Scenario = BEGIN


class StartLink:
    """How the record is written into a link: ε alone."""

    browser: tuple[str, ...] = BROWSER_KEYS

    def fresh(self) -> Start:
        """See `Codec`."""
        return Start()

    def write(self, record: Start) -> dict[str, str]:
        """See `Codec`."""
        return {} if record == Start() else scenario_query(record.scenario)

    def read(self, query: Mapping[str, str]) -> Start:
        """See `Codec`."""
        level = read_scenario(query).context.epsilon if query else BEGIN.context.epsilon
        return Start(BEGIN.with_context(epsilon=level))

    def strangers(self, query: Mapping[str, str]) -> list[str]:
        """See `Codec`."""
        return unknown_keys(query)

    def check(self, record: Start) -> None:
        """See `Codec`: nothing but ε can change, and any ε fits."""


SLOT: Final = Slot("start", StartLink())


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
