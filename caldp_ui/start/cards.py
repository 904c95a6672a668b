"""Other examples as cards with pictures; each opens the map page."""

from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_core.basics.cache import cached_by
from caldp_core.scenarios.blocks import OneBlock, StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import PLACES
from caldp_ui.compute import runs
from caldp_ui.maps.ground import home
from caldp_ui.maps.presets import BEGIN, ONE_CITY
from caldp_ui.parts import pictures
from caldp_ui.session import handover
from caldp_ui.session.scenarios import scenario_query
from caldp_ui.stage import nobody_below
from caldp_ui.words import formats


@dataclass(frozen=True)
class Card:
    """An example: a scenario with a title and a sentence."""

    title: str
    text: str
    scenario: Scenario


CARDS: Final = (
    Card(
        "Hide everything",
        "Plain LDP: each of 43,750 places is as secret as any other.",
        BEGIN.with_context(blocks=OneBlock()),
    ),
    Card(
        "Hide where in the area",
        "The paper's 875 blocks: your area may be known, your place in it may not.",
        BEGIN,
    ),
    Card(
        "Hide where in the state",
        "Blocks of very different sizes: small states sharp, large ones blurred.",
        BEGIN.with_context(blocks=StateBlocks()),
    ),
    Card(
        "Hide one city",
        "Only New York is sensitive. People elsewhere sometimes send a cover answer.",
        BEGIN.with_context(blocks=OneBlock(), sensitive=ONE_CITY),
    ),
)


def show() -> None:
    """Show all cards in a row, or in several where it is narrow."""
    st.markdown("**Examples**")
    with st.container(horizontal=True, key="start-cards"):
        for card in CARDS:
            with st.container(border=True):
                _card(card)


def _card(card: Card) -> None:
    picture, wrong = _picture(card)
    st.image(picture, width="stretch", alt=f"Map of the estimate with “{card.title}”.")
    st.markdown(f"**{card.title}** · {wrong} people in the wrong place")
    st.caption(card.text)
    if st.button("Open it", key=f"open-{card.title}", help=card.title):
        handover.open_with(PLACES, scenario_query(card.scenario))
        st.switch_page(PLACES)


@cached_by(lambda card: runs.key(card.scenario))
def _picture(card: Card) -> tuple[bytes, str]:
    """The estimate as a PNG, and how many people it puts in the wrong place."""
    result = runs.result(card.scenario)
    domain = runs.map_of(result.setup.dataset)
    nobody = nobody_below(result.setup.n)
    png = pictures.png(result.first.estimate, domain, home(domain), nobody)
    return png, formats.of_hundred(result.first.errors.tv)
