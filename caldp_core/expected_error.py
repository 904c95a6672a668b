"""Expected total variation of an estimate, projected or not, without running anything.

Room: theory. A normal approximation: each unbiased p̂_x is taken as normal with its exact mean
and variance and as independent of the others. A projection subtracts a threshold τ and cuts at 0;
τ is taken as the number that makes the expected total right, and its own wobble enters the
spread to first order. Accurate when many symbols share the mass (tests hold it to simulation);
with few symbols or people the true spread differs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import ndtr

from caldp_core.arrays import sums_by
from caldp_core.estimation import estimator
from caldp_core.types import Floats, Ints

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
    order = np.lexsort((variance, p, blocks))
    keys = np.stack([blocks[order], p[order], variance[order]])
    new = np.concatenate([[True], (keys[:, 1:] != keys[:, :-1]).any(axis=0)])
    first = np.flatnonzero(new)
    times = np.diff(np.append(first, p.size)).astype(np.float64)
    at = order[first]
    sigma = np.maximum(np.sqrt(variance[at]), _SIGMA_LEAST)
    return Normals(p[at], sigma, times, blocks[at], int(blocks.max()) + 1)


def expected_error(estimates: Normals, name: str) -> ExpectedError | None:
    """Expected TV after the named estimator, None where no formula is known for it.

    Raises `CaldpError` for an unknown name.
    """
    formula = _EXPECTED.get(estimator(name).name)
    return None if formula is None else formula(estimates)


def _unprocessed(e: Normals) -> ExpectedError:
    """|W − p| of a normal: mean σ√(2/π), variance σ²(1 − 2/π)."""
    tv = float(0.5 * np.sqrt(2 / np.pi) * (e.times * e.sigma).sum())
    spread = 0.25 * (1 - 2 / np.pi) * float((e.times * e.sigma**2).sum())
    return ExpectedError(tv, float(np.sqrt(spread)))


def _clip(e: Normals) -> ExpectedError:
    """Shares max(W, 0)/Z; Z wobbles with the sum, which moves every share by its own part."""
    zero = np.zeros_like(e.p)
    total = float(e.sums(_Parts.of(e.p, e.sigma, zero).up1).sum())
    parts = _Parts.of(e.p / total, e.sigma / total, e.p)
    beta = -0.5 * float((e.times * (parts.up1 - parts.mid1)).sum())
    return _gather(e, parts, np.full_like(e.p, beta))


def _simplex(e: Normals) -> ExpectedError:
    return _per_block(e.in_one_block())


def _per_block(e: Normals) -> ExpectedError:
    """Shares max(W − τ, 0); a sum too large by δ raises τ by δ over the number of positive ones."""
    parts = _Parts.of(e.p - mean_thresholds(e)[e.block], e.sigma, e.p)
    positive = np.maximum(e.sums(parts.up0 + parts.mid0), 1.0)
    beta = -0.5 * e.sums(parts.up0 - parts.mid0) / positive
    return _gather(e, parts, beta[e.block])


_EXPECTED: Final[dict[str, Callable[[Normals], ExpectedError]]] = {
    "none": _unprocessed,
    "clip": _clip,
    "simplex": _simplex,
    "norm-sub": _simplex,
    "simplex-per-block": _per_block,
}


def mean_thresholds(e: Normals) -> Floats:
    """(m,) τ_j with Σ E[max(p̂_x − τ_j, 0)] = block j's share.

    Newton's steps from the left: the sum is convex and falling in τ, so they never overshoot.
    """
    target = e.sums(e.p)
    tau = np.zeros(e.m)
    for _ in range(_ROUNDS):
        z = (e.p - tau[e.block]) / e.sigma
        above = ndtr(z)
        bell = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
        excess = e.sums(e.sigma * (z * above + bell)) - target
        if (excess <= _CLOSE * np.maximum(target, _CLOSE)).all():
            break
        tau += np.maximum(excess, 0.0) / np.maximum(e.sums(above), 1e-300)
    return tau


@dataclass(frozen=True, eq=False)
class _Parts:
    """Moments 0, 1, 2 of W ~ N(mean, σ²) cut to (0, p) and to (p, ∞); `low`: P(W < 0)."""

    low: Floats
    mid0: Floats
    mid1: Floats
    mid2: Floats
    up0: Floats
    up1: Floats
    up2: Floats

    @classmethod
    def of(cls, mean: Floats, sigma: Floats, p: Floats) -> "_Parts":
        at_zero, at_p = -mean / sigma, (p - mean) / sigma
        bell_zero, bell_p = _bell(at_zero), _bell(at_p)
        # Both tails from ndtr of a negative number, where it keeps its relative accuracy.
        beyond_zero, beyond_p = ndtr(-at_zero), ndtr(-at_p)
        up1 = mean * beyond_p + sigma * bell_p
        all1 = mean * beyond_zero + sigma * bell_zero
        up2 = mean * up1 + sigma * (sigma * beyond_p + p * bell_p)
        all2 = mean * all1 + sigma * sigma * beyond_zero
        return cls(
            1.0 - beyond_zero,
            beyond_zero - beyond_p,
            all1 - up1,
            all2 - up2,
            beyond_p,
            up1,
            up2,
        )


def _bell(z: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * np.minimum(z * z, 1e4)) / np.sqrt(2 * np.pi))


def _gather(e: Normals, parts: _Parts, beta: Floats) -> ExpectedError:
    """Mean of Σ f and deviation of Σ (f + β·g), with f = ½|max(W, 0) − p| and g = max(W, 0).

    f is ½p below 0, ½p − ½W between 0 and p, ½W − ½p above; β·g is what the threshold's wobble
    adds for each unit of the sum.
    """
    f = 0.5 * e.p * (parts.low + parts.mid0 - parts.up0) - 0.5 * parts.mid1 + 0.5 * parts.up1
    low, high = beta - 0.5, beta + 0.5
    h = f + beta * (parts.mid1 + parts.up1)
    square = (
        0.25 * e.p**2 * (parts.low + parts.mid0 + parts.up0)
        + e.p * (low * parts.mid1 - high * parts.up1)
        + low**2 * parts.mid2
        + high**2 * parts.up2
    )
    spread = float((e.times * np.maximum(square - h**2, 0.0)).sum())
    return ExpectedError(float((e.times * f).sum()), float(np.sqrt(spread)))
