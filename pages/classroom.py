"""Classroom: the lecture as seven stations; only the open one is computed and drawn."""

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.app.theme import palette
from caldp_ui.classroom import dials, films, picture, plan, station, strip
from caldp_ui.classroom.page_state import STATE
from caldp_ui.classroom.stations import STATIONS
from caldp_ui.handout import ask
from caldp_ui.handout import lesson as handout
from caldp_ui.offline import offer
from caldp_ui.parts import headline
from caldp_ui.parts.layout import title_row
from caldp_ui.session.opening import begin_page

lesson = begin_page(STATE)

headline_area, switch = title_row(STATE)
with switch:
    plan.button()
strip.show(lesson.station)
here = STATIONS[lesson.station]
main, beside = st.columns([3.6, 1], gap="medium")
with main, plain_errors():  # the picture first: nothing else is waited for
    board = here.open(lesson)
    with headline_area:
        headline.show(board.headline)
    with st.container(key=STATE.key("picture")):
        picture.draw(board.picture(palette()))
with beside, st.container(key=STATE.key("side")):
    here.show_choice(lesson)
    dials.show(here.dials(lesson))
    if here.can_break(lesson):
        dials.break_it(lesson, here.naive)
    dials.steps()
    strip.next_button(lesson.station)
with main:
    station.below(board, lambda: offer.offer_page(STATE, films.part))
    with st.container(horizontal=True, gap="small"):
        ask.button(lesson.station)
        handout.offer_lesson(STATE.key("lesson"))
    films.show(lesson)
