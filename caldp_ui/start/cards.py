"""The start page's cards.

Room: words on pages.
"""

from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_core.audit.adversary import guessed_right
from caldp_core.scenarios.protection import (
    EverythingSensitive,
    GridBlocks,
    OneBlock,
    SensitiveAreas,
    StateBlocks,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import PLACES
from caldp_ui.places.slot import BEGIN, SLOT
from caldp_ui.session.scenarios import steer
from caldp_ui.words import formats


@dataclass(frozen=True)
class Card:
    """A ready scenario."""

    icon: str
    title: str
    text: str
    scenario: Scenario

    def begin(self, before: Scenario) -> Scenario:
        """The card's scenario, whatever was there before."""
        del before
        return self.scenario


_PAPER: Final = BEGIN.with_context(blocks=GridBlocks(25, 35), sensitive=EverythingSensitive())
CARDS: Final = (
    Card(
        ":material/public:",
        "Hide everything",
        "Plain LDP: each of 43,750 places is as secret as any other. See how little is left of "
        "the map.",
        _PAPER.with_context(blocks=OneBlock()),
    ),
    Card(
        ":material/grid_on:",
        "Hide where in the area",
        "The paper's 875 blocks: your area may be known, your place in it may not. The map comes "
        "back.",
        _PAPER,
    ),
    Card(
        ":material/map:",
        "Hide where in the state",
        "Blocks of very different sizes: small states come out sharp, large ones blurred.",
        _PAPER.with_context(blocks=StateBlocks()),
    ),
    Card(
        ":material/location_city:",
        "Hide one city",
        "Only New York is sensitive. People elsewhere lend it cover, and the map stays sharp.",
        _PAPER.with_context(
            blocks=OneBlock(),
            sensitive=SensitiveAreas(("+40.2,41.4,-74.8,-73.2",)),
        ),
    ),
)


def scenarios() -> None:
    """Four cards, each opens the map page with its scenario."""
    st.subheader("Open one", anchor=False)
    for start in range(0, len(CARDS), 2):
        for column, card in zip(st.columns(2), CARDS[start : start + 2], strict=True):
            with column.container(border=True, height="stretch"):
                st.markdown(f"#### {card.icon} {card.title}")
                st.write(card.text)
                if st.button(f"Show me: {card.title}", key=f"open-{card.title}", type="primary"):
                    steer(SLOT, card.begin)
                    st.switch_page(PLACES)


def idea() -> None:
    """The idea in three steps, with the odds of the default ε."""
    st.subheader("The idea in three steps", anchor=False)
    best = formats.hundred(guessed_right(1.0))
    steps = (
        (
            "1 · Everybody adds noise",
            (
                "Your device reports a randomised answer. With ε = 1, someone who was torn 50:50 "
                "between two places you may have been in guesses right in at most about "
                f"{best} of 100 cases after seeing your report."
            ),
        ),
        (
            "2 · The noise averages out",
            (
                "One report says little. A million reports together say how many people are where, "
                "and the less has to be hidden, the better."
            ),
        ),
        (
            "3 · Context decides what to hide",
            (
                "A matrix E says how secret each pair of answers is. Blocks and sensitive sets are "
                "the two shapes that matter most, and they can be combined."
            ),
        ),
    )
    for column, (title, text) in zip(st.columns(3), steps, strict=True):
        column.markdown(f"**{title}**")
        column.write(text)
    st.caption(
        "Built on J. Acharya, K. Bonawitz, P. Kairouz, D. Ramage, Z. Sun: *Context-Aware Local "
        "Differential Privacy* (ICML 2020) and T. Murakami, Y. Kawamoto: *Utility-Optimized Local "
        "Differential Privacy Mechanisms* (USENIX Security 2019)."
    )
