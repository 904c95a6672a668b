"""Errors without running anything: exact variances and what they make of the expected TV.

Room: formulas, each with its source. Exact unless it says "normal approximation": there an
estimate p̂_x is taken as normal with its exact mean and variance, and a projection's threshold τ
as the number that makes the expected total right, which is accurate when many reports fall into
each block (tests hold it against simulation).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import ndtr

from caldp_core.errors import CaldpError
from caldp_core.limits import N_MAX
from caldp_core.mechanisms import ContextMechanism
from caldp_core.types import Floats, Ints

_ROUNDS: Final = 60
_CLOSE: Final = 1e-10
N_SEARCH_MAX: Final = 1000 * N_MAX


def variance_given_people(mechanism: ContextMechanism, p: Floats, n: int) -> Floats:
    """(k,) exact variance of the unbiased estimate over the coins alone, the people held fixed.

    Var = E[Var(· | people)] + Var(E[· | people]), and the second is the sampling error
    p_x(1−p_x)/n. `p`: (k,) shares of these people.
    """
    sampling = p * (1.0 - p) / n
    return np.maximum(mechanism.variance(p, n) - sampling, 0.0)


@dataclass(frozen=True, eq=False)
class Spread:
    """Unbiased estimates as normals, equal ones gathered: what the expected TV is made of.

    `p`, `sigma`: (g,) mean and standard deviation; `times`: (g,) symbols alike;
    `block`: (g,) block of each group; `m`: number of blocks.
    """

    p: Floats
    sigma: Floats
    times: Floats
    block: Ints
    m: int


def spread(p: Floats, variance: Floats, blocks: Ints) -> Spread:
    """Gather (k,) symbols that have the same block, share and variance."""
    order = np.lexsort((variance, p, blocks))
    keys = np.stack([blocks[order], p[order], variance[order]])
    new = np.concatenate([[True], (keys[:, 1:] != keys[:, :-1]).any(axis=0)])
    first = np.flatnonzero(new)
    times = np.diff(np.append(first, p.size)).astype(np.float64)
    at = order[first]
    return Spread(p[at], np.sqrt(variance[at]), times, blocks[at], int(blocks.max()) + 1)


def expected_tv(spreads: Spread, estimator: str) -> float:
    """Expected TV after the named estimator, by normal approximation."""
    if estimator not in _EXPECTED:
        raise CaldpError(f"No expected error is known for {estimator!r}.")
    return _EXPECTED[estimator](spreads)


def _plus(mean: Floats, sigma: Floats) -> Floats:
    """E[max(W, 0)] for W normal."""
    safe = np.where(sigma > 0, sigma, 1.0)
    z = mean / safe
    bell = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    return np.where(sigma > 0, mean * ndtr(z) + safe * bell, np.maximum(mean, 0.0))


def _tv_of_positive_part(mean: Floats, sigma: Floats, s: Spread) -> float:
    """½·Σ E|max(W, 0) − p|: |max(W,0) − p| = (p − W)⁺ − (−W)⁺ + (W − p)⁺ for p ≥ 0."""
    away = _plus(s.p - mean, sigma) - _plus(-mean, sigma) + _plus(mean - s.p, sigma)
    return float(0.5 * (s.times * away).sum())


def _tv_unprocessed(s: Spread) -> float:
    return float(0.5 * np.sqrt(2 / np.pi) * (s.times * s.sigma).sum())


def _tv_clip(s: Spread) -> float:
    total = float((s.times * _plus(s.p, s.sigma)).sum())
    return _tv_of_positive_part(s.p / total, s.sigma / total, s)


def _tv_simplex(s: Spread) -> float:
    whole = Spread(s.p, s.sigma, s.times, np.zeros_like(s.block), 1)
    tau = mean_thresholds(whole)
    return _tv_of_positive_part(s.p - tau[0], s.sigma, s)


def _tv_simplex_per_block(s: Spread) -> float:
    return _tv_of_positive_part(s.p - mean_thresholds(s)[s.block], s.sigma, s)


_EXPECTED: Final[dict[str, Callable[[Spread], float]]] = {
    "none": _tv_unprocessed,
    "clip": _tv_clip,
    "simplex": _tv_simplex,
    "norm-sub": _tv_simplex,
    "simplex-per-block": _tv_simplex_per_block,
}


def mean_thresholds(s: Spread) -> Floats:
    """(m,) τ_j with Σ E[max(p̂_x − τ_j, 0)] = block j's share.

    Newton from the left: the sum is convex and falling in τ, so the steps never overshoot.
    """
    target = np.bincount(s.block, weights=s.times * s.p, minlength=s.m)
    tau = np.zeros(s.m)
    for _ in range(_ROUNDS):
        mean = s.p - tau[s.block]
        value = np.bincount(s.block, weights=s.times * _plus(mean, s.sigma), minlength=s.m)
        safe = np.where(s.sigma > 0, s.sigma, 1.0)
        above = np.where(s.sigma > 0, ndtr(mean / safe), mean > 0)
        slope = np.bincount(s.block, weights=s.times * above, minlength=s.m)
        step = (value - target) / np.maximum(slope, 1e-300)
        tau += np.where(value > target, step, 0.0)
        if (np.abs(value - target) <= _CLOSE * np.maximum(target, _CLOSE)).all():
            break
    return tau


def tv_standard_deviation(s: Spread) -> float:
    """Standard deviation of the unprocessed TV over repetitions, by normal approximation.

    Var|W − p| = σ²(1 − 2/π) for each symbol, taken as independent.
    """
    return float(0.5 * np.sqrt((1 - 2 / np.pi) * (s.times * s.sigma**2).sum()))


def people_needed(error_at: Callable[[int], float], target: float) -> int | None:
    """Least n (to 0.1 %) with error_at(n) ≤ target; None if 10^15 people do not suffice.

    `error_at` must not rise with n.
    """
    low, high = 0.0, float(np.log(N_SEARCH_MAX))
    if error_at(N_SEARCH_MAX) > target:
        return None
    while high - low > 1e-3:
        middle = 0.5 * (low + high)
        if error_at(max(1, round(float(np.exp(middle))))) > target:
            low = middle
        else:
            high = middle
    return max(1, round(float(np.exp(high))))
