"""The open station, as its sliders are seen ahead.

The same coins at every step.
"""

from typing import Final

from caldp_ui.app.theme import Palette
from caldp_ui.classroom import picture
from caldp_ui.classroom.page_state import STATE, Lesson
from caldp_ui.classroom.stations import STATIONS
from caldp_ui.controls.slider import Slider
from caldp_ui.parts import films
from caldp_ui.parts.films import ChartPage
from caldp_ui.stage import Step


def show(lesson: Lesson) -> None:
    """Have the browser follow the station's sliders."""
    films.follow_sliders(PAGE, lesson, sliders(lesson))


def sliders(lesson: Lesson) -> list[Slider[Lesson]]:
    """Those of the open station."""
    return [dial.slider for dial in STATIONS[lesson.station].dials(lesson)]


def render(lesson: Lesson, colours: Palette) -> Step:
    """What the page shows of a lesson."""
    board = STATIONS[lesson.station].open(lesson)
    seen = board.picture(colours)
    return films.render_step(
        board.headline, picture.chart_messages(seen), picture.html_by_selector(seen)
    )


PAGE: Final = ChartPage(STATE, render)
