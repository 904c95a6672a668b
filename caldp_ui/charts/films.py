"""Films of charts and drawings: a slider's every step, so that the browser follows a hand.

What the browser shows and what the server then sends are made by the same functions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_ui.charts.scripts import script
from caldp_ui.stage import Film, bundle

_films: Final = st.components.v2.component(
    "caldp_films", js=bundle.partial_script("follower") + script("films")
)


@dataclass(frozen=True)
class SliderState:
    """Where a slider is in this run: its `reading`, and a name for all else (`Film.settings`)."""

    reading: str
    settings: str


def feed(key: str, film: Film) -> None:
    """Send a film to the browser. `key`: names the place on the page with that of its slider."""
    _films(key=f"{key}-{film.dial}", data=film.chart_message)


def send_slider_states(key: str, sliders: Mapping[str, SliderState]) -> None:
    """Send the states of the page's sliders to the browser, by their keys.

    Call it last: that the page is there is what takes a step off the screen again.
    """
    now = {dial: vars(at) for dial, at in sliders.items()}
    _films(key=f"{key}-page", data=[{"page": now}])
