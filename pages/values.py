"""Sensitive answers: mark answers as sensitive; see truth, plain LDP and this protection."""

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.compute import runs
from caldp_ui.parts import headline, mathematics, pins
from caldp_ui.parts.comparison import load_results
from caldp_ui.parts.layout import title_row
from caldp_ui.session.opening import begin_page
from caldp_ui.values import below, chart, films, side, words
from caldp_ui.values.page_state import STATE
from caldp_ui.values.pin_view import PIN_VIEW

scenario = begin_page(STATE).scenario

with plain_errors():
    headline_area, switch = title_row(STATE)
    with switch:
        side.table_picker()
    main, beside = st.columns([3.1, 1], gap="medium")
    with main:
        data = load_results(STATE, scenario)
        chart.show(data, pins.pinned_data(STATE, PIN_VIEW))
    with headline_area:
        headline.show(words.headline(data))
    with beside, st.container(key=STATE.key("side")):
        side.show(runs.setup(scenario))
    pins.show(STATE, PIN_VIEW, data)
    below.show(data)
    mathematics.drawer("values")
    chart.send_frames(films.film_requests(data))
