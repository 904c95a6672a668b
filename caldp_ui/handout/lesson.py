"""The lesson as one file: made in the background, then saved by a button."""

from typing import Final

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_ui.classroom.page_state import STATE
from caldp_ui.handout import ask, parts, stations
from caldp_ui.offline import offer as files
from caldp_ui.offline.document import document
from caldp_ui.session import jobs

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
    return document(TITLE, [*parts.page_parts(), *stations.station_parts()], progress).encode()


def offer_lesson(key: str) -> None:
    """Show the button that makes the file, then the one that saves it; `key`: of the job."""
    files.offer_file(key, "lesson", make_lesson, _OFFER, FILE)


def show(station: str) -> None:
    """Show the buttons that ask the class the station's question, and that make the file."""
    with st.container(horizontal=True, gap="small"):
        ask.button(station)
        offer_lesson(STATE.key("lesson"))
