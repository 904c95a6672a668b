"""The layout of the page: pictures in thirds, the attack at the lower right, controls below."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_ui.coarser.page_state import STATE
from caldp_ui.parts import layout


@dataclass(frozen=True)
class PageAreas:
    """The parts of the page, to be filled in any order."""

    headline: DeltaGenerator
    pictures: DeltaGenerator
    attack: DeltaGenerator
    controls: DeltaGenerator
    details: DeltaGenerator


def make_areas(wide: bool) -> PageAreas:
    """Lays out the page. `wide`: five pictures in thirds; else one beside the attack."""
    headline, _ = layout.title_row(STATE)
    kind = "five" if wide else "two"
    with st.container(key=STATE.key("thirds")), st.container(key=STATE.key(kind)):
        pictures = st.container(key=STATE.key("pictures"))
        attack = st.container(key=STATE.key("attacker"))
        controls = st.container(key=STATE.key("controls"))
    return PageAreas(headline, pictures, attack, controls, st.container())
