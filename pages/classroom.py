"""Classroom: the lecture as seven stations; only the open one is computed and drawn."""

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.app.theme import palette
from caldp_ui.classroom import dials, films, picture, plan, station, strip, take_home
from caldp_ui.classroom.slot import SLOT
from caldp_ui.classroom.stations import STATIONS
from caldp_ui.handout import ask
from caldp_ui.handout import lesson as handout
from caldp_ui.offline import offer
from caldp_ui.parts import headline
from caldp_ui.parts.layout import title_row
from caldp_ui.session.opening import opened

lesson = opened(SLOT)

said, switch = title_row(SLOT)
with switch:
    plan.button()
strip.show(lesson.station)
here = STATIONS[lesson.station]
main, beside = st.columns([3.6, 1], gap="medium")
with main, plain_errors():  # the picture first: nothing else is waited for
    board = here.open(lesson)
    with said:
        headline.show(board.headline)
    with st.container(key=SLOT.key("picture")):
        picture.draw(board.picture(palette()))
with beside, st.container(key=SLOT.key("side")):
    here.choice(lesson)
    dials.show(here.dials(lesson))
    if here.breaks(lesson):
        dials.break_it(lesson, here.naive)
    dials.steps()
    strip.onward(lesson.station)
with main:
    station.below(board, lambda: offer.page(SLOT, take_home.part))
    with st.container(horizontal=True, gap="small"):
        ask.button(lesson.station)
        handout.offer(SLOT.key("lesson"))
    films.show(lesson)
