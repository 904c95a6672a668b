"""The state of the page of the paper's results: the result, its runs and its settings.

Controls beside a result.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from caldp_core.basics.errors import check_choice, check_number, check_whole, require
from caldp_core.basics.files import parse_float
from caldp_core.experiments.reproduce import PAPER
from caldp_core.scenarios.policies import BinaryQuestion
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.compute.runs import is_own
from caldp_ui.controls import common
from caldp_ui.parts import comparison
from caldp_ui.session import links, page_state

RUNS: Final = (1, 3, 10, 30, 100)
VIEWS: Final = {
    "table-1": "Table 1",
    "figure-1": "Figure 1",
    "figure-2": "Figure 2",
    "figure-3": "Figure 3",
    "sensitive-sets": "Sensitive sets",
    "unchecked": "Not checked",
}
"""Results by their name in links, and as the tabs call them."""
VALUES: Final = (20, 100, 1000, 10_000)
SHARES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Choices for sensitive sets: `VALUES` in all, `SHARES` of people with a sensitive one."""


@dataclass(frozen=True)
class PaperRecord(page_state.ScenarioRecord):
    """The page's record. `scenario`: shared by all columns and points, which set its blocks.

    `question`: the two levels of Figure 1. `values`, `share`: of sensitive sets, how many values
    there are and the share of people who have a sensitive one, None for the worst case.
    """

    scenario: Scenario = PAPER
    view: str = "table-1"
    runs: int = 10
    question: BinaryQuestion = BinaryQuestion(0.5, 2.0)
    values: int = 1000
    share: float | None = None


def _adopt_scenario(source: Scenario) -> Scenario:
    scenario = replace(source, policy=PAPER.policy, n=None)
    return scenario.with_context(epsilon=source.context.epsilon)


def _check(record: PaperRecord) -> None:
    """Raise `CaldpError` for unknown results, other data, mechanisms that don't fit."""
    check_choice("view", record.view, VIEWS)
    check_whole("runs", record.runs, 1, max(RUNS))
    check_choice("values", record.values, VALUES)
    if record.share is not None:
        check_number("share", record.share, 0.0, 1.0)
    require(
        not is_own(record.scenario.dataset),
        "The paper's results are of the paper's data; “Places on a map” shows your own.",
    )
    runs.map_of(runs.dataset(record.scenario))
    runs.setup(record.scenario)


def _levels(key: str, text: str) -> BinaryQuestion:
    parts = [math.inf if part == "inf" else parse_float(part) for part in text.split(";")]
    require(
        len(parts) == 2 and None not in parts,
        f"{key} must be two numbers (or inf) with a semicolon between them, got {text!r}.",
    )
    first, second = (float(part or 0.0) for part in parts)
    return BinaryQuestion(first, second)


_QUESTION: Final = links.FieldFormat(
    lambda asked: f"{asked.epsilon_01:g};{asked.epsilon_10:g}", _levels, "levels"
)
LINK: Final = page_state.ScenarioLink(
    PaperRecord(),
    _check,
    field_formats={"question": _QUESTION, "share": links.NUMBER},
    restrict_scenario=_adopt_scenario,
)
STATE: Final = page_state.PageState("paper", LINK)


def settings(record: PaperRecord) -> None:
    """Controls of ε, runs, method and estimate, and the way back to the paper's."""
    common.epsilon(STATE)
    comparison.epsilon_button(STATE, record.scenario.policy.plain_epsilon)
    if record.view == "table-1":
        help_text = "The paper has 100. More runs make the intervals narrower."
        common.show(STATE, common.field_slider("runs", RUNS), "Runs per column", help_text)
    common.method(STATE)
    common.estimate(STATE)
    if runs.fetched_snap() is not None:
        common.data(STATE, {t: s for t, s in runs.places().items() if runs.has_people(s)})
    with st.container(horizontal=True, gap="xsmall"):
        STATE.button(
            "as-printed",
            "As in the paper",
            page_state.update_scenario,
            STATE,
            lambda s: replace(PAPER, dataset=s.dataset),
            icon="undo",
            disabled=record.scenario == PAPER,
            help="ε = 1, Hadamard response, one projection on the shares.",
        )
        common.redraw_button(STATE)
