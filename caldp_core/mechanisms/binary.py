"""The best mechanism for two symbols and any pair of ε (CALDP Theorem 2, eq. (9)).

Room: mechanisms. Symbols are 0 and 1 (the paper's 1 and 2), so ε₀₁ protects symbol 0 and ε₁₀
protects symbol 1. Equal ε give Warner's randomized response (10); one ε = ∞ gives Mangat's
improved one (11). With f = Q*(1|0) and g = Q*(0|1), (9) reads

    f = (e^{ε₀₁} − 1)/(e^{ε₀₁+ε₁₀} − 1),  g = (e^{ε₁₀} − 1)/(e^{ε₀₁+ε₁₀} − 1),

and the two ratios that bind are 1 − f ≤ e^{ε₀₁}·g and 1 − g ≤ e^{ε₁₀}·f. Both stay true when f
and g are rounded up, so that is how the coins are made. If either ε is 0, the rows of every
allowed channel are equal, and nothing can be learned.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.coins import COIN_ONE, below, seeded_words, system_words
from caldp_core.errors import check_counts, check_n, check_number, check_symbols, require
from caldp_core.mechanisms.base import Tally, digest
from caldp_core.types import Floats, Ints, WordSource

_DIGITS: Final = 80
_NOTHING: Final = 2.0**-50
"""An ε below this can't tell two coins of 2^-48ths apart: it is kept as if it were 0."""


@dataclass(frozen=True)
class BinaryPolicy:
    """E of two symbols: E[0, 1] = `epsilon_01`, E[1, 0] = `epsilon_10`, each in [0, ∞] nats.

    Raises `CaldpError` for anything else.
    """

    epsilon_01: float
    epsilon_10: float

    def __post_init__(self) -> None:
        for name in ("epsilon_01", "epsilon_10"):
            check_number(name, getattr(self, name), 0.0, math.inf)

    @property
    def k(self) -> int:
        """Domain size."""
        return 2

    def between(self, x: ArrayLike, x_other: ArrayLike) -> Floats:
        """E[x, x′] pair by pair: (n,) and (n,) symbols → (n,) nats (see `PrivacyMatrix`)."""
        left, right = check_symbols("x", x, 2), check_symbols("x_other", x_other, 2)
        toward = np.where(left == 0, self.epsilon_01, self.epsilon_10)
        return np.where(left == right, 0.0, toward)


@dataclass(frozen=True)
class ErrorVertex:
    """The corner of the region of errors that a test of "0 or 1?" can have, each in [0, 1].

    `false_alarm`: Pr(guess 0 | symbol 1). `missed`: Pr(guess 1 | symbol 0).
    """

    false_alarm: float
    missed: float


def error_vertex(policy: BinaryPolicy) -> ErrorVertex:
    """The third vertex of Theorem 2's proof (eq. (23)); the others are (1, 0) and (0, 1).

    (23) prints e^{ε₁₀} − 1 in both coordinates; the proof's last lines have the right one:
    ((e^{ε₁₀} − 1), (e^{ε₀₁} − 1))/(e^{ε₀₁+ε₁₀} − 1). Written with e^{−ε}, so that nothing
    overflows; both ε = 0 is the guess by a fair coin.
    """
    a, b = policy.epsilon_01, policy.epsilon_10
    if a == b == 0:
        return ErrorVertex(0.5, 0.5)
    both = math.expm1(-(a + b))
    missed = math.exp(-b) * (math.expm1(-a) / both)
    return ErrorVertex(math.exp(-a) * (math.expm1(-b) / both), missed)


def flip_thresholds(policy: BinaryPolicy) -> tuple[int, int]:
    """(F, G): 0 is sent as 1 with probability F/2^48, 1 as 0 with probability G/2^48.

    Least whole numbers above 2^48·f and 2^48·g, hence within both ε. F + G = 2^48 (equal rows)
    where either ε is 0 or too small for 48 bits.
    """
    a = policy.epsilon_01 if policy.epsilon_01 >= _NOTHING else 0.0
    b = policy.epsilon_10 if policy.epsilon_10 >= _NOTHING else 0.0
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
    # Irrational by Lindemann–Weierstrass (so ⌊·⌋ + 1 = ⌈·⌉); 80 digits outlast 1 − e^{−2^−50}.
    with localcontext() as context:
        context.prec = _DIGITS
        far = Decimal(-other).exp()
        near = Decimal(-own).exp() if own < math.inf else Decimal(0)
        return int(COIN_ONE * far * (1 - near) / (1 - near * far)) + 1


def post_processing(
    best: Sequence[Sequence[Fraction]], other: Sequence[Sequence[Fraction]]
) -> list[list[Fraction]]:
    """W with other = best·W: how `other`'s reports are made out of `best`'s.

    `best`: 2 rows of 2 probabilities, different; `other`: 2 rows of m. W has 2 rows of m that
    sum to 1; `other` is a post-processing of `best` just if none of its entries is negative.
    Raises `CaldpError` if `best` has equal rows. Source: proof of CALDP Theorem 2, last lines.
    """
    (a, b), (c, d) = best
    determinant = a * d - b * c
    require(determinant != 0, "A channel with equal rows tells nothing that could be processed.")
    zero, one = other
    return [
        [(d * y0 - b * y1) / determinant for y0, y1 in zip(zero, one, strict=True)],
        [(a * y1 - c * y0) / determinant for y0, y1 in zip(zero, one, strict=True)],
    ]


class BinaryMechanism:
    """Q* of CALDP Theorem 2 for one `BinaryPolicy`. See `Mechanism` for what its methods promise.

    Reports are 0 or 1. `flips`: (2,) probabilities that symbol x is sent as the other one.
    """

    k: Final = 2
    outputs: Final = 2

    def __init__(self, policy: BinaryPolicy) -> None:
        self.policy = policy
        self._whole = flip_thresholds(policy)
        self._threshold = np.array(self._whole, np.uint64)
        self.flips: Floats = self._threshold / COIN_ONE
        self._slope = (COIN_ONE - sum(self._whole)) / COIN_ONE

    @cached_property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""
        return digest("binary", *(str(whole) for whole in self._whole))

    @property
    def learnable(self) -> bool:
        """False where both symbols send the same reports, because an ε is 0 or next to it."""
        return self._slope > 0

    def privatize(self, x: ArrayLike, rng: np.random.Generator) -> Ints:
        """(n,) symbols → (n,) reports in {0, 1}, simulated with `rng`."""
        return self._reports(check_symbols("x", x, 2), seeded_words(rng))

    def client_report(self, x: int) -> Ints:
        """(1,) one real user's report, with the operating system's randomness; takes no seed."""
        return self._reports(check_symbols("x", [x], 2), system_words)

    def _reports(self, x: Ints, words: WordSource) -> Ints:
        return x ^ below(words(x.size), self._threshold[x])

    def every_report(self) -> Ints:
        """(2,) both reports in the order of the channel's columns."""
        return np.arange(2)

    def tally(self, reports: Ints) -> Tally:
        """(n,) reports → (2,) how many 0 and how many 1; `CaldpError` on any other report."""
        checked = check_symbols("reports", reports, 2)
        return Tally(np.bincount(checked, minlength=2), checked.size, self.fingerprint)

    def sample_tally(self, counts: ArrayLike, rng: np.random.Generator) -> Tally:
        """Tally of (2,) people per symbol by two binomials; same law as `tally(privatize(x))`."""
        people = check_counts("counts", counts, 2)
        flipped = rng.binomial(people, self.flips)
        return Tally(people - flipped + flipped[::-1], int(people.sum()), self.fingerprint)

    def estimate(self, tally: Tally) -> Floats:
        """(2,) unbiased shares that sum to 1; entries may be negative.

        p̂₁ = (ones/n − f)/(1 − f − g) with the realised coins. Raises `CaldpError` where nothing
        can be learned, on a tally of another mechanism, and on no reports.
        """
        self._require_learnable()
        require(
            tally.fingerprint == self.fingerprint,
            "This tally was made by another mechanism; use the one that made the reports.",
        )
        require(tally.n > 0, "A tally of no reports says nothing; collect at least one report.")
        return np.asarray((tally.counts / tally.n - self.flips[::-1]) / self._slope)

    def variance(self, p: Floats, n: int) -> Floats:
        """(2,) exact variance of `estimate` when n people come from p: q(1−q)/(n(1−f−g)²).

        `p`: (2,) shares; q: the probability of the report 1. Both entries are equal.
        """
        self._require_learnable()
        one = p[0] * self.flips[0] + p[1] * (1.0 - self.flips[1])
        zero = p[0] * (1.0 - self.flips[0]) + p[1] * self.flips[1]
        return np.full(2, one * zero / (check_n(n) * self._slope**2))

    def sum_variance(self, p: Floats, weights: Floats, n: int) -> float:
        """Exact variance of w₀p̂₀ + w₁p̂₁; `p`, `weights`: (2,). The entries sum to 1."""
        return float((weights[1] - weights[0]) ** 2 * self.variance(p, n)[1])

    def exact_channel(self) -> list[list[Fraction]]:
        """2 rows of 2 probabilities in rationals."""
        f, g = (Fraction(whole, COIN_ONE) for whole in self._whole)
        return [[1 - f, f], [g, 1 - g]]

    def _require_learnable(self) -> None:
        require(
            self.learnable,
            "Nothing can be learned at "
            f"epsilon_01 = {self.policy.epsilon_01:g} and epsilon_10 = {self.policy.epsilon_10:g}: "
            "both symbols send the same reports; make both larger.",
        )
