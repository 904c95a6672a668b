"""Upload of a reader's own table or list of places."""

from typing import Final

from caldp_core.basics.types import Progress
from caldp_core.datasets import OwnTable
from caldp_core.datasets.files.answers import CountedAnswers, count_answers
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.places import CountedPlaces, count_places
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.coarser.page_state import STATE, Publication, TreatmentData, with_data
from caldp_ui.parts import own_data
from caldp_ui.parts.own_data import Columns

_EXAMPLE: Final = """answer,people,group
asthma; north,31,north
asthma; south,142,south
diabetes; north,4,north
diabetes; south,118,south
epilepsy; north,2,north
epilepsy; south,21,south
HIV; north,1,north
HIV; south,13,south"""


def popover(data: TreatmentData) -> None:
    """The button, and the form that it opens."""
    del data
    own_data.popover(STATE, _FORM)


def _with_counted_data(scenario: Scenario, counts: CountedPlaces | CountedAnswers) -> Scenario:
    data = counts.places if isinstance(counts, CountedPlaces) else counts.table
    return with_data(Publication(scenario), data).scenario


def _count(
    file_layout: DetectedFile, layout: Layout, title: str, progress: Progress
) -> CountedPlaces | CountedAnswers:
    """A list of places where columns are latitude and longitude, else a table of answers."""
    if layout.latitude is not None and layout.longitude is not None:
        return count_places(file_layout, layout, title, progress)
    return count_answers(file_layout, layout, title, progress)


def _people(counts: CountedPlaces | CountedAnswers) -> int:
    if isinstance(counts, CountedPlaces):
        return int(counts.places.counts().sum())
    return sum(counts.table.counts)


_COLUMNS: Final = Columns(
    {
        "latitude": "Latitude",
        "longitude": "Longitude",
        "answer": "Answer",
        "count": "People (count or weight)",
        "group": "Group",
    },
    (),
    lambda seen: seen.places if seen.has_places else seen.answers,
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
    _with_counted_data,
    lambda _: "The larger cells are a start: choose others below the pictures.",
)
