"""Unbiased estimates taken as normals, and what of a normal lies above a cut.

Room: theory's ground floor. Each p̂_x is taken as normal with its exact mean and variance; the
formulas of `expected_error.py` and `expected_threshold.py` are sums over them.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from scipy.special import ndtr

from caldp_core.arrays import sums_by
from caldp_core.types import Floats, Ints

_ROUNDS: Final = 100
_CLOSE: Final = 1e-10
_SIGMA_LEAST: Final = 1e-18
"""Stands for 0, so that a certain symbol is a very narrow normal instead of a special case."""

Moments: TypeAlias = tuple[Floats, Floats, Floats]
"""Moments 0, 1, 2 of parts of normals, each (g,)."""


@dataclass(frozen=True)
class ExpectedError:
    """`tv`: expected total variation; `deviation`: its standard deviation over repetitions."""

    tv: float
    deviation: float


@dataclass(frozen=True, eq=False)
class Normals:
    """Unbiased estimates as normals, equal ones gathered.

    `p`, `sigma`: (g,) mean and standard deviation; `times`: (g,) symbols alike;
    `block`: (g,) block of each group; `m`: number of blocks.
    """

    p: Floats
    sigma: Floats
    times: Floats
    block: Ints
    m: int

    def in_one_block(self) -> "Normals":
        """The same with all blocks made one."""
        return Normals(self.p, self.sigma, self.times, np.zeros_like(self.block), 1)

    def sums(self, values: Floats) -> Floats:
        """(m,) sum of (g,) values over the symbols of each block."""
        return sums_by(self.block, self.times * values, self.m)


def normals(p: Floats, variance: Floats, blocks: Ints) -> Normals:
    """Gather (k,) symbols with the same block, share and variance."""
    at, times = alike(blocks, p, variance)
    return Normals(p[at], deviations(variance[at]), times, blocks[at], int(blocks.max()) + 1)


def alike(*keys: Floats | Ints) -> tuple[Ints, Floats]:
    """(g,) one symbol of each kind and how many are alike; `keys`: (k,) what makes a kind."""
    order = np.lexsort(keys[::-1])
    sorted_keys = np.stack(keys)[:, order]
    new = np.concatenate([[True], (sorted_keys[:, 1:] != sorted_keys[:, :-1]).any(axis=0)])
    first = np.flatnonzero(new)
    return order[first], np.diff(np.append(first, order.size)).astype(np.float64)


def deviations(variance: Floats) -> Floats:
    """Roots of variances, never quite 0."""
    return np.maximum(np.sqrt(np.maximum(variance, 0.0)), _SIGMA_LEAST)


def mean_thresholds(e: Normals) -> Floats:
    """(m,) τ_j with Σ E[max(p̂_x − τ_j, 0)] = block j's share.

    Newton's steps from the left: the sum is convex and falling in τ, so they never overshoot.
    """
    target = e.sums(e.p)
    tau = np.zeros(e.m)
    for _ in range(_ROUNDS):
        above, mean, _ = moments_above(e.p - tau[e.block], e.sigma, np.zeros(1))
        excess = e.sums(mean) - target
        if (excess <= _CLOSE * np.maximum(target, _CLOSE)).all():
            break
        tau += np.maximum(excess, 0.0) / np.maximum(e.sums(above), 1e-300)
    return tau


def moments_above(mean: Floats, sigma: Floats, cut: Floats) -> Moments:
    """Moments of W ~ N(mean, σ²) cut to (cut, ∞)."""
    z = (cut - mean) / sigma
    # From ndtr of the distance below, where it keeps its relative accuracy far out.
    above, density = ndtr(-z), bell(z)
    first = mean * above + sigma * density
    return above, first, mean * first + sigma * (sigma * above + cut * density)


def bell(z: Floats) -> Floats:
    """Density of the standard normal."""
    return np.asarray(np.exp(-0.5 * np.minimum(z * z, 1e4)) / np.sqrt(2 * np.pi))
