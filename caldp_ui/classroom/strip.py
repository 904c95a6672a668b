"""The strip of stations: which one is open."""

from dataclasses import replace

import streamlit as st

from caldp_ui.classroom.page_state import STATE
from caldp_ui.classroom.stations import STATIONS


def next_button(station: str) -> None:
    """Draw the button to the station after this one; none after the last."""
    names = list(STATIONS)
    if station == names[-1]:
        return
    after = names[names.index(station) + 1]
    st.button(
        f"Next: {STATIONS[after].title}",
        icon=":material/arrow_forward:",
        key=STATE.key("onward"),
        on_click=STATE.change,
        args=(lambda lesson: replace(lesson, station=after, broken=False),),
    )


def show(station: str) -> None:
    """Draw one button a station; a station is opened without its naive version."""
    names = list(STATIONS)
    st.segmented_control(
        "Station",
        names,
        format_func=lambda name: f"{names.index(name) + 1} {STATIONS[name].title}",
        label_visibility="collapsed",
        required=True,
        **STATE.bind("station", station, lambda r, v: replace(r, station=v, broken=False)),
    )
