"""The unary family: RAPPOR and OUE in every context, and uRAP as ULDP published it.

A report is one bit for each hidden symbol of the block: the own bit is 1 with probability θ, every
other with d₁; the base distribution has d₁ throughout. Plain: basic one-time RAPPOR (Erlingsson,
Pihur, Korolova 2014; θ = e^{ε/2}/(e^{ε/2}+1)) and optimized unary encoding (Wang, Blocki, Li, Jha
2017; θ = ½). ULDP calls any θ the generalized RAPPOR, and asks for d₁ = θ/((1−θ)e^ε+θ) and d₂ =
((1−θ)e^ε+θ)/e^ε; this is its utility-optimized RAPPOR (Definition 4) without the noise bits of
reports that name their symbol (the published form, below, has them).

The published form is not registered; it is here for comparison. In Definition 4, a report that sets
the bit of a symbol outside of the sensitive set, and so names it, still carries noise on all
sensitive bits. Our mixture (`contextual.py`) drops them, as they hide nothing and add variance. One
sensitive set is the published mechanism; several blocks run one each, side by side.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caldp_core.basics import types as arrays
from caldp_core.basics.errors import check_counts, check_floats, check_number
from caldp_core.basics.limits import THETA_MAX, THETA_MIN
from caldp_core.basics.powers import ceiling_of
from caldp_core.mechanisms.base import Tally
from caldp_core.mechanisms.capabilities import BlockStructure, SupportForm, SupportTally
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.oracles import supports
from caldp_core.mechanisms.randomness import (
    COIN_BITS,
    COIN_ONE,
    WORD_BITS,
    flip_coins,
    generator,
    thresholds,
    truth_threshold,
)
from caldp_core.privacy.context import Context

_CHUNK: Final = 1 << 14
"""Words of coins at a time, so that they stay in the cache."""


class UnaryOracles(supports.PackedReports):
    """Unary encoding of all blocks; `sizes`: (m,) hidden symbols per block, `epsilon`: (m,).

    `truth`: (m,) whole thresholds T in (0, 2^48): θ = T/2^48. `theta`, `d1`: (m,) as realised.
    """

    def __init__(self, sizes: arrays.Ints, epsilon: arrays.Floats, truth: arrays.Words) -> None:
        self._truth = truth
        self._stray, covering = unary_thresholds(truth, epsilon)
        self.theta, self.d1 = truth / COIN_ONE, self._stray / COIN_ONE
        noise = np.where(sizes > 0, covering, np.uint64(0))
        super().__init__(sizes, noise, support_probabilities(self.theta, self.d1))

    @property
    def settings(self) -> tuple[arrays.Words, ...]:
        """T and D of every block."""
        return self._truth, self._stray

    @property
    def device_numbers(self) -> dict[str, arrays.Ints | arrays.Words]:
        """See `HasDeviceNumbers`: a bit is 1 with `truth`, or `stray` if it is not one's own."""
        return {"size": self._sizes, "truth": self._truth, "stray": self._stray}

    def privatize(self, rank: arrays.Ints, words: arrays.WordSource) -> arrays.Reports:
        """(n,) ranks → (n,) reports; `CaldpError` if they would not fit into memory."""
        block = self._block[rank]
        reports = self.privatize_base(block, words)
        ones = flip_coins(words(rank.size), self._truth[block])
        supports.set_bits(reports["bits"], np.arange(rank.size), rank - self._starts[block], ones)
        return reports

    def privatize_base(self, block: arrays.Ints, words: arrays.WordSource) -> arrays.Reports:
        """(n,) blocks → (n,) reports all of whose bits are 1 with probability d₁."""
        reports = self.blank_records(block)
        lanes = -(-self._sizes // WORD_BITS)
        kinds, kind = np.unique(
            np.stack([lanes, self._stray.astype(np.int64)]), axis=1, return_inverse=True
        )
        by_kind = supports.members_of(kind.ravel()[block], kinds.shape[1])
        for (wide, stray), members in zip(kinds.T.tolist(), by_kind, strict=True):
            step = max(1, _CHUNK // max(1, wide))
            for start in range(0, members.size, step):
                part = members[start : start + step]
                drawn = supports.random_lanes(part.size * wide, stray, words).reshape(
                    part.size, wide
                )
                drawn[:, -1] &= self._last_words[block[part]]
                reports["bits"][part, :wide] = drawn
        return reports

    @cached_property
    def _last_words(self) -> arrays.Words:
        # (m,) masks of the bits that the last word of a block holds.
        return np.array(
            [supports.full_mask(s)[-1] if s else 0 for s in self._sizes.tolist()], np.uint64
        )

    def sample_tally(
        self, counts: arrays.Ints, base: arrays.Ints, rng: np.random.Generator
    ) -> arrays.Ints:
        """Given the people, bit sums are independent: Binomial(own, θ) + Binomial(others, d₁)."""
        reports = arrays.counts_by(self._block, counts, base.size) + base
        own = rng.binomial(counts, self.theta[self._block])
        stray = rng.binomial(reports[self._block] - counts, self.d1[self._block])
        return np.concatenate([own + stray, reports])

    def channel(self, block: int) -> tuple[int, arrays.Ints, int]:
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

    def rows_of(self, block: int) -> arrays.Words:
        """(2^s, 1) all rows of bits, counted up in binary."""
        return supports.every_row(int(self._sizes[block]))

    def none_included(self, block: int, ranks: arrays.Ints) -> arrays.Floats:
        """(r + 1,) powers of 1 − d₁: bits are independent."""
        chance: arrays.Floats = (1.0 - self.d1[block]) ** np.arange(ranks.size + 1)
        return chance

    def support_form(self, block: int) -> SupportForm:
        """x and the base differ in x's own bit only: it is 1 with θ, or d₁ in the base."""
        theta = Fraction(int(self._truth[block]), COIN_ONE)
        d1 = Fraction(int(self._stray[block]), COIN_ONE)
        return SupportForm(theta / d1, (1 - theta) / (1 - d1), d1)


def support_probabilities(theta: arrays.Floats, d1: arrays.Floats) -> supports.SupportProbabilities:
    """Probabilities of inclusion for independent bits.

    A base report includes a symbol as often as another hidden symbol's report does, so β = 0.
    """
    return supports.SupportProbabilities(
        own=theta,
        other=d1,
        base=d1,
        own_pair=theta * d1,
        other_pair=d1**2,
        base_pair=d1**2,
        gain=theta - d1,
        clear=np.zeros_like(d1),
    )


def unary_thresholds(
    truth: arrays.Words, epsilon: arrays.Floats
) -> tuple[arrays.Words, arrays.Words]:
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

    def __init__(self, sizes: arrays.Ints, epsilon: arrays.Floats) -> None:
        super().__init__(sizes, epsilon, truth_threshold(epsilon / 2))


class OueOracles(UnaryOracles):
    """Optimized unary encoding: θ = ½, d₁ = 1/(e^ε+1): least variance for rare symbols."""

    def __init__(self, sizes: arrays.Ints, epsilon: arrays.Floats) -> None:
        super().__init__(sizes, epsilon, np.full(sizes.size, COIN_ONE // 2, np.uint64))


def unary_family(theta: float) -> Callable[[arrays.Ints, arrays.Floats], UnaryOracles]:
    """The unary family with this θ in [0.001, 0.999] for every ε; raises `CaldpError` outside."""
    share = check_number("theta", theta, THETA_MIN, THETA_MAX)
    threshold = np.uint64(round(share * COIN_ONE))
    return lambda sizes, epsilon: UnaryOracles(sizes, epsilon, np.full(sizes.size, threshold))


UnaryFamily = Callable[[arrays.Ints, arrays.Floats], UnaryOracles]


class PublishedUrapMechanism(ContextMechanism):
    """ULDP Definition 4: hidden bits are noise in every report, whether it names a symbol or not.

    `family`: RAPPOR's θ (ULDP's own choice), `OueOracles`, or `unary_family(θ)`. See `Mechanism`.
    A report's `source` is its block's number, or m + i if the bit of the i-th symbol that is not
    hidden is set; the tally's block counts hold all reports of a block.
    """

    oracles: UnaryOracles

    def __init__(self, context: Context, family: UnaryFamily = RapporOracles) -> None:
        super().__init__(context, "published uRAP", family)
        self._clear_block = context.blocks[self.clear_symbols]

    @property
    def outputs(self) -> int:
        """2^s columns for each block, and as many again for each of its symbols not hidden."""
        return self.oracles.outputs + int(self._widths().sum())

    def _widths(self) -> arrays.Ints:
        # Blocks of 40 bits are as far from being listed as larger ones, and their sum fits.
        return np.asarray(1 << np.minimum(self.sizes[self._clear_block], 40))

    def every_report(self) -> arrays.Reports:
        """(outputs,) all different reports in the order of the channel's columns."""
        listed = self.oracles.every_report(0)
        parts = [listed]
        for place, block in enumerate(self._clear_block):
            named = listed[listed["source"] == block].copy()
            if not named.size:
                named = self.oracles.blank_records(np.zeros(1, np.int64))
            named["source"] = self.policy.m + place
            parts.append(named)
        return np.concatenate(parts)

    def _reports(self, x: arrays.Ints, words: arrays.WordSource) -> arrays.Reports:
        rank, block = self._rank[x], self.policy.blocks[x]
        reports = self.oracles.blank_records(block)
        is_hidden = rank >= 0
        hidden, other = np.flatnonzero(is_hidden), np.flatnonzero(~is_hidden)
        reports[hidden] = self.oracles.privatize(rank[hidden], words)
        noisy = other[self.sizes[block[other]] > 0]
        reports[noisy] = self.oracles.privatize_base(block[noisy], words)
        named = other[~flip_coins(words(other.size), self.oracles.cover_threshold[block[other]])]
        reports["source"][named] = self.policy.m - 1 - rank[named]
        return reports

    def tally(self, reports: arrays.Reports) -> Tally:
        """Sum (n,) reports; raises `CaldpError` on a report that this mechanism cannot send."""
        m, clear = self.policy.m, self.clear_symbols.size
        source = self.oracles.sources(reports, m + clear)
        block = np.concatenate([np.arange(m), self._clear_block])[source]
        counts = [
            self.oracles.supports(reports, block),
            np.bincount(block, minlength=m),
            np.bincount(source, minlength=m + clear)[m:],
        ]
        return Tally(np.concatenate(counts), len(reports), self.fingerprint)

    def sample_tally(self, counts: ArrayLike, rng: arrays.Seed) -> Tally:
        """Draw the tally of (k,) people per symbol; same distribution as `tally(privatize(x))`."""
        people, rng = check_counts("counts", counts, self.k), generator(rng)
        others = people[self.clear_symbols]
        named = rng.binomial(others, self.clear_share[self._clear_block])
        base = arrays.counts_by(self._clear_block, others, self.policy.m)
        cells = self.oracles.sample_tally(people[self.hidden_symbols], base, rng)
        return Tally(np.concatenate([cells, named]), int(people.sum()), self.fingerprint)

    def block_counts(self, tally: Tally) -> arrays.Ints:
        """(m,) reports per block."""
        return self.oracles.block_counts(self._parts(tally)[0])

    def support_tally(self, tally: Tally) -> SupportTally | None:
        """None: reports that name a symbol carry bits too, which such counts leave out."""
        return None

    def one_report(self, report: Tally) -> SupportTally:
        """See `one_report`: whatever bits come with a name, the report is that symbol's."""
        counts, named = self._parts(report)
        per_block = self.oracles.block_counts(counts)
        return SupportTally(
            self.oracles.probabilities, counts[: self.hidden_symbols.size], per_block, named
        )

    def gain_of_mixture(self, p: arrays.Floats, n: int) -> arrays.Floats:
        """(k,) by how much the mixture's variance is smaller; see `variance`.

        For a hidden x of block j: (1/n)·(1−λ)·p(B_j)·d₁(1−d₁)/(θ−d₁)²: the noise bits of those
        who are named anyway. 0 for the others. λ is ULDP's d₂, p(B_j) the share of j's symbols
        that are not hidden.
        """
        gain = np.zeros(self.k)
        of_block = self._named(p) * self._stray_variance() / n
        gain[self.hidden_symbols] = of_block[self.policy.blocks[self.hidden_symbols]]
        return gain

    def _stray_variance(self) -> arrays.Floats:
        # (m,) what a bit not its sender's own adds to n²·Var(p̂_x).
        theta, d1 = self.oracles.theta, self.oracles.d1
        return np.asarray(d1 * (1.0 - d1) / (theta - d1) ** 2)

    def _named(self, p: arrays.Floats) -> arrays.Floats:
        # (m,) shares of people who are named, though their block has hidden symbols.
        shares = p[self.clear_symbols] * self.clear_share[self._clear_block]
        return arrays.sums_by(self._clear_block, shares, self.policy.m)

    def variance(self, p: arrays.Floats, n: int) -> arrays.Floats:
        """(k,) exact variance of `estimate` when n people are drawn from p: (k,) shares.

        The bits are those of the block's oracle in every report, so that λ is 1 for them.
        """
        p = check_floats("p", p, self.k)
        return super().variance(p, n) + self.gain_of_mixture(p, n)

    def sum_variance(self, p: arrays.Floats, weights: arrays.Floats, n: int) -> float:
        """Exact variance of Σ w_x p̂_x when n people come from p; `p`, `weights`: (k,)."""
        p, weights = check_floats("p", p, self.k), check_floats("weights", weights, self.k)
        hidden = self.hidden_symbols
        squares = arrays.sums_by(self.policy.blocks[hidden], weights[hidden] ** 2, self.policy.m)
        more = float((self._named(p) * self._stray_variance() * squares).sum())
        return super().sum_variance(p, weights, n) + more / n

    def block_structure(self) -> BlockStructure:
        """The mixture's: no hidden symbol sends a report that names a symbol, noise or not."""
        return super().block_structure()

    def _fill_block(self, rows: list[list[Fraction]], block: int, ranks: range) -> None:
        noise = Fraction(int(self.oracles.cover_threshold[block]), COIN_ONE)
        laws, first = [[Fraction(1)]], 0
        if ranks:
            first, numerators, denominator = self.oracles.channel(block)
            laws = [[Fraction(int(a), denominator) for a in row] for row in numerators]
        for law, rank in zip(laws, ranks, strict=False):
            rows[self.hidden_symbols[rank]][first : first + len(law)] = law
        starts = self.oracles.outputs + np.cumsum(self._widths()) - self._widths()
        for place in np.flatnonzero(self._clear_block == block):
            row, start = rows[self.clear_symbols[place]], int(starts[place])
            if ranks:
                row[first : first + len(laws[-1])] = [noise * q for q in laws[-1]]
            row[start : start + len(laws[-1])] = [(1 - noise) * q for q in laws[-1]]
