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
from caldp_ui.controls import common
from caldp_ui.controls.common import Slider
from caldp_ui.maps.presets import title
from caldp_ui.parts import headline, pins
from caldp_ui.words.formats import strength

_VIEWS = {PERSON: "One person", FAKES: "Fake phones"}


def views(record: AttackerState) -> None:
    """Draw the switch between one person and fake phones."""
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
    """Draw the slider of days, along the axis of the chart above it."""
    help_text = "The person stays at one place and sends a report a day."
    common.show(STATE, DAYS, "Day", help_text)


def redraw_and_pin() -> None:
    """Draw the buttons for new noise and for the pin."""
    pins.redraw_and_pin(
        STATE,
        lambda record: title(record.scenario),
        "New noise: the same people could have sent other reports.",
    )


def odds(data: BeliefData, domain: GridDomain) -> None:
    """Draw how well this person is protected."""
    with st.container(key="odds"):
        st.html(odds_html(data, domain))


def odds_html(data: BeliefData, domain: GridDomain) -> str:
    """How well this person is protected, as HTML for page and films."""
    graded = words.grades(data)
    badges = "".join(
        f'<span class="grade {strength(chance).word}">{strength(chance).word} {escape(when)}</span>'
        for chance, when in graded
    )
    sentence = headline.as_html(words.odds(domain, data))
    return f'<div class="odds graded"><p><b>Protection:</b>{badges}</p>{sentence}</div>'
