"""Sensitive values: mark answers as sensitive; see truth, plain LDP and this protection."""

import streamlit as st

from caldp_ui.app.errors import plain_errors
from caldp_ui.compute import runs
from caldp_ui.parts import headline, mathematics, pins
from caldp_ui.parts.comparison import shown
from caldp_ui.parts.layout import title_row
from caldp_ui.session.opening import opened
from caldp_ui.values import below, chart, films, side, words
from caldp_ui.values.pinned import BESIDE
from caldp_ui.values.slot import SLOT

scenario = opened(SLOT).scenario

with plain_errors():
    said, switch = title_row(SLOT)
    with switch:
        side.picker()
    main, beside = st.columns([3.1, 1], gap="medium")
    with main:
        what = shown(SLOT, scenario)
        chart.show(what, pins.found(SLOT, BESIDE))
    with said:
        headline.show(words.headline(what))
    with beside, st.container(key=SLOT.key("side")):
        side.show(runs.setup(scenario))
    pins.show(SLOT, BESIDE, what)
    below.show(what)
    mathematics.drawer("values")
    chart.project(films.asked(what))
