"""Numbers below the picture: what an attacker may believe, methods and estimators compared.

Nothing here draws. What takes longer than a second is told a `Progress`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core.audit.beliefs import Beliefs, promised, promised_of_value, reached
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Progress
from caldp_core.domain.scale import is_scale
from caldp_core.estimation.estimators import ESTIMATORS, menu_of_estimators
from caldp_core.experiments.forecast import forecast_soon
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.catalogue import MechanismEntry, mechanisms_for
from caldp_core.mechanisms.offers import cover_of, people_max, report_bits
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Budget
from caldp_ui.compute import runs
from caldp_ui.values import answers
from caldp_ui.values.slot import domain_of

LISTED: Final = 60


@dataclass(frozen=True)
class Learned:
    """What an attacker may believe of a group or an answer: by the protection, by this method.

    `reached`: None where the method has too many reports to go through.
    """

    name: str
    sensitive: bool
    promised: Beliefs
    reached: Beliefs | None


def _whatever_seed(scenario: Scenario) -> str:
    return runs.key(replace(scenario, seed=0))


@cached_by(_whatever_seed)
def learned(scenario: Scenario) -> list[Learned]:
    """Of every group, and of up to `LISTED` answers: sensitive ones first, then common ones."""
    setup, domain = runs.setup(scenario), domain_of(scenario)
    prior, policy = setup.dataset.distribution, setup.policy
    rows = answers.groups_of(domain) if isinstance(policy, Context) else []
    rows += [(domain.name_of(x), np.arange(domain.k) == x) for x in _listed(setup)]
    flags = np.array([group for _, group in rows])
    found = _reached(setup.mechanism, prior, flags)
    return [
        Learned(name, bool(setup.sensitive[group].all()), _promised(policy, prior, group), reach)
        for (name, group), reach in zip(rows, found, strict=True)
    ]


def _promised(policy: PrivacyMatrix, prior: Floats, group: Bools) -> Beliefs:
    """Of a group in a context, of one answer under any policy."""
    if isinstance(policy, Context):
        return promised(policy, prior, group)
    return promised_of_value(policy, prior, int(group.argmax()))


def _listed(setup: Setup) -> list[int]:
    """In the table's order where it is short; else the most common, sensitive ones first."""
    truth = setup.dataset.distribution
    if truth.size <= LISTED:
        order = np.argsort(~setup.sensitive, kind="stable")
    else:
        order = np.lexsort((-truth, ~setup.sensitive))[:LISTED]
    found: list[int] = order.tolist()
    return found


def _reached(mechanism: Mechanism, prior: Floats, groups: Bools) -> Sequence[Beliefs] | list[None]:
    try:
        return reached(mechanism.exact_channel(), prior, groups)
    except CaldpError:  # too many reports to be written out
        return [None] * len(groups)


@dataclass(frozen=True)
class Method:
    """A mechanism with this protection. `l2`: expected l2 distance of the unbiased estimate, exact.

    `bits`: of the longest report. `chosen`: whether the scenario runs it.
    """

    title: str
    l2: float
    bits: int
    chosen: bool


@cached_by(_whatever_seed)
def methods(scenario: Scenario) -> list[Method]:
    """Every mechanism of the catalogue that keeps the policy and can tell its variance."""
    setup = runs.setup(scenario)
    p, n = setup.dataset.distribution, setup.n
    return [
        Method(
            entry.title,
            float(np.sqrt(max(float(made.variance(p, n).sum()), 0.0))),
            report_bits(made),
            entry.name == setup.mechanism_name,
        )
        for entry, made in _able(setup)
    ]


def _able(setup: Setup) -> Iterator[tuple[MechanismEntry, Mechanism]]:
    ordered = is_scale(setup.dataset.domain)
    for entry in mechanisms_for(setup.policy):
        if entry.in_order and not ordered:
            continue
        try:
            made = entry.make(setup.policy)
            made.variance(setup.dataset.distribution, setup.n)
        except CaldpError:  # sizes do not fit
            continue
        yield entry, made


@dataclass(frozen=True)
class Compared:
    """Expected TV of every method with every estimator; None where it takes too long to tell."""

    methods: tuple[str, ...]
    estimators: tuple[str, ...]
    tv: tuple[tuple[float | None, ...], ...]


def compared(scenario: Scenario, progress: Progress) -> Compared:
    """Forecasts of all methods with all estimators, in this very context."""
    setup = runs.setup(scenario)
    able = list(_able(setup))
    estimators = menu_of_estimators(scenario.estimator, in_order=is_scale(setup.dataset.domain))
    table = []
    for row, (entry, made) in enumerate(able):
        tvs = []
        for column, name in enumerate(estimators):
            progress((row + column / len(estimators)) / len(able))
            tvs.append(_expected(setup, entry, made, name))
        table.append(tuple(tvs))
    progress(1.0)
    titles = tuple(ESTIMATORS[name].title for name in estimators)
    return Compared(tuple(entry.title for entry, _ in able), titles, tuple(table))


def _expected(setup: Setup, entry: MechanismEntry, made: Mechanism, estimator: str) -> float | None:
    largest = int(cover_of(made).sizes.max(initial=0))
    slow = min(entry.slow_from, ESTIMATORS[estimator].slow_from)
    if largest >= slow or setup.n > people_max(made):
        return None
    scenario = replace(setup.scenario, estimator=estimator, mechanism=entry.spec())
    other = replace(setup, scenario=scenario, mechanism=made, mechanism_name=entry.name)
    try:
        found = forecast_soon(other, budget=Budget.quick(made.k))
    except CaldpError:  # an estimator that does not go with the mechanism
        return None
    return None if found is None else found.error
