"""Expected total variation from exact variances alone: milliseconds at any number of people.

Each unbiased estimate W_x is taken as normal with its exact mean p_x and variance σ_x². The shown
share is S = max(W − τ, 0)/Z, with τ = 0 for clipping and Z = 1 for the projection on the simplex;
both are taken as the constants that make the expected total 1. Then

    E TV = Σ (E max(S − p, 0) − ½E S + ½p),

and the total's wobble around 1, which moves τ or Z and with it all shares, enters the deviation to
first order. The error of x is split into its regression on W_x, whose sum over x has an exact
variance by `Mechanism.sum_variance`, and the rest, taken as uncorrelated from x to x.

That holds where many values share the error and each estimate rests on many reports;
`approximation` measures both and returns None where it does not hold.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.types import Bools, Floats, Ints, sums_by
from caldp_core.estimation.cascade_estimator import cascade_estimate, pooling_helps
from caldp_core.estimation.estimators import (
    PostProcess,
    clip_renormalise,
    norm_sub,
    simplex,
    simplex_per_block,
    unprocessed,
)
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.privacy.context import Context
from caldp_core.theory.variance import variance_given_people

PEOPLE_LEAST: Final = 10_000
"""Fewer people are simulated, which costs little."""
SPREAD_MOST: Final = 0.03
"""Most that the deviation may be of the mean: with about 500 values alike it is that."""
POSITIVE_LEAST: Final = 50
"""Expected number of positive shares from which their total moves the threshold but little."""
REPORTS_LEAST: Final = 32
"""Reports from which an estimate is nearly normal."""
HIDDEN_LEAST: Final = 4
"""Hidden values of a block from which the noise of one tells little of that of another."""
FEW_MOST: Final = 0.2
"""Part of the error that may come from estimates that rest on fewer reports or values."""

_ROUNDS: Final = 100
_EXCESS_TOLERANCE: Final = 1e-10
_SIGMA_LEAST: Final = 1e-18
"""Stands for 0, so that a certain value is a very narrow normal instead of a special case."""


@dataclass(frozen=True)
class Approximation:
    """Expected total variation `tv`, and its standard `deviation` over repetitions."""

    tv: float
    deviation: float


@dataclass(frozen=True, eq=False)
class Errors:
    """|S_x − p_x|/2 of values that are normals of their own; (g,) arrays, one entry a kind.

    `mean`: expectations. `slope`: of the regression on W_x. `rest`: variance of what that leaves.
    `positive`: probability of a share above 0.
    """

    mean: Floats
    slope: Floats
    rest: Floats
    positive: Floats


@dataclass(frozen=True, eq=False)
class Kinds:
    """Like values as one kind each: (g,) share `p`, deviation `sigma`, number of values `times`.

    `kind`: (k,) kind of each value.
    """

    p: Floats
    sigma: Floats
    times: Floats
    kind: Ints

    @classmethod
    def of(cls, p: Floats, variance: Floats) -> "Kinds":
        """(k,) shares and variances gathered."""
        order = np.lexsort((variance, p))
        keys = np.stack([p, variance])[:, order]
        new = np.concatenate([[True], (keys[:, 1:] != keys[:, :-1]).any(axis=0)])
        kind = np.empty(p.size, np.int64)
        kind[order] = np.cumsum(new) - 1
        at = order[new]
        sigma = np.maximum(np.sqrt(np.maximum(variance[at], 0.0)), _SIGMA_LEAST)
        return cls(p[at], sigma, np.bincount(kind).astype(np.float64), kind)

    def moments_above(self, cut: Floats | float) -> tuple[Floats, Floats, Floats]:
        """Moments 0, 1 and 2 of max(W − cut, 0)."""
        z = (cut - self.p) / self.sigma
        tail = scipy.special.ndtr(-z)
        bell = np.exp(-0.5 * np.minimum(z * z, 1e4)) / np.sqrt(2.0 * np.pi)
        first = (self.p - cut) * tail + self.sigma * bell
        return tail, first, (self.p - cut) * first + self.sigma**2 * tail


def _unprocessed(kinds: Kinds) -> Errors:
    """S = W: half of a folded normal."""
    none = np.zeros_like(kinds.p)
    half = kinds.sigma / np.sqrt(2.0 * np.pi)
    return Errors(half, none, kinds.sigma**2 / 4.0 - half**2, none + 1.0)


def _clipped(kinds: Kinds) -> Errors:
    """S = max(W, 0)/Z: a total too large by δ divides all shares by 1 + δ."""
    unit = float(kinds.times @ kinds.moments_above(0.0)[1])
    whole, above = kinds.moments_above(0.0), kinds.moments_above(unit * kinds.p)
    right = above[1] + unit * kinds.p * above[0]
    wobble = -0.5 * float(kinds.times @ (2.0 * right - whole[1])) / unit
    return _shares(kinds, 0.0, unit, wobble)


def _projected(kinds: Kinds) -> Errors:
    """S = max(W − τ, 0): a total too large by δ raises τ by δ over the number of positive ones."""
    tau = 0.0
    # Newton's steps from the left: the total is convex and falling in τ, so none overshoots.
    for _ in range(_ROUNDS):
        chances, first, _square = kinds.moments_above(tau)
        excess = float(kinds.times @ first) - 1.0
        if excess <= _EXCESS_TOLERANCE:
            break
        tau += excess / float(kinds.times @ chances)
    positive, larger = kinds.moments_above(tau)[0], kinds.moments_above(tau + kinds.p)[0]
    wobble = 0.5 * float(kinds.times @ (positive - 2.0 * larger))
    return _shares(kinds, tau, 1.0, wobble / float(kinds.times @ positive))


def _shares(kinds: Kinds, tau: float, unit: float, wobble: float) -> Errors:
    """Errors of S = max(W − τ, 0)/Z; `wobble`: rise of the error with 1 more of their total.

    ½|S − p| + wobble·S = (S − p)⁺ + (wobble − ½)·S + ½p, and Cov(max(W − c, 0), W)/σ² is the
    probability that W is above c (Stein's lemma).
    """
    low0, low1, low2 = kinds.moments_above(tau)
    high0, high1, high2 = kinds.moments_above(tau + unit * kinds.p)
    low1, high1, low2, high2 = low1 / unit, high1 / unit, low2 / unit**2, high2 / unit**2
    part = wobble - 0.5
    square = part**2 * low2 + 2.0 * part * (high2 + kinds.p * high1) + high2
    slope = (part * low0 + high0) / unit
    rest = square - (part * low1 + high1) ** 2 - (slope * kinds.sigma) ** 2
    return Errors(high1 - 0.5 * low1 + 0.5 * kinds.p, slope, np.maximum(rest, 0.0), low0)


_FORMULAS: Final[dict[PostProcess, Callable[[Kinds], Errors]]] = {
    unprocessed: _unprocessed,
    clip_renormalise: _clipped,
    simplex: _projected,
    # Equal to it wherever the positive estimates sum to 1 or more.
    norm_sub: _projected,
}


def approximation(
    mechanism: Mechanism, p: Floats, n: int, people_drawn: bool, post_process: PostProcess
) -> Approximation | None:
    """Expected TV of `post_process`'s estimate of (k,) shares `p` from n people, or None.

    It is taken for policies that are contexts, where estimates of different values are nearly
    uncorrelated, from `PEOPLE_LEAST` people on, if the deviation is at most `SPREAD_MOST` of the
    mean, `POSITIVE_LEAST` shares are expected above 0, and at most `FEW_MOST` of the error comes
    from values whose estimates rest on few reports.
    """
    policy = mechanism.policy
    if n < PEOPLE_LEAST or not isinstance(policy, Context):
        return None
    formula = _formula(post_process, mechanism, policy)
    if formula is None:
        return None
    variance = mechanism.variance(p, n)
    conditional = variance if people_drawn else variance_given_people(mechanism, p, n)
    kinds = Kinds.of(p, conditional)
    errors = formula(kinds)
    tv = float(kinds.times @ errors.mean)
    slope = errors.slope[kinds.kind]
    linear = mechanism.sum_variance(p, slope, n)
    if not people_drawn:
        linear -= (float(p @ slope**2) - float(p @ slope) ** 2) / n
    deviation = float(np.sqrt(float(kinds.times @ errors.rest) + max(linear, 0.0)))
    few = float(errors.mean[kinds.kind] @ _rests_on_few(mechanism, policy, p, n, variance))
    many = deviation <= SPREAD_MOST * tv and float(kinds.times @ errors.positive) >= POSITIVE_LEAST
    return Approximation(tv, deviation) if many and few <= FEW_MOST * tv else None


def _formula(
    post_process: PostProcess, mechanism: Mechanism, policy: Context
) -> Callable[[Kinds], Errors] | None:
    """None where no formula is known; in one block the nearest shares are the projection.

    Nor is one known where hidden values alone give way to the others' shares.
    """
    if symbol_partition_of(mechanism).clear.size and post_process is not unprocessed:
        return None
    nearest = post_process is simplex_per_block or (
        post_process is cascade_estimate and not pooling_helps(mechanism)
    )
    return _projected if nearest and policy.m == 1 else _FORMULAS.get(post_process)


def _rests_on_few(
    mechanism: Mechanism, policy: Context, p: Floats, n: int, variance: Floats
) -> Bools:
    """(k,) whether an estimate is far from a normal of its own.

    That is one of few reports, and one of a block with few hidden values, whose noise is of one
    piece.
    """
    hidden = policy.hidden()
    alone = np.bincount(policy.blocks, weights=hidden, minlength=policy.m) < HIDDEN_LEAST
    few = rests_on_few_reports(mechanism, p, n, variance)
    return few | (hidden & alone[policy.blocks])


def rests_on_few_reports(mechanism: Mechanism, p: Floats, n: int, variance: Floats) -> Bools:
    """(k,) whether a context's estimate is far from normal: of few people, or with a skewness.

    Above 1/√REPORTS_LEAST. As p_x moves and the block's hidden share does not, n·Var_x =
    A + B·p_x − p_x². A + B·p_x is the noise, B what one report more adds to it, and its skewness
    B/√(n·(A + B·p_x)).
    """
    policy = mechanism.policy
    assert isinstance(policy, Context)
    noise, gain = n * variance + p**2, _gains(mechanism, policy, p, n, variance)
    people = n * sums_by(policy.blocks, p, policy.m)
    skewed = n * noise < REPORTS_LEAST * gain**2
    return np.asarray(skewed | (people < REPORTS_LEAST)[policy.blocks])


def _gains(mechanism: Mechanism, policy: Context, p: Floats, n: int, variance: Floats) -> Floats:
    """(k,) B of `_rests_on_few`, by moving share from every second value of a kind to the next.

    Values of a block are of two kinds, hidden or not. Where a value is left over, B is taken as 1.
    """
    hidden = policy.hidden()
    order = np.lexsort((hidden, policy.blocks))
    kind = (2 * policy.blocks + hidden)[order]
    new = np.concatenate([[True], kind[1:] != kind[:-1]])
    odd = (np.arange(kind.size) - np.flatnonzero(new)[np.cumsum(new) - 1]) % 2 == 1
    moved = np.zeros(kind.size)
    moved[order] = np.concatenate([odd[1:], [False]]).astype(np.float64) - odd
    gain = n * moved * (mechanism.variance(p + moved, n) - variance) + 2.0 * p + moved
    return np.where(moved == 0.0, 1.0, gain)
