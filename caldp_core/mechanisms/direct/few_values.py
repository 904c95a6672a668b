"""Mechanisms for few values: exponential, for a yes-or-no question, and for values in an order.

docs/derivations.md, “Mechanisms for few values”, has the derivation.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import EXACT_MAX_ENTRIES, EXPONENT_MAX
from caldp_core.basics.powers import DIGITS, ceiling_of, floor_of
from caldp_core.basics.types import Floats, Ints, WordSource, counts_by
from caldp_core.mechanisms.base import Tally, digest
from caldp_core.mechanisms.capabilities import DenseProducts, InvertibleProducts, SymbolPartition
from caldp_core.mechanisms.randomness import COIN_ONE, flip_coins
from caldp_core.mechanisms.written_out import SymbolReports, TableReports, WrittenOut
from caldp_core.privacy.context import Context
from caldp_core.privacy.distance import DistanceMetric
from caldp_core.privacy.matrix import BinaryPolicy

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


class ExponentialMechanism(TableReports, SymbolReports):
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
        self.numerators = _whole_weights(policy.distances, self.scale)
        self.totals = [sum(row) for row in self.numerators]

    @cached_property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""
        return digest("exponential", *(f"{row}" for row in self.numerators))

    @cached_property
    def products(self) -> DenseProducts:
        """Products with the table of probabilities."""
        return DenseProducts(self.channel)


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


WHOLE: Final = 1 << 100
"""Denominator of all probabilities; by it no ratio is off by more than 2^-50 of itself."""


def half_width(size: int, epsilon: float) -> int:
    """b = ⌊d·(εe^ε − e^ε + 1)/(2e^ε(e^ε − 1 − ε))⌋, of the largest mutual information (§5.3).

    `size`: d ≥ 0; `epsilon`: in [0.001, 20].
    """
    power = math.exp(epsilon)
    near = epsilon * power - math.expm1(epsilon)
    return int(size * near / (2 * power * (math.expm1(epsilon) - epsilon)))


@dataclass(frozen=True)
class Wave:
    """The law of one scale in whole numbers: `near` reports have `high` or one more, others `low`.

    `spare`: how many have one more, so that a row sums to `WHOLE`.
    """

    size: int
    half: int
    low: int
    high: int
    spare: int

    @classmethod
    def of(cls, size: int, epsilon: float) -> "Wave":
        """The highest `high` that e^ε·`low` allows, see the module."""
        half = half_width(size, epsilon)
        near, far = 2 * half + 1, max(size - 1, 0)
        low = floor_of(lambda power: WHOLE / (near * power + far), epsilon)
        while near * floor_of(lambda power, low=low: low * power, epsilon) + far * low < WHOLE:
            low += 1
        high, spare = divmod(WHOLE - far * low, near)
        return cls(size, half, low, high, spare)

    @property
    def outputs(self) -> int:
        """Number of different reports; none where nothing is hidden."""
        return self.size + 2 * self.half if self.size else 0

    def row(self, x: int) -> list[int]:
        """Numerators of the reports of the x-th value."""
        row = [self.low] * self.outputs
        for place in range(2 * self.half + 1):
            row[x + place] = self.high + (place < self.spare)
        return row


class SquareWaveMechanism(WrittenOut):
    """See the module and `Mechanism`. The estimate is the best linear one where people are even.

    `symbol_partition`: which values are hidden, see `HasSymbolPartition`.
    Raises `CaldpError` where the channel would have more than 200,000 entries.
    """

    policy: Context

    def __init__(self, context: Context) -> None:
        waves = [
            Wave.of(size, epsilon)
            for size, epsilon in zip(
                context.hidden_sizes.tolist(), context.epsilon.tolist(), strict=True
            )
        ]
        outputs = sum(wave.outputs for wave in waves) + context.clear_symbols.size
        require(
            context.k * outputs <= EXACT_MAX_ENTRIES,
            f"The square wave needs a table of values times reports, here {context.k:,} × "
            f"{outputs:,}, of at most {EXACT_MAX_ENTRIES:,} entries; take wider steps.",
        )
        base = np.array([wave.low * wave.outputs for wave in waves], np.float64) / WHOLE
        self.symbol_partition = SymbolPartition(
            context.hidden_symbols, context.clear_symbols, context.hidden_sizes, 1.0 - base
        )
        super().__init__(context, _rows(context, waves, outputs), WHOLE)
        self._block_of_report = np.concatenate(
            [
                np.repeat(np.arange(context.m), [wave.outputs for wave in waves]),
                context.blocks[context.clear_symbols],
            ]
        )

    @property
    def blocks(self) -> Ints:
        """(k,) labels of the context's blocks, which no report hides."""
        return self.policy.blocks

    def block_counts(self, tally: Tally) -> Ints:
        """(m,) people per block (see `HasVisibleBlocks`)."""
        return counts_by(self._block_of_report, tally.counts, self.policy.m)


def _rows(context: Context, waves: list[Wave], outputs: int) -> list[list[int]]:
    """k rows of numerators: block after block its scale's reports, then those in the clear."""
    rows = [[0] * outputs for _ in range(context.k)]
    first = np.cumsum([0, *(wave.outputs for wave in waves)]).tolist()
    before = np.cumsum(context.hidden_sizes) - context.hidden_sizes
    for rank, x in enumerate(context.hidden_symbols.tolist()):
        block = int(context.blocks[x])
        wave = waves[block]
        start = first[block]
        rows[x][start : start + wave.outputs] = wave.row(rank - int(before[block]))
    for place, x in enumerate(context.clear_symbols.tolist()):
        wave, start = waves[int(context.blocks[x])], first[int(context.blocks[x])]
        if wave.size:
            rows[x][start : start + wave.outputs] = [wave.low] * wave.outputs
        rows[x][first[-1] + place] = WHOLE - sum(rows[x])
    return rows
