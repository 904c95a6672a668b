"""The unary family: RAPPOR and OUE in every context.

A report is one bit for each hidden symbol of the block: the own bit is 1 with probability θ, every
other with d₁; the base distribution has d₁ throughout. Plain: basic one-time RAPPOR (Erlingsson,
Pihur, Korolova 2014; θ = e^{ε/2}/(e^{ε/2}+1)) and optimized unary encoding (Wang, Blocki, Li, Jha
2017; θ = ½). ULDP calls any θ the generalized RAPPOR, and asks for d₁ = θ/((1−θ)e^ε+θ) and d₂ =
((1−θ)e^ε+θ)/e^ε; this is its utility-optimized RAPPOR (Definition 4) without the noise bits of
reports that name their symbol (`published_urap.py` has them).
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import check_number
from caldp_core.basics.limits import THETA_MAX, THETA_MIN
from caldp_core.basics.powers import ceiling_of
from caldp_core.basics.types import Floats, Ints, Reports, Words, WordSource, counts_by
from caldp_core.mechanisms.oracles.record_reports import PackedReports, members_of
from caldp_core.mechanisms.oracles.supports import (
    SupportProbabilities,
    every_row,
    full_mask,
    random_lanes,
    set_bits,
)
from caldp_core.mechanisms.randomness import (
    COIN_BITS,
    COIN_ONE,
    WORD_BITS,
    flip_coins,
    thresholds,
    truth_threshold,
)
from caldp_core.mechanisms.structures import SupportForm

_CHUNK: Final = 1 << 14
"""Words of coins at a time, so that what is in hand stays in the cache."""


class UnaryOracles(PackedReports):
    """Unary encoding of all blocks; `sizes`: (m,) hidden symbols per block, `epsilon`: (m,).

    `truth`: (m,) whole thresholds T in (0, 2^48): θ = T/2^48. `theta`, `d1`: (m,) as realised.
    """

    def __init__(self, sizes: Ints, epsilon: Floats, truth: Words) -> None:
        self._truth = truth
        self._stray, covering = unary_thresholds(truth, epsilon)
        self.theta, self.d1 = truth / COIN_ONE, self._stray / COIN_ONE
        noise = np.where(sizes > 0, covering, np.uint64(0))
        super().__init__(sizes, noise, support_probabilities(self.theta, self.d1))

    @property
    def settings(self) -> tuple[Words, ...]:
        """T and D of every block."""
        return self._truth, self._stray

    @property
    def device_numbers(self) -> dict[str, Ints | Words]:
        """See `HasDeviceNumbers`: a bit is 1 with `truth`, or `stray` if it is not one's own."""
        return {"size": self._sizes, "truth": self._truth, "stray": self._stray}

    def privatize(self, rank: Ints, words: WordSource) -> Reports:
        """(n,) ranks → (n,) reports; `CaldpError` if they would not fit into memory."""
        block = self._block[rank]
        reports = self.privatize_base(block, words)
        ones = flip_coins(words(rank.size), self._truth[block])
        set_bits(reports["bits"], np.arange(rank.size), rank - self._starts[block], ones)
        return reports

    def privatize_base(self, block: Ints, words: WordSource) -> Reports:
        """(n,) blocks → (n,) reports all of whose bits are 1 with probability d₁."""
        reports = self.blank_records(block)
        lanes = -(-self._sizes // WORD_BITS)
        kinds, kind = np.unique(
            np.stack([lanes, self._stray.astype(np.int64)]), axis=1, return_inverse=True
        )
        by_kind = members_of(kind.ravel()[block], kinds.shape[1])
        for (wide, stray), members in zip(kinds.T.tolist(), by_kind, strict=True):
            step = max(1, _CHUNK // max(1, wide))
            for start in range(0, members.size, step):
                part = members[start : start + step]
                drawn = random_lanes(part.size * wide, stray, words).reshape(part.size, wide)
                drawn[:, -1] &= self._last_words[block[part]]
                reports["bits"][part, :wide] = drawn
        return reports

    @cached_property
    def _last_words(self) -> Words:
        # (m,) masks of the bits that the last word of a block holds.
        return np.array([full_mask(s)[-1] if s else 0 for s in self._sizes.tolist()], np.uint64)

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        """Given the people, bit sums are independent: Binomial(own, θ) + Binomial(others, d₁)."""
        reports = counts_by(self._block, counts, base.size) + base
        own = rng.binomial(counts, self.theta[self._block])
        stray = rng.binomial(reports[self._block] - counts, self.d1[self._block])
        return np.concatenate([own + stray, reports])

    def sample_crafted(self, counts: Ints, rng: np.random.Generator) -> Ints:
        """See `CraftableOracles`: the target's bit is set, the others as in any report."""
        reports = counts_by(self._block, counts, self._sizes.size)
        stray = rng.binomial(reports[self._block] - counts, self.d1[self._block])
        return np.concatenate([counts + stray, reports])

    @property
    def uniform_inclusion(self) -> Floats:
        """(m,) a uniform row of bits has every bit set half of the time."""
        return np.full(self._sizes.size, 0.5)

    def channel(self, block: int) -> tuple[int, Ints, int]:
        """Products of T, D and their complements, over (2^48)^s, as Python ints of any size."""
        size, stray = int(self._sizes[block]), int(self._stray[block])
        rows = [[stray] * size for _ in range(size + 1)]
        for own in range(size):
            rows[own][own] = int(self._truth[block])
        numerators: Any = np.stack([product_law(row, COIN_ONE) for row in rows])
        return self.first_column(block), numerators, 1 << (COIN_BITS * size)

    def columns_of(self, block: int) -> int:
        """2^s: all rows of bits."""
        return 1 << int(self._sizes[block])

    def rows_of(self, block: int) -> Words:
        """(2^s, 1) all rows of bits, counted up in binary."""
        return every_row(int(self._sizes[block]))

    def none_included(self, block: int) -> Floats:
        """(s_j + 1,) powers of 1 − d₁: bits are independent."""
        chance: Floats = (1.0 - self.d1[block]) ** np.arange(int(self._sizes[block]) + 1)
        return chance

    def support_form(self, block: int) -> SupportForm:
        """x and the base differ in x's own bit only: it is 1 with θ, or d₁ in the base."""
        theta = Fraction(int(self._truth[block]), COIN_ONE)
        d1 = Fraction(int(self._stray[block]), COIN_ONE)
        return SupportForm(theta / d1, (1 - theta) / (1 - d1), d1)


def support_probabilities(theta: Floats, d1: Floats) -> SupportProbabilities:
    """Probabilities of inclusion for independent bits.

    A base report includes a symbol as often as another hidden symbol's report does, so β = 0.
    """
    return SupportProbabilities(
        own=theta,
        other=d1,
        base=d1,
        own_pair=theta * d1,
        other_pair=d1**2,
        base_pair=d1**2,
        gain=theta - d1,
        clear=np.zeros_like(d1),
    )


def unary_thresholds(truth: Words, epsilon: Floats) -> tuple[Words, Words]:
    """(m,) D and N of d₁ = D/2^48 and λ = N/2^48 for θ = truth/2^48 and ε.

    D is the least with (θ/(1−θ))·((1−d₁)/d₁) ≤ e^ε, so d₁ ≥ θ/((1−θ)e^ε+θ). The largest
    Q(y|x)/base(y) is θ/d₁ (own bit set), so N is the least with λ ≥ e^{−ε}·θ/d₁, ULDP's d₂ but for
    the rounding of d₁.
    """

    def stray(true: int, level: float) -> int:
        return ceiling_of(lambda power: COIN_ONE * true / ((COIN_ONE - true) * power + true), level)

    def covering(true: int, own: int, level: float) -> int:
        return ceiling_of(lambda power: COIN_ONE * true / (own * power), level)

    others = thresholds(stray, truth, epsilon)
    return others, thresholds(covering, truth, others, epsilon)


def product_law(chances: list[int], whole: int) -> NDArray[Any]:
    """(2^s,) Python ints: probabilities of all rows of independent bits, times whole^s.

    `chances`: s numerators over `whole` of the bits being 1. Rows in the order of `every_row`.
    """
    law = np.array([1], dtype=object)
    for chance in chances:
        law = np.concatenate([law * (whole - chance), law * chance])
    return law


class RapporOracles(UnaryOracles):
    """Basic one-time RAPPOR: θ = e^{ε/2}/(e^{ε/2}+1), d₁ = 1 − θ, d₂ = e^{−ε/2}."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon, truth_threshold(epsilon / 2))


class OueOracles(UnaryOracles):
    """Optimized unary encoding: θ = ½, d₁ = 1/(e^ε+1): least variance for rare symbols."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon, np.full(sizes.size, COIN_ONE // 2, np.uint64))


def unary_family(theta: float) -> Callable[[Ints, Floats], UnaryOracles]:
    """The unary family with this θ in [0.001, 0.999] for every ε; raises `CaldpError` outside."""
    share = check_number("theta", theta, THETA_MIN, THETA_MAX)
    threshold = np.uint64(round(share * COIN_ONE))
    return lambda sizes, epsilon: UnaryOracles(sizes, epsilon, np.full(sizes.size, threshold))
