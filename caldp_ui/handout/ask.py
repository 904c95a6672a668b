"""A station's prediction as a question to the class: a live poll that one press prepares."""

from typing import Final

import streamlit as st

from caldp_ui.app.navigation import ROOM
from caldp_ui.classroom.page_state import STATE
from caldp_ui.handout.station_questions import STATION_QUESTIONS
from caldp_ui.room.page_state import NEXT, Draft
from caldp_ui.room.page_state import STATE as POLL
from caldp_ui.room.question import Question
from caldp_ui.session import handover

_BEFORE: Final = "Before you move anything: "


def button(station: str) -> None:
    """Show the button that opens the live poll with the station's prediction as its question."""
    if st.button(
        "Ask the class first",
        icon=":material/live_help:",
        key=STATE.key("ask"),
        help="Opens the live poll with this station's question: phones guess, you show the answer.",
    ):
        handover.open_with(ROOM, POLL.codec.write(Draft(question(station))))
        handover.open_part(ROOM, NEXT)
        st.switch_page(ROOM)


def question(station: str) -> Question:
    """The station's prediction as a question for phones, without any protected answer."""
    prediction = STATION_QUESTIONS[station].predict
    text = prediction.ask.removeprefix(_BEFORE)
    shift = 1 + list(STATION_QUESTIONS).index(station) % (len(prediction.answers) - 1)
    rotated = (
        *prediction.answers[shift:],
        *prediction.answers[:shift],
    )  # the right one is never the first
    right = rotated.index(prediction.answers[0])
    answers = tuple(each.removesuffix(".") for each in rotated)
    return Question(text[0].upper() + text[1:], answers, (), 1.0, right)
