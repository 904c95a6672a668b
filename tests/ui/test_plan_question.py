"""A visitor's own question in a plan: its answers, its marks, its people, and a group of forty."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from caldp_core.basics.types import no_progress
from caldp_core.datasets import OwnTable, Zipf
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.scenarios.blocks import (
    EverythingSensitive,
    OneBlock,
    SensitiveSymbols,
    SymbolBlocks,
)
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.controls.choices import MARKED, NAMES, PLAIN
from caldp_ui.plan import page_state, view
from caldp_ui.plan.page_state import LINK, STATE, Plan
from caldp_ui.session.page_state import scenario_query
from caldp_ui.words import formats
from tests.ui.driver import checked, headline_of, jobs_done, open_page, page_record

NAMES_OF_ANSWERS = (
    "Never",
    "Once",
    "Several times",
    "Monthly",
    "Weekly",
    "Rather not say",
    "Don't know",
)
STAFF = OwnTable(
    title="Harassment", names=NAMES_OF_ANSWERS, counts=(2100, 420, 210, 60, 30, 120, 60)
)
RARE = SensitiveSymbols(("3-4",))
SIGNIFICANCE = 1e-6


def question(**marks: object) -> Scenario:
    """The staff's question as *Sensitive answers* has it, with these marks."""
    return Scenario(STAFF, ContextPolicy(OneBlock())).with_context(**marks)


def points_of(record: Plan) -> view.Points:
    return page_state.needs_by_protection(
        record, list(page_state.compute_needs(record, no_progress))
    )


def test_a_question_comes_with_its_answers_its_marks_and_its_people() -> None:
    record = LINK.read(scenario_query(question(sensitive=RARE)))
    assert record.scenario.dataset == STAFF
    assert runs.people(record.scenario) == 3_000
    assert record.scenario.context.sensitive == RARE
    assert record.chosen == MARKED
    assert view.protection_title(record, MARKED) == "Monthly, Weekly sensitive"
    # Without marks nothing is told apart: it had been three blocks in the order of the file.
    assert LINK.read(scenario_query(question())).chosen == PLAIN


def test_no_list_of_a_visitor_is_cut_in_its_order() -> None:
    for marks in ({}, {"sensitive": RARE}, {"blocks": SymbolBlocks(("0",))}):
        record = Plan(question(**marks))
        assert set(record.protections) <= {PLAIN, MARKED}
    shipped = Plan(Scenario(Zipf(), ContextPolicy(OneBlock()), n=1_000))
    assert tuple(shipped.protections) == NAMES


def test_blocks_and_sensitive_answers_are_named_on_page_and_memo() -> None:
    record = Plan(question(sensitive=RARE, blocks=SymbolBlocks(("3-4",))), group=40)
    points = points_of(record)
    memo, technical = view.plain_memo(record, points, None), view.technical_memo(record, points)
    for text in (memo, technical):
        assert "openly which of these its answer is in" in text
        assert "“Monthly, Weekly”" in text
        assert "“Never, Once, Several times, Rather not say, Don't know”" in text
        assert "Sensitive are “Monthly” and “Weekly”" in text
    assert "Of a group of 40 people" in memo


def said_points(record: Plan) -> float:
    setup = view.setup_at(record, record.epsilon)
    found = re.search(r"closer than ± ([\d.]+) percentage points", view.group_text(record, setup))
    assert found is not None
    return float(found[1])


@pytest.mark.parametrize("marks", [{}, {"sensitive": RARE}, {"blocks": SymbolBlocks(("3-6",))}])
def test_what_forty_people_can_tell_is_what_forty_reports_do(marks: dict[str, object]) -> None:
    """Drawn again, from the reports of 40 people who are the same each time: noise alone."""
    record = Plan(question(**marks), group=40)
    setup = view.setup_at(record, record.epsilon)
    rng = np.random.default_rng(57)
    people = rng.choice(7, 40, p=setup.dataset.distribution)
    hidden = symbol_partition_of(setup.mechanism).hidden
    draws = 4_000
    counts = np.bincount(people, minlength=7)
    shares = np.array(
        [
            setup.evidence(setup.mechanism.sample_tally(counts, rng)).unbiased[hidden]
            for _ in range(draws)
        ]
    )
    half_range = 196 * float(shares.std(axis=0, ddof=1).min())
    # The variance of these 40 differs from that of the data's shares by the people drawn: up to a
    # tenth of it here. The rest is chance, by the law of a sample's variance.
    low, high = np.sqrt(chi2.ppf([SIGNIFICANCE, 1 - SIGNIFICANCE], draws - 1) / (draws - 1))
    assert half_range * low / 1.1 <= said_points(record) + 1 <= 1.1 * half_range * high + 1
    # A quarter of the people know less: the number that this test would take for another group.
    assert said_points(replace(record, group=10)) > 1.5 * said_points(record)


def test_a_group_without_noise_or_without_any_knowledge_says_so() -> None:
    nobody = Plan(question(), group=1).scenario.with_context(epsilon=0.1)
    alone = Plan(nobody, group=1)
    assert "nothing can be told" in view.group_text(alone, view.setup_at(alone, 0.1))
    none = Plan(question())
    assert view.group_text(none, view.setup_at(none, 1.0)) == ""


@pytest.mark.slow
def test_the_page_asks_before_it_uses_blocks() -> None:
    at = jobs_done(open_page("pages/plan.py", {**question().to_query(), "group": "40"}))
    assert page_record(at, STATE).chosen == PLAIN
    assert "Of a group of 40 people no share can be told closer than" in headline_of(at)
    checked(at.multiselect(key="plan-sensitive").set_value(["Monthly", "Weekly"]).run())
    record = page_record(at, STATE)
    assert record.scenario.context == ContextPolicy(OneBlock(), SensitiveSymbols(("3", "4")))
    assert record.chosen == MARKED
    checked(at.multiselect(key="plan-apart").set_value(["Monthly", "Weekly"]).run())
    assert page_record(at, STATE).scenario.context.blocks == SymbolBlocks(("3,4",))
    assert any("“Monthly, Weekly”" in each.value for each in at.caption)
    checked(at.multiselect(key="plan-apart").set_value([]).run())
    checked(at.multiselect(key="plan-sensitive").set_value([]).run())
    assert page_record(at, STATE).scenario.context == ContextPolicy(OneBlock())
    assert page_record(at, STATE).scenario.context.sensitive == EverythingSensitive()


@pytest.mark.slow
def test_sensitive_answers_leads_to_a_plan_with_its_question() -> None:
    at = open_page("pages/values.py", question(sensitive=RARE).to_query())
    at.button(key="values-plan").click().run()
    handed = at.session_state["plan/link"]
    assert handed["protection"] == MARKED
    assert handed["sensitive.runs"] == "3-4"
    assert handed["own"]  # the name of the visit's own data: a link holds no counts
    assert not any("2100" in text for text in handed.values())


def test_a_chance_above_nothing_is_never_written_as_nothing() -> None:
    """At ε = 20 one of 2,000 answers is sent for another once in 10¹²: that is not 0."""
    channel = np.exp(-20.0) / (1 + 1_999 * np.exp(-20.0)) / 2_000
    assert formats.per_hundred(float(channel)) == "less than 0.01"
    assert formats.per_hundred(0.0) == "0"
