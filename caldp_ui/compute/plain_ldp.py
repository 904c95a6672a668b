"""The plain LDP to compare a scenario with: as accurate as any, and the quickest to draw.

Compared with a poorer one, context would look better than it is.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached, cached_by
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import default_estimator
from caldp_core.experiments.forecast import people_for_same_error
from caldp_core.mechanisms import FAMILIES, mechanism
from caldp_core.mechanisms.capabilities import people_max
from caldp_core.mechanisms.specs import MechanismSpec, SquareWave
from caldp_core.privacy.context import Context
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute.runs import dataset, key, setup

_AS_GOOD: Final = 1.02
"""Families whose variance is within 2 % of the least are as good: 1 % of the error."""


def best_plain_ldp(scenario: Scenario) -> Scenario:
    """The scenario's people under the best plain LDP, whatever its own mechanism."""
    plain = scenario.plain()
    level = plain.context.epsilon
    assert isinstance(level, float)  # plain LDP has one
    if ESTIMATORS[scenario.estimator].in_order:  # then sums along the scale matter most
        return replace(plain, mechanism=SquareWave())
    best = _quickest_of_the_best(dataset(scenario).domain.k, level)
    return replace(plain, mechanism=best, estimator=_estimator_of(scenario))


def _estimator_of(scenario: Scenario) -> str:
    """The scenario's own, but where that is likelihood for noise on distances.

    There it stands for the least error of a map, and plain LDP has that by default.
    """
    on_distances = not isinstance(scenario.policy, ContextPolicy)
    if on_distances and scenario.estimator == "maximum-likelihood":
        return default_estimator()
    return scenario.estimator


@cached
def _quickest_of_the_best(k: int, epsilon: float) -> MechanismSpec:
    """The quickest family of least exact total variance, for people evenly over k values."""
    everything = Context.of(np.zeros(k, np.int64), np.ones(k, np.bool_), epsilon)
    even = np.full(k, 1.0 / k)
    losses = {}
    for name, entry in FAMILIES.items():
        if k >= entry.slow_from:  # making it would take as long as all others
            continue
        candidate = mechanism(everything, name)
        if people_max(candidate) > 10**9:
            losses[name] = float(candidate.variance(even, 1).sum())
    good = [name for name, loss in losses.items() if loss <= _AS_GOOD * min(losses.values())]
    return FAMILIES[min(good, key=lambda name: FAMILIES[name].tally_rank)].spec()


@cached_by(lambda scenario: key(replace(scenario, seed=0)))
def people_plain_needs(scenario: Scenario) -> int | None:
    """People that plain LDP needs for the scenario's expected error; None beyond 10^12."""
    return people_for_same_error(setup(scenario), setup(best_plain_ldp(scenario)))
