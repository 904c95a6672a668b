"""The open station at each step of each of its sliders, made in the background for all visits.

Room: classroom. The same coins at every step.
"""

from collections.abc import Callable

from caldp_core.basics.types import Progress
from caldp_ui.app.theme import DARK, Palette
from caldp_ui.charts import reel
from caldp_ui.charts.reel import Dialled, Frame, Reel
from caldp_ui.classroom import picture
from caldp_ui.classroom.dials import Dial
from caldp_ui.classroom.slot import SLOT, Lesson
from caldp_ui.classroom.stations import STATIONS
from caldp_ui.parts import films, headline

_SAID = f".st-key-{SLOT.key('said')} p"


def show(lesson: Lesson, colours: Palette) -> None:
    """Bring to the browser what has been made, and what the sliders are at; call it last."""
    dials = STATIONS[lesson.station].dials(lesson)
    page = {
        SLOT.key(dial.name): Dialled(dial.said(dial.value(lesson)), _name(lesson, dial, colours))
        for dial in dials
    }
    reel.project(SLOT.key("feeds"), page, _made(lesson, dials, colours))


def _made(lesson: Lesson, dials: tuple[Dial, ...], colours: Palette) -> list[Reel]:
    found = []
    for dial in dials:  # one after another
        name = _name(lesson, dial, colours)
        made = films.film(SLOT.key(f"reel-{dial.name}"), name, _maker(lesson, dial, colours))
        if made is None:
            break
        found.append(made)
    return found


def _name(lesson: Lesson, dial: Dial, colours: Palette) -> str:
    """All that the frames of that slider rest on."""
    alike = dial.at(lesson, dial.steps[0])
    return f"{dial.name} {'dark' if colours is DARK else 'light'} {alike}"


def _maker(lesson: Lesson, dial: Dial, colours: Palette) -> Callable[[Progress], Reel]:
    return lambda progress: reel_of(lesson, dial, colours, progress)


def reel_of(lesson: Lesson, dial: Dial, colours: Palette, progress: Progress) -> Reel:
    """The station at each step of a slider, else as in the lesson."""
    frames: list[Frame] = []
    for value in dial.steps:
        progress(len(frames) / len(dial.steps))
        board = STATIONS[lesson.station].open(dial.at(lesson, value))
        seen = board.picture(colours)
        words = {_SAID: headline.as_html(board.take_home), **picture.beside(seen)}
        frames.append(Frame(dial.said(value), picture.told(seen), words))
    return Reel(SLOT.key(dial.name), _name(lesson, dial, colours), tuple(frames))
