"""Oracles and estimators with one thing wrong each, as a slip of the pen would have it.

They exist to be caught: `contract/test_contract.py` says by which check. Where all oracles are
wrong, the channel is wrong, too, and claims the stated policy; where one method is wrong, the rest
is right. The estimators are caught by `estimation/test_cascade.py`.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from caldp_core.basics.types import Floats, Ints, Words, WordSource
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.cascade_estimator import cascade_estimate
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.mechanisms.oracles.randomized_response import RandomizedResponseOracles
from caldp_core.mechanisms.randomness import COIN_ONE, flip_coins


def coin_for(factor: float, oracles: Any) -> Any:
    """The whole oracles made for factor·ε instead of ε."""
    return lambda sizes, epsilon: oracles(sizes, factor * epsilon)


def swapped_epsilons(oracles: Any) -> Any:
    """Blocks with each other's ε."""
    return lambda sizes, epsilon: oracles(sizes, epsilon[::-1])


def without_company(oracles: Any) -> Any:
    """λ forgotten: who is not hidden always speaks in the clear."""

    def build(sizes: Ints, epsilon: Floats) -> Any:
        whole = oracles(sizes, epsilon)
        whole.cover_threshold = np.zeros_like(whole.cover_threshold)
        return whole

    return build


def only(name: str, wrong: Any, oracles: Any) -> Any:
    """The right oracles but for one method, which is `wrong`'s."""

    def build(sizes: Ints, epsilon: Floats) -> Any:
        whole = oracles(sizes, epsilon)
        setattr(whole, name, getattr(wrong(sizes, epsilon), name))
        return whole

    return build


def forgets_company_in_variance(oracles: Any) -> Any:
    """Variance without the base reports of those who are not hidden."""

    class Forgetful(oracles):  # type: ignore[misc]
        def variance(self, p: Floats, block_p: Floats, n: int) -> Floats:
            hidden_p = np.bincount(self._block, weights=p, minlength=block_p.size)
            return np.asarray(super().variance(p, hidden_p, n))

    return Forgetful


class RowTooLow(HadamardOracles):
    """Row i instead of i + 1, as CALDP's (13) prints it: the first symbol gets the row of ones."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        self._row = self._row - 1
        self._cell = self._cell - 1

    def channel(self, block: int) -> tuple[int, Ints, int]:
        first, numerators, denominator = super().channel(block)
        ones = np.full((1, numerators.shape[1]), int(self._truth[block]))
        return first, np.concatenate([ones, numerators[:-2], numerators[-1:]]), denominator


class NextRow(HadamardOracles):
    """Row i + 2, the last one of a block wrapping to row 1: as private, but not what was said."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        start = self._cell - self._row
        self._row = self._row % (self._orders[self._block] - 1) + 1
        self._cell = start + self._row


class SwappedBlocks(HadamardOracles):
    """Blocks of one order lie in each other's place in the tally."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        starts = self._starts.copy()
        for order in np.unique(self._orders):
            same = np.flatnonzero(self._orders == order)
            starts[same] = np.roll(self._starts[same], 1)
        self._starts = starts
        self._cell = starts[self._block] + self._row


class OneCoinForTwo(HadamardOracles):
    """Population simulation that lets people flip in pairs: right means, twice the variance."""

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        pairs = super().sample_tally(counts // 2, base // 2, rng)
        return 2 * pairs + super().sample_tally(counts % 2, base % 2, rng)


class ForgottenOne(RandomizedResponseOracles):
    """k-RR with λ = s/(s + e^ε) for s/(s + e^ε − 1)."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        share = sizes / (sizes + np.exp(epsilon))
        self.cover_threshold: Words = np.ceil(share * COIN_ONE).astype(np.uint64)
        self._share = self.cover_threshold / COIN_ONE


class TruthInComplement(RandomizedResponseOracles):
    """k-RR that leaves the truth with (s − 1)/(s + e^ε − 1), then draws from all s symbols.

    That is the chance for "one of the others": with the truth among them it is said too often.
    """

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        share = np.maximum(sizes - 1, 0) / (sizes + np.expm1(epsilon))
        self.cover_threshold: Words = np.ceil(share * COIN_ONE).astype(np.uint64)
        self._share = self.cover_threshold / COIN_ONE


class HonestLies(RandomizedResponseOracles):
    """k-RR whose lies are never the truth, though λ counts all s symbols."""

    def privatize(self, rank: Ints, words: WordSource) -> Ints:
        block = self._block[rank]
        noisy = np.flatnonzero(flip_coins(words(rank.size), self.cover_threshold[block]))
        reports = rank.copy()
        lies = self.privatize_base(block[noisy], words)
        start, size = self._starts[block[noisy]], self._sizes[block[noisy]]
        other = start + (lies - start + 1) % size
        reports[noisy] = np.where(lies == rank[noisy], other, lies)
        return reports


class EvenLies(RandomizedResponseOracles):
    """Population simulation that spreads a block's lies evenly instead of at random."""

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        tally = rng.binomial(counts, 1.0 - self._share[self._block])
        lies = np.bincount(self._block, weights=counts - tally, minlength=base.size)
        noise = (lies.astype(np.int64) + base)[self._block]
        size = self._sizes[self._block]
        place = np.arange(self._block.size) - self._starts[self._block]
        return tally + noise // size + (place < noise % size)


class BlindToClear(RandomizedResponseOracles):
    """k-RR's estimator that corrects for the lies of the oracle's reports only."""

    def estimate(self, cells: Ints, block_counts: Ints, n: int) -> Floats:
        return super().estimate(cells, self.block_counts(cells), n)


def with_noise(factor: float, evidence: Evidence) -> Floats:
    """The cascade with a standard deviation that is `factor` times the right one."""
    wrong = replace(evidence)
    wrong.__dict__["deviation"] = factor * evidence.deviation  # where the cached one would be
    return cascade_estimate(wrong)


def rows_for_columns(evidence: Evidence) -> Floats:
    """The cascade on a map whose rows are taken for its columns: wrong neighbours."""
    grid = evidence.domain
    assert isinstance(grid, GridDomain)
    turned = replace(grid, rows=grid.columns, columns=grid.rows)
    return cascade_estimate(replace(evidence, domain=turned))


def forgets_blocks(evidence: Evidence) -> Floats:
    """The cascade of everything at once, though each block's total is known."""
    one = np.zeros_like(evidence.blocks)
    return cascade_estimate(replace(evidence, blocks=one, block_shares=np.ones(1)))
