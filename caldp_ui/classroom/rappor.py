"""Station 4: RAPPOR's two layers. What one phone leaks, and what all phones count."""

from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_ui.classroom import dials, rappor_crowd, rappor_phone
from caldp_ui.classroom.page_state import STATE, Lesson
from caldp_ui.classroom.station import Board, Station


def open_board(lesson: Lesson) -> Board:
    """Open the station at a lesson, in the lesson's view."""
    crowd = lesson.view == "crowd"
    return rappor_crowd.open_board(lesson) if crowd else rappor_phone.open_board(lesson)


def _choice(lesson: Lesson) -> None:
    st.segmented_control(
        "Look at",
        ("phone", "crowd"),
        format_func={"phone": "One phone", "crowd": "All phones"}.__getitem__,
        label_visibility="collapsed",
        required=True,
        **STATE.bind("view", lesson.view, lambda r, v: replace(r, view=v, broken=False)),
    )


_DAYS: Final = dials.Dial("days", "Days", (1, 2, 3, 5, 7, 14, 30, 60), "One report per day.")
_VALUES: Final = dials.Dial(
    "values",
    "Different pages",
    (1, 2, 3, 5),
    "How many home pages the phone had, each with stored bits of its own.",
)


def _dials(lesson: Lesson) -> dials.Dials:
    if lesson.view == "crowd":
        return dials.EPSILON, dials.people(1_000)
    return dials.EPSILON, _DAYS, _VALUES


STATION = Station(
    "RAPPOR",
    open_board,
    _dials,
    ("Forget every night", "The stored bits are drawn anew each day."),
    can_break=lambda lesson: lesson.view == "phone",
    show_choice=_choice,
)
