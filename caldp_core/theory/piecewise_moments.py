"""Sums over estimates of functions that bend at 0 and at a cut: their means and variances.

Room: theory. What `expected_error.py` reckons with.
"""

from dataclasses import dataclass

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.theory.normal_estimates import Estimates, ExpectedError, bell

_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Bent:
    """Functions of W, straight below 0, from 0 to a cut and above it; (3, g) each."""

    level: Floats
    slope: Floats

    @classmethod
    def of_shares(cls, p: Floats) -> "Bent":
        """½|max(W, 0) − p|, with p as the cut."""
        half = np.full_like(p, 0.5)
        return cls(np.stack([p, p, -p]) / 2.0, np.stack([np.zeros_like(p), -half, half]))

    @classmethod
    def of_distance(cls, zero: Floats) -> "Bent":
        """½|W|."""
        half = zero + 0.5
        return cls(np.stack([zero, zero, zero]), np.stack([-half, half, half]))

    def plus(self, positive: Floats) -> "Bent":
        """The same and positive·max(W, 0)."""
        return Bent(self.level, self.slope + np.stack([0.0 * positive, positive, positive]))


@dataclass(frozen=True, eq=False)
class Parts:
    """Moments 0, 1, 2 of W below 0, from 0 to a cut and above it; (3, g) each.

    W is an estimate less a shift, over `unit`. `bends`: (2, g) density of a normal with W's mean
    and variance, at 0 and at the cut, times that variance.
    """

    zeroth: Floats
    first: Floats
    second: Floats
    bends: Floats
    unit: float = 1.0

    @classmethod
    def of(cls, e: Estimates, shift: Floats, cut: Floats) -> "Parts":
        """Of the estimates less (g,) `shift`, cut at 0 and at (g,) `cut`."""
        up, positive = e.above(shift, cut), e.above(shift, np.zeros_like(cut))
        mean = e.p - shift
        everything = (np.ones_like(mean), mean, e.sigma**2 + mean**2)
        zero, one, two = (
            np.stack([a - b, b - c, c]) for a, b, c in zip(everything, positive, up, strict=True)
        )
        bends = e.sigma * bell(np.stack([-mean, cut - mean]) / e.sigma)
        return cls(zero, one, two, bends)

    def over(self, unit: float) -> "Parts":
        """The same of W/unit."""
        return Parts(
            self.zeroth,
            self.first / unit,
            self.second / unit**2,
            self.bends / unit,
            self.unit * unit,
        )

    def mean(self, f: Bent) -> Floats:
        """(g,) E f(W)."""
        return np.asarray((f.level * self.zeroth + f.slope * self.first).sum(axis=0))

    def variance(self, f: Bent) -> Floats:
        """(g,) variance of f(W)."""
        level = f.level * (f.level * self.zeroth + 2.0 * f.slope * self.first)
        square = (level + f.slope**2 * self.second).sum(axis=0)
        return np.asarray(np.maximum(square - self.mean(f) ** 2, 0.0))

    def along(self, f: Bent) -> Floats:
        """(g,) covariance of f(W) with the estimate."""
        product = (f.level * self.first + f.slope * self.second).sum(axis=0)
        return np.asarray(self.unit * (product - self.mean(f) * self.first.sum(axis=0)))

    def louder(self, f: Bent) -> Floats:
        """(g,) what E f(W) gains with 1 more of log variance: a normal's, by the heat equation."""
        return np.asarray(0.5 * (np.diff(f.slope, axis=0) * self.bends).sum(axis=0))


def gathered(e: Estimates, parts: Parts, error: Bent, whole: Bent, seen: Floats) -> ExpectedError:
    """Mean of Σ error; deviation of Σ (whole − seen·people/n), `whole` with a threshold's wobble.

    The shares of people and, apart from them, the noise sum to the same in all runs or nearly so:
    what goes along with either sum is taken off. How many reports a source has is added.
    """
    people = e.people()
    along = parts.along(whole)
    with_people, with_noise = people * along - seen * e.drawn, (1.0 - people) * along
    each = parts.variance(whole) + seen * (seen * e.drawn - 2.0 * people * along)
    spread = float(e.times @ each) - _explained(e, with_people, e.drawn)
    spread -= e.tied * _explained(e, with_noise, e.sigma**2 - e.drawn)
    spread = max(spread, 0.0)
    if e.sources is not None:
        spread += e.sources.variance(e.times * parts.louder(whole))
    mean = float(e.times @ parts.mean(error))
    return ExpectedError(mean, float(np.sqrt(spread)))


def _explained(e: Estimates, covariances: Floats, variances: Floats) -> float:
    """Variance of a sum that goes along with another."""
    return float(e.times @ covariances) ** 2 / max(float(e.times @ variances), _TINY)


def excess_variance(e: Estimates, parts: Parts) -> Floats:
    """(m,) variance of a block's Σ max(W, 0) less its observed share."""
    nothing = np.zeros((3, e.p.size))
    positive = Bent(nothing, nothing).plus(np.ones_like(e.p))
    people, along = e.people(), parts.along(positive) / parts.unit
    drawn, noise = e.drawn / parts.unit**2, (e.sigma**2 - e.drawn) / parts.unit**2
    each = parts.variance(positive) - 2.0 * people * along + drawn
    shared = e.sums((1.0 - people) * along) ** 2 / np.maximum(e.sums(noise), _TINY)
    return np.maximum(e.sums(each) - e.tied * shared, 0.0)
