r"""δ after mixing the reports of a mechanism that is known: amplification by variation and ratio.

After Wang and others 2023 (arXiv 2304.05007), here for contexts. Let x be a protected value of a
block whose n people's reports are mixed, x′ another value of it, p = e^ε, β the total variation of
their laws and α = β/(p − 1). With Q₁ the reports that x sends more often and Q₁′ those of x′,

    R(x) = pα·Q₁ + α·Q₁′ + (1 − (p+1)α)·Q₀,   R(x′) = α·Q₁ + pα·Q₁′ + (1 − (p+1)α)·Q₀.

As nobody's report is less likely than that of x or x′ over p, each of the others sends as if from
the blanket (pα·Q₁ + pα·Q₁′ + (1 − (p+1)α)·Q₀)/(1 + β) with probability (1 + β)/p at least. Let M of
them do, C ~ Bin(M, 2pα/(1+β)) of these not Q₀, and A ~ Bin(C, ½) of these Q₁. Given all else, δ is
at most the divergence of (A + Δ, C − A + Δ′), (Δ, Δ′) = (1, 0), (0, 1), (0, 0) with probabilities
pα, α, 1 − (p+1)α, from the same with Δ and Δ′ swapped, on average over M ~ Bin(n − 1, (1 + β)/p).

The paper leaves Q₀ out of the blanket and has C ~ Bin(n − 1, 2α). Then nobody lends Q₀, and exactly
shuffled reports of four people show more than its sum says (`tests/theory/test_mixing.py`); for
many people both are the same to a few per cent.

Where x′ is open, a report may name it, and nobody lends that: what is promised is that x does not
stand out. Here β = 1 − λ, R(x) = pα·Q₁ + (1 − pα)·Q₀, R(x′) = α·Q₁ + β·(its name) + (1 − pα)·Q₀,
and the blanket is R(x) itself, with probability 1/p. However many are mixed, ln(1/λ) is left.

δ falls with ε and with M: one report more of the blanket is drawn without regard to x, so it is
post-processing. M grows with n, so δ falls with n as well. `crowd_ranges` takes the same numbers M
for every n, and nothing here depends on the wanted δ, so the computed ε never rises with either.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats
from caldp_core.theory.shuffling import RARE, binomial_tail, range_masses, window

_FINE: Final = 128
"""A number of others is taken at most this part of itself, or its root, lower than it is."""
_WEIGHT_MIN: Final = 1e-25
"""Events that are rarer count in full: δ is at least 1e-15."""


@cache
def _crowds() -> Floats:
    """Numbers M for every n: all small ones, then in steps of √M/2, then of M/128."""
    numbers, m = [0], 0
    while m < N_MAX:
        m += max(1, math.isqrt(m) // 2, m // _FINE)
        numbers.append(m)
    return np.array(numbers, dtype=np.float64)


def crowd_ranges(n: int, chance: float) -> tuple[Floats, Floats]:
    """Numbers M ~ Bin(n − 1, chance) of others, each range at its least, and its probability."""
    return range_masses(_crowds(), n - 1, chance)


@dataclass(frozen=True, eq=False)
class HiddenPair:
    """Two protected values, `beta` apart, each report keeping `local`, beside others.

    (terms,) arrays: `others` M, `total` t of all reports that are Q₁ or Q₁′, and `before`, `at`,
    the probabilities of M others of whom t − 1, and t, are. `neglected`: what is left out.
    """

    local: float
    beta: float
    others: Floats
    total: Floats
    before: Floats
    at: Floats
    neglected: float

    @classmethod
    def of(cls, local: float, beta: float, n: int) -> "HiddenPair":
        """Beside n − 1 others."""
        crowds, mass = crowd_ranges(n, (1 + beta) * math.exp(-local))
        share = cls._share(local, beta)
        low, high = window(crowds[0], share)[0], window(crowds[-1], share)[1] + 1
        total = np.arange(max(1.0, low), high + 1)
        others = crowds[:, None]
        before = mass[:, None] * _binomial(total - 1, others, share)
        at = mass[:, None] * _binomial(total, others, share)
        kept = np.maximum(before, at) > _WEIGHT_MIN
        lost = float((before + at)[~kept].sum()) + 4 * math.exp(-RARE)
        row, column = np.nonzero(kept)
        return cls(local, beta, crowds[row], total[column], before[kept], at[kept], lost)

    @staticmethod
    def _share(local: float, beta: float) -> float:
        """Probability that a report of the blanket is Q₁ or Q₁′."""
        p = math.exp(local)
        return min(1.0, 2 * p * beta / ((p - 1) * (1 + beta)))

    def delta(self, epsilon: float) -> float:
        """δ at `epsilon`: a sum over t, given which the ratio of both laws grows with Q₁."""
        p, power, t = math.exp(self.local), math.exp(epsilon), self.total
        alpha, share = self.beta / (p - 1), self._share(self.local, self.beta)
        rest = max(0.0, 1 - (p + 1) * alpha)
        idle = rest * (power - 1) * (self.others + 1 - t) * share / (2 * max(1 - share, 1e-300))
        start = np.ceil((alpha * (power * p - 1) * t + idle) / (alpha * (p - 1) * (1 + power)))
        v = binomial_tail(start, t - 1, 0.5)
        u = v + _binomial(start - 1, t - 1, 0.5)
        same = self.at * rest * (u + v) / 2
        first = self.before * alpha * (p * u + v) + same
        second = self.before * alpha * (u + p * v) + same
        return float(np.maximum(first - power * second, 0.0).sum()) + self.neglected


@dataclass(frozen=True, eq=False)
class OpenPair:
    """A protected value and an open one, `beta` apart, each report keeping `local`.

    (ranges,) `others` M of the blanket and their probabilities `mass`.
    """

    local: float
    beta: float
    others: Floats
    mass: Floats

    @classmethod
    def of(cls, local: float, beta: float, n: int) -> "OpenPair":
        """Beside n − 1 others."""
        return cls(local, beta, *crowd_ranges(n, math.exp(-local)))

    def delta(self, epsilon: float) -> float:
        """δ at `epsilon` of the protected value against the open one."""
        p, power = math.exp(self.local), math.exp(epsilon)
        alpha = self.beta / (p - 1)
        share, rest = min(1.0, p * alpha), max(0.0, 1 - p * alpha)
        if power >= p:
            return 0.0
        odds = (power - 1) * rest * share / ((p - power) * alpha * max(1 - share, 1e-300))
        start = np.ceil((self.others + 1) * odds / (1 + odds))
        u, v = (binomial_tail(at, self.others, share) for at in (start - 1, start))
        gained = (p - power) * alpha * u - (power - 1) * rest * v
        return float(self.mass @ np.maximum(gained, 0.0)) + 2 * math.exp(-RARE)


def _binomial(at: Floats, n: Floats, chance: float) -> Floats:
    """Probability that Bin(n, chance) is `at`; shapes that go together."""
    inside = (at >= 0) & (at <= n)
    x = np.where(inside, at, 0.0)
    logs = (
        scipy.special.gammaln(n + 1)
        - scipy.special.gammaln(x + 1)
        - scipy.special.gammaln(n - x + 1)
    )
    with np.errstate(divide="ignore"):
        logs = logs + x * math.log(chance) + (n - x) * (math.log1p(-chance) if chance < 1 else -1e9)
    return np.where(inside, np.exp(logs), 0.0)
