"""Margins of whole groups: by the report on a region, and by planned surveys that are run."""

from dataclasses import replace

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Ints
from caldp_core.datasets import Survey
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.run import Setup, prepare, run, run_trial
from caldp_core.scenarios.blocks import EvenRuns, GroupBlocks, OneBlock, SensitiveSymbols
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.planner import group_margins, people_for_groups

FLOOR, WITHIN = 0.05, 0.1
POLICIES = (
    ContextPolicy(OneBlock()),
    ContextPolicy(EvenRuns(10)),  # some blocks lie across two groups
    ContextPolicy(GroupBlocks()),
    ContextPolicy(OneBlock(), SensitiveSymbols(("0-9",))),
)


def prepare_survey(policy: ContextPolicy, n: int = 5000) -> Setup:
    return prepare(Scenario(Survey("income"), policy, n=n))


def labels_of(setup: Setup) -> Ints:
    return GroupBlocks().build(setup.dataset.domain).labels


@pytest.mark.parametrize("policy", POLICIES)
def test_margins_are_those_of_the_report_on_a_region(policy: ContextPolicy) -> None:
    setup = prepare_survey(policy)
    labels, p = labels_of(setup), setup.dataset.distribution
    margins = group_margins(setup.mechanism, p, labels) / np.sqrt(setup.n)
    first = run(setup).first
    for group, margin in enumerate(margins):
        half_width = region_report(setup, first, labels == group).half_width / setup.n
        assert margin == pytest.approx(half_width, rel=1e-6)


@pytest.mark.parametrize("policy", POLICIES[1:2])
def test_planned_people_know_every_group_and_half_of_them_do_not(policy: ContextPolicy) -> None:
    """Significance: as `tests/ui/test_plan.py` has it, 200 surveys, seed fixed."""
    setup = prepare_survey(policy)
    labels, p = labels_of(setup), setup.dataset.distribution
    people = people_for_groups(setup.mechanism, p, labels, floor=FLOOR, within=WITHIN)
    assert people is not None
    shares = np.bincount(labels, p)
    worst = int(np.nanargmax(group_margins(setup.mechanism, p, labels, floor=FLOOR) / shares))
    for n, low, high in ((people, 170, 201), (people // 2, 120, 190)):
        survey = replace(setup, scenario=replace(setup.scenario, n=n))
        hits = 0
        for seeds in np.random.SeedSequence(11).spawn(200):
            report = region_report(survey, run_trial(survey, seeds), labels == worst)
            hits += abs(report.estimate / report.truth - 1) <= WITHIN
        assert low <= hits < high


def test_what_cannot_be_planned_is_refused() -> None:
    setup = prepare_survey(POLICIES[0])
    labels, p = labels_of(setup), setup.dataset.distribution
    for words, floor, within in (
        ("No group has a share of 0.999", 0.999, 0.1),
        ("floor must be", 0.0, 0.1),
        ("within must be", 0.1, 2.0),
    ):
        with pytest.raises(CaldpError, match=words):
            people_for_groups(setup.mechanism, p, labels, floor=floor, within=within)
    assert people_for_groups(setup.mechanism, p, labels, floor=0.1, within=1e-7) is None
