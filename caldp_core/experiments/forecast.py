"""Error curves and what-if numbers from theory: nothing here runs a mechanism.

Room: experiments. Every point is an expected TV with its spread (see `expected_error`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.types import Floats, Progress, no_progress
from caldp_core.estimation.estimators import estimator, significant
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms import ContextMechanism, Mechanism
from caldp_core.privacy.context import Context
from caldp_core.theory.expected_error import (
    ExpectedError,
    expected_error,
    expected_error_of,
    normals,
)
from caldp_core.theory.planner import people_needed
from caldp_core.theory.variance import variance_given_people

_BAND: float = 1.6449
"""Standard deviations either side that hold 90 % of repetitions of a normal."""


@dataclass(frozen=True, eq=False)
class Curve:
    """(points,) abscissae `x` and expected `tv`; 90 % of repetitions fall in [low, high]."""

    x: Floats
    tv: Floats
    low: Floats
    high: Floats


def expectation(setup: Setup) -> ExpectedError | None:
    """Expected TV of the scenario's estimator (see `expected_error` for how far to trust it).

    None where no formula is known for that estimator.
    """
    n = None if setup.scenario.n is None else setup.n
    return expected_with(setup, setup.mechanism, n)


def expected_with(setup: Setup, other: Mechanism, n: int | None) -> ExpectedError | None:
    """The same with another mechanism, n people drawn or (None) the dataset's own."""
    p, name = setup.dataset.distribution, setup.scenario.estimator
    people = setup.n if n is None else n
    try:
        variance = variance_given_people(other, p, setup.n) if n is None else other.variance(p, n)
    except CaldpError:  # some mechanisms have exact variances on small maps only
        return None
    if isinstance(other, ContextMechanism):
        return expected_error_of(other, p, variance, people, name)
    if estimator(name).apply is significant:
        return None
    return expected_error(normals(p, variance, np.zeros(p.size, np.int64)), name)


def _curve(x: Sequence[float], points: Sequence[ExpectedError]) -> Curve:
    tv = np.array([point.tv for point in points])
    half = _BAND * np.array([point.deviation for point in points])
    return Curve(np.array(x, dtype=np.float64), tv, np.maximum(tv - half, 0.0), tv + half)


def _known(expected: ExpectedError | None) -> ExpectedError:
    if expected is None:
        raise CaldpError(
            "No formula is known for the expected error of this estimator; choose another one, "
            "or measure it with repeated trials."
        )
    return expected


def over_epsilon(
    setup: Setup, epsilons: Sequence[float], progress: Progress = no_progress
) -> Curve:
    """Expected TV for each ε in [0.001, 20], the same in all blocks, all else as in `setup`.

    Raises `CaldpError` for a policy that has no ε of its own.
    """
    n = None if setup.scenario.n is None else setup.n
    points = []
    for number, epsilon in enumerate(epsilons):
        points.append(_known(expected_with(setup, _at(setup, epsilon), n)))
        progress((number + 1) / len(epsilons))
    return _curve(epsilons, points)


def _at(setup: Setup, epsilon: float) -> Mechanism:
    """The setup's mechanism for another ε."""
    if isinstance(setup.policy, Context):
        return setup.spec.make(Context.of(setup.partition.labels, setup.sensitive, epsilon))
    spec: Any = setup.scenario.policy
    require(
        "epsilon" in {field.name for field in fields(spec)},
        "There is no curve over ε, as this policy is a matrix of levels; vary the levels instead.",
    )
    return setup.spec.make(replace(spec, epsilon=epsilon).build(setup.dataset).policy)


def over_people(setup: Setup, numbers: Sequence[int], progress: Progress = no_progress) -> Curve:
    """Expected TV for each number of people drawn at random, all else as in `setup`."""
    points = []
    for done, n in enumerate(numbers):
        points.append(_known(expected_with(setup, setup.mechanism, n)))
        progress((done + 1) / len(numbers))
    return _curve([float(n) for n in numbers], points)


def people_for_same_error(setup: Setup, other: Setup) -> int | None:
    """How many people `other` needs for the expected TV of `setup`; None if 10^15 don't do.

    People are drawn at random for both, even where `setup` takes the data's own: else only one of
    the errors would hold sampling error.
    """
    target = _known(expected_with(setup, setup.mechanism, setup.n)).tv
    return people_needed(lambda n: _known(expected_with(other, other.mechanism, n)).tv, target)
