"""The lesson as one file: made beside the page, then saved by a button."""

from typing import Any, Final

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_ui.adversary.slot import Suspect
from caldp_ui.maps.presets import BEGIN as MAP
from caldp_ui.offline import parts
from caldp_ui.offline.document import document
from caldp_ui.session import jobs
from caldp_ui.values.slot import BEGIN as ANSWERS

TITLE: Final = "Protect only what is sensitive: a lesson to take home"
FILE: Final = "caldp-lesson.html"
_OFFER: Final = jobs.Offer(
    "Take the lesson home",
    ":material/download:",
    "One file with the maps, the answers and the attacker, their sliders and nine questions. It "
    "opens without a network, from a memory stick or on a phone, and sends nothing.",
)


def made(progress: Progress) -> bytes:
    """The file. Takes some seconds: `progress` takes the share that is done, and may raise."""
    whole = [parts.maps(MAP), parts.answers(ANSWERS), parts.attacker(Suspect())]
    return document(TITLE, whole, progress).encode()


def offer(key: str) -> None:
    """The button that makes the file, then the one that saves it."""
    file = jobs.offered(key, "lesson", made, _OFFER, _told)
    if file is not None:
        st.download_button(
            f"Save {FILE} ({len(file) / 1e6:.1f} MB)",
            file,
            FILE,
            "text/html",
            key=f"{key}-save",
            icon=":material/save:",
            type="primary",
        )


def _told(job: jobs.Job[Any]) -> str:
    return f"Writing the lesson: {job.seconds:.0f} s so far"
