"""Beside the maps: ε and days, where the person is, how well they are protected."""

from dataclasses import replace
from html import escape
from typing import Final

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary import words
from caldp_ui.adversary.beliefs import BeliefData
from caldp_ui.adversary.page_state import (
    DAYS_MAX,
    FAKES,
    PERSON,
    STATE,
    AttackerState,
)
from caldp_ui.controls import common, slider
from caldp_ui.controls.slider import Slider
from caldp_ui.maps.presets import title
from caldp_ui.parts import headline, pins
from caldp_ui.words.strength import strength

_VIEWS = {PERSON: "One person", FAKES: "Fake phones"}


def views(record: AttackerState) -> None:
    """Whether one person or fake phones are shown."""
    bound = STATE.bind("show", record.show, lambda r, v: replace(r, show=v))
    common.view_switch("View", _VIEWS, bound)


DAYS: Final = Slider[AttackerState](
    "days",
    lambda record: record.days,
    lambda record, day: replace(record, days=int(day)),
    range(DAYS_MAX + 1),
    str,
)


def day() -> None:
    """The day, along the axis of the chart above it."""
    told = "The person stays at one place and sends a report a day."
    slider.show(STATE, DAYS, "Day", told)


def redraw_and_pin() -> None:
    """Other reports of the same person, and the pin."""
    pins.redraw_and_pin(
        STATE,
        lambda record: title(record.scenario),
        "New noise: the same people could have sent other reports.",
    )


def odds(data: BeliefData, domain: GridDomain) -> None:
    """How well this person is protected."""
    with st.container(key="odds"):
        st.html(odds_html(data, domain))


def odds_html(data: BeliefData, domain: GridDomain) -> str:
    """The same as HTML, for films."""
    graded = words.grades(data)
    badges = "".join(
        f'<span class="grade {strength(chance).word}">{strength(chance).word} {escape(when)}</span>'
        for chance, when in graded
    )
    said = headline.as_html(words.odds(domain, data))
    return f'<div class="odds graded"><p><b>Protection:</b>{badges}</p>{said}</div>'
