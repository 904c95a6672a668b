"""The Hadamard family: Hadamard response in every context.

Room: mechanisms. Plain: Acharya, Sun, Zhang 2019; sensitive set: CALDP §5 (13)–(16); blocks:
CALDP §6 (19). A block with s hidden symbols uses S = 2^⌈log₂(s+1)⌉; its i-th hidden symbol uses
row i+1 of the Sylvester matrix H_S (the paper's (13) writes row i, its appendix i+1: row 0 is
all ones and would not be a distribution). The report y is uniform on {H(row, y) = +1} with
probability p = T/2^48, else on the complement.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.arrays import sums_by
from caldp_core.basics.types import Floats, Ints, Words, WordSource
from caldp_core.mechanisms.base import ChannelRows
from caldp_core.mechanisms.oracles.hadamard_groups import Group, bit_length, layout
from caldp_core.mechanisms.oracles.histogram_oracles import HistogramOracles
from caldp_core.mechanisms.oracles.supports import SupportProbabilities
from caldp_core.mechanisms.oracles.tables import at, shared
from caldp_core.mechanisms.oracles.walsh_hadamard import fwht, stochastic_fwht
from caldp_core.mechanisms.randomness.coins import (
    COIN_BITS,
    COIN_ONE,
    SPARE_BITS,
    below,
    truth_threshold,
)

_CHUNK = 1 << 16
Bytes: TypeAlias = NDArray[np.uint8]


class HadamardOracles(HistogramOracles):
    """See `FrequencyOracles`; `sizes`: (m,) hidden symbols per block, `epsilon`: (m,)."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        self._sizes = sizes
        self._orders = np.where(sizes > 0, 1 << bit_length(sizes), 0)
        self._groups, self._starts = layout(self._orders)
        self.tally_size = int(self._orders.sum())
        self._truth = truth_threshold(epsilon)
        # λ = 2(1 − p): then λ/S = 2(1−p)/S is exactly the least probability of a hidden symbol.
        two_lies = np.uint64(2 * COIN_ONE) - np.uint64(2) * self._truth
        self.cover_threshold: Words = np.where(sizes > 0, two_lies, np.uint64(0))
        self._c = 1.0 / (2.0 * (self._truth / COIN_ONE) - 1.0)
        self._block = np.repeat(np.arange(sizes.size), sizes)
        self._row = np.arange(self._block.size) - (np.cumsum(sizes) - sizes)[self._block] + 1
        self._cell = self._starts[self._block] + self._row

    @property
    def probabilities(self) -> SupportProbabilities:
        """A report y includes x if H(row of x, y) = +1; there is no one `other_pair`: NaN."""
        own, half = self._truth / COIN_ONE, np.full(self._sizes.size, 0.5)
        return SupportProbabilities(
            own=own,
            other=half,
            base=half,
            own_pair=own / 2.0,
            other_pair=np.full(own.size, np.nan),
            base_pair=half / 2.0,
            gain=own - half,
            clear=np.zeros_like(own),
        )

    @property
    def uniform_inclusion(self) -> Floats:
        """(m,) see `CraftableOracles`."""
        return self.probabilities.base

    @property
    def settings(self) -> tuple[Words, ...]:
        """T of every block."""
        return (self._truth,)

    def privatize(self, rank: Ints, words: WordSource) -> Ints:
        """(n,) ranks → (n,) cells; works through users in chunks that stay in the cache."""
        tables = _Tables(
            shared(self._row),
            shared(self._orders[self._block] - 1),
            shared(self._starts[self._block]),
            shared(self._truth[self._block]),
        )
        reports = np.empty(rank.size, np.int64)
        for start in range(0, rank.size, _CHUNK):
            part = rank[start : start + _CHUNK]
            reports[start : start + _CHUNK] = tables.draw(part, words)
        return reports

    def privatize_base(self, block: Ints, words: WordSource) -> Ints:
        """(n,) blocks → (n,) cells uniform on the block's outputs."""
        mask = (self._orders[block] - 1).astype(np.uint64)
        return self._starts[block] + (words(block.size) & mask).astype(np.int64)

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        """Stochastic Walsh–Hadamard transform; base reports enter as row 0 (all +1, no lie)."""
        truths = np.zeros_like(counts)
        some = np.flatnonzero(counts)
        shares = self._truth[self._block[some]] / COIN_ONE
        truths[some] = rng.binomial(counts[some], shares)
        return self._sent(truths, counts - truths, base, rng)

    def sample_crafted(self, counts: Ints, rng: np.random.Generator) -> Ints:
        """See `CraftableOracles`: nobody lies about the parity."""
        nobody = np.zeros_like(counts)
        return self._sent(counts, nobody, np.zeros_like(self._sizes), rng)

    def most_included(self, ranks: Ints) -> Ints:
        """(m,) see `CraftableOracles`: Σ_t H(row of t, y) over the targets, for every y at once."""
        spectrum, most = np.zeros(self.tally_size), np.zeros(self._sizes.size)
        spectrum[self._cell[ranks]] = 1.0
        for group in self._groups:
            most[self._blocks_of(group)] = fwht(group.of(spectrum)).max(axis=1)
        targets = np.bincount(self._block[ranks], minlength=most.size)
        return np.asarray(np.rint((most + targets) / 2.0), np.int64)

    def _sent(self, truths: Ints, lies: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        parity = np.zeros((2, self.tally_size), np.int64)
        parity[0, self._cell] = truths
        parity[1, self._cell] = lies
        present = self._sizes > 0
        parity[0, self._starts[present]] = base[present]
        tally = np.empty(self.tally_size, np.int64)
        for group in self._groups:
            state = np.ascontiguousarray(np.swapaxes(group.of(parity), -1, -2))
            group.of(tally)[...] = stochastic_fwht(state, rng).T
        return tally

    def block_counts(self, counts: Ints) -> Ints:
        """(m,) reports from each block's outputs."""
        ends = np.concatenate([[0], np.cumsum(counts)])
        return np.asarray(ends[self._starts + self._orders] - ends[self._starts])

    def estimate(self, counts: Ints, block_counts: Ints, n: int) -> Floats:
        """p̂_x = (c/n)·FWHT(block's tally)[row of x], c = 1/(2p−1); base reports cancel out."""
        spectrum = np.empty(self.tally_size)
        for group in self._groups:
            spectrum[group.start : group.stop] = fwht(group.of(counts).astype(np.float64)).ravel()
        return np.asarray(spectrum[self._cell] * (self._c[self._block] / n))

    def variance(self, p: Floats, block_p: Floats, n: int) -> Floats:
        """(1/n)(c²·(p(A_j) + λ·p(B_j)) − p_x²): a report of the block's outputs counts ±c."""
        hidden_p = sums_by(self._block, p, block_p.size)
        reached = hidden_p + self.cover_threshold / COIN_ONE * (block_p - hidden_p)
        return np.asarray(((self._c**2 * reached)[self._block] - p**2) / n)

    def offset(self, weights: Floats) -> Floats:
        """0: a report counts by its y alone, not by being from the block."""
        del weights
        return np.zeros(self._sizes.size)

    def second_moment(self, weights: Floats, p: Floats, block_p: Floats) -> float:
        """Z = c·ŵ(y), ŵ the transform of w: E[Z²|row r] = c²·(mean ŵ² + FWHT(ŵ²)[r]/(S·c))."""
        spectrum, mean = np.zeros(self.tally_size), np.zeros(self._sizes.size)
        spectrum[self._cell] = weights
        for group in self._groups:
            square = fwht(group.of(spectrum)) ** 2
            part = fwht(square) / group.order
            group.of(spectrum)[...] = part
            mean[self._blocks_of(group)] = part[:, 0]
        hidden_p = sums_by(self._block, p, block_p.size)
        base_p = self.cover_threshold / COIN_ONE * (block_p - hidden_p)
        c = self._c[self._block]
        told = p * (c**2 * mean[self._block] + c * spectrum[self._cell])
        return float(told.sum() + (base_p * self._c**2 * mean).sum())

    def _blocks_of(self, group: Group) -> Ints:
        # Within a group, blocks stand in the order of their labels (the sort is stable).
        return np.flatnonzero(self._orders == group.order)

    def expected(self, p: Floats, base: Floats) -> Floats:
        """Q p: (s,) hidden shares and (m,) base reports → (tally_size,) distribution.

        Q(y|row r) = (1 + H(r, y)/c)/S, so it is one transform; base reports enter as row 0.
        """
        spectrum = np.zeros(self.tally_size)
        spectrum[self._cell] = p / self._c[self._block]
        present = self._sizes > 0
        reports = sums_by(self._block, p, self._sizes.size) + base
        spectrum[self._starts[present]] = reports[present]
        for group in self._groups:
            group.of(spectrum)[...] = fwht(group.of(spectrum)) / group.order
        return spectrum

    def pull(self, weights: Floats) -> tuple[Floats, Floats]:
        """Qᵀ w: (tally_size,) weights → (s,) mean over a hidden symbol's reports, (m,) base's."""
        means = np.empty(self.tally_size)
        for group in self._groups:
            group.of(means)[...] = fwht(group.of(weights)) / group.order
        base = np.zeros(self._sizes.size)
        present = self._sizes > 0
        base[present] = means[self._starts[present]]
        return base[self._block] + means[self._cell] / self._c[self._block], base

    def channel(self, block: int) -> tuple[int, Ints, int]:
        """Numerators over 2^47·S: T or 2^48 − T; the base row is uniform."""
        order, truth = int(self._orders[block]), int(self._truth[block])
        rows = np.arange(1, int(self._sizes[block]) + 1)
        odd = np.bitwise_count(rows[:, None] & np.arange(order)) & 1
        numerators = np.where(odd, COIN_ONE - truth, truth)
        base = np.full((1, order), COIN_ONE // 2)
        denominator = (order << COIN_BITS) // 2
        return int(self._starts[block]), np.concatenate([numerators, base]), denominator

    def channel_rows(self, block: int, start: int, stop: int) -> ChannelRows:
        """The same in codes: 0 for 2^48 − T, 1 for the base row's 2^47, 2 for T."""
        order, size, truth = int(self._orders[block]), int(self._sizes[block]), self._truth[block]
        codes = 2 - 2 * _parities(np.arange(start, min(stop, size)) + 1, order)
        if stop > size:
            codes = np.concatenate([codes, np.ones((1, order), np.uint8)])
        values = (COIN_ONE - int(truth), COIN_ONE // 2, int(truth))
        return ChannelRows(int(self._starts[block]), codes, values, (order << COIN_BITS) // 2)


def _parities(rows: Ints, order: int) -> Bytes:
    """(rows, order) parity of r & y: the Kronecker sum of the low bits' and the high bits' own."""
    low_bits = (order.bit_length() - 1) // 2
    low = np.bitwise_count(rows[:, None] & np.arange(1 << low_bits)) & np.uint8(1)
    high = np.bitwise_count((rows >> low_bits)[:, None] & np.arange(order >> low_bits))
    parities: Bytes = (high & np.uint8(1))[:, :, None] ^ low[:, None, :]
    return parities.reshape(rows.size, order)


@dataclass(frozen=True)
class _Tables:
    """What a user's report depends on: one entry per rank, or a single one for all."""

    row: Ints
    mask: Ints
    start: Ints
    truth: Words

    def draw(self, rank: Ints, words: WordSource) -> Ints:
        coin = words(rank.size)
        row, mask = at(self.row, rank), at(self.mask, rank)
        y = self._spare(coin, words).view(np.int64) & mask
        odd = np.bitwise_count(row & y) & 1
        wrong = odd == below(coin, at(self.truth, rank))
        # Flipping y's bit at the row's lowest set bit mends the parity and keeps y uniform.
        y ^= (row & -row) * wrong
        return y + at(self.start, rank)

    def _spare(self, coin: Words, words: WordSource) -> Words:
        # The coin takes the top 48 bits; the 16 below are free for y if they suffice.
        return coin if int(self.mask.max()) < 1 << SPARE_BITS else words(coin.size)
