"""Places of a reader's own on the map page."""

from typing import Final

from caldp_core.datasets import OwnPlaces
from caldp_core.datasets.files.places import CountedPlaces, count_places
from caldp_ui.maps.example import EXAMPLE
from caldp_ui.parts import own_data
from caldp_ui.parts.own_file import Columns
from caldp_ui.places.controls import chosen
from caldp_ui.places.slot import SLOT


def popover() -> None:
    """The button, and the form that it opens."""
    own_data.popover(SLOT, _FORM)


def _then(found: CountedPlaces) -> str:
    return f"Counted in cells of {found.places.cell:g}°. The blocks are a start: draw your own."


_COLUMNS: Final = Columns(
    {"latitude": "Latitude", "longitude": "Longitude", "count": "People (count or weight)"},
    ("latitude", "longitude"),
    lambda seen: seen.places,
    lambda seen, layout, title, progress: count_places(seen, layout, title, progress=progress),
    lambda found: int(found.places.counts().sum()),
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
