"""The pinned scenario beside the present one: its maps under the same view, and what differs.

Room: places.
"""

import pandas as pd
import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Result
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import rivals, runs
from caldp_ui.parts import numbers
from caldp_ui.parts.comparison import Shown, quick
from caldp_ui.places.ground import ground
from caldp_ui.places.presets import fitting
from caldp_ui.places.scene import scene
from caldp_ui.places.slot import SLOT
from caldp_ui.stage import stage
from caldp_ui.words import accuracy, promise
from caldp_ui.words.vocabulary import PLACES


def show(pinned: Scenario, now: Result, domain: GridDomain) -> None:
    """A second stage, and a table of the numbers that differ."""
    rival = rivals.rival(pinned)
    ours, plain = quick(pinned), quick(rival)
    if ours is None:
        st.info("The pinned scenario takes longer than a second; unpin it or choose a quick one.")
        return
    setup = ours.setup
    off = accuracy.tv_in_words(PLACES, ours.first.errors.tv)
    with st.container(key=SLOT.key("pinned")):
        st.markdown(f"**Pinned: {title(pinned)}** · {off}. {promise.in_short(setup)}")
        if runs.map_of(setup.dataset) == domain:
            what = Shown(setup, runs.setup(rival), ours, plain)
            stage(scene(what, ground(setup, domain, SLOT.now().region), "Pinned"), KEY)
        else:
            st.caption("Its map is another one, so only the numbers stand beside each other.")
        st.table(differences(now, ours))


KEY = SLOT.key("pinned-maps")


def title(scenario: Scenario) -> str:
    """What a scenario is called in a few words."""
    preset = fitting(scenario)
    level = scenario.context.epsilon
    told = f"ε = {level:g}" if not isinstance(level, tuple) else "several ε"
    return f"{preset.title if preset else 'own protection'}, {told}"


def differences(now: Result, pinned: Result) -> pd.DataFrame:
    """The rows of the table of numbers in which the two differ."""
    frame = pd.DataFrame({"now": numbers.column(now), "pinned": numbers.column(pinned)})
    return frame[frame["now"] != frame["pinned"]].rename_axis("number")
