"""Where things go: pictures in thirds, the attack at the lower right, the controls below."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_ui.coarser.slot import SLOT
from caldp_ui.parts import layout


@dataclass(frozen=True)
class Places:
    """The parts of the page, to be filled in any order."""

    said: DeltaGenerator
    pictures: DeltaGenerator
    attack: DeltaGenerator
    controls: DeltaGenerator
    below: DeltaGenerator


def places(wide: bool) -> Places:
    """`wide`: whether the pictures are five in thirds, or one beside the attack."""
    said, _ = layout.title_row(SLOT)
    kind = "five" if wide else "two"
    with st.container(key=SLOT.key("thirds")), st.container(key=SLOT.key(kind)):
        pictures = st.container(key=SLOT.key("pictures"))
        attack = st.container(key=SLOT.key("attacker"))
        controls = st.container(key=SLOT.key("controls"))
    return Places(said, pictures, attack, controls, st.container())
