"""Slips in general Hadamard response, each of which some check of the contract finds."""

from typing import Any

import numpy as np
import pytest

from caldp_core.audit.blockwise import audit_context
from caldp_core.basics.types import Floats, Ints, WordSource
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.mechanisms.randomness import COIN_ONE, uniform_below
from tests import mutants
from tests.contract import checks
from tests.mechanisms.test_general_hadamard import FIVE, PAPERS, WIDE, mechanism_of
from tests.mutants import coin_for, only


class Strange(HadamardOracles):
    """Right, with five parts: what the slips below start from."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon, lambda s, _: np.full(s.size, 5))


class ForOnePart(Strange):
    """The coin of one part, e^ε/(e^ε + 1), where 2B − 1 halves are lies: privacy is wasted."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        self._truth = HadamardOracles(sizes, epsilon)._truth


class WholeParts(Strange):
    """Reckons with B lies where there are 2B − 1 halves: ε is exceeded."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        power, lies = np.exp(epsilon), self._parts.counts
        self._truth = (COIN_ONE * power / (power + lies)).astype(np.uint64)


class StaysAtHome(Strange):
    """A lie is always in one's own part."""

    def privatize(self, rank: Ints, words: WordSource) -> Ints:
        self._parts = self._parts.__class__(
            np.ones_like(self._parts.counts), *list(vars(self._parts).values())[1:]
        )
        return super().privatize(rank, words)


class NextPart(Strange):
    """Symbols and parts are out of step by one."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        first, count = self._parts.first[self._block], self._parts.counts[self._block]
        self._part = first + (self._part - first + 1) % count
        self._cell = self._parts.starts[self._part] + self._row


class BaseInOnePart(Strange):
    """The base distribution over one part for all of them."""

    def privatize_base(self, block: Ints, words: WordSource) -> Ints:
        order = self._orders[block].astype(np.uint64)
        return self._starts[block] + uniform_below(order, words).astype(np.int64)

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        tally = super().sample_tally(counts, np.zeros_like(base), rng)
        tally[self._starts] += base
        return tally


class InPairs(Strange):
    """People who flip in pairs: right means, twice the variance."""

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        pairs = super().sample_tally(counts // 2, base // 2, rng)
        return 2 * pairs + super().sample_tally(counts % 2, base % 2, rng)


class NobodyStrays(Strange):
    """Variance and sums without the lies of people from other parts."""

    def _mixed(self, own: Floats, every: Floats) -> Floats:
        return self._stays[self._parts.block] * own


class Lonely(Strange):
    """λ of one part, 2(1 − p): too little to cover the truth of five."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        self.cover_threshold = np.uint64(COIN_ONE) - self._truth


SLIPS = [
    ("coin of one part", ForOnePart, checks.check_audit),
    ("coin for whole parts", WholeParts, checks.check_audit),
    ("coin 5 % too bold", coin_for(1.05, FIVE), checks.check_audit),
    ("coin 5 % too shy", coin_for(0.95, FIVE), checks.check_tight),
    ("swapped ε", mutants.swapped_epsilons(FIVE), checks.check_audit),
    ("no λ", mutants.without_company(FIVE), checks.check_audit),
    ("too little λ", Lonely, checks.check_audit),
    ("lies stay at home", only("privatize", StaysAtHome, FIVE), checks.check_privatize),
    ("next part", only("privatize", NextPart, FIVE), checks.check_privatize),
    ("next part, tally", only("sample_tally", NextPart, FIVE), checks.check_sample_tally),
    ("base in one part", only("privatize_base", BaseInOnePart, FIVE), checks.check_privatize),
    ("base in one part, tally", BaseInOnePart, checks.check_sample_tally),
    ("in pairs", InPairs, checks.check_sample_tally),
    ("next part, estimate", only("estimate", NextPart, FIVE), checks.check_unbiased),
    ("c of one part", only("estimate", HadamardOracles, FIVE), checks.check_unbiased),
    ("nobody strays", NobodyStrays, checks.check_variance),
    ("sums: nobody strays", only("second_moment", NobodyStrays, FIVE), checks.check_variance),
    ("no company", mutants.forgets_company_in_variance(Strange), checks.check_variance),
]


@pytest.mark.parametrize(("name", "oracles", "check"), SLIPS, ids=[row[0] for row in SLIPS])
def test_slips_are_found(name: str, oracles: Any, check: Any) -> None:
    """In `WIDE`, where the right oracles pass every check (above)."""
    with pytest.raises(AssertionError):
        check(mechanism_of(WIDE, oracles))


def test_what_the_slips_start_from_is_right() -> None:
    mechanism = mechanism_of(WIDE, Strange)
    for check in {check for _, _, check in SLIPS}:
        check(mechanism)


@pytest.mark.parametrize("oracles", [FIVE, PAPERS])
def test_one_step_of_the_coin_decides_what_holds(oracles: Any) -> None:
    """A coin one 2^-48 bolder leaks."""

    def bolder(sizes: Ints, epsilon: Floats) -> Any:
        made = oracles(sizes, epsilon)
        made._truth = made._truth + np.uint64(1)
        return made

    assert not audit_context(mechanism_of(WIDE, bolder)).holds
