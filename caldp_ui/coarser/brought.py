"""A reader's own table or list of places."""

from typing import Final

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import OwnPlaces, OwnTable, read_places, read_table
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.coarser.slot import SLOT, Publication, with_data
from caldp_ui.coarser.treated import PageData
from caldp_ui.parts import own_data

_EXAMPLE: Final = """answer,people,group
asthma; north,31,north
asthma; south,142,south
diabetes; north,4,north
diabetes; south,118,south
epilepsy; north,2,north
epilepsy; south,21,south
HIV; north,1,north
HIV; south,13,south"""


def popover(what: PageData) -> None:
    """The button, and the form that it opens."""
    del what
    own_data.popover(SLOT, _FORM)


def _taken(scenario: Scenario, data: str | bytes, name: str) -> own_data.Taken:
    """A list of places where the lines are latitudes and longitudes, else a table of answers."""
    record = Publication(scenario)
    try:
        places = read_places(data, name or OwnPlaces.title)
    except CaldpError:
        table = read_table(data, name or OwnTable.title)
        made = with_data(record, table.table, None)
        return own_data.Taken(made.scenario, table.refused.told(), _THEN)
    made = with_data(record, places.places, None)
    return own_data.Taken(made.scenario, places.refused.told(), _THEN)


_THEN: Final = "The larger cells are a start: choose others below the pictures."
_FORM: Final = own_data.Form(
    "Your own table or list of places",
    "A line for each answer: **the answer, how many people gave it**, and perhaps a group, whose "
    "total is published. Or a line for each place: **latitude, longitude**, and how many people.",
    "Table",
    _EXAMPLE,
    "Conditions in two regions (made up)",
    _taken,
)
