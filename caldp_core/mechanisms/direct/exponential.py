"""The exponential mechanism for any small table of distances: Q(y|x) = e^{−t·d(x, y)}/Z(x).

McSherry, Talwar 2007; for metric privacy Chatzikokolakis et al. 2013. By the triangle
inequality the largest ratio between two rows is exactly

    max_y log Q(y|x)/Q(y|x′) = t·d(x, x′) + log Z(x′)/Z(x)   (reached at y = x).

Z(x′)/Z(x) ≤ e^{t·d} makes t = ε/2 always enough, which is the textbook's choice. But where Z
varies less, as on a ring where it does not vary at all, a larger t ≤ ε does: `largest_scale`
finds one, and the noise shrinks up to twofold in the exponent.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.errors import require
from caldp_core.basics.limits import EXPONENT_MAX
from caldp_core.basics.powers import DIGITS, floor_of
from caldp_core.basics.types import Floats, Ints, WordSource
from caldp_core.mechanisms.base import digest
from caldp_core.mechanisms.direct.base import SymbolReports
from caldp_core.mechanisms.randomness.coins import ExactInversion
from caldp_core.mechanisms.structures import DenseProducts
from caldp_core.privacy.distance import DistanceMetric

Scale = Callable[[DistanceMetric], float]

_BITS: Final = 56
"""Bits that the smallest weight keeps; rounding them moves no log ratio by more than 2^-53."""
_SLACK: Final = 1e-11
"""Nats kept back from every E: more than all roundings of weights, logarithms and E together."""


def privacy_losses(distances: Floats, scale: float) -> Floats:
    """(k, k) realised privacy losses t·d + log Z(x′)/Z(x) at t = `scale`, in nats.

    `distances`: (k, k), a metric. Source: the module's formula.
    """
    normaliser = scipy.special.logsumexp(-scale * distances, axis=1)
    return np.asarray(scale * distances + normaliser[None, :] - normaliser[:, None])


def half_scale(policy: DistanceMetric) -> float:
    """t = ε/2 less the slack: enough for every metric, whatever its normalisers."""
    near = policy.distances[policy.distances > 0]
    nearest = float(near.min()) if near.size else 1.0
    return 0.5 * policy.epsilon - _SLACK / nearest


def largest_scale(policy: DistanceMetric) -> float:
    """A t in [ε/2, ε] that keeps the metric, while 1e-9 of it more would not; by bisection."""
    low, high = half_scale(policy), policy.epsilon
    distinct = policy.distances > 0
    bound = policy.epsilon * policy.distances - _SLACK
    while high - low > 1e-9 * high:
        middle = 0.5 * (low + high)
        if (privacy_losses(policy.distances, middle) <= bound)[distinct].all():
            low = middle
        else:
            high = middle
    return low


class ExponentialMechanism(SymbolReports):
    """See the module and `SymbolReports`. `scale` chooses t from the policy.

    Raises `CaldpError` where the distances are too small or too large for ε.
    """

    def __init__(self, policy: DistanceMetric, scale: Scale = largest_scale) -> None:
        self.policy: DistanceMetric = policy
        self.scale = scale(policy)
        farthest = self.scale * float(policy.distances.max())
        require(
            self.scale > 0 and farthest <= EXPONENT_MAX,
            "epsilon times the distances must be between "
            f"{2 * _SLACK:g} and about {EXPONENT_MAX:g} nats; choose another epsilon.",
        )
        self._weights = _whole_weights(policy.distances, self.scale)
        self._totals = [sum(row) for row in self._weights]

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
    def products(self) -> DenseProducts:
        """Products with the table of probabilities."""
        return DenseProducts(self.channel)

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

    def _reports(self, x: Ints, words: WordSource) -> Ints:
        reports = np.empty_like(x)
        for symbol in np.unique(x):
            users = np.flatnonzero(x == symbol)
            reports[users] = self._laws[symbol].draw(users.size, words)
        return reports

    def _spread(self, people: Ints, rng: np.random.Generator) -> Ints:
        """A multinomial each, for any n."""
        return np.asarray(rng.multinomial(people, self.channel).sum(axis=0))


def _whole_weights(distances: Floats, scale: float) -> list[list[int]]:
    """k rows of whole ⌊2^P·e^{−t·d}⌋, P such that the least of them still has 2^56."""
    kinds, place = np.unique(distances, return_inverse=True)
    shift = _BITS + 1 + math.ceil(scale * float(kinds[-1]) / math.log(2))
    # As many digits as the largest weight has, so that every weight is right to its last bit.
    digits = DIGITS + shift // 3
    rate = Fraction(scale)
    whole = [
        floor_of(lambda power: 2**shift * power, -rate * Fraction(float(d)), digits=digits)
        for d in kinds
    ]
    table = place.reshape(distances.shape)
    return [[whole[i] for i in row] for row in table]
