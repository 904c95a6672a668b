"""What to expect of a scenario without running it: expected errors, and curves of them.

How an expected error is found is described in `theory/expected_error.py`. Its trials have coins of
their own, whatever the scenario's seed: an expectation is not an outcome. So every point of a curve
has, for one number of people, the same people.

Errors of a scenario mean nothing where its data were made of its prior: `invalid_error_reason`.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from caldp_core.audit.inference import easiest_guess
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.types import (
    Bools,
    EqualByFields,
    Floats,
    Ints,
    Progress,
    no_progress,
    turn_of,
)
from caldp_core.domain.partitions import Partition
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import KNOWING_MAP
from caldp_core.experiments.metrics import TV, find_measure, total_variation
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.mechanisms.randomness import generator
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.scenarios.blocks import BlocksSpec
from caldp_core.scenarios.scenario import choose_mechanism
from caldp_core.theory.expected_error import (
    Budget,
    Forecast,
    Loss,
    approximated_error,
    expected_error,
)
from caldp_core.theory.planner import largest_epsilon, people_needed

CIRCULAR: Final = (
    "These data were made with where people live, so their error would be too small to mean "
    'anything for an estimate that knows it; take other data, or the estimate "cascade".'
)
SAME: Final = (
    "The public map says of these data what they are, so their error would be too small to mean "
    'anything for an estimate that knows it; take another map, or the estimate "cascade".'
)
_SAME: Final = 1e-3
"""Share of people by which a map may differ from the data and be one with them: rounding."""


def invalid_error_reason(setup: Setup) -> str:
    """Why errors mean nothing, as the estimate knows what the data were made of; else empty."""
    name, prior = setup.scenario.estimator, setup.options.prior
    if name == "cascade-inhabitants" and setup.dataset.from_inhabitants:
        return CIRCULAR
    if name == KNOWING_MAP and prior is not None:
        same = total_variation(setup.dataset.distribution, prior) <= _SAME
        return SAME if same else ""
    return ""


def has_valid_errors(setup: Setup) -> bool:
    """False where the estimate knows what the data were made of."""
    return not invalid_error_reason(setup)


def require_valid_errors(setup: Setup) -> None:
    """Raises `CaldpError` where errors mean nothing."""
    reason = invalid_error_reason(setup)
    require(not reason, reason)


_BAND: Final = 1.6449
"""Standard deviations either side that hold 90 % of repetitions of a normal."""


def forecast(
    setup: Setup,
    n: int | None = None,
    budget: Budget | None = None,
    progress: Progress = no_progress,
    error: str = TV,
) -> Forecast:
    """Expected error of the scenario, whatever its trials and seed; the same at every call.

    `n`: people drawn at random from the data's distribution; None takes the scenario's own.
    `budget`: of trials where the normal approximation fails; by default 1 % of the mean, or 3 %
    where a trial takes more than a second. `error`: by its name in `MEASURES`. Raises `CaldpError`
    as `expected_error` and `find_measure` do, and where no error means anything
    (`has_valid_errors`).
    """
    require_valid_errors(setup)
    k = setup.mechanism.k
    by_default = Budget.quick(k) if is_slow(setup) else Budget.single(k)
    return expected_error(
        *_asked(setup, n),
        people=_known_people(setup, n),
        domain=setup.dataset.domain,
        options=setup.options,
        budget=budget or by_default,
        progress=progress,
        loss=_loss(setup, error),
    )


def _loss(setup: Setup, error: str) -> Loss | None:
    domain = setup.dataset.domain
    measure = find_measure(error, domain)
    return None if error == TV else lambda truth, estimate: measure.of(truth, estimate, domain)


def forecast_if_fast(
    setup: Setup,
    n: int | None = None,
    budget: Budget | None = None,
    progress: Progress = no_progress,
    error: str = TV,
) -> Forecast | None:
    """The expected error as by `forecast`, or None where that takes trials of more than a second.

    Arguments and errors as for `forecast`.
    """
    progress(0.0)
    require_valid_errors(setup)
    if not is_slow(setup):
        return forecast(setup, n, budget, progress, error)
    if error != TV:
        return None
    return approximated_error(*_asked(setup, n), people=_known_people(setup, n))


def _asked(setup: Setup, n: int | None) -> tuple[Mechanism, Floats, int, str]:
    """Mechanism, shares, people and estimator, whose error is asked for."""
    people = setup.n if n is None else n
    return setup.mechanism, setup.dataset.distribution, people, setup.scenario.estimator


def _known_people(setup: Setup, n: int | None) -> Ints | None:
    return setup.dataset.counts if n is None and setup.scenario.n is None else None


def is_slow(setup: Setup) -> bool:
    """True if one trial may take more than a second, by the limits of family and estimator."""
    largest = int(symbol_partition_of(setup.mechanism).sizes.max(initial=0))
    entry, post_process = MECHANISMS.get(setup.mechanism_name), ESTIMATORS[setup.scenario.estimator]
    return largest >= min(entry.slow_from if entry else largest + 1, post_process.slow_from)


@dataclass(frozen=True, eq=False)
class Curve(EqualByFields):
    """(points,) abscissae `x` and expected `tv`; 90 % of repetitions fall in [low, high].

    Points that take trials of more than a second each are left out.
    """

    x: Floats
    tv: Floats
    low: Floats
    high: Floats


def epsilon_curve(
    setup: Setup, epsilons: Sequence[float], progress: Progress = no_progress
) -> Curve:
    """Expected TV for each ε in [0.001, 20], the same in all blocks, all else as in `setup`.

    A scenario that asks for the best mechanism has the best of each ε. Raises `CaldpError` for a
    policy that has no ε of its own.
    """
    return _along(epsilons, (_within(setup, _at(setup, each)) for each in epsilons), progress)


def _at(setup: Setup, epsilon: float) -> PrivacyMatrix:
    """The setup's policy for another ε."""
    if isinstance(setup.policy, Context):
        return Context.of(setup.partition.labels, setup.sensitive, epsilon)
    spec: Any = setup.scenario.with_epsilon(epsilon).policy
    policy: PrivacyMatrix = spec.build(setup.dataset).policy
    return policy


def people_curve(setup: Setup, numbers: Sequence[int], progress: Progress = no_progress) -> Curve:
    """Expected TV for each number of people drawn at random, all else as in `setup`."""
    scenarios = (replace(setup.scenario, n=n) for n in numbers)
    return _along(numbers, (replace(setup, scenario=each) for each in scenarios), progress)


def block_curve(
    setup: Setup, blocks: Sequence[BlocksSpec], progress: Progress = no_progress
) -> Curve:
    """Expected TV against the number of blocks that each spec makes, all else as in `setup`.

    The same values are sensitive; where ε differs between the scenario's blocks, its least holds.
    """
    partitions = [spec.build(setup.dataset.domain) for spec in blocks]
    setups = (_protecting(setup, each, setup.sensitive) for each in partitions)
    return _along([each.m for each in partitions], setups, progress)


def sensitive_curve(
    setup: Setup, sizes: Sequence[int], order: Ints | None = None, progress: Progress = no_progress
) -> Curve:
    """Expected TV where the first values of `order` are sensitive, for each number of them.

    `order`: (k,) the most sensitive first; by default the scenario's sensitive values in random
    order, then the others, so that the curve meets the scenario at its own size. Where ε differs
    between the scenario's blocks, its least holds. Sizes in [0, k], else `CaldpError`.
    """
    if order is None:
        shuffled = generator(setup.scenario.seed).permutation(setup.sensitive.size)
        order = shuffled[np.argsort(~setup.sensitive[shuffled], kind="stable")]
    for size in sizes:
        require(
            0 <= size <= order.size,
            f"sizes must be between 0 and k = {order.size:,}, got {size:,}.",
        )
    rank = np.argsort(order)
    setups = (_protecting(setup, setup.partition, rank < size) for size in sizes)
    return _along(sizes, setups, progress)


def _along(x: Sequence[float], setups: Iterable[Setup], progress: Progress) -> Curve:
    """The curve of one setup for each abscissa."""
    forecasts = (
        _fast_forecast(setup, progress=turn_of(progress, at, len(x)))
        for at, setup in enumerate(setups)
    )
    return curve_of(x, forecasts, progress)


def people_for_same_error(setup: Setup, other: Setup) -> int | None:
    """How many people `other` needs for the expected TV of `setup`; None if 10^12 don't do.

    People are drawn at random for both, even where `setup` takes the data's own: else only one of
    the errors would hold sampling error. Numbers that would take long trials count as too few.
    Raises `CaldpError` if the error of `setup` takes long trials, or if it is expected to be 0, as
    nothing is hidden: sampling error is not an accuracy that a protection could be held to.
    """
    own, target = _fast_forecast(setup), _fast_forecast(setup, setup.n)
    if own is None or target is None:
        raise CaldpError(
            "The error to compare with takes long trials; choose another estimator or family."
        )
    if own.error == 0:
        raise CaldpError(
            "Nothing is hidden here and everybody takes part, so the expected error is 0: no "
            "number of people gives that under a protection; hide something, or draw people."
        )

    def error(n: int) -> float:
        expected = _fast_forecast(other, n)
        return np.inf if expected is None else expected.error

    return people_needed(error, target.error)


def epsilon_against_guesses(
    setup: Setup, most: float, progress: Progress = no_progress
) -> float | None:
    """Largest ε, the same in all blocks, at which `easiest_guess` is at most `most`; None if none.

    In [0.001, 20], to three digits, rounded down. A scenario that asks for the best mechanism has
    the best of each ε. `most`: in (0, 1]. Raises `CaldpError` as the functions named here do, and
    where nobody is protected.
    """
    require(
        bool(easiest_guess(setup.mechanism)), "Nobody is protected: no ε limits any guess here."
    )

    def right_at(epsilon: float) -> float:
        progress(0.0)
        return easiest_guess(_within(setup, _at(setup, epsilon)).mechanism)

    found = largest_epsilon(right_at, most)
    unit = 10.0 ** (math.floor(math.log10(found or 1.0)) - 2)
    return None if found is None else float(f"{math.floor(found / unit + 1e-9) * unit:.3g}")


def _fast_forecast(
    setup: Setup, n: int | None = None, progress: Progress = no_progress
) -> Forecast | None:
    return forecast_if_fast(setup, n, Budget.quick(setup.mechanism.k), progress)


def _within(setup: Setup, policy: PrivacyMatrix) -> Setup:
    choice = choose_mechanism(setup.scenario.mechanism, policy)
    return replace(
        setup,
        policy=policy,
        mechanism=choice.mechanism,
        mechanism_name=choice.name,
        spec=choice.spec,
    )


def _protecting(setup: Setup, partition: Partition, sensitive: Bools) -> Setup:
    levels = setup.scenario.context.epsilon
    epsilon = min(levels) if isinstance(levels, tuple) else levels
    return _within(setup, Context.of(partition.labels, sensitive, epsilon))


def curve_of(
    x: Sequence[float] | Floats, forecasts: Iterable[Forecast | None], progress: Progress
) -> Curve:
    """The curve of one forecast for each abscissa; None: left out."""
    at, points = [], []
    for done, (place, point) in enumerate(zip(x, forecasts, strict=True)):
        if point is not None:
            at.append(place)
            points.append(point)
        progress((done + 1) / len(x))
    tv = np.array([point.error for point in points])
    half = _BAND * np.array([point.deviation for point in points])
    return Curve(np.array(at, dtype=np.float64), tv, np.maximum(tv - half, 0.0), tv + half)
