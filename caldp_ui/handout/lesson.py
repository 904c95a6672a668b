"""The lesson as one file, made in the background, and a station's prediction as a live poll."""

from typing import Final

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_ui.app.navigation import ROOM
from caldp_ui.classroom.page_state import STATE
from caldp_ui.classroom.station_questions import prediction
from caldp_ui.handout import parts
from caldp_ui.offline import document as files
from caldp_ui.offline.document import document
from caldp_ui.room.page_state import NEXT, Draft
from caldp_ui.room.page_state import STATE as POLL
from caldp_ui.room.question import Question
from caldp_ui.session import handover, jobs


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
    asked = prediction(station)
    return Question(asked["ask"], tuple(asked["answers"]), (), 1.0, asked["right"])


TITLE: Final = "Protect only what is sensitive: a lesson to take home"
FILE: Final = "caldp-lesson.html"
_OFFER: Final = jobs.StartButton(
    "Take the lesson home",
    ":material/download:",
    "One file with the maps, the answers, the attacker and all stations, their sliders and "
    "questions. It opens without a network, from a memory stick or on a phone, and sends nothing.",
)


def make_lesson(progress: Progress) -> bytes:
    """HTML file of the lesson, in some seconds; `progress` takes the share done, and may raise."""
    return document(TITLE, [*parts.page_parts(), *parts.station_parts()], progress).encode()


def offer_lesson(key: str) -> None:
    """Show the button that makes the file, then the one that saves it; `key`: of the job."""
    files.offer_file(key, "lesson", make_lesson, _OFFER, FILE)


def show(station: str) -> None:
    """Show the buttons that ask the class the station's question, and that make the file."""
    with st.container(horizontal=True, gap="small"):
        button(station)
        offer_lesson(STATE.key("lesson"))
