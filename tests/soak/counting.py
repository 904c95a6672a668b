"""A page that counts what is done on it: a text, a slider, clicks.

`CALDP_SOAK_CHECK_MS`: milliseconds that the check of a changed record takes; 9 for a new ε on the
map page, which is the longest of all.
"""

import os
from dataclasses import dataclass, replace
from time import perf_counter

import streamlit as st

from caldp_ui.session.links import RecordLink
from caldp_ui.session.page_state import PageState, show_page

CHECK_S = float(os.environ.get("CALDP_SOAK_CHECK_MS", "9")) / 1000
RUN_S = 0.03
"""What a run takes, as on the map page where all is known."""
PARTS = 10
"""Places at which a run can be broken off."""


@dataclass(frozen=True)
class Ledger:
    """What was done on the page."""

    text: str = "none"
    value: int = 0
    clicks: int = 0


def work(seconds: float) -> None:
    """Run Python for that long."""
    end = perf_counter() + seconds
    while perf_counter() < end:
        sum(range(200))


def check(ledger: Ledger) -> None:
    """Take the time of a record's check."""
    work(CHECK_S)


STATE = PageState("counting", RecordLink(Ledger(), check))


def click() -> None:
    """Count a click."""
    STATE.change(lambda ledger: replace(ledger, clicks=ledger.clicks + 1))


def zero() -> None:
    """Count a click and set the slider, of which the browser has another value for a moment."""
    STATE.change(lambda ledger: replace(ledger, value=0, clicks=ledger.clicks + 1))


def show(ledger: Ledger) -> None:
    """Draw the page."""
    for number in range(PARTS):
        work(RUN_S / PARTS)
        st.caption(f"part {number}")
    text = STATE.bind_held("text", ledger.text, lambda now, chosen: replace(now, text=chosen))
    value = STATE.bind_held("value", ledger.value, lambda now, chosen: replace(now, value=chosen))
    st.text_input("Text", **text)
    st.slider("Value", 0, 1000, **value)
    STATE.button("click", "Click", click)
    STATE.button("zero", "Zero", zero)
    now = STATE.current()
    st.text_input(f"{now.text}|{now.value}|{now.clicks}", key="counting-shown", disabled=True)


show_page(STATE, show)
