"""Controls beside the picture: the goal, ε, people, protection, data, and the odds."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_ui.compute import runs
from caldp_ui.compute.sources import title_of, with_dataset
from caldp_ui.controls import common
from caldp_ui.controls.choices import NAMES, data_sets
from caldp_ui.controls.common import Slider
from caldp_ui.parts import odds, pins
from caldp_ui.plan import pin_view, words
from caldp_ui.plan.page_state import GOALS, RELATIVE, STATE, Plan
from caldp_ui.plan.regions import REGIONS, have_smaller_regions, regions_of
from caldp_ui.session.scenarios import bind
from caldp_ui.words.vocabulary import PLACES


def _share(
    name: str, change: Callable[[Plan, float], Plan], steps: tuple[float, ...]
) -> Slider[Plan]:
    def now(record: Plan) -> float:
        share: float = getattr(record, name)
        return share

    return Slider(name, now, change, steps, lambda share: f"{100 * share:g} %")


FLOOR_SLIDER: Final = _share(
    "floor", lambda r, v: replace(r, floor=v), (0.001, 0.005, 0.01, 0.02, 0.05, 0.1)
)
WITHIN_SLIDER: Final = _share(
    "within", lambda r, v: replace(r, within=v), (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
)
_WRONG_SLIDER: Final = _share(
    "wrong", lambda r, v: replace(r, wrong=v), (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
)


WITHIN_TITLE: Final = "is known to within ± (of its value)"


def floor_title(record: Plan) -> str:
    """The label of the slider of the least share that matters."""
    return f"Every {words.unit(record)} of at least (of all people)"


def goals() -> None:
    """The switch of the goal."""
    now = STATE.current()
    bound = STATE.bind("goal", now.goal, lambda r, v: replace(r, goal=v))
    common.view_switch("What must be known", goal_titles(now), bound)


def goal_titles(record: Plan) -> dict[str, str]:
    """Titles of the goals that the data have, by name; short on maps, which have one more."""
    scenario = record.scenario
    titles = dict(GOALS)
    if words.nouns(record) is PLACES:
        groups = regions_of(scenario, "groups")
        many = groups.plural if groups else "groups"
        titles |= {"values": "Places", "groups": many.capitalize()}
    if record.goal != REGIONS and not have_smaller_regions(scenario):
        del titles[REGIONS]
    return titles


def settings(record: Plan) -> None:
    """All controls, and the odds of the chosen protection."""
    if record.goal in RELATIVE:
        common.show(STATE, FLOOR_SLIDER, floor_title(record))
        common.show(STATE, WITHIN_SLIDER, WITHIN_TITLE, "± is the 95 % range of the estimate.")
    else:
        common.show(STATE, _WRONG_SLIDER, f"People {words.nouns(record).wrong}, at most")
    common.epsilon(STATE)
    common.people(STATE, runs.dataset(record.scenario).n)
    st.selectbox(
        "Protection",
        NAMES,
        format_func=lambda name: words.protection_title(record, name),
        **STATE.bind("protection", record.protection, lambda r, v: replace(r, protection=v)),
    )
    odds.show(
        words.nouns(record),
        runs.setup(record.protected_scenario(record.protection, record.epsilon)),
    )
    titles = data_sets(record.scenario.dataset)
    st.selectbox(
        "Plan with data like",
        list(titles),
        **bind(
            STATE,
            "data",
            title_of(record.scenario.dataset, titles),
            lambda s, v: with_dataset(s, titles[v]),
        ),
    )
    pins.pin_button(STATE, pin_view.PIN_VIEW.title)
