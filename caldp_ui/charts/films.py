"""Films of charts and drawings: a slider's every step, so that the browser follows a hand.

What the browser shows and what the server then sends are made by the same functions.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_ui.charts.scripts import script
from caldp_ui.stage import Film, bundle

_films: Final = st.components.v2.component(
    "caldp_films", js=bundle.part("follower") + script("films")
)


@dataclass(frozen=True)
class Dialled:
    """Where a slider is in this run: its `reading`, and the name of all else on the page."""

    reading: str
    alike: str


def project(key: str, page: Mapping[str, Dialled], films: Iterable[Film]) -> None:
    """Bring a page's films to the browser, and what each of its sliders is at by its key.

    Call it last: that the page is there is what takes a step off the screen again. `key`: ends in
    "feeds", by which `style.css` gives it no room.
    """
    with st.container(key=key, gap=None):
        for film in films:
            _films(key=f"{key}-{film.dial}", data=film.of_charts)
        now = {dial: vars(at) for dial, at in page.items()}
        _films(key=f"{key}-page", data=[{"page": now}])
