"""Expected total variation after the significance threshold, without running anything.

Room: theory. Estimates W_x are normals as in `normals.py`; x is kept if W_x exceeds its bar t_x.
With K the kept total, the others get ρ = (1 − K)/others each if K < 1, and otherwise all is
divided by K. Three cases are mixed: nothing is kept; K < 1; K ≥ 1. Within the last two everything
is taken at K's mean there, K as a normal and the error as linear in it. Accurate when many
symbols share the mass; see `significance_error` for where not.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import log_ndtr, ndtr

from caldp_core.basics.arrays import sums_by
from caldp_core.basics.types import Floats, Ints
from caldp_core.estimation.estimators import SIGNIFICANCE
from caldp_core.mechanisms import ContextMechanism
from caldp_core.theory.discrete_laws import Moments
from caldp_core.theory.normal_estimates import ExpectedError, alike, bell, deviations, moments_above
from caldp_core.theory.threshold_bars import Bars, significance_bars

_NEVER: Final = 1e-9
"""Chance of a case that is left out."""
_TINY: Final = 1e-300
_TIED_MOST: Final = 1.0 - 1e-6
"""So that a sum which is certain has a variance above that of rounding."""


def significance_error(
    made: ContextMechanism, p: Floats, variance: Floats, n: int
) -> ExpectedError | None:
    """Expected TV after the significance threshold; arguments as `expected_error_of` has them.

    None where most often nothing is kept and an even estimate is within α of the truth: then
    false alarms are all the error. Where an even estimate is farther off, false alarms move the
    mean by at most about α; but the deviation is theirs, and it is too small where the bar is a
    handful of reports, whose tail is not a normal's.
    """
    bars = significance_bars(made, p, variance, n)
    total = made.sum_variance(p, np.ones(p.size), n)
    kept = Kept.of(p, variance, made.policy.blocks, bars, total)
    even = 0.5 * float(np.abs(p - 1.0 / p.size).sum())
    if kept.some < 0.5 and even < SIGNIFICANCE:
        return None
    cases = [(1.0 - kept.some, even, 0.0)]
    if kept.some > _NEVER:
        cases += [(kept.some * chance, *_of_shares(*found)) for chance, *found in _cases(kept)]
    tv = sum(chance * mean for chance, mean, _ in cases)
    spread = sum(chance * (inside + (mean - tv) ** 2) for chance, mean, inside in cases)
    return ExpectedError(tv, float(np.sqrt(spread)))


@dataclass(frozen=True, eq=False)
class Bent:
    """A function of W, `low0` + `low1`·W up to a cut and `high0` + `high1`·W from there on."""

    low0: Floats
    low1: float
    high0: Floats
    high1: float

    def plus(self, constant: float, slope: float) -> "Bent":
        """The same with constant + slope·W added."""
        return Bent(
            self.low0 + constant, self.low1 + slope, self.high0 + constant, self.high1 + slope
        )


_ITSELF: Final = Bent(np.zeros(1), 1.0, np.zeros(1), 1.0)


@dataclass(frozen=True, eq=False)
class Kept:
    """What is kept of estimates; (g,) arrays, equal symbols gathered.

    `times`: symbols alike. `bars`: theirs, and `block` their blocks. `moments`: of W where it is
    kept. `some`, `every`: chances that anything, and everything, is kept. `tied`: see
    `Halves.covariance`.
    """

    p: Floats
    sigma: Floats
    bars: Bars
    block: Ints
    times: Floats
    moments: Moments
    some: float
    every: float
    tied: float

    @classmethod
    def of(cls, p: Floats, variance: Floats, blocks: Ints, bars: Bars, of_sum: float) -> "Kept":
        """Of (k,) normals; `of_sum`: variance of ΣW, below Σσ² if they are tied to a sum of 1."""
        at, times = alike(blocks, p, variance, bars.bar, bars.pull)
        mean, sigma, bar = p[at], deviations(variance[at]), bars.bar[at]
        z = (bar - mean) / sigma
        none, every = (float(times @ log_ndtr(side)) for side in (z, -z))
        independent = float(times @ sigma**2)
        tied = min(max(1.0 - of_sum / independent, 0.0), _TIED_MOST)
        return cls(
            mean,
            sigma,
            Bars(bar, bars.pull[at], bars.wobble),
            blocks[at],
            times,
            moments_above(mean, sigma, bar),
            some=-float(np.expm1(none)),
            every=float(np.exp(every)),
            tied=tied / independent,
        )

    def halves(self, cut: Floats) -> "Halves":
        """Kept estimates below and above (g,) cuts."""
        up = moments_above(self.p, self.sigma, np.maximum(cut, self.bars.bar))
        mid0, mid1, mid2 = (a - b for a, b in zip(self.moments, up, strict=True))
        return Halves(self, cut, (mid0, mid1, mid2), up)


@dataclass(frozen=True, eq=False)
class Halves:
    """Sums over kept estimates of functions bent at a cut, given that anything is kept.

    `cut`: (g,). `mid`, `up`: moments of W from the bar to the cut, and from there on.
    """

    kept: Kept
    cut: Floats
    mid: Moments
    up: Moments

    def mean(self, f: Bent) -> float:
        """E[Σ f(W)]."""
        return self._sum(self._each(f)) / self.kept.some

    def covariance(self, f: Bent, g: Bent) -> float:
        """Cov(Σ f(W), Σ g(W)).

        `tied`·σ²σ′² is how much two estimates are correlated because all shares sum to 1; a
        function of W takes part in it with Cov(f(W), W)/σ².
        """
        each_f, each_g = self._each(f), self._each(g)
        products = self._sum(self._product(f, g) - each_f * each_g)
        with_f, with_g = (
            self._sum(self._product(h, _ITSELF) - each * self.kept.p)
            for h, each in ((f, each_f), (g, each_g))
        )
        sums = self._sum(each_f) * self._sum(each_g)
        some = self.kept.some
        return (products - self.kept.tied * with_f * with_g + sums) / some - sums / some**2

    def of_bars(self, f: Bent) -> float:
        """Variance of Σ f(W) as bars wobble with τ, which moves W's at the bar in and out."""
        kept, bar = self.kept, self.kept.bars.bar
        at_bar = np.where(bar < self.cut, f.low0 + f.low1 * bar, f.high0 + f.high1 * bar)
        pull = kept.bars.pull
        # On average over the wobble, the regression's slope is the mean slope (Stein's lemma).
        wide = np.sqrt(kept.sigma**2 + pull**2 * kept.bars.wobble[kept.block])
        passing = bell((bar - kept.p) / wide) / wide * pull
        moved = sums_by(kept.block, kept.times * passing * at_bar, kept.bars.wobble.size)
        return float(kept.bars.wobble @ moved**2) / kept.some**2

    def _sum(self, values: Floats) -> float:
        return float(self.kept.times @ values)

    def _each(self, f: Bent) -> Floats:
        mid, up = self.mid, self.up
        return f.low0 * mid[0] + f.low1 * mid[1] + f.high0 * up[0] + f.high1 * up[1]

    def _product(self, f: Bent, g: Bent) -> Floats:
        low = _times(self.mid, f.low0, f.low1, g.low0, g.low1)
        return low + _times(self.up, f.high0, f.high1, g.high0, g.high1)


def _times(part: Moments, f0: Floats, f1: float, g0: Floats, g1: float) -> Floats:
    return f0 * g0 * part[0] + (f0 * g1 + f1 * g0) * part[1] + f1 * g1 * part[2]


@dataclass(frozen=True)
class _Side:
    """K given that it is on one side of 1: how likely that is, its mean and its variance."""

    chance: float
    mean: float
    variance: float

    @classmethod
    def below(cls, total: float, deviation: float) -> "_Side":
        """Of a normal, cut to below 1."""
        z = (1.0 - total) / deviation
        chance = max(float(ndtr(z)), _TINY)
        ratio = float(bell(np.array(z))) / chance
        variance = max(1.0 - z * ratio - ratio**2, 0.0) * deviation**2
        return cls(chance, total - ratio * deviation, variance)

    def times(self, chance: float) -> "_Side":
        """The same, less often."""
        return _Side(self.chance * chance, self.mean, self.variance)

    def __or__(self, other: "_Side") -> "_Side":
        chance = self.chance + other.chance
        mean = (self.chance * self.mean + other.chance * other.mean) / chance
        square = sum(s.chance * (s.variance + s.mean**2) for s in (self, other)) / chance
        return _Side(chance, mean, max(square - mean**2, 0.0))


def _of_shares(mean: float, variance: float) -> tuple[float, float]:
    """The same as far as a TV, in [0, 1], can have it: variance ≤ mean·(1 − mean)."""
    within = min(max(mean, 0.0), 1.0)
    return within, min(variance, within * (1.0 - within))


def _cases(kept: Kept) -> list[tuple[float, float, float]]:
    """(chance, mean TV, its variance) if anything is kept, for K < 1 and for K ≥ 1."""
    whole = kept.halves(kept.p)
    total = whole.mean(_ITSELF)
    least = (1.0 - _TIED_MOST) * float(kept.times @ kept.sigma**2)
    deviation = float(np.sqrt(max(whole.covariance(_ITSELF, _ITSELF), least)))
    below = _Side.below(total, deviation)
    mirrored = _Side.below(2.0 - total, deviation)
    above = _Side(mirrored.chance, 2.0 - mirrored.mean, mirrored.variance)
    # Where nobody is left to get ρ, what is kept is divided whatever it sums to.
    above |= below.times(kept.every)
    below = below.times(1.0 - kept.every)
    law = (total, deviation**2)
    cases = []
    if below.chance > _NEVER:
        cases.append((below.chance, *_spread_over_others(kept, whole, below, law)))
    if above.chance > _NEVER:
        cases.append((above.chance, *_divided(kept, above, law)))
    return cases


def _spread_over_others(
    kept: Kept, halves: Halves, side: _Side, law: tuple[float, float]
) -> tuple[float, float]:
    """½|W − p| if kept, ½|ρ − p| if not; K and the number of others move ρ."""
    left = 1.0 - kept.moments[0] / kept.some
    others = max(float(kept.times @ left) / (1.0 - kept.every), 1.0)
    rho = (1.0 - side.mean) / others
    gap = 0.5 * np.abs(rho - kept.p)
    beta = -0.5 * float(kept.times @ (left * np.sign(rho - kept.p))) / others
    error = Bent(0.5 * kept.p - gap, -0.5, -0.5 * kept.p - gap, 0.5)
    mean, variance = _at(halves, side, law, error, error.plus(-beta * rho, beta))
    return float(kept.times @ gap) + mean, variance


def _divided(kept: Kept, side: _Side, law: tuple[float, float]) -> tuple[float, float]:
    """½|W/K − p| if kept, ½p if not; K moves what is kept."""
    part = 0.5 / side.mean
    halves = kept.halves(side.mean * kept.p)
    error = Bent(np.zeros(1), -part, -kept.p, part)
    more = Bent(np.zeros(1), -1.0, np.zeros(1), 1.0)
    beta = -part / side.mean * halves.mean(more)
    mean, variance = _at(halves, side, law, error, error.plus(0.0, beta))
    return 0.5 + mean, variance


def _at(
    halves: Halves, side: _Side, law: tuple[float, float], error: Bent, whole: Bent
) -> tuple[float, float]:
    """Mean and variance of Σ error, where K is on this side of 1.

    `whole`: the error with what K's wobble does to the others' errors; `law`: K's mean and
    variance on both sides. What goes along with K has K's variance on this side only.
    """
    total, variance = law
    along, _ = _regression(halves, error, variance)
    slope, across = _regression(halves, whole, variance)
    mean = halves.mean(error) + along * (side.mean - total)
    return mean, across + slope**2 * side.variance + halves.of_bars(whole)


def _regression(halves: Halves, f: Bent, variance: float) -> tuple[float, float]:
    """Slope of Σ f along K, whose variance is given, and the variance across it."""
    whole = max(halves.covariance(f, f), 0.0)
    # What rounding leaves of a K that hardly varies may be no covariance at all.
    most = float(np.sqrt(whole / variance))
    slope = min(max(halves.covariance(f, _ITSELF) / variance, -most), most)
    return slope, max(whole - slope**2 * variance, 0.0)
