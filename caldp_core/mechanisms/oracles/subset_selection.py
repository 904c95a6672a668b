"""The subset selection family in every context: Ye & Barg 2018, Wang et al. 2016.

A block with s hidden symbols sends subsets of ω of them, ω ≈ s/(e^ε + 1). Everybody sends a uniform
subset with probability λ = s/(s + ω(e^ε − 1)); otherwise a hidden x sends x with ω − 1 uniform
others. So a subset is e^ε times as likely from those it includes, which is Ye & Barg's channel: x
is included with probability ωe^ε/(ωe^ε + s − ω). With ω = 1 it is k-RR. As every subset includes
some symbol, λ is also the least that covers the hidden ones.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

import numpy as np

from caldp_core.basics.errors import check_number, check_whole, require
from caldp_core.basics.limits import K_MAX, OUTPUTS_MAX
from caldp_core.basics.types import Floats, Ints, Reports, Words, WordSource, counts_by
from caldp_core.mechanisms.oracles.packed_bits import set_bits, words_for
from caldp_core.mechanisms.oracles.packed_reports import PackedReports
from caldp_core.mechanisms.oracles.random_subsets import chunk_rows, random_subsets
from caldp_core.mechanisms.oracles.subset_tally import sample_supports
from caldp_core.mechanisms.oracles.supports import SupportProbabilities
from caldp_core.mechanisms.randomness.coins import COIN_ONE, flip_coins, uniform_threshold
from caldp_core.mechanisms.support_form import SupportForm

ChoiceOfOmega: TypeAlias = Callable[[Ints, Floats], Ints]
"""(m,) hidden symbols per block and (m,) ε → (m,) sizes of subsets."""


class SubsetSelectionOracles(PackedReports):
    """Subset selection of all blocks; `sizes`: (m,) hidden symbols per block, `epsilon`: (m,).

    `choose`: (m,) sizes and (m,) ε → (m,) whole ω, 1 ≤ ω < s where a block hides two or more.
    A report is a subset of ω of the block's hidden symbols, see `PackedReports`.
    """

    def __init__(self, sizes: Ints, epsilon: Floats, choose: ChoiceOfOmega | None = None) -> None:
        self._omega = (choose or best_omega)(sizes, epsilon)
        noise = uniform_threshold(sizes, self._omega, epsilon)
        super().__init__(sizes, noise, support_probabilities(sizes, self._omega, noise / COIN_ONE))
        kinds = np.stack([sizes, self._omega])
        self._kinds, self._kind = np.unique(kinds, axis=1, return_inverse=True)

    @property
    def settings(self) -> tuple[Ints, ...]:
        """ω of every block."""
        return (self._omega,)

    @property
    def device_numbers(self) -> dict[str, Ints | Words]:
        """See `HasDeviceNumbers`: `omega` of `size` symbols are sent."""
        return {"size": self._sizes, "omega": self._omega}

    def privatize(self, rank: Ints, words: WordSource) -> Reports:
        """(n,) ranks → (n,) reports."""
        block = self._block[rank]
        uniform = flip_coins(words(rank.size), self.cover_threshold[block])
        return self._draw(block, np.where(uniform, -1, rank - self._starts[block]), words)

    def privatize_base(self, block: Ints, words: WordSource) -> Reports:
        """(n,) blocks → (n,) reports of uniform subsets."""
        return self._draw(block, np.full(block.size, -1), words)

    def _draw(self, block: Ints, forced: Ints, words: WordSource) -> Reports:
        reports = self.blank_records(block)
        kind = self._kind[block]
        for number, (size, omega) in enumerate(self._kinds.T.tolist()):
            at, width = np.flatnonzero(kind == number), words_for(size)
            step = chunk_rows(max(1, width))
            for start in range(0, at.size, step):
                part = at[start : start + step]
                rows = random_subsets(size, omega, forced[part], words)
                reports["bits"][part, :width] = rows
        return reports

    def columns_of(self, block: int) -> int:
        """C(s, ω), or more than 10^18 if there are more."""
        return _subsets(int(self._sizes[block]), int(self._omega[block]))

    def rows_of(self, block: int) -> Words:
        """(C(s, ω), words) subsets as `itertools.combinations` gives them."""
        size, omega = int(self._sizes[block]), int(self._omega[block])
        subsets = np.array(list(combinations(range(size), omega)))
        rows = np.zeros((len(subsets), words_for(size)), np.uint64)
        for symbol in subsets.T:
            set_bits(rows, np.arange(len(rows)), symbol, np.ones(len(rows), np.bool_))
        return rows

    def check_rows(self, rows: Words, block: int) -> None:
        """Raise `CaldpError` unless all of (n, words) rows hold ω symbols."""
        number = np.bitwise_count(rows).sum(axis=1, dtype=np.int64)
        require(
            bool((number == self._omega[block]).all()),
            f"reports must be subsets of {self._omega[block]} values in block {block}; "
            "hand over what privatize or client_report gave.",
        )

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        """Draw who sends a uniform subset; one scan then draws their subsets and the others'."""
        uniform = rng.binomial(counts, self._share[self._block])
        noise = counts_by(self._block, uniform, base.size) + base
        return self._sent(counts - uniform, noise, rng)

    def sample_crafted(self, counts: Ints, rng: np.random.Generator) -> Ints:
        """See `CraftableOracles`: nobody sends a uniform subset."""
        return self._sent(counts, np.zeros_like(self._sizes), rng)

    def most_included(self, ranks: Ints) -> Ints:
        """(m,) the number of targets of each block, at most ω; see `CraftableOracles`."""
        return np.minimum(super().most_included(ranks), self._omega)

    def _sent(self, truths: Ints, noise: Ints, rng: np.random.Generator) -> Ints:
        included = np.zeros_like(truths)
        for number, (size, omega) in enumerate(self._kinds.T.tolist()):
            if size:
                blocks = np.flatnonzero(self._kind == number)
                at = self._starts[blocks][:, None] + np.arange(size)
                included[at] = sample_supports(truths[at], noise[blocks], omega, rng)
        per_block = counts_by(self._block, truths, noise.size) + noise
        return np.concatenate([included, per_block])

    def channel(self, block: int) -> tuple[int, Ints, int]:
        """Numerators over 2^48·ω·C(s, ω): λ's share ω·N, and s·(2^48 − N) more if included."""
        size, omega = int(self._sizes[block]), int(self._omega[block])
        noise = int(self.cover_threshold[block])
        subsets = list(combinations(range(size), omega))
        lie, truth = omega * noise, omega * noise + size * (COIN_ONE - noise)
        rows = [[truth if x in subset else lie for subset in subsets] for x in range(size)]
        rows.append([omega * COIN_ONE] * len(subsets))
        return (
            self.first_column(block),
            np.array(rows, dtype=object),
            COIN_ONE * omega * len(subsets),
        )

    def none_included(self, block: int) -> Floats:
        """(s_j + 1,) C(s − i, ω)/C(s, ω), the subset avoiding i symbols one after another."""
        size, omega = int(self._sizes[block]), int(self._omega[block])
        remaining = size - np.arange(size)
        avoids = np.maximum(remaining - omega, 0) / remaining
        return np.concatenate([[1.0], np.cumprod(avoids)])

    def support_form(self, block: int) -> SupportForm:
        """x sends λ of all C(s, ω) subsets and 1 − λ of the C(s, ω)·ω/s that include x."""
        lie = Fraction(int(self.cover_threshold[block]), COIN_ONE)
        share = Fraction(int(self._omega[block]), int(self._sizes[block]))
        return SupportForm(lie + (1 - lie) / share, lie, share)


def support_probabilities(sizes: Ints, omega: Ints, share: Floats) -> SupportProbabilities:
    """Probabilities of inclusion for subsets of ω of s symbols, by counting; `share`: (m,) λ."""
    s, w = np.maximum(sizes, 1).astype(np.float64), omega.astype(np.float64)
    one, two = np.maximum(s - 1.0, 1.0), np.maximum(s - 2.0, 1.0)
    uniform_pair = w * (w - 1.0) / (s * one)
    # A block of one symbol has no others: any r will do, and this one makes a − r = 1 − λ.
    contrast = np.where(sizes > 1, (s - w) / one, 1.0)
    own = share * w / s + (1.0 - share)
    return SupportProbabilities(
        own=own,
        other=own - (1.0 - share) * contrast,
        base=w / s,
        own_pair=share * uniform_pair + (1.0 - share) * (w - 1.0) / one,
        other_pair=share * uniform_pair + (1.0 - share) * (w - 1.0) * (w - 2.0) / (one * two),
        base_pair=uniform_pair,
        gain=(1.0 - share) * contrast,
        clear=share * contrast / s,
    )


def best_omega(sizes: Ints, epsilon: Floats, hidden: float = 1.0) -> Ints:
    """(m,) the ω with the least total variance, by bisection: it falls with ω and then rises.

    `hidden`: the share of a block's people whose symbol is hidden, in [0, 1]. With 1, all of them,
    it is one of the two whole numbers next to s/(e^ε + 1).
    """

    def total(omega: Ints) -> Floats:
        cover = sizes / np.maximum(sizes + omega * np.expm1(epsilon), 1.0)
        return support_probabilities(sizes, omega, cover).expected_square(sizes, cover, hidden)

    low, high = np.ones_like(sizes), np.maximum(sizes - 1, 1)
    while bool((low < high).any()):
        middle = (low + high) // 2
        falls = (total(np.minimum(middle + 1, high)) < total(middle)) & (low < high)
        low, high = np.where(falls, middle + 1, low), np.where(falls, high, middle)
    return low


def subset_family(omega: int) -> Callable[[Ints, Floats], SubsetSelectionOracles]:
    """Subset selection with this ω ≥ 1 in every block, whatever ε; raises `CaldpError`.

    A block of s ≥ 2 hidden symbols needs ω < s; a lone one can only be named.
    """
    size = check_whole("omega", omega, 1, K_MAX)

    def fixed(sizes: Ints, _: Floats) -> Ints:
        several = sizes[sizes > 1]
        require(
            bool((several > size).all()),
            f"omega must be below the number of sensitive values of every block, got {size} "
            f"where a block has {int(several.min(initial=K_MAX))}; choose a smaller one.",
        )
        return np.where(sizes > 1, size, 1)

    return lambda sizes, epsilon: SubsetSelectionOracles(sizes, epsilon, fixed)


def subset_family_for(hidden: float) -> Callable[[Ints, Floats], SubsetSelectionOracles]:
    """Subset selection with the best ω where this share of people, in [0, 1], is hidden."""
    check_number("share", hidden, 0.0, 1.0)
    return lambda sizes, epsilon: SubsetSelectionOracles(
        sizes, epsilon, lambda s, e: best_omega(s, e, hidden)
    )


def _subsets(size: int, omega: int) -> int:
    """C(s, ω) for s > 0, but no more than is needed to see that it is above the limit."""
    number = 1 if size else 0
    for i in range(min(omega, size - omega)):
        number = number * (size - i) // (i + 1)
        if number > OUTPUTS_MAX:
            break
    return number
