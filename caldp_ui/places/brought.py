"""Places of a reader's own on the map page."""

from typing import Final

from caldp_core.datasets import OwnPlaces, read_places
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.maps.example import EXAMPLE
from caldp_ui.parts import own_data
from caldp_ui.places.controls import chosen
from caldp_ui.places.slot import SLOT


def popover() -> None:
    """The button, and the form that it opens."""
    own_data.popover(SLOT, _FORM)


def _taken(scenario: Scenario, data: str | bytes, name: str) -> own_data.Taken:
    read = read_places(data, name or OwnPlaces.title)
    then = f"Counted in cells of {read.places.cell:g}°. The blocks are a start: draw your own."
    return own_data.Taken(chosen(scenario, read.places), read.refused.told(), then)


_FORM: Final = own_data.Form(
    "Your own list of places",
    "A line for each place: **latitude, longitude** in degrees, and perhaps how many people. A "
    "first line may name the columns (latitude, longitude, people).",
    "Places",
    EXAMPLE,
    "Munich (made up)",
    _taken,
)
