"""Any family of frequency oracles in any context, and products of vectors with its channel.

A hidden symbol is reported by its block's oracle. Any other symbol of block j sends a report from
the oracle's base distribution with probability λ_j, to give the hidden ones cover, and otherwise
names itself in the clear.
"""

from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics import errors
from caldp_core.basics.types import Floats, Ints, Reports, Seed, WordSource, counts_by, sums_by
from caldp_core.mechanisms import capabilities, randomness
from caldp_core.mechanisms.base import (
    EqualByMeaning,
    Family,
    FrequencyOracles,
    Tally,
    check_tally,
    digest,
)
from caldp_core.mechanisms.oracles.supports import HistogramOracles, SupportOracles
from caldp_core.privacy.context import Context


@runtime_checkable
class OracleProducts(Protocol):
    """Oracles whose tally is the histogram of its reports, with products by its channel Q."""

    def apply(self, p: Floats, base: Floats) -> Floats:
        """Q p: (s,) hidden shares and (m,) shares of base reports → (cells,) law of the cells."""

    def apply_transpose(self, weights: Floats) -> tuple[Floats, Floats]:
        """Qᵀ w: (cells,) weights → (s,) mean over a hidden symbol's reports, and (m,) base's."""


class ContextProducts:
    """`ChannelProducts` of a family in a context: its oracles' `cells`, then reports in the clear.

    `blocks`: (k,) labels.
    """

    def __init__(
        self, oracles: OracleProducts, cells: int, blocks: Ints, cover: capabilities.SymbolPartition
    ) -> None:
        self._oracles, self._cells, self._k = oracles, cells, blocks.size
        self._hidden, self._clear = cover.hidden, cover.clear
        self._block, self._m = blocks[cover.clear], cover.sizes.size
        self._open = cover.clear_share

    def apply(self, p: Floats) -> Floats:
        """(k,) shares → (cells + clear,) law of the reports."""
        clear = p[self._clear]
        base = (1.0 - self._open) * sums_by(self._block, clear, self._m)
        cells = self._oracles.apply(p[self._hidden], base)
        return np.concatenate([cells, self._open[self._block] * clear])

    def apply_transpose(self, weights: Floats) -> Floats:
        """(cells + clear,) weights → (k,) their mean over each symbol's reports."""
        result = np.empty(self._k)
        result[self._hidden], base = self._oracles.apply_transpose(weights[: self._cells])
        share = self._open[self._block]
        result[self._clear] = share * weights[self._cells :] + (1.0 - share) * base[self._block]
        return result


class ContextMechanism(EqualByMeaning):
    """One family run inside one context. See `Mechanism` for what its methods promise."""

    def __init__(self, context: Context, name: str, family: Family) -> None:
        self.policy = context
        self.name = name
        self.hidden_symbols = context.hidden_symbols
        self.clear_symbols = context.clear_symbols
        self.sizes = context.hidden_sizes
        self.oracles: FrequencyOracles = family(self.sizes, context.epsilon)
        self.k, self.blocks = context.k, context.blocks  # which no report hides
        self.n_max = self.oracles.n_max
        self.clear_share = 1.0 - self.oracles.cover_threshold / randomness.COIN_ONE
        self._rank = context.ranks

    def __repr__(self) -> str:
        return f"<{self.name}: {self.policy!r}>"

    @property
    def outputs(self) -> int:
        """Number of different reports: the columns of the channel."""
        return self.oracles.outputs + self.clear_symbols.size

    @property
    def report_bits(self) -> int:
        """Bits that the longest report needs."""
        return self.oracles.report_bits(self.clear_symbols.size)

    @property
    def symbol_partition(self) -> capabilities.SymbolPartition:
        """Hidden symbols, the others, and how often these are named (see `HasClearCounts`)."""
        return capabilities.SymbolPartition(
            self.hidden_symbols, self.clear_symbols, self.sizes, self.clear_share
        )

    @cached_property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""
        made_by, oracles = type(self.oracles).__qualname__, self.oracles
        return digest(
            self.name,
            made_by,
            self.policy.fingerprint(),
            oracles.cover_threshold,
            *oracles.settings,
        )

    def compared_values(self) -> tuple[Any, ...]:
        """What equal mechanisms share."""
        return self.fingerprint, self.policy

    def privatize(self, x: ArrayLike, rng: Seed) -> Reports:
        """(n,) symbols → (n,) reports of the family's dtype, simulated with `rng`."""
        return self._reports(errors.check_symbols("x", x, self.k), randomness.seeded_words(rng))

    def client_report(self, x: int) -> Reports:
        """(1,) one real user's report, with the operating system's randomness; takes no seed."""
        return self._reports(errors.check_symbols("x", [x], self.k), randomness.system_words)

    def every_report(self) -> Reports:
        """(outputs,) all different reports in the order of the channel's columns."""
        return self.oracles.every_report(self.clear_symbols.size)

    def _reports(self, x: Ints, words: WordSource) -> Reports:
        rank = self._rank.take(x)
        if not self.clear_symbols.size:
            return self.oracles.privatize(rank, words)
        reports = np.empty(x.size, self.oracles.dtype)
        is_hidden = rank >= 0
        hidden, other = np.flatnonzero(is_hidden), np.flatnonzero(~is_hidden)
        reports[hidden] = self.oracles.privatize(rank[hidden], words)
        block = self.policy.blocks[x[other]]
        noisy = randomness.flip_coins(words(other.size), self.oracles.cover_threshold[block])
        reports[other[noisy]] = self.oracles.privatize_base(block[noisy], words)
        reports[other[~noisy]] = self.oracles.clear_reports(-1 - rank[other[~noisy]])
        return reports

    def tally(self, reports: Reports) -> Tally:
        """Sum (n,) reports; raises `CaldpError` on a report that this mechanism cannot send."""
        counts = self.oracles.tally(reports, self.clear_symbols.size)
        return Tally(counts, len(reports), self.fingerprint)

    def tally_of_histogram(self, histogram: ArrayLike) -> Tally:
        """Sum reports that others have counted: (outputs,) how often each number was sent.

        Raises `CaldpError` where reports are not numbers, and for anything but whole counts.
        """
        if not isinstance(self.oracles, HistogramOracles):
            raise errors.CaldpError(
                f"Reports of {self.name} are not numbers that can be counted; tally them."
            )
        checked = errors.check_counts("counts", histogram, self.outputs)
        return Tally(self.oracles.sum_histogram(checked), int(checked.sum()), self.fingerprint)

    def sample_tally(self, counts: ArrayLike, rng: Seed) -> Tally:
        """Draw the tally of (k,) people per symbol; same distribution as `tally(privatize(x))`."""
        people, rng = errors.check_counts("counts", counts, self.k), randomness.generator(rng)
        errors.require(
            int(people.sum()) <= self.oracles.n_max,
            f"{self.name} draws the reports of at most {self.oracles.n_max:,} people, got "
            f"{int(people.sum()):,}; take fewer people or a family that "
            "does not draw them one by one.",
        )
        others = people[self.clear_symbols]
        block = self.policy.blocks[self.clear_symbols]
        clear = rng.binomial(others, self.clear_share[block])
        base = counts_by(block, others - clear, self.policy.m)
        cells = self.oracles.sample_tally(people[self.hidden_symbols], base, rng)
        return Tally(np.concatenate([cells, clear]), int(people.sum()), self.fingerprint)

    def block_counts(self, tally: Tally) -> Ints:
        """(m,) reports per block: the context does not hide blocks, so this is exact."""
        cells, clear = self._parts(tally)
        block = self.policy.blocks[self.clear_symbols]
        return self.oracles.block_counts(cells) + counts_by(block, clear, self.policy.m)

    def estimate(self, tally: Tally) -> Floats:
        """(k,) unbiased estimate (CALDP (15), (16), (19) for the Hadamard family)."""
        cells, clear = self._parts(tally)
        block = self.policy.blocks[self.clear_symbols]
        shares = np.empty(self.k)
        shares[self.hidden_symbols] = self.oracles.estimate(
            cells, self.block_counts(tally), tally.n
        )
        shares[self.clear_symbols] = clear / (tally.n * self.clear_share[block])
        return shares

    def clear_counts(self, tally: Tally) -> Ints:
        """(k − s,) reports that name each symbol that is not hidden."""
        return self._parts(tally)[1]

    def channel_products(self) -> capabilities.ChannelProducts | None:
        """Products with the channel, where the family has them (see `HasChannelProducts`)."""
        oracles = self.oracles
        if not isinstance(oracles, OracleProducts):
            return None
        return ContextProducts(oracles, oracles.tally_size, self.blocks, self.symbol_partition)

    def support_tally(self, tally: Tally) -> capabilities.SupportTally | None:
        """The tally as counts of supports; None unless the oracles are `SupportOracles`."""
        cells, clear = self._parts(tally)
        if not isinstance(self.oracles, SupportOracles):
            return None
        included, per_block = cells[: self.hidden_symbols.size], self.oracles.block_counts(cells)
        return capabilities.SupportTally(self.oracles.probabilities, included, per_block, clear)

    def _parts(self, tally: Tally) -> tuple[Ints, Ints]:
        entries = self.oracles.tally_size + self.symbol_partition.clear.size
        check_tally(tally, self.fingerprint, entries)
        return tally.counts[: self.oracles.tally_size], tally.counts[self.oracles.tally_size :]

    def variance(self, p: Floats, n: int) -> Floats:
        """(k,) exact variance of `estimate` when n people are drawn from p: (k,) shares."""
        p, n, block = errors.check_floats("p", p, self.k), errors.check_n(n), self.policy.blocks
        block_p = sums_by(block, p, self.policy.m)
        clear = self.clear_symbols
        result = np.empty(self.k)
        result[self.hidden_symbols] = self.oracles.variance(p[self.hidden_symbols], block_p, n)
        result[clear] = (p[clear] / self.clear_share[block[clear]] - p[clear] ** 2) / n
        return result

    def sum_variance(self, p: Floats, weights: Floats, n: int) -> float:
        """Exact variance of Σ w_x p̂_x, such as a region's share, when n people come from p.

        `p`, `weights`: (k,). Entries of one estimate are correlated, so this is not the sum of
        `variance`.
        """
        p, weights = (
            errors.check_floats("p", p, self.k),
            errors.check_floats("weights", weights, self.k),
        )
        n = errors.check_n(n)
        hidden, clear = self.hidden_symbols, self.clear_symbols
        block = self.policy.blocks
        block_p = sums_by(block, p, self.policy.m)
        shares = self.clear_share[block[clear]]
        z = weights[clear] / shares + self.oracles.offset(weights[hidden])[block[clear]]
        square = float((p[clear] * shares * z**2).sum())
        square += self.oracles.second_moment(weights[hidden], p[hidden], block_p)
        return max((square - float(weights @ p) ** 2) / n, 0.0)

    def block_structure(self) -> capabilities.BlockStructure:
        """The structure that audits of large domains go by (see `HasBlockStructure`)."""
        return capabilities.BlockStructure(
            self.policy, self.oracles, self.hidden_symbols, self.sizes
        )

    def exact_channel(self) -> list[list[Fraction]]:
        """k rows of `outputs` probabilities in rationals; `CaldpError` above the stated size."""
        errors.require_exact(self.k * self.outputs, "use a smaller domain")
        rows = [[Fraction(0)] * self.outputs for _ in range(self.k)]
        ends = np.cumsum(self.sizes)
        for block in range(self.policy.m):
            ranks = range(int(ends[block] - self.sizes[block]), int(ends[block]))
            self._fill_block(rows, block, ranks)
        return rows

    def _fill_block(self, rows: list[list[Fraction]], block: int, ranks: range) -> None:
        noise = Fraction(int(self.oracles.cover_threshold[block]), randomness.COIN_ONE)
        for place, symbol in enumerate(self.clear_symbols):
            if self.policy.blocks[symbol] == block:
                rows[symbol][self.oracles.outputs + place] = 1 - noise
        if not ranks:
            return
        first, numerators, denominator = self.oracles.channel(block)
        for row, rank in zip(numerators, ranks, strict=False):
            symbol = self.hidden_symbols[rank]
            rows[symbol][first : first + row.size] = [Fraction(int(a), denominator) for a in row]
        base = [noise * Fraction(int(a), denominator) for a in numerators[-1]]
        for symbol in self.clear_symbols:
            if self.policy.blocks[symbol] == block:
                rows[symbol][first : first + len(base)] = base
