"""Beside the pictures: the two ε's, ready questions, people and the true share.

Room: yesno.
"""

import math
from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.datasets import YesOrNo
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.controls import presets
from caldp_ui.controls.common import EPSILONS
from caldp_ui.parts import pins
from caldp_ui.session.scenarios import bind
from caldp_ui.words import formats, told_levels
from caldp_ui.yesno.presets import PRESETS
from caldp_ui.yesno.slot import SLOT, question, with_levels

_LEVELS: Final = (*EPSILONS, math.inf)
_PEOPLE: Final = (100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000, 10**9)
_SHARES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)


def show(scenario: Scenario) -> None:
    """All controls of the page; the two ε's come first and stay on screen."""
    policy = question(scenario)
    with st.container(key=SLOT.key("dials")):
        _level("epsilon_10", "ε of yes", policy.epsilon_10, "yes")
        _level("epsilon_01", "ε of no", policy.epsilon_01, "no")
    presets.picker(SLOT, PRESETS)
    n = scenario.n or _PEOPLE[0]
    st.select_slider(
        "People",
        sorted({*_PEOPLE, n}),
        format_func=formats.people,
        **bind(SLOT, "people", n, lambda s, v: replace(s, n=v)),
    )
    assert isinstance(scenario.dataset, YesOrNo)  # by the slot's check
    share = scenario.dataset.yes
    st.select_slider(
        "People whose true answer is yes",
        sorted({*_SHARES, share}),
        format_func=lambda v: f"{100 * v:.3g} %",
        help="Known here only as this is a demonstration.",
        **bind(SLOT, "share", share, lambda s, v: replace(s, dataset=YesOrNo(v))),
    )
    pins.again(SLOT, "The same coin; other people and other throws.")
    st.button(
        "Undo",
        icon=":material/undo:",
        key=SLOT.key("undo"),
        disabled=not SLOT.can_undo,
        on_click=SLOT.undo,
    )


def _level(name: str, title: str, value: float, answer: str) -> None:
    st.select_slider(
        title,
        sorted({*_LEVELS, value}),
        format_func=told_levels.level,
        help=f"How far a report may speak for {answer}: it makes {answer} at most e^ε times as "
        f"credible. At ∞ a report may prove {answer}.",
        **bind(SLOT, name, value, lambda s, v: with_levels(s, **{name: float(v)})),
    )
