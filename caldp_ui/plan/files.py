"""Exports: the numbers of the picture, the plan as a scenario, and Python.

The page as one file: how many people a goal needs, along its sliders.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import exports, runs
from caldp_ui.controls.common import Slider
from caldp_ui.offline import boards, offer
from caldp_ui.offline.records import Part
from caldp_ui.parts import sharing
from caldp_ui.plan import films, people_needed, side, words
from caldp_ui.plan.page_state import OF_REGIONS, RELATIVE, STATE, Plan
from caldp_ui.plan.people_needed import Need
from caldp_ui.plan.regions import Margins, regions_of


def part(record: Plan) -> Part | None:
    """The page; None for a goal whose points take trials."""
    if record.goal not in RELATIVE:
        return None
    epsilon, people, within, floor = films.sliders(record)
    titled: dict[str, Slider[Plan]] = {
        side.floor_title(record): floor,
        side.WITHIN_TITLE: within,
        "Privacy level ε": epsilon,
        "People": people,
    }
    return boards.part(
        "plan",
        "Plan a survey",
        "From the accuracy that one needs to people and ε. Move one slider at a time.",
        films.page(None),
        record,
        sliders=titled,
    )


_OVERALL = """
def accuracy(mechanism, p, n):
    options = dict(domain=setup.dataset.domain, options=setup.options, budget={budget!r})
    return expected_error(mechanism, p, n, {estimator!r}, **options).error

"""
_APPROXIMATED = """
def accuracy(mechanism, p, n):
    found = approximated_error(mechanism, p, n, {estimator!r})
    return float("inf") if found is None else found.error

"""


def show(record: Plan) -> None:
    """Link, file and code."""
    planned = planned_scenario(record)
    with sharing.link_columns(STATE):
        if planned is None:
            st.info("No number of people is enough for this goal, so there are no files.")
            return
        st.markdown("**The planned survey** · its people, its protection and the best method")
        sharing.true_file(STATE.key("json"), exports.FILE, exports.scenario_json(planned), planned)
        st.code(exports.command(planned), language="bash")
        sharing.python(snippet(record))
        offer.offer_page(STATE, part)


def planned_scenario(record: Plan) -> Scenario | None:
    """The protection at the reader's ε with as many people as it needs; None where none do."""
    chosen = record.protected_scenario(record.protection, record.epsilon)
    people = people_needed.compute_need(record, record.protection, chosen).people
    return None if people is None else replace(chosen, n=people)


def snippet(record: Plan) -> str:
    """Python that prints the number of people of the headline before it is rounded."""
    chosen = replace(record.protected_scenario(record.protection, record.epsilon), seed=0)
    if record.goal in OF_REGIONS:
        return _of_groups(record, chosen)
    goal = "relative_error"
    definition, name = f"accuracy = {goal}({record.floor!r})\n", goal
    if record.goal == "overall":
        is_slow = runs.takes_long(chosen)
        name = "approximated_error" if is_slow else "expected_error"
        definition = (_APPROXIMATED if is_slow else _OVERALL).format(
            estimator=chosen.estimator,
            budget=replace(people_needed.BUDGET, target=people_needed.target(record)),
        )
    theory = "caldp_core.theory"
    imports = {
        "overall": f"from {theory}.expected_error import Budget, {name}\n"
        f"from {theory}.planner import Goal, people_for\n",
        "values": f"from {theory}.planner import Goal, people_for, {name}\n",
    }
    return (
        f"from caldp_core import Scenario, prepare\n{imports[record.goal]}\n"
        f"scenario = {exports.literal(chosen)}\nsetup = prepare(scenario)\n{definition}"
        f"goal = Goal(accuracy, {people_needed.target(record)!r})\n"
        "print(people_for(setup.mechanism, setup.dataset.distribution, goal))\n"
    )


def _of_groups(record: Plan, chosen: Scenario) -> str:
    regions = regions_of(record.scenario, record.goal)
    assert regions is not None  # the record's check sees to it
    spec = type(regions.spec).__name__
    return (
        "from caldp_core import Scenario, prepare\n"
        f"from caldp_core.scenarios.blocks import {spec}\n"
        "from caldp_core.theory.planner import people_for_groups\n\n"
        f"scenario = {exports.literal(chosen)}\nsetup = prepare(scenario)\n"
        f"labels = {spec}().build(setup.dataset.domain).labels\n"
        "people = people_for_groups(setup.mechanism, setup.dataset.distribution, labels,\n"
        f"                           floor={record.floor!r}, within={record.within!r})\n"
        "print(people)\n"
    )


def show_margins_file(record: Plan, margins: Margins) -> None:
    """The button for a file of all margins, as the memo names a few where there are many."""
    name = f"{words.unit_of_margins(record)}-margins.csv"
    sharing.true_file(STATE.key("margins-csv"), name, lambda: margins_csv(margins), record.scenario)


def margins_csv(margins: Margins) -> bytes:
    """One row per region, group or answer: its share and half its 95 % range."""
    return exports.csv(
        [
            {
                "name": name,
                "share": share,
                "margin": margin,
                "level": 0.95,
                "relative margin": margin / share,
            }
            for name, share, margin in zip(
                margins.names, margins.shares.tolist(), margins.margins.tolist(), strict=True
            )
        ]
    )


def needs_csv(record: Plan, points: Mapping[str, Sequence[Need]]) -> bytes:
    """One row per point of the picture."""
    rows = [
        {
            "protection": words.protection_title(record, name),
            "epsilon": need.epsilon,
            "people": need.people,
            "method": MECHANISMS[need.method].title,
        }
        for name, needs in points.items()
        for need in needs
    ]
    return exports.csv(rows)
