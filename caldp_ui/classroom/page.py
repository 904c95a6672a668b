"""The page: the strip of stations, the open one, and its films and file."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.app.theme import Palette, palette
from caldp_ui.classroom import (
    counting,
    means,
    plan,
    rappor,
    selection,
    shuffling,
    station,
    sums,
    trust,
)
from caldp_ui.classroom.page_state import STATE, Lesson
from caldp_ui.classroom.station import Station
from caldp_ui.controls.common import Slider
from caldp_ui.offline import document
from caldp_ui.offline.records import Part
from caldp_ui.parts import markup
from caldp_ui.parts.layout import title_row
from caldp_ui.shell.page import Page, View

STATIONS: Final[dict[str, Station]] = {
    "trust": trust.STATION,
    "sum": sums.STATION,
    "selection": selection.STATION,
    "rappor": rappor.STATION,
    "bits": counting.STATION,
    "means": means.STATION,
    "shuffling": shuffling.STATION,
}
"""By name, in the order of the lecture."""
_BROKEN: Final = Slider[Lesson](
    "broken",
    lambda lesson: lesson.broken,
    lambda lesson, on: replace(lesson, broken=bool(on)),
    (0, 1),
    lambda on: "on" if on else "off",
)
"""The switch that shows the naive version failing."""


def view(lesson: Lesson, pinned: Lesson | None, colours: Palette) -> View:
    """The open station's headline and picture."""
    del pinned
    board = STATIONS[lesson.station].open(lesson)
    picture = board.picture(colours)
    return View(board.headline, station.chart_messages(picture), station.html_by_selector(picture))


def sliders(lesson: Lesson) -> dict[str, Slider[Lesson]]:
    """The sliders of the open station, by title."""
    return {dial.title: dial.slider for dial in STATIONS[lesson.station].dials(lesson)}


PAGE: Final = Page(
    state=STATE,
    title="Classroom",
    task="Move one slider at a time: the others go back to where they began.",
    load=lambda lesson: lesson,
    view=view,
    sliders=sliders,
)


def part(lesson: Lesson) -> Part | None:
    """The open station as a part of a file, with the switch that breaks it."""
    name, here = lesson.station, STATIONS[lesson.station]
    switches = {here.naive[0]: _BROKEN} if here.can_break(lesson) else {}
    page = replace(
        PAGE,
        name=f"station-{name}",
        title=f"Station {list(STATIONS).index(name) + 1}: {here.title}",
        sliders=lambda record: {**sliders(record), **switches},
    )
    return page.part(lesson)


def show(lesson: Lesson, show_handout: Callable[[str], None]) -> None:
    """Show the open station; only it is computed. `show_handout`: draws what goes home with it."""
    headline_area, switch = title_row(STATE)
    with switch:
        plan.button()
    _strip(lesson.station)
    here = STATIONS[lesson.station]
    main, beside = st.columns([3.6, 1], gap="medium")
    with main, plain_errors():  # the picture first: nothing else is waited for
        board = here.open(lesson)
        with headline_area:
            markup.show_headline(board.headline)
        with st.container(key=STATE.key("picture")):
            station.draw(board.picture(palette()))
    with beside, st.container(key=STATE.key("side")):
        here.show_choice(lesson)
        station.show_dials(here.dials(lesson))
        if here.can_break(lesson):
            station.break_it(lesson, here.naive)
        station.steps()
        _next_button(lesson.station)
    with main:
        station.below(board, lambda: document.offer_page(STATE, part))
        show_handout(lesson.station)
        PAGE.follow(lesson)


def _next_button(station: str) -> None:
    """Draw the button to the station after this one; none after the last."""
    names = list(STATIONS)
    if station == names[-1]:
        return
    after = names[names.index(station) + 1]
    st.button(
        f"Next: {STATIONS[after].title}",
        icon=":material/arrow_forward:",
        key=STATE.key("onward"),
        on_click=STATE.change,
        args=(lambda lesson: replace(lesson, station=after, broken=False),),
    )


def _strip(station: str) -> None:
    """Draw one button a station; a station is opened without its naive version."""
    names = list(STATIONS)
    st.segmented_control(
        "Station",
        names,
        format_func=lambda name: f"{names.index(name) + 1} {STATIONS[name].title}",
        label_visibility="collapsed",
        required=True,
        **STATE.bind("station", station, lambda r, v: replace(r, station=v, broken=False)),
    )
