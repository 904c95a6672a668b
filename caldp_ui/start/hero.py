"""The start page's one picture: plain LDP on the left, blocks on the right, numbers beside."""

from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.domain.grid import Area
from caldp_core.experiments.run import Result
from caldp_ui.app.navigation import PLACES as PLACES_PAGE
from caldp_ui.compute import plain_ldp, runs
from caldp_ui.maps.ground import ground
from caldp_ui.maps.scene import scene
from caldp_ui.parts import headline, icons
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.session import handover
from caldp_ui.session.scenarios import scenario_query
from caldp_ui.stage import Arrangement, stage
from caldp_ui.start.page_state import STATE
from caldp_ui.words import accuracy, formats
from caldp_ui.words.headline import Headline
from caldp_ui.words.vocabulary import PLACES

_HOME: Final = Area(24.55, 49.75, -111.9, -79.9)
"""Area that is always in view: a wide frame shows the whole country, a phone its middle."""


def show() -> None:
    """Show the headline, and the two maps under one divider."""
    scenario = STATE.current().scenario
    rival = plain_ldp.best_plain_ldp(scenario)
    ours, plain = runs.result(scenario), runs.result(rival)
    headline.show(_headline(plain.first.errors.tv, ours.first.errors.tv))
    data = ComparisonData(runs.setup(scenario), runs.setup(rival), ours, plain)
    land = replace(ground(data.setup, runs.map_of(data.setup.dataset), None), home=_HOME)
    with st.container(key=STATE.key("hero")):
        with st.container(key=STATE.key("picture")):
            stage(
                scene(
                    data,
                    land,
                    "Blocks of 1° × 2°",
                    look="swipe",
                    arrangement=Arrangement(()),
                ),
                STATE.key("maps"),
            )
        with st.container(key=STATE.key("beside")):
            _show_errors(plain, ours)


def _headline(plain: float, ours: float) -> Headline:
    """Both errors, total variations in [0, 1], in one sentence."""
    return Headline(
        f"A map that protects only what is sensitive puts {formats.of_hundred(ours)} people in the "
        f"wrong place, not {formats.per_hundred(plain)}.",
        "Local differential privacy (LDP) adds noise on each phone, before anything is sent. Drag "
        "the divider to compare.",
    )


def _show_errors(plain: Result, ours: Result) -> None:
    """Show both errors as numbers and as people, and buttons for the next pages."""
    st.html(f'<div class="sides">{_side_html("left", plain)}{_side_html("right", ours)}</div>')
    st.markdown(
        "Both hide where in a block someone is. Plain LDP also hides which block, so its map is "
        "less accurate."
    )
    with st.container(horizontal=True):
        if st.button("Open this map", icon=":material/map:", type="primary"):
            handover.open_with(PLACES_PAGE, scenario_query(ours.setup.scenario))
            st.switch_page(PLACES_PAGE)
        if st.button("Tour, 3 minutes", icon=":material/flag:"):
            handover.open_part(PLACES_PAGE, "tour")
            st.switch_page(PLACES_PAGE)


def _side_html(side: str, result: Result) -> str:
    """One side of the divider: its name, its error, and as many of 100 small figures filled."""
    tv = result.first.errors.tv
    title = {"left": "Plain LDP", "right": "Blocks of 1° × 2°"}[side]
    number, unit = accuracy.wrong_of_hundred(PLACES, tv)
    alt = f"100 small figures, {round(100 * tv)} of them filled: {unit}."
    return (
        f'<div class="{side}"><small>{side} of the divider</small><b>{title}</b>'
        f"<strong>{number}</strong><span>{unit}</span>"
        f"{icons.people_array(round(100 * tv), alt)}</div>"
    )
