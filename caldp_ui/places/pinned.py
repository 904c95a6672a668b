"""What is pinned on the map page: its maps under the same view, and what differs.

Room: places.
"""

from typing import Final

import streamlit as st

from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.parts import pins
from caldp_ui.parts.comparison import Shown, at_once
from caldp_ui.places.ground import ground
from caldp_ui.places.presets import fitting
from caldp_ui.places.scene import scene
from caldp_ui.places.slot import SLOT, Places
from caldp_ui.stage import stage
from caldp_ui.words import accuracy, promise
from caldp_ui.words.vocabulary import PLACES

KEY: Final = SLOT.key("pinned-maps")


def title(scenario: Scenario) -> str:
    """What a scenario is called in a few words."""
    preset = fitting(scenario)
    level = scenario.context.epsilon
    told = f"ε = {level:g}" if not isinstance(level, tuple) else "several ε"
    return f"{preset.title if preset else 'own protection'}, {told}"


def _said(what: Shown) -> str:
    tv = None if what.ours is None else what.ours.first.errors.tv
    return f"{accuracy.headline(PLACES, tv, None)} {promise.in_short(what.setup)}"


def _picture(now: Shown, what: Shown) -> None:
    domain = runs.map_of(what.setup.dataset)
    if domain == runs.map_of(now.setup.dataset):
        stage(scene(what, ground(what.setup, domain, SLOT.now().region), "Pinned"), KEY)
    else:
        st.caption("Its map is another one, so only the numbers stand beside each other.")


BESIDE: Final[pins.Beside[Places, Shown]] = pins.Beside(
    find=lambda record: at_once(SLOT, record.scenario),
    title=lambda record: title(record.scenario),
    said=_said,
    numbers=lambda what: pins.numbers_of(PLACES, what.ours),
    picture=_picture,
)
