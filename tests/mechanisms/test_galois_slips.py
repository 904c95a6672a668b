"""Galois response with one thing wrong each, and the checks of the contract that find it."""

from typing import Any

import numpy as np
import pytest

from caldp_core.basics.types import Floats, Ints, Words, WordSource
from caldp_core.mechanisms.oracles import hyperplanes
from caldp_core.mechanisms.oracles.galois import GaloisOracles
from caldp_core.mechanisms.oracles.supports import SupportOracles, SupportProbabilities
from caldp_core.mechanisms.randomness import COIN_ONE
from tests import mutants
from tests.contract import checks
from tests.mechanisms.test_galois import FOUR, WIDE, mechanism_of
from tests.mutants import coin_for, only


class NextPoint(GaloisOracles):
    """Everybody sends hyperplanes through the next symbol's point."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon, lambda s, _: np.where(s > 4, 2, 0))
        self._tables.masks[:] = np.roll(self._tables.masks, 1, axis=1)


class BitShort(NextPoint):
    """The last parity is forgotten: bit 1 of y is 0."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        GaloisOracles.__init__(self, sizes, epsilon, lambda s, _: np.where(s > 4, 2, 0))
        self._tables.masks[1] = 0


class NoReduction(GaloisOracles):
    """A population's tally by products of whole numbers."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon, lambda s, _: np.where(s > 4, 2, 0))

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(hyperplanes, "product", lambda c, v, m: c * v % (1 << m))
            return super().sample_tally(counts, base, rng)


class InPairs(NoReduction):
    """People who flip in pairs: right means, twice the variance."""

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        pairs = GaloisOracles.sample_tally(self, counts // 2, base // 2, rng)
        return 2 * pairs + GaloisOracles.sample_tally(self, counts % 2, base % 2, rng)


class IdealHashes(NoReduction):
    """Reckons with two symbols on one hyperplane in 1 of q, as if a could be 0."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        prob, share, q = self.probabilities, self._share, self._values
        other = (1.0 - share) / q + share / q
        self.probabilities = SupportProbabilities(
            prob.own,
            other,
            prob.base,
            prob.own_pair,
            other,
            prob.base_pair,
            prob.own - other,
            0 * other,
        )


class NoLines(NoReduction):
    """Takes any three symbols to be on one hyperplane equally often."""

    def second_moment(self, weights: Floats, p: Floats, block_p: Floats) -> float:
        prob, shared = self.probabilities, (4.0 - 1.0) / (16.0 - 1.0)
        pair = (1.0 - self._share) * shared**2 + self._share / self._values * shared
        object.__setattr__(prob, "other_pair", pair)
        return SupportOracles.second_moment(self, weights, p, block_p)


class Lazy(NoReduction):
    """λ of Hadamard response, whatever q is."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        share = 2.0 / (1.0 + np.exp(epsilon))
        self.cover_threshold: Words = np.ceil(share * COIN_ONE).astype(np.uint64)


class Unscaled(NoReduction):
    """The base distribution over points for hyperplanes: not all reports."""

    def privatize_base(self, block: Ints, words: WordSource) -> Ints:
        return self._first[block] + (words(block.size) & np.uint64(15)).astype(np.int64)


SLIPS = [
    ("next point", only("privatize", NextPoint, FOUR), checks.check_privatize),
    ("a parity short", only("privatize", BitShort, FOUR), checks.check_privatize),
    ("base of too few", only("privatize_base", Unscaled, FOUR), checks.check_privatize),
    ("no reduction", NoReduction, checks.check_sample_tally),
    ("in pairs", InPairs, checks.check_sample_tally),
    ("ideal hashes, estimate", only("estimate", IdealHashes, FOUR), checks.check_unbiased),
    ("ideal hashes, variance", only("variance", IdealHashes, FOUR), checks.check_variance),
    ("no lines", only("second_moment", NoLines, FOUR), checks.check_variance),
    ("Hadamard's λ", Lazy, checks.check_audit),
    ("coin 5 % too bold", coin_for(1.05, FOUR), checks.check_audit),
    ("coin 5 % too shy", coin_for(0.95, FOUR), checks.check_tight),
    ("swapped ε", mutants.swapped_epsilons(FOUR), checks.check_audit),
    ("no λ", mutants.without_company(FOUR), checks.check_audit),
]


@pytest.mark.parametrize(("name", "oracles", "check"), SLIPS, ids=[row[0] for row in SLIPS])
def test_slips_are_found(name: str, oracles: Any, check: Any) -> None:
    """In `WIDE`, where the right oracles pass every check (above)."""
    with pytest.raises(AssertionError):
        check(mechanism_of(WIDE, oracles))


def test_who_asks_for_a_law_of_three_symbols_gets_none() -> None:
    prob = mechanism_of(WIDE, FOUR).oracles.probabilities  # type: ignore[attr-defined]
    assert np.isnan(prob.other_pair).all()
    with pytest.raises(AssertionError):
        checks.check_variance(mechanism_of(WIDE, only("second_moment", Naive, FOUR)))


class Naive(NoReduction):
    """Sums by the formula of the other families."""

    second_moment = SupportOracles.second_moment
