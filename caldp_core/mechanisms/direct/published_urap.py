"""ULDP's utility-optimized RAPPOR as published, and the gain from dropping its spare noise bits.

Beside the registered families, for comparison. In Definition 4, a report that sets the bit of a
symbol outside of the sensitive set, and so names it, still carries noise on all sensitive bits. Our
mixture (`contextual.py`) drops them, as they hide nothing and add variance. One sensitive set is
the published mechanism; several blocks run one each, side by side.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import check_counts, check_floats
from caldp_core.basics.types import Floats, Ints, Reports, Seed, WordSource, counts_by, sums_by
from caldp_core.mechanisms.base import CraftableOracles, Tally
from caldp_core.mechanisms.capabilities import SupportTally
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.oracles.unary import RapporOracles, UnaryOracles
from caldp_core.mechanisms.randomness import COIN_ONE, flip_coins, generator
from caldp_core.mechanisms.structures import BlockStructure
from caldp_core.privacy.context import Context

UnaryFamily = Callable[[Ints, Floats], UnaryOracles]


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

    def _widths(self) -> Ints:
        # Blocks of 40 bits are as far from being listed as larger ones, and their sum fits.
        return np.asarray(1 << np.minimum(self.sizes[self._clear_block], 40))

    def every_report(self) -> Reports:
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

    def _reports(self, x: Ints, words: WordSource) -> Reports:
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

    def tally(self, reports: Reports) -> Tally:
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

    def sample_tally(self, counts: ArrayLike, rng: Seed) -> Tally:
        """Draw the tally of (k,) people per symbol; same distribution as `tally(privatize(x))`."""
        people, rng = check_counts("counts", counts, self.k), generator(rng)
        others = people[self.clear_symbols]
        named = rng.binomial(others, self.clear_share[self._clear_block])
        base = counts_by(self._clear_block, others, self.policy.m)
        cells = self.oracles.sample_tally(people[self.hidden_symbols], base, rng)
        return Tally(np.concatenate([cells, named]), int(people.sum()), self.fingerprint)

    def block_counts(self, tally: Tally) -> Ints:
        """(m,) reports per block."""
        return self.oracles.block_counts(self._parts(tally)[0])

    def support_tally(self, tally: Tally) -> SupportTally | None:
        """None: reports that name a symbol carry bits too, which such counts leave out."""
        del tally
        return None

    def one_report(self, report: Tally) -> SupportTally:
        """See `one_report`: whatever bits come with a name, the report is that symbol's."""
        counts, named = self._parts(report)
        per_block = self.oracles.block_counts(counts)
        return SupportTally(
            self.oracles.probabilities, counts[: self.hidden_symbols.size], per_block, named
        )

    def craftable(self) -> CraftableOracles | None:
        """None: reports that name a symbol carry bits too, which `base.py` leaves out."""
        return None

    def gain_of_mixture(self, p: Floats, n: int) -> Floats:
        """(k,) by how much the mixture's variance is smaller; see `variance`.

        For a hidden x of block j: (1/n)·(1−λ)·p(B_j)·d₁(1−d₁)/(θ−d₁)²: the noise bits of those
        who are named anyway. 0 for the others. λ is ULDP's d₂, p(B_j) the share of j's symbols
        that are not hidden.
        """
        gain = np.zeros(self.k)
        of_block = self._named(p) * self._stray_variance() / n
        gain[self.hidden_symbols] = of_block[self.policy.blocks[self.hidden_symbols]]
        return gain

    def _stray_variance(self) -> Floats:
        # (m,) what a bit not its sender's own adds to n²·Var(p̂_x).
        theta, d1 = self.oracles.theta, self.oracles.d1
        return np.asarray(d1 * (1.0 - d1) / (theta - d1) ** 2)

    def _named(self, p: Floats) -> Floats:
        # (m,) shares of people who are named, though their block has hidden symbols.
        shares = p[self.clear_symbols] * self.clear_share[self._clear_block]
        return sums_by(self._clear_block, shares, self.policy.m)

    def variance(self, p: Floats, n: int) -> Floats:
        """(k,) exact variance of `estimate` when n people are drawn from p: (k,) shares.

        The bits are those of the block's oracle in every report, so that λ is 1 for them.
        """
        p = check_floats("p", p, self.k)
        return super().variance(p, n) + self.gain_of_mixture(p, n)

    def sum_variance(self, p: Floats, weights: Floats, n: int) -> float:
        """Exact variance of Σ w_x p̂_x when n people come from p; `p`, `weights`: (k,)."""
        p, weights = check_floats("p", p, self.k), check_floats("weights", weights, self.k)
        hidden = self.hidden_symbols
        squares = sums_by(self.policy.blocks[hidden], weights[hidden] ** 2, self.policy.m)
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
