"""Controls of the page: the example, the two ε's, people and true share, new noise and pins."""

import math
from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.datasets import YesOrNo
from caldp_ui.controls import common, presets
from caldp_ui.controls.common import EPSILONS, Slider
from caldp_ui.controls.presets import PolicyPreset
from caldp_ui.parts import pins
from caldp_ui.session.scenarios import bind
from caldp_ui.words import formats, promise_levels
from caldp_ui.yesno import pin_view
from caldp_ui.yesno.page_state import STATE, YesNoState, with_levels, yes_no_policy
from caldp_ui.yesno.presets import PRESETS

_LEVELS: Final = (*EPSILONS, math.inf)
_PEOPLE: Final = (100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000, 10**9)
_SHARES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)


def _level_slider(name: str) -> Slider[YesNoState]:
    def at(record: YesNoState, value: float) -> YesNoState:
        return YesNoState(with_levels(record.scenario, **{name: float(value)}))

    def now(record: YesNoState) -> float:
        level: float = getattr(yes_no_policy(record.scenario), name)
        return level

    return Slider(name, now, at, _LEVELS, promise_levels.level)


def _yes_share(record: YesNoState) -> float:
    dataset = record.scenario.dataset
    assert isinstance(dataset, YesOrNo)  # `page_state._check` sees to it
    return dataset.yes


_EPSILON_YES: Final = _level_slider("epsilon_10")
_EPSILON_NO: Final = _level_slider("epsilon_01")
_PEOPLE_SLIDER: Final[Slider[YesNoState]] = Slider(
    "people",
    lambda record: record.scenario.n or _PEOPLE[0],
    lambda record, n: YesNoState(replace(record.scenario, n=int(n))),
    _PEOPLE,
    formats.people,
)
_SHARE_SLIDER: Final[Slider[YesNoState]] = Slider(
    "share",
    _yes_share,
    lambda record, share: YesNoState(replace(record.scenario, dataset=YesOrNo(share))),
    _SHARES,
    lambda share: f"{100 * share:.3g} %",
)
SLIDERS: Final = (_EPSILON_YES, _EPSILON_NO, _PEOPLE_SLIDER, _SHARE_SLIDER)


def example_picker() -> None:
    """Show the choice of ready questions; people and the true share stay."""
    titles: dict[str, PolicyPreset] = {preset.title: preset for preset in PRESETS}
    matching = presets.matching_preset(PRESETS, STATE.current().scenario)
    st.selectbox(
        "Example",
        list(titles),
        placeholder="your own",
        help=matching.sentence if matching else None,
        **bind(
            STATE, "preset", matching and matching.title, lambda s, picked: titles[picked].apply(s)
        ),
    )


def level_sliders() -> None:
    """Show the sliders of both ε's; on phones they stay on screen."""
    with st.container(key=STATE.key("dials"), horizontal=True):
        common.show(STATE, _EPSILON_YES, "ε of yes", _level_help("yes"))
        common.show(STATE, _EPSILON_NO, "ε of no", _level_help("no"))


def level_buttons() -> None:
    """Show the buttons for one ε for both answers, and for undo."""
    policy = yes_no_policy(STATE.current().scenario)
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "One ε for both (Warner)",
            icon=":material/link:",
            key=STATE.key("alike"),
            disabled=policy.epsilon_01 == policy.epsilon_10,
            on_click=lambda: STATE.change(_with_smaller_epsilon),
            help="Protects both answers with the smaller of the two ε's.",
        )
        common.button(STATE)


def _with_smaller_epsilon(record: YesNoState) -> YesNoState:
    policy = yes_no_policy(record.scenario)
    least = min(policy.epsilon_01, policy.epsilon_10)
    return YesNoState(with_levels(record.scenario, epsilon_01=least, epsilon_10=least))


def people_sliders() -> None:
    """Show the sliders of the number of people, and of the true share of yes."""
    with st.container(key=STATE.key("crowd"), horizontal=True):
        common.show(STATE, _PEOPLE_SLIDER, "People")
        help_text = "Percent of all people whose true answer is yes; shown for demonstration only."
        common.show(STATE, _SHARE_SLIDER, "Truly yes", help_text)


def outcome_buttons() -> None:
    """Show the buttons for new noise and for the pin."""
    pins.redraw_and_pin(
        STATE, pin_view.PIN_VIEW.title, "The same protection, with other people and new noise."
    )


def _level_help(answer: str) -> str:
    return (
        f"A report makes {answer} at most e^ε times as likely as before. Smaller: better hidden. "
        f"At ∞ a report may prove {answer}."
    )
