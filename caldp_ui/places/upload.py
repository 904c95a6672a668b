"""Places of a reader's own on the map page: data with a map of their own, or a public map."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress
from caldp_core.datasets import OwnPlaces
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.maps import CELLS, FINE_CELLS, MapRequest
from caldp_core.datasets.files.places import CountedPlaces, count_places
from caldp_core.datasets.files.published import CountedMap, count_published_map
from caldp_core.domain.grid import Area, GridDomain
from caldp_core.estimation.evidence import KNOWING_MAP
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.errors import escape_markdown
from caldp_ui.compute import runs
from caldp_ui.maps.scene import EXAMPLE
from caldp_ui.parts import own_data
from caldp_ui.parts.own_data import Columns
from caldp_ui.places import extent
from caldp_ui.places.controls import with_dataset
from caldp_ui.places.page_state import STATE
from caldp_ui.session import handover
from caldp_ui.words import cells as words

CountedData: TypeAlias = CountedPlaces | CountedMap
_PRIOR_KEY: Final = f"{STATE.page}/own-as"
"""The session key that says that the form was opened for a public map."""
_AS_DATA: Final = "the people to be protected, on a map of their own"
_AS_PRIOR: Final = "what is public already: an earlier map of these places"


@dataclass(frozen=True)
class _CurrentMap(MapRequest):
    """A request to count a public map on the page's own map."""


def popover() -> None:
    """The button, and the form that it opens."""
    own_data.popover(STATE, _FORM)


def open_for_prior() -> None:
    """Opens the form for a public map in the page's next run."""
    st.session_state[_PRIOR_KEY] = True
    handover.open_part(STATE.page, "own")


def _full_map() -> GridDomain:
    """The whole map, of which a part may be shown, in its smallest cells."""
    scenario = STATE.current().scenario
    return extent.full_map(scenario.dataset) or runs.finest_map_of(runs.dataset(scenario))


def _next_step(counts: CountedData) -> str:
    if isinstance(counts, CountedMap):
        return "The estimate takes the file for known: “Public prior” below says how much that is."
    return f"Counted in cells of {counts.places.cell:g}°. The blocks are a start: draw your own."


def _ask_layout(key: Callable[[str], str], _: DetectedFile, layout: Layout) -> Layout | None:
    """Asks what the places are; of people's, also the cell size and the part of the Earth."""
    picked = st.radio(
        "These places are …",
        (_AS_DATA, _AS_PRIOR),
        index=int(st.session_state.get(_PRIOR_KEY, False)),
        key=key("as"),
    )
    if picked == _AS_PRIOR:
        st.caption("Counted on the map that is shown now. It never says what these people do.")
        grid = _full_map()
        return replace(layout, wanted=_CurrentMap(grid.cell, grid.area))
    return _ask_cells(key, layout)


def _ask_cells(key: Callable[[str], str], layout: Layout) -> Layout | None:
    """Asks for the cell size and the part of the Earth; by default both follow from the places."""
    left, right = st.columns([2, 3])
    cell = left.selectbox(
        "Cells of …",
        (None, *FINE_CELLS, *CELLS),
        format_func=lambda side: "chosen for me" if side is None else words.cell_size_text(side),
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
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    return replace(layout, wanted=MapRequest(cell, extent))


def _count_rows(
    contents: DetectedFile, layout: Layout, title: str, progress: Progress
) -> CountedData:
    request = layout.wanted
    if not isinstance(request, _CurrentMap):
        return count_places(contents, layout, title, progress)
    assert request.extent is not None
    assert request.cell is not None
    grid = GridDomain.from_area(request.extent, request.cell)
    return count_published_map(contents, layout, title, grid, progress)


def _people_count(counts: CountedData) -> int:
    return counts.people if isinstance(counts, CountedMap) else int(counts.places.counts().sum())


def _apply_counts(scenario: Scenario, counts: CountedData) -> Scenario:
    st.session_state.pop(_PRIOR_KEY, None)
    if isinstance(counts, CountedMap):
        return replace(scenario, estimator=KNOWING_MAP, prior=counts.published)
    return with_dataset(scenario, counts.places)


_COLUMNS: Final[Columns[CountedData]] = Columns(
    {"latitude": "Latitude", "longitude": "Longitude", "count": "People (count or weight)"},
    ("latitude", "longitude"),
    lambda seen: seen.places,
    _count_rows,
    _people_count,
    _ask_layout,
)
_FORM: Final = own_data.Form(
    "Your own list of places",
    "A row for each place: **latitude, longitude** in degrees, and perhaps how many people.",
    "Places",
    EXAMPLE,
    "Munich (made up)",
    OwnPlaces.title,
    _COLUMNS,
    _apply_counts,
    _next_step,
)
