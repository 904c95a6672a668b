"""Places of a reader's own on the map page."""

from typing import Final

from caldp_core.datasets import OwnPlaces, read_places
from caldp_core.datasets.own import quoted
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.maps.example import EXAMPLE
from caldp_ui.parts import own_data
from caldp_ui.places.controls import chosen
from caldp_ui.places.slot import SLOT

_NAMED_MAX: Final = 4


def popover() -> None:
    """The button, and the form that it opens."""
    own_data.popover(SLOT, _FORM)


def _taken(scenario: Scenario, text: str, name: str) -> own_data.Taken:
    read = read_places(text, name or OwnPlaces.title)
    then = (
        f"Counted in cells of {read.places.cell:g}°{_unread(read.unread)}. The blocks are a start: "
        "draw your own."
    )
    return own_data.Taken(chosen(scenario, read.places), read.told(), then)


def _unread(columns: tuple[str, ...]) -> str:
    """Which columns count for nothing; too many are not all named."""
    if not columns:
        return ""
    told = ", ".join(quoted(name) for name in columns[:_NAMED_MAX])
    more = f" and {len(columns) - _NAMED_MAX} more" if len(columns) > _NAMED_MAX else ""
    return f"; not read: {told}{more}"


_FORM: Final = own_data.Form(
    "Your own list of places",
    "A line for each place: **latitude, longitude** in degrees, and perhaps how many people. A "
    "first line may name the columns (latitude, longitude, people).",
    "Places",
    EXAMPLE,
    "Munich (made up)",
    _taken,
)
