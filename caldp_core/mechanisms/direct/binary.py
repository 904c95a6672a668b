"""The best mechanism for two symbols and any pair of ε (CALDP Theorem 2, eq. (9)).

Symbols are 0 and 1 (the paper's 1 and 2), so ε₀₁ protects symbol 0 and ε₁₀ protects symbol 1. Equal
ε give Warner's randomized response (10); one ε = ∞ gives Mangat's improved one (11). With f =
Q*(1|0) and g = Q*(0|1), (9) reads

    f = (e^{ε₀₁} − 1)/(e^{ε₀₁+ε₁₀} − 1),  g = (e^{ε₁₀} − 1)/(e^{ε₀₁+ε₁₀} − 1),

and the two ratios that bind are 1 − f ≤ e^{ε₀₁}·g and 1 − g ≤ e^{ε₁₀}·f. Both stay true when f
and g are rounded up, so the coins are rounded up. If either ε is 0, the rows of every
allowed channel are equal, and nothing can be learned.
"""

import math
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.powers import ceiling_of
from caldp_core.basics.types import Floats, Ints, WordSource
from caldp_core.mechanisms.base import digest
from caldp_core.mechanisms.direct.base import SymbolReports
from caldp_core.mechanisms.randomness.coins import COIN_ONE, flip_coins
from caldp_core.mechanisms.structures import InvertibleProducts
from caldp_core.privacy.matrix import BinaryPolicy

_DIGITS: Final = 80
"""These outlast the difference 1 − e^{−2^−50}."""
_EPSILON_MIN: Final = 2.0**-50
"""Coins of 48 bits cannot express an ε below this: it is treated as 0, which keeps it as well."""


def flip_thresholds(policy: BinaryPolicy) -> tuple[int, int]:
    """(F, G): 0 is sent as 1 with probability F/2^48, 1 as 0 with probability G/2^48.

    Least whole numbers above 2^48·f and 2^48·g, hence within both ε. F + G = 2^48 (equal rows)
    where either ε is 0 or too small for 48 bits.
    """
    a = policy.epsilon_01 if policy.epsilon_01 >= _EPSILON_MIN else 0.0
    b = policy.epsilon_10 if policy.epsilon_10 >= _EPSILON_MIN else 0.0
    if a == 0 and b == 0:
        return COIN_ONE // 2, COIN_ONE // 2
    if a == 0:
        return 0, COIN_ONE
    if b == 0:
        return COIN_ONE, 0
    first, second = _rounded_up(a, b), _rounded_up(b, a)
    return first, min(second, COIN_ONE - first)


def _rounded_up(own: float, other: float) -> int:
    """⌈2^48·e^{−other}(1 − e^{−own})/(1 − e^{−own−other})⌉ for own, other in (0, ∞]."""
    if other == math.inf:
        return 0
    return ceiling_of(
        lambda near, far: COIN_ONE * far * (1 - near) / (1 - near * far),
        -own,
        -other,
        digits=_DIGITS,
    )


class BinaryMechanism(SymbolReports):
    """Q* of CALDP Theorem 2 for one `BinaryPolicy`. See `Mechanism` for what its methods promise.

    Reports are 0 or 1. `flips`: (2,) probabilities that symbol x is sent as the other one.
    Estimates and variances raise `CaldpError` where nothing can be learned.
    """

    def __init__(self, policy: BinaryPolicy) -> None:
        self.policy: BinaryPolicy = policy
        self._whole = flip_thresholds(policy)
        self._threshold = np.array(self._whole, np.uint64)
        self.flips: Floats = self._threshold / COIN_ONE

    @cached_property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""
        return digest("binary", *(str(whole) for whole in self._whole))

    @cached_property
    def products(self) -> InvertibleProducts:
        """Products with the two coins."""
        return _BinaryProducts(self.policy, self._whole)

    def _reports(self, x: Ints, words: WordSource) -> Ints:
        return x ^ flip_coins(words(x.size), self._threshold[x])

    def _spread(self, people: Ints, rng: np.random.Generator) -> Ints:
        """By two binomials, for any n."""
        flipped = rng.binomial(people, self.flips)
        return people - flipped + flipped[::-1]

    def exact_channel(self) -> list[list[Fraction]]:
        """2 rows of 2 probabilities in rationals."""
        f, g = (Fraction(whole, COIN_ONE) for whole in self._whole)
        return [[1 - f, f], [g, 1 - g]]


class _BinaryProducts:
    """`InvertibleProducts` of Q = (1−f, f; g, 1−g); Q⁻¹ = (1−g, −f; −g, 1−f)/(1 − f − g).

    Differences are of 48-bit numbers and lose nothing, however little Q reveals.
    """

    def __init__(self, policy: BinaryPolicy, whole: tuple[int, int]) -> None:
        self._policy = policy
        self._flip = np.array(whole) / COIN_ONE
        self._other_flip = self._flip[::-1]
        self._slope = (COIN_ONE - sum(whole)) / COIN_ONE

    def apply(self, p: Floats) -> Floats:
        return np.asarray(p * (1.0 - self._flip) + (p * self._flip)[::-1])

    def apply_transpose(self, weights: Floats) -> Floats:
        return np.asarray(weights * (1.0 - self._flip) + weights[::-1] * self._flip)

    def inverse(self, reports: Floats) -> Floats:
        self._require_learnable()
        return np.asarray((reports - reports.sum() * self._other_flip) / self._slope)

    def score(self, weights: Floats) -> Floats:
        self._require_learnable()
        kept = weights * (1.0 - self._other_flip)
        return np.asarray((kept - weights[::-1] * self._flip) / self._slope)

    def inverse_squared(self, reports: Floats) -> Floats:
        self._require_learnable()
        kept = reports * (1.0 - self._other_flip) ** 2
        return np.asarray((kept + reports[::-1] * self._other_flip**2) / self._slope**2)

    def _require_learnable(self) -> None:
        require(
            self._slope > 0,
            "Nothing can be learned at "
            f"epsilon_01 = {self._policy.epsilon_01:g} and "
            f"epsilon_10 = {self._policy.epsilon_10:g}: "
            "both symbols send the same reports; make both larger.",
        )
