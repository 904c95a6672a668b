"""What people come for, as three cards: to teach, to decide, or with data of their own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_ui.app.navigation import CLASSROOM, PLACES, PLAN
from caldp_ui.lesson.steps import MINUTES
from caldp_ui.session import handover
from caldp_ui.start import art
from caldp_ui.start.slot import SLOT


@dataclass(frozen=True)
class Way:
    """A card. `picture`: makes its HTML; `prepare`: what `page` needs before it opens."""

    name: str
    title: str
    text: str
    label: str
    page: str
    picture: Callable[[], str]
    prepare: Callable[[], None] = lambda: None


WAYS: Final = (
    Way(
        "teach",
        "Teach",
        f"A lesson of {MINUTES} minutes with a poll: each phone adds its own noise, the "
        "projector shows the estimate.",
        "Open the lesson plan",
        CLASSROOM,
        art.teach,
        lambda: handover.open_part(CLASSROOM, "plan"),
    ),
    Way(
        "decide",
        "Decide",
        "Say how accurate the result must be. Read how many people and which ε are needed.",
        "Plan a survey",
        PLAN,
        art.decide,
    ),
    Way(
        "own",
        "Try your own data",
        "Choose a file of places. It stays in the memory of the computer that runs this page.",
        "Choose a file",
        PLACES,
        lambda: art.own_data() + art.first_lines(),
        lambda: handover.open_part(PLACES, "own"),
    ),
)


def show() -> None:
    """All of them side by side; one below the other on a phone."""
    with st.container(key=SLOT.key("ways")):
        for way in WAYS:
            with st.container(key=SLOT.key(f"way-{way.name}")):
                _card(way)


def _card(way: Way) -> None:
    st.html(f'<div class="art">{way.picture()}</div>')
    with st.container(key=SLOT.key(f"words-{way.name}")):
        st.html(f"<h2>{way.title}</h2><p>{way.text}</p>")
        if st.button(
            way.label,
            key=SLOT.key(f"go-{way.name}"),
            icon=":material/arrow_forward:",
            icon_position="right",
        ):
            way.prepare()
            st.switch_page(way.page)
