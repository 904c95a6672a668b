"""The page's controls: the example, the two ε's, people and the true share, new noise and pins."""

import math
from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.datasets import YesOrNo
from caldp_ui.controls import presets, slider, undo
from caldp_ui.controls.common import EPSILONS
from caldp_ui.controls.presets import ReadyPolicy
from caldp_ui.controls.slider import Slider
from caldp_ui.parts import pins
from caldp_ui.session.scenarios import bind
from caldp_ui.words import formats, told_levels
from caldp_ui.yesno import pinned
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


def example() -> None:
    """Ready questions; people and the true share stay."""
    titles: dict[str, ReadyPolicy] = {preset.title: preset for preset in PRESETS}
    shown = presets.fitting(PRESETS, SLOT.now().scenario)
    st.selectbox(
        "Example",
        list(titles),
        placeholder="your own",
        help=shown.sentence if shown else None,
        **bind(SLOT, "preset", shown and shown.title, lambda s, picked: titles[picked].apply(s)),
    )


def levels() -> None:
    """The two ε's; on phones they stay on screen."""
    with st.container(key=SLOT.key("dials"), horizontal=True):
        slider.show(SLOT, _OF_YES, "ε of yes", _told("yes"))
        slider.show(SLOT, _OF_NO, "ε of no", _told("no"))


def level_buttons() -> None:
    """Both ε's alike, and undo."""
    policy = question(SLOT.now().scenario)
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "One ε for both (Warner)",
            icon=":material/link:",
            key=SLOT.key("alike"),
            disabled=policy.epsilon_01 == policy.epsilon_10,
            on_click=lambda: SLOT.change(_with_the_smaller),
            help="Protects both answers with the smaller of the two ε's.",
        )
        undo.button(SLOT)


def _with_the_smaller(record: OneQuestion) -> OneQuestion:
    policy = question(record.scenario)
    least = min(policy.epsilon_01, policy.epsilon_10)
    return OneQuestion(with_levels(record.scenario, epsilon_01=least, epsilon_10=least))


def crowd() -> None:
    """How many people are asked, and how many of them have yes."""
    with st.container(key=SLOT.key("crowd"), horizontal=True):
        slider.show(SLOT, _MANY, "People")
        told = "Percent of all people whose true answer is yes; shown for demonstration only."
        slider.show(SLOT, _YES, "Truly yes", told)


def outcome_buttons() -> None:
    """New noise, and the pin."""
    pins.again(SLOT, pinned.BESIDE.title, "The same protection, with other people and new noise.")


def _told(answer: str) -> str:
    return (
        f"A report makes {answer} at most e^ε times as credible as before. Smaller: better hidden. "
        f"At ∞ a report may prove {answer}."
    )
