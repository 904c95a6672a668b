"""The start page's one picture: plain LDP on the left, blocks on the right, and ε below.

Room: start.
"""

import streamlit as st

from caldp_ui.compute import rivals, runs
from caldp_ui.parts.comparison import Shown
from caldp_ui.places import films
from caldp_ui.places.ground import ground
from caldp_ui.places.scene import scene
from caldp_ui.session.scenarios import steer
from caldp_ui.stage import Chosen, stage
from caldp_ui.start.slot import SLOT
from caldp_ui.words import formats


def show() -> None:
    """The sentence of the result, and the two maps under one divider."""
    scenario = SLOT.now().scenario
    rival = rivals.rival(scenario)
    ours, plain = runs.result(scenario), runs.result(rival)
    off = [formats.of_hundred(result.first.errors.tv) for result in (plain, ours)]
    with st.container(key="headline"):
        st.markdown(
            f"Drag the divider: with **plain LDP**, {off[0]} people are in the wrong place; hiding "
            f"only **where in a block of 1° × 2°** they are, {off[1]}. Same people, same ε."
        )
    what = Shown(runs.setup(scenario), runs.setup(rival), ours, plain)
    land = ground(what.setup, runs.map_of(what.setup.dataset), None)
    on = stage(
        scene(what, land, "Blocks of 1° × 2°", look="swipe"),
        SLOT.key("maps"),
        on_step=_follow,
    )
    films.show(SLOT.key("films"), scenario, on)


def _follow(chosen: Chosen) -> None:
    if chosen.film == "epsilon":
        steer(SLOT, lambda s: s.with_context(epsilon=chosen.value))
