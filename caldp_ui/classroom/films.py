"""Films of the open station along its sliders, with the same coins at every step.

A station as a part of a file: its picture and headline, along its sliders.
"""

from dataclasses import replace
from typing import Final

from caldp_ui.app.theme import Palette
from caldp_ui.classroom import picture
from caldp_ui.classroom.page_state import STATE, Lesson
from caldp_ui.classroom.stations import STATIONS
from caldp_ui.controls.common import Slider
from caldp_ui.offline import boards
from caldp_ui.offline.records import Part
from caldp_ui.parts import films
from caldp_ui.parts.films import ChartPage
from caldp_ui.stage import Step


def show(lesson: Lesson) -> None:
    """Have the browser follow the station's sliders."""
    films.follow_sliders(PAGE, lesson, sliders(lesson))


def sliders(lesson: Lesson) -> list[Slider[Lesson]]:
    """The sliders of the open station."""
    return [dial.slider for dial in STATIONS[lesson.station].dials(lesson)]


def render(lesson: Lesson, colours: Palette) -> Step:
    """Render one step: the station's headline and picture."""
    board = STATIONS[lesson.station].open(lesson)
    station_picture = board.picture(colours)
    return films.render_step(
        board.headline,
        picture.chart_messages(station_picture),
        picture.html_by_selector(station_picture),
    )


PAGE: Final = ChartPage(STATE, render)


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
