"""The exponential mechanism for any small table of distances: Q(y|x) = e^{−t·d(x, y)}/Z(x).

Room: mechanisms (McSherry, Talwar 2007; for metric privacy Chatzikokolakis et al. 2013). By the
triangle inequality the largest ratio between two rows is exactly

    max_y log Q(y|x)/Q(y|x′) = t·d(x, x′) + log Z(x′)/Z(x)   (reached at y = x).

Z(x′)/Z(x) ≤ e^{t·d} makes t = ε/2 always enough, which is the textbook's choice. But where Z
varies less, as on a ring where it does not vary at all, a larger t ≤ ε does: `largest_scale`
finds one, and the noise shrinks up to twofold in the exponent.
"""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from caldp_core.coins import seeded_words, system_words
from caldp_core.errors import check_counts, check_n, check_symbols, require
from caldp_core.mechanisms.base import Tally, digest
from caldp_core.mechanisms.inversion import ExactInversion
from caldp_core.metric_privacy import DistanceMetric
from caldp_core.types import Floats, Ints, WordSource

Scale = Callable[[DistanceMetric], float]

_DIGITS: Final = 60
_BITS: Final = 56
"""Bits that the smallest weight keeps; rounding them moves no log ratio by more than 2^-53."""
_SLACK: Final = 1e-11
"""Nats kept back from every E: more than all roundings of weights, logarithms and E together."""
_EXPONENT_MAX: Final = 2000.0
_CONDITION_MAX: Final = 1e10


def realised(distances: Floats, scale: float) -> Floats:
    """(k, k) nats that the mechanism with t = `scale` really gives away, t·d + log Z(x′)/Z(x).

    `distances`: (k, k), a metric. Source: the module's formula.
    """
    normaliser = logsumexp(-scale * distances, axis=1)
    return np.asarray(scale * distances + normaliser[None, :] - normaliser[:, None])


def half_scale(policy: DistanceMetric) -> float:
    """t = ε/2 less a hair: within every metric, whatever its normalisers."""
    near = policy.distances[policy.distances > 0]
    nearest = float(near.min()) if near.size else 1.0
    return 0.5 * policy.epsilon - _SLACK / nearest


def largest_scale(policy: DistanceMetric) -> float:
    """A t in [ε/2, ε] within the metric that would no longer be at 1e-9 more, by bisection."""
    low, high = half_scale(policy), policy.epsilon
    apart = policy.distances > 0
    bound = policy.epsilon * policy.distances - _SLACK
    while high - low > 1e-9 * high:
        middle = 0.5 * (low + high)
        if (realised(policy.distances, middle) <= bound)[apart].all():
            low = middle
        else:
            high = middle
    return low


class ExponentialMechanism:
    """See the module and `Mechanism`; reports are symbols. `scale` chooses t from the policy.

    Raises `CaldpError` where the distances are too small or too large for ε.
    """

    def __init__(self, policy: DistanceMetric, scale: Scale = largest_scale) -> None:
        self.policy = policy
        self.scale = scale(policy)
        farthest = self.scale * float(policy.distances.max())
        require(
            self.scale > 0 and farthest <= _EXPONENT_MAX,
            "epsilon times the distances must be between "
            f"{2 * _SLACK:g} and about {_EXPONENT_MAX:g} nats; choose another epsilon.",
        )
        self._weights = _whole_weights(policy.distances, self.scale)
        self._totals = [sum(row) for row in self._weights]

    @property
    def k(self) -> int:
        """Number of symbols."""
        return self.policy.k

    @property
    def outputs(self) -> int:
        """Number of different reports: the symbols again."""
        return self.policy.k

    @cached_property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""
        return digest("exponential", *(f"{row}" for row in self._weights))

    @cached_property
    def channel(self) -> Floats:
        """(k, k) probabilities as floats; row = true symbol."""
        return np.array(
            [
                [weight / total for weight in row]
                for row, total in zip(self._weights, self._totals, strict=True)
            ]
        )

    @cached_property
    def _inverse(self) -> Floats:
        require(
            float(np.linalg.cond(self.channel)) < _CONDITION_MAX,
            "These distances give (nearly) the same reports for different shares, so shares "
            "can't be estimated; choose a larger epsilon or merge symbols.",
        )
        return np.asarray(np.linalg.inv(self.channel))

    def exact_channel(self) -> list[list[Fraction]]:
        """k rows of k probabilities in rationals."""
        return [
            [Fraction(weight, total) for weight in row]
            for row, total in zip(self._weights, self._totals, strict=True)
        ]

    @cached_property
    def _laws(self) -> list[ExactInversion]:
        return [
            ExactInversion.of([Fraction(sum(row[: y + 1]), total) for y in range(self.k - 1)])
            for row, total in zip(self._weights, self._totals, strict=True)
        ]

    def privatize(self, x: ArrayLike, rng: np.random.Generator) -> Ints:
        """(n,) symbols → (n,) symbols, simulated with `rng`."""
        return self._reports(check_symbols("x", x, self.k), seeded_words(rng))

    def client_report(self, x: int) -> Ints:
        """(1,) one real user's report, with the operating system's randomness; takes no seed."""
        return self._reports(check_symbols("x", [x], self.k), system_words)

    def _reports(self, x: Ints, words: WordSource) -> Ints:
        reports = np.empty_like(x)
        for symbol in np.unique(x):
            users = np.flatnonzero(x == symbol)
            reports[users] = self._laws[symbol].draw(users.size, words)
        return reports

    def every_report(self) -> Ints:
        """(k,) all different reports in the order of the channel's columns."""
        return np.arange(self.k)

    def tally(self, reports: ArrayLike) -> Tally:
        """(n,) reports → (k,) histogram; `CaldpError` on a report that is no symbol."""
        symbols = check_symbols("reports", reports, self.k)
        return Tally(np.bincount(symbols, minlength=self.k), symbols.size, self.fingerprint)

    def sample_tally(self, counts: ArrayLike, rng: np.random.Generator) -> Tally:
        """Tally of (k,) people per symbol by a multinomial each, for any n."""
        people = check_counts("counts", counts, self.k)
        reports = rng.multinomial(people, self.channel).sum(axis=0)
        return Tally(reports, int(people.sum()), self.fingerprint)

    def estimate(self, tally: Tally) -> Floats:
        """(k,) unbiased shares, tally·Q⁻¹/n; entries may be negative.

        Raises `CaldpError` where Q has no inverse worth the name.
        """
        require(
            tally.fingerprint == self.fingerprint,
            "This tally was made by another mechanism; use the one that made the reports.",
        )
        require(tally.n > 0, "A tally of no reports says nothing; collect at least one report.")
        return np.asarray(tally.counts @ self._inverse / tally.n)

    def variance(self, p: Floats, n: int) -> Floats:
        """(k,) exact variance of `estimate` when n people come from p: (k,) shares."""
        square = (p @ self.channel) @ self._inverse**2
        return np.asarray((square - p**2) / check_n(n))

    def sum_variance(self, p: Floats, weights: Floats, n: int) -> float:
        """Exact variance of Σ w_x p̂_x; `p`, `weights`: (k,)."""
        square = float((p @ self.channel) @ (self._inverse @ weights) ** 2)
        return max((square - float(weights @ p) ** 2) / check_n(n), 0.0)


def _whole_weights(distances: Floats, scale: float) -> list[list[int]]:
    """k rows of whole ⌊2^P·e^{−t·d}⌋, P such that the least of them still has 2^56."""
    kinds, place = np.unique(distances, return_inverse=True)
    shift = _BITS + 1 + math.ceil(scale * float(kinds[-1]) / math.log(2))
    with localcontext() as context:
        # As many digits as the largest weight has, so that every weight is right to its last bit.
        context.prec = _DIGITS + shift // 3
        rate = Decimal(scale)
        whole = [int(2**shift * (-rate * Decimal(float(d))).exp()) for d in kinds]
    table = place.reshape(distances.shape)
    return [[whole[i] for i in row] for row in table]
