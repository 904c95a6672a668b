"""A reader's own table or list of places."""

from typing import Final

from caldp_core.basics.types import Progress
from caldp_core.datasets import OwnTable
from caldp_core.datasets.files.answers import CountedAnswers, count_answers
from caldp_core.datasets.files.places import CountedPlaces, count_places
from caldp_core.datasets.files.understanding import Layout, Understood
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.coarser.slot import SLOT, Publication, with_data
from caldp_ui.coarser.treated import PageData
from caldp_ui.parts import own_data
from caldp_ui.parts.own_file import Columns

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


def _taken(scenario: Scenario, found: CountedPlaces | CountedAnswers) -> Scenario:
    data = found.places if isinstance(found, CountedPlaces) else found.table
    return with_data(Publication(scenario), data, None).scenario


def _count(
    seen: Understood, layout: Layout, title: str, progress: Progress
) -> CountedPlaces | CountedAnswers:
    """A list of places where columns are latitude and longitude, else a table of answers."""
    if layout.latitude is not None and layout.longitude is not None:
        return count_places(seen, layout, title, progress)
    return count_answers(seen, layout, title, progress)


def _people(found: CountedPlaces | CountedAnswers) -> int:
    if isinstance(found, CountedPlaces):
        return int(found.places.counts().sum())
    return sum(found.table.counts)


_COLUMNS: Final = Columns(
    {
        "latitude": "Latitude",
        "longitude": "Longitude",
        "answer": "Answer",
        "count": "People (count or weight)",
        "group": "Group",
    },
    (),
    lambda seen: seen.places if seen.is_of_places else seen.answers,
    _count,
    _people,
)
_FORM: Final = own_data.Form(
    "Your own table or list of places",
    "A row for each answer: **the answer, how many people gave it**, and perhaps a group, whose "
    "total is published. Or a row for each place: **latitude, longitude**, and how many people.",
    "Table",
    _EXAMPLE,
    "Conditions in two regions (made up)",
    OwnTable.title,
    _COLUMNS,
    _taken,
    lambda _: "The larger cells are a start: choose others below the pictures.",
)
