"""Planning: people or ε for an accuracy, and which family does best.

Every answer is found by bisection of exact variances or of forecasts (`expected_error.py`); where
those are simulated, answers are as sure as they are.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import (
    check_distribution,
    check_n,
    check_number,
    check_type,
    check_whole,
    require,
)
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN, N_MAX
from caldp_core.basics.types import Floats, Progress, no_progress
from caldp_core.mechanisms import FAMILIES, Mechanism, mechanism
from caldp_core.privacy.context import Context
from caldp_core.theory.expected_error import Budget, expected_error

_Z_95: Final = 1.959964
_EPSILON_CLOSE: Final = 1e-4
_EPSILONS: Final[tuple[float, ...]] = (
    *np.geomspace(EPSILON_MIN, 0.25, 5).tolist()[:-1],
    *np.geomspace(0.25, 12.0, 42).tolist(),
    16.0,
    EPSILON_MAX,
)
"""Where `epsilon_for` looks: whole numbers such as a subset's size hardly jump outside of the
middle part, whose steps are of 10 %."""
_PEOPLE_TOLERANCE: Final = 1e-3
"""Of people, as logarithms."""
_PLAINLY: Final = 1.05
"""Families whose error is within 5 % are called equal."""

Accuracy = Callable[[Mechanism, Floats, int], float]
"""Mechanism, (k,) true shares, people → the error that is asked for; falls with n.

It need not fall with ε: it can step the other way where a whole number of the family's jumps, such
as a subset's size.
"""


def total_variation(estimator: str) -> Accuracy:
    """Expected TV after this estimator, simulated (to 3 %) where no approximation holds."""
    return partial(_simulated_error, estimator)


def standard_error(symbol: int) -> Accuracy:
    """Standard deviation of one symbol's unbiased estimate, exact; `symbol`: in [0, k)."""
    return partial(_deviation, symbol)


def relative_error(floor: float) -> Accuracy:
    """Half the width of the 95 % range of the unbiased estimate, as a share of the true value.

    The worst among values that at least a share `floor` in (0, 1] of the people have; each by
    itself, by the exact variance and the normal law. Raises `CaldpError` if there is none.
    """
    floor = check_number("floor", floor, 0.0, 1.0)
    require(floor > 0, f"floor must be above 0 and at most 1, got {floor:g}.")
    return partial(_worst_relative_error, floor)


# Functions of the module, as those within functions can't be sent to other processes.
def _simulated_error(estimator: str, mechanism: Mechanism, p: Floats, n: int) -> float:
    return expected_error(mechanism, p, n, estimator, budget=Budget.quick(mechanism.k)).error


def _deviation(symbol: int, mechanism: Mechanism, p: Floats, n: int) -> float:
    place = check_whole("symbol", symbol, 0, mechanism.k - 1)
    return float(np.sqrt(mechanism.variance(p, n)[place]))


def _worst_relative_error(floor: float, mechanism: Mechanism, p: Floats, n: int) -> float:
    common = p >= floor
    require(
        bool(common.any()),
        f"No value is had by a share of {floor:g} of the people; the largest share is "
        f"{float(p.max()):.3g}. Take a smaller floor.",
    )
    deviation = np.sqrt(mechanism.variance(p, n)[common])
    return _Z_95 * float((deviation / p[common]).max())


@dataclass(frozen=True)
class Goal:
    """An error, by `accuracy`, of at most `target` > 0.

    `accuracy`: `total_variation(estimator)`, `standard_error(symbol)`, `relative_error(floor)`, or
    any function of mechanism, (k,) shares and people. Raises `CaldpError` for another target.
    """

    accuracy: Accuracy
    target: float

    def __post_init__(self) -> None:
        require(
            callable(self.accuracy),
            f"accuracy must be a function, got one of type {type(self.accuracy).__name__}; take "
            "such as standard_error(symbol).",
        )
        check_number("target", self.target, 0.0, math.inf)
        require(self.target > 0, f"target must be above 0, got {self.target:g}.")

    def is_met(self, mechanism: Mechanism, p: Floats, n: int) -> bool:
        """Whether n people from p reach it."""
        return self.accuracy(mechanism, p, n) <= self.target


def people_for(
    mechanism: Mechanism, p: ArrayLike, goal: Goal, progress: Progress = no_progress
) -> int | None:
    """Least n (to 0.1 %) that meets the goal; None if 10^12 do not suffice.

    `p`: (k,) shares that sum to 1, such as those that you expect. Raises `CaldpError` otherwise.
    """
    require(
        hasattr(mechanism, "variance"),
        f"People are planned for a mechanism, got one of type {type(mechanism).__name__}; make one "
        "with mechanism(policy, name).",
    )
    _check_goal(goal)
    shares = check_distribution("p", p, mechanism.k)
    return people_needed(lambda n: goal.accuracy(mechanism, shares, n), goal.target, progress)


def _check_goal(goal: Goal) -> None:
    check_type("goal", goal, Goal, "Goal(accuracy, target) makes it")


def epsilon_for(context: Context, family: str, p: ArrayLike, n: int, goal: Goal) -> float | None:
    """Least ε, the same in all blocks, that is found to meet the goal; None if none is.

    Looks at 48 values from 0.001 to 20, between 0.25 and 12 in steps of 10 %, and goes on down, to
    0.01 %, from the first that meets the goal. What is returned meets it; a smaller ε might too,
    but none of the 48. `p`: (k,) shares that sum to 1. Raises `CaldpError` otherwise, and for a
    family that is no mechanism of contexts.
    """
    check_n(n)
    check_type("context", context, Context, "Context.of(blocks, sensitive, epsilon) makes it")
    _check_goal(goal)
    shares = check_distribution("p", p, context.k)

    def reached(epsilon: float) -> bool:
        changed = Context.of(context.blocks, context.sensitive, epsilon)
        return goal.is_met(mechanism(changed, family), shares, n)

    place = next((i for i, epsilon in enumerate(_EPSILONS) if reached(epsilon)), None)
    if place is None or place == 0:
        return None if place is None else EPSILON_MIN
    low, high = _EPSILONS[place - 1], _EPSILONS[place]
    while high > low * (1.0 + _EPSILON_CLOSE):
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


@dataclass(frozen=True)
class Recommendation:
    """The family with the least exact E l2², each family's, and one sentence why."""

    family: str
    l2_squared: dict[str, float]
    reason: str


def best_family(
    context: Context,
    p: Floats | None = None,
    n: int = 1,
    names: Iterable[str] = tuple(FAMILIES),
) -> Recommendation:
    """Compare families by the exact E Σ(p̂−p)² of their unbiased estimates.

    `p`: (k,) shares, by default even ones. `n`: people; the order is the same for all numbers.
    `names`: the families to compare, by default all.
    """
    check_n(n)
    shares = np.full(context.k, 1.0 / context.k) if p is None else p
    losses = {name: float(mechanism(context, name).variance(shares, n).sum()) for name in names}
    require(bool(losses), "names must hold at least one family.")
    ranked = sorted(losses, key=lambda name: losses[name])
    return Recommendation(ranked[0], losses, _reason(ranked, losses))


def _reason(ranked: Sequence[str], losses: dict[str, float]) -> str:
    titles = [FAMILIES[name].title for name in ranked]
    least = losses[ranked[0]]
    equal = [
        title
        for name, title in zip(ranked[1:], titles[1:], strict=True)
        if losses[name] <= _PLAINLY * least
    ]
    if equal:
        return (
            f"{titles[0]} has the least expected squared error here, but {', '.join(equal)} "
            "within 5 % of it, so choose by the size of reports."
        )
    if len(ranked) == 1:
        return f"{titles[0]} is the only family compared."
    factor = losses[ranked[1]] / least
    return (
        f"{titles[0]} has the least expected squared error here; the next best, {titles[1]}, "
        f"needs {factor:.3g} times as many people for the same."
    )


def people_needed(
    error_at: Callable[[int], float], target: float, progress: Progress = no_progress
) -> int | None:
    """Least n (to 0.1 %) with error_at(n) ≤ target; None if 10^12 people do not suffice.

    `error_at` must not rise with n. `progress` receives the share that is done before each
    error is computed, and may raise `Cancelled`.
    """
    low, high = 0.0, float(np.log(N_MAX))
    steps = math.ceil(math.log2(high / _PEOPLE_TOLERANCE))
    progress(0.0)
    if error_at(N_MAX) > target:
        return None
    for step in range(1, steps + 1):
        progress(step / (steps + 1))
        middle = 0.5 * (low + high)
        if error_at(max(1, round(float(np.exp(middle))))) > target:
            low = middle
        else:
            high = middle
    return max(1, round(float(np.exp(high))))
