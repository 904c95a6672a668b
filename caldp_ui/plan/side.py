"""Beside the picture: what must be known how well, ε, people, protection, and the odds.

Room: plan.
"""

from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_ui.compute import runs
from caldp_ui.compute.sources import choose, title_of
from caldp_ui.controls import common
from caldp_ui.controls.choices import NAMES, data_sets
from caldp_ui.parts import headline, pins
from caldp_ui.plan import words
from caldp_ui.plan.slot import GOALS, SLOT, Plan
from caldp_ui.session.scenarios import bind

_FLOORS: Final = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1)
_WITHIN: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_WRONG: Final = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3)


def goals() -> None:
    """What kind of accuracy is asked for."""
    bound = SLOT.bind("goal", SLOT.now().goal, lambda r, v: replace(r, goal=v))
    common.views("What must be known", GOALS, bound)


def settings(record: Plan) -> None:
    """All controls, and the odds of the chosen protection."""
    if record.goal == "values":
        _share("floor", "Every answer of at least", _FLOORS, record.floor)
        _share("within", "to within ± of itself", _WITHIN, record.within)
    else:
        _share("wrong", "At most wrong, of all people", _WRONG, record.wrong)
    common.epsilon(SLOT)
    common.people(SLOT, runs.dataset(record.scenario).n)
    st.selectbox(
        "Protection",
        NAMES,
        format_func=lambda name: words.title(record, name),
        **SLOT.bind("protection", record.protection, lambda r, v: replace(r, protection=v)),
    )
    headline.odds(runs.setup(record.under(record.protection, record.epsilon)))
    titles = data_sets(record.scenario.dataset)
    st.selectbox(
        "Plan with data like",
        list(titles),
        **bind(
            SLOT,
            "data",
            title_of(record.scenario.dataset, titles),
            lambda s, v: choose(s, titles[v]),
        ),
    )
    pins.button(SLOT)


def _share(name: str, label: str, steps: tuple[float, ...], value: float) -> None:
    st.select_slider(
        label,
        sorted({*steps, value}),
        format_func=lambda share: f"{100 * share:g} %",
        **SLOT.bind(name, value, lambda r, v: _with(r, name, float(v))),
    )


def _with(record: Plan, name: str, share: float) -> Plan:
    if name == "floor":
        return replace(record, floor=share)
    return replace(record, within=share) if name == "within" else replace(record, wrong=share)
