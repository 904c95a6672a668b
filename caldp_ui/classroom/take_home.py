"""A station as a part of a file: its picture and headline, along its sliders."""

from dataclasses import replace

from caldp_ui.classroom.films import PAGE
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.classroom.stations import STATIONS
from caldp_ui.controls.common import Slider
from caldp_ui.offline import boards
from caldp_ui.offline.records import Part

_BROKEN = Slider[Lesson](
    "broken",
    lambda lesson: lesson.broken,
    lambda lesson, on: replace(lesson, broken=bool(on)),
    (0, 1),
    lambda on: "on" if on else "off",
)
"""The switch that shows the naive version failing."""


def part(lesson: Lesson) -> Part:
    """The open station as a part."""
    station = STATIONS[lesson.station]
    sliders = {dial.title: dial.slider for dial in station.dials(lesson)}
    if station.can_break(lesson):
        sliders[station.naive[0]] = _BROKEN
    return boards.part(
        f"station-{lesson.station}",
        f"Station {list(STATIONS).index(lesson.station) + 1}: {station.title}",
        "Move one slider at a time: the others go back to where they began.",
        PAGE,
        lesson,
        sliders=sliders,
    )
