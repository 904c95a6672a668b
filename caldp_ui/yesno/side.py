"""Beside the pictures: the two ε's, ready questions, people and the true share.

Room: yesno.
"""

import math
from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.datasets import YesOrNo
from caldp_ui.controls import presets, slider
from caldp_ui.controls.common import EPSILONS
from caldp_ui.controls.slider import Slider
from caldp_ui.parts import pins
from caldp_ui.words import formats, told_levels
from caldp_ui.yesno.presets import PRESETS
from caldp_ui.yesno.slot import SLOT, OneQuestion, question, with_levels

_LEVELS: Final = (*EPSILONS, math.inf)
_PEOPLE: Final = (100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000, 10**9)
_SHARES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)


def _level(name: str) -> Slider[OneQuestion]:
    def at(record: OneQuestion, value: float) -> OneQuestion:
        return OneQuestion(with_levels(record.scenario, **{name: float(value)}))

    def now(record: OneQuestion) -> float:
        level: float = getattr(question(record.scenario), name)
        return level

    return Slider(name, now, at, _LEVELS, told_levels.level)


def _share(record: OneQuestion) -> float:
    dataset = record.scenario.dataset
    assert isinstance(dataset, YesOrNo)  # by the slot's check
    return dataset.yes


_OF_YES: Final = _level("epsilon_10")
_OF_NO: Final = _level("epsilon_01")
_MANY: Final[Slider[OneQuestion]] = Slider(
    "people",
    lambda record: record.scenario.n or _PEOPLE[0],
    lambda record, n: OneQuestion(replace(record.scenario, n=int(n))),
    _PEOPLE,
    formats.people,
)
_YES: Final[Slider[OneQuestion]] = Slider(
    "share",
    _share,
    lambda record, share: OneQuestion(replace(record.scenario, dataset=YesOrNo(share))),
    _SHARES,
    lambda share: f"{100 * share:.3g} %",
)
SLIDERS: Final = (_OF_YES, _OF_NO, _MANY, _YES)


def show() -> None:
    """All controls of the page; the two ε's come first and stay on screen."""
    with st.container(key=SLOT.key("dials")):
        slider.show(SLOT, _OF_YES, "ε of yes", _far("yes"))
        slider.show(SLOT, _OF_NO, "ε of no", _far("no"))
    presets.picker(SLOT, PRESETS)
    slider.show(SLOT, _MANY, "People")
    told = "Known here only as this is a demonstration."
    slider.show(SLOT, _YES, "People whose true answer is yes", told)
    pins.again(SLOT, "The same coin; other people and other throws.")
    st.button(
        "Undo",
        icon=":material/undo:",
        key=SLOT.key("undo"),
        disabled=not SLOT.can_undo,
        on_click=SLOT.undo,
    )


def _far(answer: str) -> str:
    return (
        f"How far a report may speak for {answer}: it makes {answer} at most e^ε times as "
        f"credible. At ∞ a report may prove {answer}."
    )
