"""Three purposes as cards: to teach, to decide, and to try one's own data."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_ui.app.navigation import CLASSROOM, PLACES, PLAN
from caldp_ui.lesson.steps import MINUTES
from caldp_ui.session import handover
from caldp_ui.start import art
from caldp_ui.start.page_state import STATE


@dataclass(frozen=True)
class PurposeCard:
    """A card that opens `page`. `picture`: makes its HTML; `prepare`: called before the page opens.

    `name`: of its widgets' keys; `label`: on its button.
    """

    name: str
    title: str
    text: str
    label: str
    page: str
    picture: Callable[[], str]
    prepare: Callable[[], None] = lambda: None


PURPOSE_CARDS: Final = (
    PurposeCard(
        "teach",
        "Teach",
        f"A lesson of {MINUTES} minutes with a poll: each phone adds its own noise, the "
        "projector shows the estimate.",
        "Open the lesson plan",
        CLASSROOM,
        art.teach_html,
        lambda: handover.open_part(CLASSROOM, "plan"),
    ),
    PurposeCard(
        "decide",
        "Decide",
        "Say how accurate the result must be. Read how many people and which ε are needed.",
        "Plan a survey",
        PLAN,
        art.decide_html,
    ),
    PurposeCard(
        "own",
        "Try your own data",
        "Choose a file of places. It stays in the memory of the computer that runs this page.",
        "Choose a file",
        PLACES,
        lambda: art.own_data_html() + art.first_lines_html(),
        lambda: handover.open_part(PLACES, "own"),
    ),
)


def show() -> None:
    """Show all cards side by side; on a phone one below the other."""
    with st.container(key=STATE.key("ways")):
        for card in PURPOSE_CARDS:
            with st.container(key=STATE.key(f"way-{card.name}")):
                _card(card)


def _card(card: PurposeCard) -> None:
    st.html(f'<div class="art">{card.picture()}</div>')
    with st.container(key=STATE.key(f"words-{card.name}")):
        st.html(f"<h2>{card.title}</h2><p>{card.text}</p>")
        if st.button(
            card.label,
            key=STATE.key(f"go-{card.name}"),
            icon=":material/arrow_forward:",
            icon_position="right",
        ):
            card.prepare()
            st.switch_page(card.page)
