"""The state of the page “Sensitive answers”: a scenario without a map; link and undo."""

from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.errors import require
from caldp_core.datasets import Survey
from caldp_core.domain.answers import Domain
from caldp_core.domain.scale import is_scale
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.mechanisms.specs import SquareWave
from caldp_core.scenarios.policies import ContextPolicy, Distances, Line
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.controls import presets
from caldp_ui.session.pins import PinPageState
from caldp_ui.session.record_link import ScenarioLink
from caldp_ui.session.scenarios import ScenarioRecord
from caldp_ui.values.tables import Table, presets_of, table_of

POLICIES: Final = (ContextPolicy, Line, Distances)
K_MAX: Final = 2_000
"""Most answers of a picture that can be read."""


def first_preset(scenario: Scenario) -> Scenario:
    """The scenario under the first preset of its table."""
    domain = scenario.dataset.load().domain
    assert isinstance(domain, Domain)  # tables of this page have no maps
    return presets_of(scenario.dataset, domain)[0].apply(scenario)


def initial_scenario(table: Table) -> Scenario:
    """A table's first scenario: under its first preset, with its number of people."""
    scenario = Scenario(dataset=table.spec, n=table.people)
    return first_preset(scenario)


def switch_table(scenario: Scenario, table: Table) -> Scenario:
    """Another table with its own protection and people; ε, method, estimator and seed stay.

    Except a method or an estimator for ordered values, where the new ones have no order.
    """
    initial = initial_scenario(table)
    if not is_scale(runs.dataset(initial).domain):
        scenario = _without_order(scenario, initial)
    context, level = initial.context, scenario.policy.plain_epsilon
    switched = presets.with_context_policy(replace(scenario, dataset=initial.dataset, n=initial.n))
    return switched.with_context(blocks=context.blocks, sensitive=context.sensitive, epsilon=level)


def _without_order(scenario: Scenario, initial: Scenario) -> Scenario:
    if ESTIMATORS[scenario.estimator].in_order:
        scenario = replace(scenario, estimator=initial.estimator)
    if isinstance(scenario.mechanism, SquareWave):
        scenario = replace(scenario, mechanism=initial.mechanism)
    return scenario


def _default_scenario() -> Scenario:
    table = table_of(Survey())
    assert table is not None
    return initial_scenario(table)


BEGIN: Final = _default_scenario()


@dataclass(frozen=True)
class ValuesState(ScenarioRecord):
    """The page's record: its scenario."""

    scenario: Scenario = BEGIN


def _check(record: ValuesState) -> None:
    """Raise `CaldpError` for maps, other policies and blocks that do not fit."""
    scenario = record.scenario
    require(
        isinstance(scenario.policy, POLICIES),
        "This page shows blocks, sensitive answers and secrecy that fades with distance, this "
        f"scenario's policy is of kind {scenario.kind('policy')}; choose context, line or "
        "distances.",
    )
    require(
        table_of(scenario.dataset) is not None,
        "This page shows tables of answers; places are on the page Places on a map.",
    )
    k = runs.dataset(scenario).domain.k
    require(k <= K_MAX, f"This page shows up to {K_MAX:,} answers, got {k:,}; take fewer.")
    runs.setup(scenario)


def domain_of(scenario: Scenario) -> Domain:
    """The answers of a scenario of this page."""
    domain = runs.dataset(scenario).domain
    assert isinstance(domain, Domain)  # `_check` sees to it
    return domain


def _with_earlier_protection(shown: ValuesState, earlier: ValuesState) -> ValuesState:
    """The record with an earlier protection; the earlier scenario where table or policy differ."""
    now, was = shown.scenario, earlier.scenario
    if now.dataset != was.dataset:
        return earlier
    policy = was.policy
    if type(policy) is not type(now.policy) or not isinstance(policy, ContextPolicy):
        return replace(shown, scenario=replace(was, n=now.n, seed=now.seed))
    return replace(
        shown, scenario=now.with_context(blocks=policy.blocks, sensitive=policy.sensitive)
    )


LINK: Final = ScenarioLink(ValuesState(), _check)
STATE: Final = PinPageState("values", LINK, _with_earlier_protection)
"""Undo brings an earlier protection or table back; ε, people and the rest stay as they are."""
