"""Error curves and what-if numbers from theory: nothing here runs a mechanism.

Room: experiments. Every point is an expected TV with its spread (see `expected_error`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Progress, no_progress
from caldp_core.experiments.run import Setup, expected_with
from caldp_core.mechanisms import mechanism
from caldp_core.privacy.context import Context
from caldp_core.theory.expected_error import ExpectedError
from caldp_core.theory.planner import people_needed

_BAND: float = 1.6449
"""Standard deviations either side that hold 90 % of repetitions of a normal."""


@dataclass(frozen=True, eq=False)
class Curve:
    """(points,) abscissae `x` and expected `tv`; 90 % of repetitions fall in [low, high]."""

    x: Floats
    tv: Floats
    low: Floats
    high: Floats


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
    """Expected TV for each ε in [0.001, 20], the same in all blocks, all else as in `setup`."""
    n = None if setup.scenario.n is None else setup.n
    points = []
    for number, epsilon in enumerate(epsilons):
        context = Context.of(setup.partition.labels, setup.sensitive, epsilon)
        other = mechanism(context, setup.scenario.family)
        points.append(_known(expected_with(setup, other, n)))
        progress((number + 1) / len(epsilons))
    return _curve(epsilons, points)


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
