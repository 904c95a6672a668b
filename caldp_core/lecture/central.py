"""A trusted curator's count and noisy maximum: what local mechanisms are compared with.

The lecture's Laplace noise, on whole numbers: two-sided geometric noise P(Z = z) =
(1−α)/(1+α)·α^{|z|} (Ghosh, Roughgarden, Sundararajan 2009), which has a channel in rationals. A
data set is what is protected here, and neighbours differ in one person's answer.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from caldp_core.basics.errors import check_epsilon, check_number, check_whole
from caldp_core.basics.limits import EPSILON_MAX, K_MAX, N_MAX
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.direct.geometric_axis import GeometricAxis
from caldp_core.mechanisms.randomness.coins import COIN_ONE
from caldp_core.privacy.matrix import DenseMatrix

_EPSILON_LEAST: Final = 1e-6


class GeometricNoise:
    """Two-sided geometric noise of scale 1/ε: the Laplace noise of whole numbers.

    `epsilon`: of one count, in [10^-6, 20]; an office shares its ε among many. `alpha`: e^−ε
    rounded up to a multiple of 2^-48, exact as a fraction.
    """

    def __init__(self, epsilon: float) -> None:
        self.epsilon = check_number("epsilon", epsilon, _EPSILON_LEAST, EPSILON_MAX)
        self.alpha = Fraction(GeometricAxis(1, self.epsilon).whole, COIN_ONE)
        self._a = float(self.alpha)
        self._stop = float(1 - self.alpha)

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> Ints:
        """Independent draws: the difference of two geometric numbers."""
        first, second = rng.geometric(self._stop, (2, *shape))
        return np.asarray(first - second, dtype=np.int64)

    @property
    def variance(self) -> float:
        """2α/(1−α)²; for small ε nearly Laplace's 2/ε²."""
        return 2.0 * self._a / self._stop**2

    def cdf(self, t: Ints) -> Floats:
        """P(Z ≤ t) for whole numbers of any shape."""
        far = self._a ** np.abs(np.where(t >= 0, t + 1, t)).astype(np.float64) / (1.0 + self._a)
        return np.where(t >= 0, 1.0 - far, far)


class CentralCount:
    """How many of n people say yes, published by a curator who knows every answer.

    Source: Dwork, McSherry, Nissim, Smith 2006, on whole numbers. A count moves by 1 when one
    person's answer changes. The published number is kept in [0, n].
    """

    def __init__(self, n: int, epsilon: float) -> None:
        self.n = check_whole("n", n, 1, N_MAX)
        self.noise = GeometricNoise(epsilon)

    def publish(self, yes: int, draws: int, rng: np.random.Generator) -> Ints:
        """(draws,) published counts, each with noise of its own."""
        count = check_whole("yes", yes, 0, self.n)
        return np.asarray(np.clip(count + self.noise.draw((draws,), rng), 0, self.n))

    def error_law(self, yes: int) -> tuple[Ints, Floats]:
        """(m,) errors of the published count, and (m,) their chances, down to e^−40."""
        reach = math.ceil(40.0 / self.noise.epsilon)
        errors = np.arange(-min(yes, reach), min(self.n - yes, reach) + 1)
        up_to = self.noise.cdf(errors)
        up_to[-1] = 1.0  # published numbers end at 0 and n
        return errors, np.diff(up_to, prepend=0.0)

    @property
    def policy(self) -> DenseMatrix:
        """(n+1, n+1) ε between counts that one person's answer tells apart, ∞ between others."""
        far = np.abs(np.subtract.outer(np.arange(self.n + 1), np.arange(self.n + 1)))
        return DenseMatrix.of(np.where(far == 1, self.noise.epsilon, np.where(far > 1, np.inf, 0)))

    def exact_channel(self) -> list[list[Fraction]]:
        """n+1 rows of n+1 probabilities in rationals: true count → published count."""
        return GeometricAxis(self.n + 1, self.noise.epsilon).exact_channel()


class NoisyMax:
    """Which of d items has most votes: noise on every count, then the largest (ties: the first).

    Source: "report noisy max", Dwork, Roth 2014, Claim 3.9, whose Lap(1/ε) is for one person more
    or less. A person who changes their vote takes one from an item and gives one to another, so
    here the noise is that of ε/2.
    """

    def __init__(self, d: int, epsilon: float) -> None:
        self.d = check_whole("d", d, 2, K_MAX)
        self.epsilon = float(check_epsilon(epsilon))
        self.noise = GeometricNoise(self.epsilon / 2)

    def choose(self, votes: Ints, draws: int, rng: np.random.Generator) -> Ints:
        """(draws,) chosen items; `votes`: (d,)."""
        return np.asarray(np.argmax(votes + self.noise.draw((draws, self.d), rng), axis=1))

    def chance(self, lead: Ints) -> Floats:
        """Probability of the true winner where all d − 1 rivals are `lead` votes behind, each.

        Any shape. Ties count for the rivals. Sums Pr(Z = r)·Pr(Z' < lead + r)^{d−1} over r, but
        for a rest below e^−40.
        """
        reach = math.ceil(40.0 / self.noise.epsilon)
        r = np.arange(-reach, reach + 1)
        mass = self.noise.cdf(r) - self.noise.cdf(r - 1)
        below = self.noise.cdf(np.asarray(lead)[..., None] + r - 1)
        return np.asarray((mass * below ** (self.d - 1)).sum(axis=-1))

    def exact_chances(self, votes: Sequence[int]) -> list[Fraction]:
        """Probability of each item, exact; for a few items, as 2^d terms are summed."""
        return [self._exact_chance(j, votes) for j in range(self.d)]

    def _exact_chance(self, j: int, votes: Sequence[int]) -> Fraction:
        # Item j with noise r wins if every other's noise is at most lead_i + r.
        leads = [votes[j] - v - (i < j) for i, v in enumerate(votes) if i != j]
        alpha, end = self.noise.alpha, max(map(abs, leads)) + 1
        unit = (1 - alpha) / (1 + alpha)
        total = sum(
            (unit * alpha ** abs(r) * math.prod(self._cdf(lead + r) for lead in leads))
            for r in range(-end, end + 1)
        )
        # Beyond, every factor is 1 − a·α^r (right) or a·α^−r (left): geometric series.
        tail = [alpha ** (lead + 1) / (1 + alpha) for lead in leads]
        for size in range(len(leads) + 1):
            ratio = alpha ** (size + 1)
            series = unit * ratio ** (end + 1) / (1 - ratio)
            for part in itertools.combinations(tail, size):
                total += (-1) ** size * math.prod(part) * series
        product = math.prod(alpha**-lead / (1 + alpha) for lead in leads)
        return Fraction(
            total + unit * product * alpha ** (self.d * (end + 1)) / (1 - alpha**self.d)
        )

    def _cdf(self, t: int) -> Fraction:
        alpha = self.noise.alpha
        if t >= 0:
            return 1 - alpha ** (t + 1) / (1 + alpha)
        return alpha**-t / (1 + alpha)

    def data_sets(self, n: int) -> list[tuple[int, ...]]:
        """Every way in which n people can vote: d counts that sum to n."""
        return [c for c in itertools.product(range(n + 1), repeat=self.d) if sum(c) == n]

    def policy(self, n: int) -> DenseMatrix:
        """ε between data sets of n people that differ in one vote, ∞ between others."""
        votes = np.array(self.data_sets(n))
        far = np.abs(votes[:, None] - votes).sum(axis=2)
        return DenseMatrix.of(np.where(far == 2, self.epsilon, np.where(far > 2, np.inf, 0.0)))

    def exact_channel(self, n: int) -> list[list[Fraction]]:
        """A row for each of `data_sets(n)`: the probability of each item, in rationals."""
        return [self.exact_chances(votes) for votes in self.data_sets(n)]
