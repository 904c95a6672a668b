"""Sensitive places near points of a reader's own, such as clinics."""

from dataclasses import replace

import streamlit as st

from caldp_core.scenarios.blocks import SensitiveNear
from caldp_ui.places.page_state import STATE
from caldp_ui.session.scenarios import bind, bind_text


def details(sensitive: SensitiveNear) -> None:
    """The points, and how far around them places are sensitive."""
    st.text_area(
        "Points, a line each: latitude, longitude",
        height=100,
        placeholder="48.853, 2.349",
        help="Such as clinics or shelters. Whoever is within the distance of one is protected.",
        **bind_text(
            STATE,
            "points",
            "\n".join(sensitive.points),
            lambda s, text: s.with_context(sensitive=replace(sensitive, points=_points(text))),
        ),
    )
    st.number_input(
        "Kilometres around each",
        0.0,
        1_000.0,
        step=0.1,
        **bind(
            STATE,
            "km",
            sensitive.km,
            lambda s, km: s.with_context(sensitive=replace(sensitive, km=km)),
        ),
    )
    if not sensitive.points:
        st.caption("Nothing yet: every report names its place.")


def _points(text: str) -> tuple[str, ...]:
    """One point per line that is not empty, without spaces."""
    return tuple(line.replace(" ", "") for line in text.splitlines() if line.strip())
