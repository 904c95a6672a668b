"""The view of one person: what an attacker who sees their reports comes to believe."""

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary import below, figures, films, scene, side, words
from caldp_ui.adversary.beliefs import Shown, shown
from caldp_ui.adversary.pinned import BESIDE
from caldp_ui.adversary.slot import SLOT, Suspect
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show as show_chart
from caldp_ui.controls import common, presets
from caldp_ui.maps import choice
from caldp_ui.maps.presets import PRESETS
from caldp_ui.parts import pins
from caldp_ui.parts.films import show as show_films
from caldp_ui.parts.layout import Layout


def show(record: Suspect, domain: GridDomain, page: Layout) -> None:
    """Fill the page."""
    what = shown(record)
    with page.main:
        on = scene.maps(what, domain)
    page.say(words.headline(what))
    with page.side:
        _curve(what, domain)
        _panel(what, domain)
    with page.below:
        show_films(films.asked(what, domain), on)
        pins.show(SLOT, BESIDE, what)
        below.show(what)


def _curve(what: Shown, domain: GridDomain) -> None:
    """What is shown, and day by day: a chart whose axis is the slider of days."""
    with st.container(key=SLOT.key("curve"), gap=None):
        with st.container(key=SLOT.key("which"), horizontal=True, gap="small"):
            presets.menu(SLOT, PRESETS)
            choice.place(SLOT, "The person truly is in", domain, what.record.place)
            side.again()
        show_chart(figures.curve(what, palette()), SLOT.key("curve-chart"), words.alt_curve(what))
        side.day()


def _panel(what: Shown, domain: GridDomain) -> None:
    with st.container(key=SLOT.key("controls"), gap="small"):
        with st.container(key=SLOT.key("dials")):
            common.epsilon(SLOT)
        side.odds(what, domain)
