"""Places of a reader's own on the map page.

Room: places.
"""

from typing import Final

from caldp_core.datasets import OwnPlaces, read_places
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.parts import own_data
from caldp_ui.places.controls import chosen
from caldp_ui.places.slot import SLOT

EXAMPLE: Final = """latitude,longitude,people
48.1374,11.5755,210
48.1391,11.5802,160
48.1508,11.5806,95
48.1299,11.5583,140
48.1173,11.6014,60
48.1768,11.5562,45
48.1549,11.4181,20
48.2489,11.6512,35"""


def popover() -> None:
    """The button, and the form that it opens."""
    own_data.popover(SLOT, _FORM)


def _taken(scenario: Scenario, text: str, name: str) -> own_data.Taken:
    read = read_places(text, name or OwnPlaces.title)
    return own_data.Taken(
        chosen(scenario, read.places),
        read.told(),
        f"Counted in cells of {read.places.cell:g}°. The blocks are a start: draw your own.",
    )


_FORM: Final = own_data.Form(
    "Your own list of places",
    "A line for each place: **latitude, longitude** in degrees, and perhaps how many people. A "
    "first line may name the columns.",
    "Places",
    EXAMPLE,
    "Munich (made up)",
    _taken,
)
