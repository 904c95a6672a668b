"""The view of one person: what an attacker who sees their reports comes to believe."""

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary import below, figures, films, side, words
from caldp_ui.adversary.beliefs import BeliefData, load_data
from caldp_ui.adversary.page_state import STATE, AttackerState
from caldp_ui.adversary.pin_view import PIN_VIEW
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show as show_chart
from caldp_ui.controls import common, presets
from caldp_ui.maps import scene
from caldp_ui.maps.presets import PRESETS
from caldp_ui.parts import pins
from caldp_ui.parts.films import show as show_films
from caldp_ui.parts.layout import Layout


def show(record: AttackerState, domain: GridDomain, page: Layout) -> None:
    """Draw the view into the page's layout."""
    data = load_data(record)
    with page.main:
        on = films.maps(data, domain)
    page.show_headline(words.headline(data))
    with page.side:
        _curve(data, domain)
        _panel(data, domain)
    with page.below:
        show_films(films.film_requests(data, domain), on)
        pins.show(STATE, PIN_VIEW, data)
        below.show(data)


def _curve(data: BeliefData, domain: GridDomain) -> None:
    """Draw the choices, and a chart day by day whose axis is the slider of days."""
    with st.container(key=STATE.key("curve"), gap=None):
        with st.container(key=STATE.key("which"), horizontal=True, gap="small"):
            presets.menu(STATE, PRESETS)
            scene.place_control(STATE, "The person truly is in", domain, data.record.place)
            side.redraw_and_pin()
        show_chart(figures.curve(data, palette()), STATE.key("curve-chart"), words.alt_curve(data))
        side.day()


def _panel(data: BeliefData, domain: GridDomain) -> None:
    with st.container(key=STATE.key("controls"), gap="small"):
        with st.container(key=STATE.key("dials")):
            common.epsilon(STATE)
        side.odds(data, domain)
