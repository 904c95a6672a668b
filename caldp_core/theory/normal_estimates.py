"""Laws of unbiased estimates: normals, and counts of few reports; what lies above a cut.

Room: theory's ground floor. Each p̂_x has its exact mean and variance; it is taken as normal but
where its law is known to be that of few reports (`few_reports.py`). The formulas of
`expected_error.py` and `expected_threshold.py` are sums over them.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from scipy.special import ndtr

from caldp_core.basics.arrays import sums_by
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.theory.discrete_laws import Moments, Tails

_ROUNDS: Final = 100
_CLOSE: Final = 1e-10
_SIGMA_LEAST: Final = 1e-18
"""Stands for 0, so that a certain symbol is a very narrow normal instead of a special case."""


@dataclass(frozen=True)
class ExpectedError:
    """`tv`: expected total variation; `deviation`: its standard deviation over repetitions."""

    tv: float
    deviation: float


@dataclass(frozen=True, eq=False)
class Sources:
    """How the number of reports that make the noise of many symbols at once varies.

    `of`: (g,) source of each group. `loud`: (g,) whether its noise comes from there. `varies`:
    (s,) standard deviation of a source's number of reports over its mean. `part`: (s,) roots of
    the sources' shares of all reports, whose number is certain; 0 where people are fixed.
    """

    of: Ints
    loud: Bools
    varies: Floats
    part: Floats

    def variance(self, slopes: Floats) -> float:
        """Of a sum whose (g,) groups rise by `slopes` times the change of log number."""
        moved = sums_by(self.of, slopes * self.loud, self.varies.size) * self.varies
        return max(float(moved @ moved) - float(moved @ self.part) ** 2, 0.0)


@dataclass(frozen=True, eq=False)
class Estimates:
    """Unbiased estimates of shares, equal ones gathered.

    `p`, `sigma`: (g,) mean and standard deviation; `times`: (g,) symbols alike;
    `block`: (g,) block of each group; `m`: number of blocks. `drawn`: (g,) what of the
    variance is of who the people are; the rest is noise. `tied`: the part of the noise's
    variance that is missing from the variance of its sum, in [0, 1]. `few`: exact laws of some
    groups; the others are normal. `sources`: of the noise.
    """

    p: Floats
    sigma: Floats
    times: Floats
    block: Ints
    m: int
    drawn: Floats
    tied: float = 0.0
    few: tuple[Tails, ...] = ()
    sources: Sources | None = None

    def in_one_block(self) -> "Estimates":
        """The same with all blocks made one."""
        return replace(self, block=np.zeros_like(self.block), m=1)

    def people(self) -> Floats:
        """(g,) part of the variance that is of who the people are, in [0, 1]."""
        return np.minimum(self.drawn / self.sigma**2, 1.0)

    def sums(self, values: Floats) -> Floats:
        """(m,) sum of (g,) values over the symbols of each block."""
        return sums_by(self.block, self.times * values, self.m)

    def above(self, shift: Floats, cut: Floats) -> Moments:
        """(g,) moments of W − shift where it exceeds the cut; `shift`, `cut`: (g,)."""
        if not self.few:
            return moments_above(self.p - shift, self.sigma, cut)
        at = self._normal
        parts = [(at, moments_above(self.p[at] - shift[at], self.sigma[at], cut[at]))]
        parts += [(t.groups, t.above(shift[t.groups], cut[t.groups])) for t in self.few]
        moments = np.empty((3, self.p.size))
        for groups, found in parts:
            moments[:, groups] = found
        return moments[0], moments[1], moments[2]

    @cached_property
    def _normal(self) -> Ints:
        exact = np.zeros(self.p.size, np.bool_)
        for tails in self.few:
            exact[tails.groups] = True
        return np.flatnonzero(~exact)


def normals(p: Floats, variance: Floats, blocks: Ints) -> Estimates:
    """Gather (k,) symbols with the same block, share and variance; all normal, people fixed."""
    at, times = alike(blocks, p, variance)
    sigma = deviations(variance[at])
    m = int(blocks.max()) + 1
    return Estimates(p[at], sigma, times, blocks[at], m, drawn=np.zeros_like(sigma))


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


def mean_thresholds(e: Estimates, more: Floats | float = 0.0, close: float = _CLOSE) -> Floats:
    """(m,) τ_j with Σ E[max(p̂_x − τ_j, 0)] = block j's share + `more`, (m,), or 0 if less.

    To a part of `close` of the share.

    Newton's steps from the left: the sum is convex and falling in τ, so they never overshoot.
    """
    share = e.sums(e.p)
    target = np.maximum(share + more, 0.0)
    zero = np.zeros_like(e.p)
    # From there on all symbols together have `more` by their means alone.
    tau = -np.maximum(more, 0.0) / np.maximum(e.sums(np.ones_like(e.p)), 1.0)
    for _ in range(_ROUNDS):
        above, mean, _ = e.above(tau[e.block], zero)
        excess = e.sums(mean) - target
        if (excess <= close * np.maximum(share, _CLOSE)).all():
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
