"""Beside the maps: ε and days, where the person is, two candidates.

Room: adversary.
"""

from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary import words
from caldp_ui.adversary.beliefs import Pair, Shown
from caldp_ui.adversary.slot import (
    DAYS_MAX,
    FAKES,
    ONLOOKER,
    SLOT,
    Suspect,
)
from caldp_ui.controls import common, presets
from caldp_ui.parts import icons, pins
from caldp_ui.places.presets import PRESETS
from caldp_ui.words import formats
from caldp_ui.words.strength import strength
from caldp_ui.words.towns import place_name, towns

ODDS: Final = f".st-key-{SLOT.key('odds')} .odds"
"""CSS selector of the odds of two candidates."""
_VIEWS = {ONLOOKER: "An onlooker", FAKES: "Fake phones"}


def views(record: Suspect) -> None:
    """Which of the two adversaries is shown."""
    bound = SLOT.bind("show", record.show, lambda r, v: replace(r, show=v))
    common.views("Adversary", _VIEWS, bound)


def dials(record: Suspect) -> None:
    """The two that matter most; on a phone they stay on screen."""
    with st.container(key=SLOT.key("dials")):
        common.epsilon(SLOT)
        st.select_slider(
            "Days",
            list(range(DAYS_MAX + 1)),
            help="The person stays at one place and sends a report a day.",
            **SLOT.bind("days", record.days, lambda r, v: replace(r, days=v)),
        )


def protection(record: Suspect, domain: GridDomain, place: str) -> None:
    """What is protected, the place under this label, another outcome."""
    presets.picker(SLOT, PRESETS)
    _place(record, domain, place)
    pins.again(SLOT, "Other coins: the same people could have sent other reports.")


def _place(record: Suspect, domain: GridDomain, label: str) -> None:
    cells = list(towns())[:200]
    if record.place not in cells:
        cells.insert(0, record.place)
    st.selectbox(
        label,
        cells,
        format_func=lambda cell: place_name(domain, cell),
        help="Or click on a map.",
        **SLOT.bind("place", record.place, lambda r, v: r.at(int(v))),
    )


def odds(what: Shown, domain: GridDomain) -> None:
    """Two candidates as 100 people."""
    if what.pair is None:
        st.caption(words.no_pair(domain, what.record.place))
        return
    with st.container(key=SLOT.key("odds")):
        st.html(odds_html(what, what.pair, domain))


def odds_html(what: Shown, pair: Pair, domain: GridDomain) -> str:
    """Their picture and sentence."""
    said = formats.hundred(pair.share)
    title = f"100 small figures, {said} of them filled: truly at the true place."
    kept, most, most_kept = map(formats.hundred, (pair.kept, pair.most, pair.most_kept))
    return (
        f'<div class="odds {strength(pair.most).word}">'
        f"{icons.people_array(round(100 * pair.share), title)}"
        f"<p><strong>{said} of 100</strong> are truly at the true place: "
        f"{words.odds(domain, what, pair)}. The promise: at most {most}. If one report is "
        f"kept: <b>{kept}</b>, at most {most_kept}.</p></div>"
    )
