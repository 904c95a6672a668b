"""The randomized response family: k-RR in every context.

Plain: k-ary randomized response (Kairouz, Bonawitz, Ramage 2016); sensitive set: utility-optimized
RR (ULDP Definition 3). Everybody, hidden or not, sends a uniform hidden symbol of the block with
probability λ = s/(s+e^ε−1), and otherwise the truth.
"""

import numpy as np

from caldp_core.basics.types import Floats, Ints, Words, WordSource, counts_by, sums_by
from caldp_core.mechanisms.capabilities import ChannelRows
from caldp_core.mechanisms.oracles.supports import HistogramOracles, SupportProbabilities
from caldp_core.mechanisms.randomness import COIN_ONE, flip_coins, noise_threshold, uniform_below


class RandomizedResponseOracles(HistogramOracles):
    """k-RR of all blocks; `sizes`: (m,) hidden symbols per block, `epsilon`: (m,)."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        self._sizes = sizes
        self.tally_size = int(sizes.sum())
        self.cover_threshold = noise_threshold(sizes, epsilon)
        self._share = self.cover_threshold / COIN_ONE
        self._starts = np.cumsum(sizes) - sizes
        self._block = np.repeat(np.arange(sizes.size), sizes)

    @property
    def settings(self) -> tuple[Words, ...]:
        """No settings: λ and the context determine the channel."""
        return ()

    @property
    def device_numbers(self) -> dict[str, Ints | Words]:
        """See `HasDeviceNumbers`: reports of a block begin at `first`."""
        return {"size": self._sizes, "first": self._starts}

    def privatize(self, rank: Ints, words: WordSource) -> Ints:
        """(n,) ranks → (n,) reports."""
        block = self._block[rank]
        noisy = np.flatnonzero(flip_coins(words(rank.size), self.cover_threshold[block]))
        reports = rank.copy()
        reports[noisy] = self.privatize_base(block[noisy], words)
        return reports

    def privatize_base(self, block: Ints, words: WordSource) -> Ints:
        """(n,) blocks → (n,) reports uniform on the block's hidden symbols."""
        bound = self._sizes[block].astype(np.uint64)
        return self._starts[block] + uniform_below(bound, words).astype(np.int64)

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        """Truths are binomial; the lies of a block are spread by one uniform multinomial."""
        tally = rng.binomial(counts, 1.0 - self._share[self._block])
        noise = counts_by(self._block, counts - tally, base.size) + base
        for size in np.unique(self._sizes[self._sizes > 0]):
            blocks = np.flatnonzero(self._sizes == size)
            symbols = self._starts[blocks][:, None] + np.arange(size)
            tally[symbols] += rng.multinomial(noise[blocks], np.full(size, 1.0 / size))
        return tally

    @property
    def probabilities(self) -> SupportProbabilities:
        """A report includes the one symbol that it names."""
        lie, size = self._uniform_noise(), np.maximum(self._sizes, 1)
        never = np.zeros_like(lie)
        return SupportProbabilities(
            own=1.0 - self._share + lie,
            other=lie,
            base=1.0 / size,
            own_pair=never,
            other_pair=never,
            base_pair=never,
            gain=1.0 - self._share,
            clear=lie,
        )

    def none_included(self, block: int, ranks: Ints) -> Floats:
        """(r + 1,) 1 − i/s: a base report names one of s symbols."""
        return np.asarray(1.0 - np.arange(ranks.size + 1) / self._sizes[block])

    def block_counts(self, counts: Ints) -> Ints:
        """(m,) reports from each block's hidden symbols."""
        ends = np.concatenate([[0], np.cumsum(counts)])
        return np.asarray(ends[self._starts + self._sizes] - ends[self._starts])

    def estimate(self, counts: Ints, block_counts: Ints, n: int) -> Floats:
        """p̂_y = (count_y/n − (λ/s)·p̂(block))/(1−λ); the block's share is seen exactly."""
        noise, block = self._uniform_noise(), self._block
        expected = noise[block] * block_counts[block]
        return np.asarray((counts - expected) / (n * (1.0 - self._share[block])))

    def variance(self, p: Floats, block_p: Floats, n: int) -> Floats:
        """Exact: a report of the block adds (1{y} − λ/s)/(1−λ) to n·p̂_y."""
        b = self._uniform_noise()[self._block]
        block = block_p[self._block]
        stay = 1.0 - self._share[self._block]
        hit = stay * p + b * block
        square = (hit * (1.0 - b) ** 2 + (block - hit) * b**2) / stay**2
        return np.asarray((square - p**2) / n)

    def offset(self, weights: Floats) -> Floats:
        """−(λ/s)·Σ w/(1−λ): each report of the block, in the clear too, is corrected for lies."""
        total = sums_by(self._block, weights, self._sizes.size)
        return np.asarray(-self._uniform_noise() * total / (1.0 - self._share))

    def second_moment(self, weights: Floats, p: Floats, block_p: Floats) -> float:
        """Z = w_y/(1−λ) + offset for the report y."""
        hidden_p = sums_by(self._block, p, block_p.size)
        law = hidden_p + self._share * (block_p - hidden_p)
        lies = law - (1.0 - self._share) * hidden_p
        spread = (lies / np.maximum(self._sizes, 1))[self._block]
        stay = 1.0 - self._share[self._block]
        z = weights / stay + self.offset(weights)[self._block]
        return float(((stay * p + spread) * z**2).sum())

    def apply(self, p: Floats, base: Floats) -> Floats:
        """Q p: (s,) hidden shares, (m,) shares of base reports → (tally_size,) expected tally."""
        lies = self._share * sums_by(self._block, p, self._sizes.size) + base
        spread = (lies / np.maximum(self._sizes, 1))[self._block]
        return np.asarray((1.0 - self._share[self._block]) * p + spread)

    def apply_transpose(self, weights: Floats) -> tuple[Floats, Floats]:
        """Qᵀ w: (tally_size,) weights → (s,) mean over a hidden symbol's reports, (m,) base's."""
        mean = sums_by(self._block, weights, self._sizes.size) / np.maximum(self._sizes, 1)
        share = self._share[self._block]
        return (1.0 - share) * weights + share * mean[self._block], mean

    def channel(self, block: int) -> tuple[int, Ints, int]:
        """Numerators over 2^48·s: the truth s·(2^48 − N) + N, a lie N; the base row is uniform."""
        size, noise = int(self._sizes[block]), int(self.cover_threshold[block])
        numerators = np.full((size + 1, size), noise)
        numerators[:size] += np.eye(size, dtype=np.int64) * (size * (COIN_ONE - noise))
        numerators[size] = COIN_ONE
        return int(self._starts[block]), numerators, COIN_ONE * size

    def channel_rows(self, block: int, start: int, stop: int) -> ChannelRows:
        """Rows of `channel` in codes: 0 for a lie, 1 for the base row's 2^48, 2 for the truth."""
        size, noise = int(self._sizes[block]), int(self.cover_threshold[block])
        truths = np.arange(start, min(stop, size))
        codes = np.zeros((stop - start, size), np.uint8)
        codes[truths - start, truths] = 2
        codes[truths.size :] = 1
        values = (noise, COIN_ONE, size * (COIN_ONE - noise) + noise)
        return ChannelRows(int(self._starts[block]), codes, values, COIN_ONE * size)

    def _uniform_noise(self) -> Floats:
        return self._share / np.maximum(self._sizes, 1)
