"""Places of a reader's own on the map page."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import OwnPlaces
from caldp_core.datasets.files.maps import CELLS, FINE_CELLS, MapWanted
from caldp_core.datasets.files.places import CountedPlaces, count_places
from caldp_core.datasets.files.understanding import Layout, Understood
from caldp_core.domain.area import Area
from caldp_ui.app.errors import as_text
from caldp_ui.maps.example import EXAMPLE
from caldp_ui.parts import own_data
from caldp_ui.parts.own_file import Columns
from caldp_ui.places.controls import chosen
from caldp_ui.places.slot import SLOT
from caldp_ui.words import cells as words


def popover() -> None:
    """The button, and the form that it opens."""
    own_data.popover(SLOT, _FORM)


def _then(found: CountedPlaces) -> str:
    return f"Counted in cells of {found.places.cell:g}°. The blocks are a start: draw your own."


def _ask(key: Callable[[str], str], _: Understood, layout: Layout) -> Layout | None:
    """How large cells shall be, and what part of the Earth: chosen for the places at first."""
    left, right = st.columns([2, 3])
    cell = left.selectbox(
        "Cells of …",
        (None, *FINE_CELLS, *CELLS),
        format_func=lambda side: "chosen for me" if side is None else words.size(side),
        key=key("cell"),
        help="Counts that were made before keep their cells. Larger ones can be had later.",
    )
    text = right.text_input(
        "Part of the Earth: south, north, west, east",
        placeholder="all places of the file",
        key=key("extent"),
    )
    try:
        extent = Area.parse(text) if text.strip() else None
    except CaldpError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return None
    return replace(layout, wanted=MapWanted(cell, extent))


_COLUMNS: Final = Columns(
    {"latitude": "Latitude", "longitude": "Longitude", "count": "People (count or weight)"},
    ("latitude", "longitude"),
    lambda seen: seen.places,
    count_places,
    lambda found: int(found.places.counts().sum()),
    _ask,
)
_FORM: Final = own_data.Form(
    "Your own list of places",
    "A row for each place: **latitude, longitude** in degrees, and perhaps how many people.",
    "Places",
    EXAMPLE,
    "Munich (made up)",
    OwnPlaces.title,
    _COLUMNS,
    lambda scenario, found: chosen(scenario, found.places),
    _then,
)
