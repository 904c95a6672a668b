"""What people come for, as three cards: to teach, to decide, or with data of their own."""

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
    """A card. `picture`: makes its HTML; `prepare`: what `page` needs before it opens."""

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
    """All of them side by side; one below the other on a phone."""
    with st.container(key=STATE.key("ways")):
        for way in PURPOSE_CARDS:
            with st.container(key=STATE.key(f"way-{way.name}")):
                _card(way)


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
