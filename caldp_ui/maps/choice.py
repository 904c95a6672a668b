"""The chooser of a place: the largest cities of a map, and the place that is chosen now."""

from typing import Any, Final

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_ui.session.page_state import PageState
from caldp_ui.words.towns import place_name, towns

_NAMED_MAX: Final = 200
"""Cities in the list."""


def cities(domain: GridDomain, *extra: int) -> list[int]:
    """The cells of the largest cities; those of `extra` that are none come first."""
    named = list(towns(domain))[:_NAMED_MAX]
    return [*(cell for cell in extra if cell not in named), *named]


def place_control(state: PageState[Any], label: str, domain: GridDomain, current: int) -> None:
    """The menu of the record's place, now the cell `current`; a click on a map chooses it, too."""
    st.selectbox(
        label,
        cities(domain, current),
        format_func=lambda cell: place_name(domain, cell),
        label_visibility="collapsed",
        **state.bind("place", current, lambda record, cell: record.with_place(int(cell))),
    )
