"""Planning: people or ε for an accuracy or against an attacker, the best family, whole groups.

Every answer is found by bisection of exact variances or of forecasts (`expected_error.py`); where
those are simulated, answers are as sure as they are. Blocks that lie in a group as a whole are
known but for who the people are; only the rest of the group is uncertain.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from statistics import NormalDist
from typing import Final, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics import errors
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN, N_MAX
from caldp_core.basics.types import Floats, Ints, Progress, no_progress, sums_by
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.estimation.evidence import Options
from caldp_core.mechanisms import FAMILIES, Mechanism, mechanism
from caldp_core.mechanisms.base import check_mechanism
from caldp_core.mechanisms.catalogue import MechanismName, in_context
from caldp_core.privacy.context import Context
from caldp_core.theory import expected_error as expected

_Z_95: Final = NormalDist().inv_cdf(0.975)
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
_GUESSES: Final = 8
"""Errors after which guesses are given up."""
_NEAR: Final = 0.01
"""How far below its target, as logarithms, an error is near enough."""
_ASIDE: Final = 1.002
"""So much below the target the next error is looked for, as trials vary."""
_Number = TypeVar("_Number", int, float)
_STEPS_USUAL: Final = 6
"""Errors that a search for people usually takes."""
_PLAINLY: Final = 1.05
"""Families whose error is within 5 % are called equal."""

Accuracy = Callable[[Mechanism, Floats, int], float]
"""Mechanism, (k,) true shares, people → the error that is asked for; falls with n.

It need not fall with ε: it can step the other way where a whole number of the family's jumps, such
as a subset's size.
"""


@dataclass(frozen=True)
class TotalVariation:
    """Expected TV after `estimator`; the rest as for `expected_error`.

    Simulated where no approximation holds: to 0.5 % of itself, or until it certainly is off
    `target`. Not `simulated`, it is infinite there.
    """

    estimator: str
    domain: Domain | GridDomain | None = None
    options: Options = Options()
    target: float | None = None
    budget: expected.Budget | None = None
    simulated: bool = True

    def __call__(self, mechanism: Mechanism, p: Floats, n: int) -> float:
        """The error of n people from p."""
        name, domain, options = self.estimator, self.domain, self.options
        if not self.simulated:
            found = expected.approximated_error(mechanism, p, n, name)
            return math.inf if found is None else found.error
        budget = replace(self.budget or expected.Budget.plan(mechanism.k), target=self.target)
        return expected.expected_error(
            mechanism, p, n, name, domain=domain, options=options, budget=budget
        ).error


def total_variation(estimator: str) -> Accuracy:
    """Expected TV after this estimator, simulated (to 0.5 %) where no approximation holds."""
    return TotalVariation(estimator)


def standard_error(symbol: int) -> Accuracy:
    """Standard deviation of one symbol's unbiased estimate, exact; `symbol`: in [0, k)."""
    return StandardError(symbol)


def relative_error(floor: float) -> Accuracy:
    """Half the width of the 95 % range of the unbiased estimate, as a share of the true value.

    The worst among values that at least a share `floor` in (0, 1] of the people have; each by
    itself, by the exact variance and the normal law. Raises `CaldpError` if there is none.
    """
    floor = errors.check_number("floor", floor, 0.0, 1.0)
    errors.require(floor > 0, f"floor must be above 0 and at most 1, got {floor:g}.")
    return RelativeError(floor)


@dataclass(frozen=True)
class StandardError:
    """What `standard_error` gives: a record, so that it equals its copies in other processes."""

    symbol: int

    def __call__(self, mechanism: Mechanism, p: Floats, n: int) -> float:
        """The error of n people from p."""
        place = errors.check_whole("symbol", self.symbol, 0, mechanism.k - 1)
        return float(np.sqrt(mechanism.variance(p, n)[place]))


@dataclass(frozen=True)
class RelativeError:
    """What `relative_error` gives: a record, so that it equals its copies in other processes."""

    floor: float

    def __call__(self, mechanism: Mechanism, p: Floats, n: int) -> float:
        """The error of n people from p."""
        common = p >= self.floor
        errors.require(
            bool(common.any()),
            f"No value is had by a share of {self.floor:g} of the people; the largest share is "
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
        errors.require(
            callable(self.accuracy),
            f"accuracy must be a function, got one of type {type(self.accuracy).__name__}; take "
            "such as standard_error(symbol).",
        )
        errors.check_number("target", self.target, 0.0, math.inf)
        errors.require(self.target > 0, f"target must be above 0, got {self.target:g}.")
        if isinstance(self.accuracy, TotalVariation):
            object.__setattr__(self, "accuracy", replace(self.accuracy, target=self.target))


def people_for(
    mechanism: Mechanism, p: ArrayLike, goal: Goal, progress: Progress = no_progress
) -> int | None:
    """Least n (to 0.1 %) that meets the goal; None if 10^12 do not suffice.

    `p`: (k,) shares that sum to 1, such as those that you expect. Raises `CaldpError` otherwise.
    """
    check_mechanism("People are planned for a mechanism", mechanism)
    errors.check_type("goal", goal, Goal, "Goal(accuracy, target) makes it")
    shares = errors.check_distribution("p", p, mechanism.k)
    search = partial(people_needed, target=goal.target, progress=progress)
    return _planned(goal, lambda accuracy, n: accuracy(mechanism, shares, n), search, N_MAX)


def epsilon_for(
    context: Context, family: MechanismName, p: ArrayLike, n: int, goal: Goal
) -> float | None:
    """Least ε, the same in all blocks, that is found to meet the goal; None if none is.

    Looks at 48 values from 0.001 to 20, between 0.25 and 12 in steps of 10 %, and goes on down, to
    0.01 %, from the first that meets the goal. What is returned meets it; a smaller ε might too,
    but none of the 48, of which total variation is computed only near the goal. `p`: (k,) shares
    that sum to 1. Raises `CaldpError` otherwise, and for a family that is not one of contexts.
    """
    errors.check_n(n)
    errors.check_type(
        "context", context, Context, "Context.of(blocks, sensitive, epsilon) makes it"
    )
    errors.check_type("goal", goal, Goal, "Goal(accuracy, target) makes it")
    shares = errors.check_distribution("p", p, context.k)

    def error(accuracy: Accuracy, epsilon: float) -> float:
        changed = Context.of(context.blocks, context.sensitive, epsilon)
        return accuracy(mechanism(changed, family), shares, n)

    return _planned(goal, error, partial(_least_epsilon, goal.target), EPSILON_MAX)


def _least_epsilon(target: float, error_at: Callable[[float], float]) -> float | None:
    """The search of `epsilon_for`; `error_at`: of ε."""

    def excess(log: float) -> float:
        return _excess(error_at(math.exp(log)), target)

    before = math.nan
    for place, epsilon in enumerate(_EPSILONS):
        after = _excess(error_at(epsilon), target)
        if after <= 0:
            ends = (math.log(_EPSILONS[place - 1]), before), (math.log(epsilon), after)
            return math.exp(_crossing(excess, *ends, _EPSILON_CLOSE)) if place else epsilon
        before = after
    return None


def _planned(
    goal: Goal,
    error: Callable[[Accuracy, _Number], float],
    search: Callable[[Callable[[_Number], float]], _Number | None],
    most: _Number,
) -> _Number | None:
    """The least n or ε that meets the goal, as `search` finds it for an error of n or ε.

    The total variation is computed at few: where that of normals, times a factor that hardly
    changes, meets the goal, at `most` if nowhere. If these do not settle, `search` goes without.
    """
    error_at = partial(error, goal.accuracy)
    if not isinstance(goal.accuracy, TotalVariation):
        return search(error_at)
    guess = cache(partial(error, partial(expected.normal_error, goal.accuracy.estimator)))
    factor = 1.0

    def scaled(number: _Number) -> float:
        return factor * guess(number)

    found = search(scaled)
    for _ in range(_GUESSES):
        at = most if found is None else found
        reached = error_at(at)
        off = _excess(reached, goal.target)
        if found is not None and -_NEAR <= off <= 0:
            return found
        factor = _ASIDE * reached / guess(at)
        before, found = found, search(scaled)
        if found == before and (found is None or off <= 0):
            return found
    return search(error_at)


def largest_epsilon(right_at: Callable[[float], float], most: float) -> float | None:
    """Largest ε, to 0.01 %, found to leave an attacker right at most so often; None if none is.

    `right_at`: ε in [0.001, 20] → share of right guesses, which should rise with ε, such as that of
    `caldp_core.audit.inference.best_guess`; `most`: in (0, 1], else `CaldpError`. The goal is kept
    at what is returned; larger ε may keep it, too, where a whole number of a family's jumps.
    """
    errors.require(
        errors.check_number("most", most, 0.0, 1.0) > 0, f"most must be above 0, got {most:g}."
    )

    def excess(log: float) -> float:
        return _excess(right_at(math.exp(-log)), most)

    low, high = ((-math.log(e), excess(-math.log(e))) for e in (EPSILON_MAX, EPSILON_MIN))
    if low[1] <= 0:
        return EPSILON_MAX
    return None if high[1] > 0 else math.exp(-_crossing(excess, low, high, _EPSILON_CLOSE))


def _excess(error: float, target: float) -> float:
    """How far an error is above its target, as logarithms."""
    return math.log(max(error, 1e-300)) - math.log(target)


def _crossing(
    excess: Callable[[float], float],
    low: tuple[float, float],
    high: tuple[float, float],
    close: float,
) -> float:
    """Where `excess` is 0 or less, at most `close` above where it is positive.

    `low`, `high`: a point above 0 and one that is not, each with its excess, which is nearly
    straight between them. The point where the line between both is 0 is tried, moved a little to
    the side that is farther; every third time the middle.
    """
    nearer, step = 1.0, 0
    while high[0] - low[0] > close:
        step += 1
        middle = 0.5 * (low[0] + high[0])
        if step % 3 and math.isfinite(low[1] - high[1]):
            straight = low[0] + (high[0] - low[0]) * low[1] / (low[1] - high[1])
            edge = 0.45 * close
            middle = min(max(straight + nearer * edge, low[0] + edge), high[0] - edge)
        found = middle, excess(middle)
        nearer = 1.0 if found[1] > 0 else -1.0
        low, high = (found, high) if found[1] > 0 else (low, found)
    return high[0]


@dataclass(frozen=True)
class Recommendation:
    """The family with the least exact E l2², each family's, and one sentence why."""

    family: str
    l2_squared: dict[str, float]
    reason: str


def best_family(
    context: Context, p: Floats | None = None, n: int = 1, names: Iterable[str] = tuple(FAMILIES)
) -> Recommendation:
    """Compare families by the exact E Σ(p̂−p)² of their unbiased estimates.

    `p`: (k,) shares, by default even ones. `n`: people; the order is the same for all numbers.
    `names`: the families to compare, by default all.
    """
    errors.check_n(n)
    shares = np.full(context.k, 1.0 / context.k) if p is None else p
    losses = {name: float(in_context(context, name).variance(shares, n).sum()) for name in names}
    errors.require(bool(losses), "names must hold at least one family.")
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
    done = 0
    progress(0.0)

    def excess(log_people: float) -> float:
        nonlocal done
        done += 1
        progress(done / (done + _STEPS_USUAL))
        return _excess(error_at(max(1, round(math.exp(log_people)))), target)

    high = math.log(N_MAX), _excess(error_at(N_MAX), target)
    if high[1] > 0:
        return None
    low = 0.0, excess(0.0)
    if low[1] <= 0:
        return 1
    return max(1, round(math.exp(_crossing(excess, low, high, _PEOPLE_TOLERANCE))))


def group_margins(
    mechanism: Mechanism,
    p: Floats,
    labels: Ints,
    *,
    floor: float = 0.0,
    progress: Progress = no_progress,
) -> Floats:
    """(g,) half the width of each group's 95 % range of its share, for one person; NaN for none.

    That of n people is less by √n. `labels`: (k,) the group of each symbol, 0 … g−1; groups below a
    share `floor`, and those of nobody, are left out. By exact variances and the normal law.
    """
    blocks = (
        mechanism.policy.blocks if isinstance(mechanism.policy, Context) else np.zeros_like(labels)
    )
    sizes, shares = np.bincount(blocks), sums_by(labels, p, int(labels.max()) + 1)
    margins = np.full(shares.size, np.nan)
    for group in np.flatnonzero((shares > 0) & (shares >= floor)).tolist():
        progress(group / shares.size)
        inside = labels == group
        whole = np.bincount(blocks[inside], minlength=sizes.size) == sizes
        rest = inside & ~whole[blocks]
        part, share = float(p[rest].sum()), float(shares[group])
        noise = mechanism.sum_variance(p, rest.astype(np.float64), 1) if rest.any() else 0.0
        variance = noise - part * (1.0 - part) + share * (1.0 - share)
        margins[group] = _Z_95 * math.sqrt(max(variance, 0.0))
    return margins


def people_for_groups(
    mechanism: Mechanism,
    p: Floats,
    labels: Ints,
    *,
    floor: float,
    within: float,
    progress: Progress = no_progress,
) -> int | None:
    """Least n whose range of every group of a share `floor` is ± `within` of its share or less.

    `floor`, `within`: in (0, 1]. None if 10^12 people do not suffice; raises `CaldpError` where no
    group is so large.
    """
    errors.require(0 < floor <= 1, f"floor must be above 0 and at most 1, got {floor}.")
    errors.require(0 < within <= 1, f"within must be above 0 and at most 1, got {within}.")
    shares = sums_by(labels, p, int(labels.max()) + 1)
    errors.require(
        float(shares.max()) >= floor,
        f"No group has a share of {floor:g} of the people; the largest has "
        f"{float(shares.max()):.3g}. Take a smaller floor.",
    )
    margins = group_margins(mechanism, p, labels, floor=floor, progress=progress)
    with np.errstate(divide="ignore", invalid="ignore"):
        worst = float(np.nanmax(margins / shares))
    people = math.ceil((worst / within) ** 2)
    return max(people, 1) if people <= N_MAX else None
