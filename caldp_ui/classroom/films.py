"""Films of the open station along its sliders, with the same coins at every step."""

from typing import Final

from caldp_ui.app.theme import Palette
from caldp_ui.classroom import picture
from caldp_ui.classroom.page_state import STATE, Lesson
from caldp_ui.classroom.stations import STATIONS
from caldp_ui.controls.common import Slider
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
