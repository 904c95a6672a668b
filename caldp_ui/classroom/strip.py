"""The strip of stations: which one is open.

Room: classroom.
"""

from dataclasses import replace

import streamlit as st

from caldp_ui.classroom.slot import SLOT
from caldp_ui.classroom.stations import STATIONS


def show(station: str) -> None:
    """One button a station; another one begins with its right version, not with its broken one."""
    names = list(STATIONS)
    st.segmented_control(
        "Station",
        names,
        format_func=lambda name: f"{names.index(name) + 1} {STATIONS[name].title}",
        label_visibility="collapsed",
        required=True,
        **SLOT.bind("station", station, lambda r, v: replace(r, station=v, broken=False)),
    )
