"""The subset selection family in every context: Ye & Barg 2018, Wang et al. 2016.

Room: mechanisms. A block with s hidden symbols sends subsets of ω of them, ω ≈ s/(e^ε + 1).
Everybody sends a uniform subset with probability λ = s/(s + ω(e^ε − 1)); otherwise a hidden x
sends x with ω − 1 uniform others. So a subset is e^ε times as likely from those it includes, which
is Ye & Barg's law: x is included with probability ωe^ε/(ωe^ε + s − ω). With ω = 1 it is k-RR. As
every subset includes somebody, λ·uniform is also the least that covers the hidden ones.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, Final

import numpy as np

from caldp_core.basics.arrays import counts_by
from caldp_core.basics.errors import require
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats, Ints, Reports, Words, WordSource
from caldp_core.mechanisms.base import OUTPUTS_MAX, SupportForm
from caldp_core.mechanisms.oracles.subset_reports import (
    Rows,
    bit_counts,
    chunk_rows,
    full_mask,
    random_subsets,
    words_for,
)
from caldp_core.mechanisms.oracles.subset_tally import sample_supports
from caldp_core.mechanisms.oracles.supports import SupportLaw, SupportOracles
from caldp_core.mechanisms.randomness.coins import COIN_ONE, below

_DIGITS: Final = 60
_WRONG: Final = (
    "reports must be subsets as this mechanism sends them; "
    "hand over what privatize or client_report gave."
)


class SubsetSelectionOracles(SupportOracles):
    """See `FrequencyOracles`; `sizes`: (m,) hidden symbols per block, `epsilon`: (m,).

    A report is a record of `source`, the number of its block, and `bits`, the subset as packed
    bits in the order of the block's ranks. In the clear, `source` is m + the symbol's place and
    there are no bits.
    """

    n_max: int = N_MAX

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        self._omega = best_omega(sizes, epsilon)
        noise = uniform_threshold(sizes, self._omega, epsilon)
        super().__init__(sizes, noise, support_law_of(sizes, self._omega, noise / COIN_ONE))
        width = max(1, words_for(int(sizes.max())))
        self.dtype: np.dtype[Any] = np.dtype([("source", "<i8"), ("bits", "<u8", (width,))])
        kinds = np.stack([sizes, self._omega])
        self._kinds, self._kind = np.unique(kinds, axis=1, return_inverse=True)

    @property
    def outputs(self) -> int:
        """Σ C(s, ω), 10^18 if there are more."""
        pairs = zip(self._sizes.tolist(), self._omega.tolist(), strict=True)
        return min(sum(_subsets(s, omega) for s, omega in pairs), OUTPUTS_MAX)

    @property
    def settings(self) -> tuple[Ints, ...]:
        """ω of every block."""
        return (self._omega,)

    def privatize(self, rank: Ints, words: WordSource) -> Reports:
        """(n,) ranks → (n,) reports."""
        block = self._block[rank]
        uniform = below(words(rank.size), self.cover_threshold[block])
        return self._draw(block, np.where(uniform, -1, rank - self._starts[block]), words)

    def privatize_base(self, block: Ints, words: WordSource) -> Reports:
        """(n,) blocks → (n,) reports of uniform subsets."""
        return self._draw(block, np.full(block.size, -1), words)

    def _draw(self, block: Ints, forced: Ints, words: WordSource) -> Reports:
        reports = self.blank(block)
        kind = self._kind[block]
        for number, (size, omega) in enumerate(self._kinds.T.tolist()):
            at, width = np.flatnonzero(kind == number), words_for(size)
            step = chunk_rows(max(1, width))
            for start in range(0, at.size, step):
                part = at[start : start + step]
                rows = random_subsets(size, omega, forced[part], words)
                reports["bits"][part, :width] = rows
        return reports

    def tally(self, reports: Reports, clear: int) -> Ints:
        """(n,) reports → (tally_size + clear,) sums; `CaldpError` on a record that can't be."""
        reports = np.asarray(reports)
        require(reports.ndim == 1 and reports.dtype == self.dtype, _WRONG)
        m = self._sizes.size
        source = reports["source"]
        require(bool(((source >= 0) & (source < m + clear)).all()), _WRONG)
        order = np.argsort(source, kind="stable")
        sent = np.bincount(source, minlength=m + clear)
        ends = np.cumsum(sent)
        included = np.zeros(self._block.size, np.int64)
        for block in np.flatnonzero(sent[:m]).tolist():
            at = order[ends[block] - sent[block] : ends[block]]
            start, size = int(self._starts[block]), int(self._sizes[block])
            included[start : start + size] = self._included(reports["bits"], at, block)
        require(not reports["bits"][order[ends[m - 1] :]].any(), _WRONG)
        return np.concatenate([included, sent])

    def _included(self, bits: Rows, at: Ints, block: int) -> Ints:
        size, omega = int(self._sizes[block]), int(self._omega[block])
        mask = np.zeros(bits.shape[1], np.uint64)
        mask[: words_for(size)] = full_mask(size)
        counts, step = np.zeros(size, np.int64), chunk_rows(bits.shape[1])
        for start in range(0, at.size, step):
            rows = bits[at[start : start + step]]
            number = np.bitwise_count(rows).sum(axis=1, dtype=np.int64)
            require(bool((number == omega).all()) and not (rows & ~mask).any(), _WRONG)
            counts += bit_counts(rows[:, : words_for(size)], size)
        return counts

    def every_report(self, clear: int) -> Reports:
        """Blocks in order, subsets as `itertools.combinations` gives them, then the clear ones."""
        parts = [self.clear_reports(np.arange(clear))]
        for block in reversed(np.flatnonzero(self._sizes)):
            subsets = list(combinations(range(int(self._sizes[block])), int(self._omega[block])))
            reports = np.zeros(len(subsets), self.dtype)
            reports["source"] = block
            for row, subset in enumerate(subsets):
                for place in subset:
                    reports["bits"][row, place >> 6] |= np.uint64(1 << (place & 63))
            parts.insert(0, reports)
        return np.concatenate(parts)

    def report_bits(self, clear: int) -> int:
        """Bits of the source's number, and one for each symbol of the widest block."""
        sources = self._sizes.size + clear
        return max(1, (sources - 1).bit_length() + int(self._sizes.max()))

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        """Uniform subsets and honest ones are told apart, then both go through one scan."""
        uniform = rng.binomial(counts, self._share[self._block])
        truths = counts - uniform
        noise = counts_by(self._block, uniform, base.size) + base
        included = np.zeros_like(counts)
        for number, (size, omega) in enumerate(self._kinds.T.tolist()):
            if size:
                blocks = np.flatnonzero(self._kind == number)
                at = self._starts[blocks][:, None] + np.arange(size)
                included[at] = sample_supports(truths[at], noise[blocks], omega, rng)
        return np.concatenate([included, counts_by(self._block, counts, base.size) + base])

    def channel(self, block: int) -> tuple[int, Ints, int]:
        """Numerators over 2^48·ω·C(s, ω): λ's share ω·N, and s·(2^48 − N) more if included."""
        size, omega = int(self._sizes[block]), int(self._omega[block])
        noise = int(self.cover_threshold[block])
        first = sum(
            comb(s, o) for s, o in zip(self._sizes[:block], self._omega[:block], strict=True) if s
        )
        subsets = list(combinations(range(size), omega))
        lie, truth = omega * noise, omega * noise + size * (COIN_ONE - noise)
        rows = [[truth if x in subset else lie for subset in subsets] for x in range(size)]
        rows.append([omega * COIN_ONE] * len(subsets))
        return first, np.array(rows, dtype=object), COIN_ONE * omega * len(subsets)

    def support_form(self, block: int) -> SupportForm:
        """x sends λ of all C(s, ω) subsets and 1 − λ of the C(s, ω)·ω/s that include x."""
        lie = Fraction(int(self.cover_threshold[block]), COIN_ONE)
        share = Fraction(int(self._omega[block]), int(self._sizes[block]))
        return SupportForm(lie + (1 - lie) / share, lie, share)


def support_law_of(sizes: Ints, omega: Ints, share: Floats) -> SupportLaw:
    """What subsets of ω of s symbols include; `share`: (m,) λ. The rest is counting."""
    s, w = np.maximum(sizes, 1).astype(np.float64), omega.astype(np.float64)
    one, two = np.maximum(s - 1.0, 1.0), np.maximum(s - 2.0, 1.0)
    uniform_pair = w * (w - 1.0) / (s * one)
    # A block of one symbol has no others: any r will do, and this one makes a − r = 1 − λ.
    apart = np.where(sizes > 1, (s - w) / one, 1.0)
    own = share * w / s + (1.0 - share)
    return SupportLaw(
        own=own,
        other=own - (1.0 - share) * apart,
        base=w / s,
        own_pair=share * uniform_pair + (1.0 - share) * (w - 1.0) / one,
        other_pair=share * uniform_pair + (1.0 - share) * (w - 1.0) * (w - 2.0) / (one * two),
        base_pair=uniform_pair,
        gain=(1.0 - share) * apart,
        clear=share * apart / s,
    )


def best_omega(sizes: Ints, epsilon: Floats) -> Ints:
    """(m,) of the two whole numbers next to s/(e^ε + 1) the one with the least total variance."""
    least = np.maximum(np.floor(sizes / (np.exp(epsilon) + 1.0)).astype(np.int64), 1)
    most = np.clip(least + 1, 1, np.maximum(sizes - 1, 1))
    lower, upper = (
        support_law_of(sizes, omega, sizes / np.maximum(sizes + omega * np.expm1(epsilon), 1.0))
        for omega in (least, most)
    )
    better = upper.total_square(sizes) < lower.total_square(sizes)
    return np.where(better, most, least)


def uniform_threshold(sizes: Ints, omega: Ints, epsilon: Floats) -> Words:
    """(m,) N = ⌈2^48·s/(s + ω(e^ε − 1))⌉: a uniform subset with probability N/2^48.

    Rounding up makes (λ/C(s, ω) + (1 − λ)/C(s − 1, ω − 1))/(λ/C(s, ω)) ≤ e^ε. 0 where s = 0.
    """
    kinds, place = np.unique(np.stack([sizes, omega, epsilon]), axis=1, return_inverse=True)
    with localcontext() as context:
        context.prec = _DIGITS
        powers = [Decimal(float(e)).exp() for e in kinds[2]]
        whole = [
            int(COIN_ONE * int(s) // (int(s) + int(w) * (power - 1))) + (s > 0)
            for s, w, power in zip(kinds[0], kinds[1], powers, strict=True)
        ]
    return np.minimum(np.array(whole, dtype=np.uint64), COIN_ONE)[place.ravel()]


def _subsets(size: int, omega: int) -> int:
    """C(s, ω) for s > 0, but no more than is needed to see that it is above the limit."""
    number = 1 if size else 0
    for i in range(min(omega, size - omega)):
        number = number * (size - i) // (i + 1)
        if number > OUTPUTS_MAX:
            break
    return number
