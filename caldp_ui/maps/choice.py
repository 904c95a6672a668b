"""The chooser of a place: the largest cities of a map, and the place that is chosen now."""

from typing import Any, Final

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_ui.session.slot import Slot
from caldp_ui.words.towns import place_name, towns

_NAMED_MAX: Final = 200
"""Cities in the list."""


def cities(domain: GridDomain, *also: int) -> list[int]:
    """The cells of the largest cities; those of `also` that are none come first."""
    named = list(towns(domain))[:_NAMED_MAX]
    return [*(cell for cell in also if cell not in named), *named]


def place(slot: Slot[Any], label: str, domain: GridDomain, now: int) -> None:
    """Chooses the place of the slot's record, `now`; a click on a map says so, too."""
    st.selectbox(
        label,
        cities(domain, now),
        format_func=lambda cell: place_name(domain, cell),
        label_visibility="collapsed",
        **slot.bind("place", now, lambda record, cell: record.at(int(cell))),
    )
