"""Numbers below the picture: an attacker's beliefs, methods and estimators compared.

Nothing here draws. What takes longer than a second reports to a `Progress`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core.audit.inference import (
    Beliefs,
    channel_beliefs,
    policy_beliefs,
    policy_beliefs_of_value,
)
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Progress
from caldp_core.domain.scale import is_scale
from caldp_core.estimation.estimators import ESTIMATORS, menu_of_estimators
from caldp_core.experiments.forecast import forecast_if_fast
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.capabilities import people_max, report_bits, symbol_partition_of
from caldp_core.mechanisms.catalogue import MechanismEntry, mechanisms_for
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.privacy.coverage import coverage
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Budget
from caldp_ui.compute import runs
from caldp_ui.values import answers
from caldp_ui.values.page_state import domain_of

ROWS_MAX: Final = 60


@dataclass(frozen=True)
class BeliefRow:
    """An attacker's beliefs in a group or an answer.

    `promise_beliefs`: the bounds by the policy. `channel_beliefs`: those that this method's reports
    lead to, None where they are too many to go through.
    """

    name: str
    protected: bool
    promise_beliefs: Beliefs
    channel_beliefs: Beliefs | None


def _key_without_seed(scenario: Scenario) -> str:
    return runs.key(replace(scenario, seed=0))


@cached_by(_key_without_seed)
def belief_rows(scenario: Scenario) -> list[BeliefRow]:
    """A row for every group and for up to `ROWS_MAX` answers, sensitive ones first."""
    setup, domain = runs.setup(scenario), domain_of(scenario)
    hidden = coverage(setup.policy).protected
    prior, policy = setup.dataset.distribution, setup.policy
    rows = answers.groups_of(domain) if isinstance(policy, Context) else []
    rows += [(domain.name_of(x), np.arange(domain.k) == x) for x in _listed_answers(setup)]
    flags = np.array([group for _, group in rows])
    by_channel = _channel_beliefs(setup.mechanism, prior, flags)
    return [
        BeliefRow(name, bool(hidden[group].all()), _promise_beliefs(policy, prior, group), reach)
        for (name, group), reach in zip(rows, by_channel, strict=True)
    ]


def _promise_beliefs(policy: PrivacyMatrix, prior: Floats, group: Bools) -> Beliefs:
    """The policy's bounds: for a group in a context, for one answer under any other policy."""
    if isinstance(policy, Context):
        return policy_beliefs(policy, prior, group)
    return policy_beliefs_of_value(policy, prior, int(group.argmax()))


def _listed_answers(setup: Setup) -> list[int]:
    """Answers to list, sensitive ones first: in the table's order, or by share where it is long."""
    truth = setup.dataset.distribution
    if truth.size <= ROWS_MAX:
        order = np.argsort(~setup.sensitive, kind="stable")
    else:
        order = np.lexsort((-truth, ~setup.sensitive))[:ROWS_MAX]
    listed: list[int] = order.tolist()
    return listed


def _channel_beliefs(
    mechanism: Mechanism, prior: Floats, groups: Bools
) -> Sequence[Beliefs] | list[None]:
    try:
        return channel_beliefs(mechanism.exact_channel(), prior, groups)
    except CaldpError:  # too many reports to be written out
        return [None] * len(groups)


@dataclass(frozen=True)
class Method:
    """A mechanism under this protection.

    `l2`: expected l2 distance of the unbiased estimate, exact. `bits`: of the longest report.
    `is_chosen`: whether the scenario runs it.
    """

    title: str
    l2: float
    bits: int
    is_chosen: bool


@cached_by(_key_without_seed)
def methods(scenario: Scenario) -> list[Method]:
    """Every mechanism of the catalogue that satisfies the policy and has an exact variance."""
    setup = runs.setup(scenario)
    p, n = setup.dataset.distribution, setup.n
    return [
        Method(
            entry.title,
            float(np.sqrt(max(float(mechanism.variance(p, n).sum()), 0.0))),
            report_bits(mechanism),
            entry.name == setup.mechanism_name,
        )
        for entry, mechanism in _compatible_methods(setup)
    ]


def _compatible_methods(setup: Setup) -> Iterator[tuple[MechanismEntry, Mechanism]]:
    ordered = is_scale(setup.dataset.domain)
    for entry in mechanisms_for(setup.policy):
        if entry.in_order and not ordered:
            continue
        try:
            mechanism = entry.make(setup.policy)
            mechanism.variance(setup.dataset.distribution, setup.n)
        except CaldpError:  # sizes do not fit
            continue
        yield entry, mechanism


@dataclass(frozen=True)
class MethodComparison:
    """(methods, estimators) expected TV; None where it takes too long or can't be combined."""

    methods: tuple[str, ...]
    estimators: tuple[str, ...]
    tv: tuple[tuple[float | None, ...], ...]


def compare_methods(scenario: Scenario, progress: Progress) -> MethodComparison:
    """Forecasts of all methods with all estimators, under the scenario's own policy."""
    setup = runs.setup(scenario)
    compatible = list(_compatible_methods(setup))
    estimators = menu_of_estimators(scenario.estimator, in_order=is_scale(setup.dataset.domain))
    table = []
    for row, (entry, mechanism) in enumerate(compatible):
        tvs = []
        for column, name in enumerate(estimators):
            progress((row + column / len(estimators)) / len(compatible))
            tvs.append(_expected_error(setup, entry, mechanism, name))
        table.append(tuple(tvs))
    progress(1.0)
    titles = tuple(ESTIMATORS[name].title for name in estimators)
    return MethodComparison(tuple(entry.title for entry, _ in compatible), titles, tuple(table))


def _expected_error(
    setup: Setup, entry: MechanismEntry, mechanism: Mechanism, estimator: str
) -> float | None:
    largest = int(symbol_partition_of(mechanism).sizes.max(initial=0))
    slow = min(entry.slow_from, ESTIMATORS[estimator].slow_from)
    if largest >= slow or setup.n > people_max(mechanism):
        return None
    scenario = replace(setup.scenario, estimator=estimator, mechanism=entry.spec())
    other = replace(setup, scenario=scenario, mechanism=mechanism, mechanism_name=entry.name)
    try:
        forecast = forecast_if_fast(other, budget=Budget.quick(mechanism.k))
    except CaldpError:  # an estimator that does not go with the mechanism
        return None
    return None if forecast is None else forecast.error
