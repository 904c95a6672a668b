"""The unary family beyond the contract: its thresholds, its slips, its known errors."""

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import REPORTS_MAX_BYTES
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Floats, Ints, WordSource
from caldp_core.mechanisms import ContextMechanism, catalogue
from caldp_core.mechanisms.base import Family
from caldp_core.mechanisms.oracles.local_hashing import LocalHashingOracles
from caldp_core.mechanisms.oracles.subset_selection import SubsetSelectionOracles
from caldp_core.mechanisms.oracles.unary import (
    OueOracles,
    RapporOracles,
    unary_family,
    unary_thresholds,
)
from caldp_core.mechanisms.randomness import COIN_ONE, seeded_words
from caldp_core.privacy.context import Context
from tests.audit.channels import exact_audit
from tests.contract import checks
from tests.contract.contexts import CONTEXTS, EPSILONS, context

BOTH = "blocks and sensitive set"


@pytest.mark.parametrize("epsilon", [0.001, *EPSILONS])
@pytest.mark.parametrize("theta", [0.001, 0.3, 0.5, 0.75, 0.999])
def test_thresholds_are_the_least_that_keep_epsilon(theta: float, epsilon: float) -> None:
    true = round(theta * COIN_ONE)
    level = np.array([epsilon])
    stray, covering = (
        int(part[0]) for part in unary_thresholds(np.array([true], np.uint64), level)
    )
    power = exp_below(epsilon)

    def leak(d: int) -> Fraction:
        return Fraction(true, COIN_ONE - true) * Fraction(COIN_ONE - d, d)

    assert leak(stray) <= power < leak(stray - 1)
    assert Fraction(true, stray) <= power * Fraction(covering, COIN_ONE)
    assert Fraction(true, stray) > power * Fraction(covering - 1, COIN_ONE)
    # ULDP's formulas for d₁ and d₂, by another road.
    with localcontext() as digits:
        digits.prec = 50
        t, e = Decimal(true) / COIN_ONE, Decimal(epsilon).exp()
        assert abs(Decimal(stray) / COIN_ONE - t / ((1 - t) * e + t)) <= Decimal(2) ** -48
        d2 = ((1 - t) * e + t) / e
        slack = Decimal(2) ** -48 * (1 + d2 * COIN_ONE / stray)
        assert abs(Decimal(covering) / COIN_ONE - d2) <= slack


def test_rappor_and_oue_have_their_own_theta() -> None:
    epsilon = np.array([0.001, 1.0, 20.0])
    sizes = np.array([3, 3, 3])
    half = np.exp(epsilon / 2)
    rappor, oue = RapporOracles(sizes, epsilon), OueOracles(sizes, epsilon)
    np.testing.assert_allclose(rappor.theta, half / (1 + half), rtol=1e-12)
    np.testing.assert_allclose(rappor.d1, 1 / (1 + half), rtol=1e-9)
    np.testing.assert_allclose(rappor.cover_threshold / COIN_ONE, 1 / half, rtol=1e-9)
    assert (oue.theta == 0.5).all()
    np.testing.assert_allclose(oue.d1, 1 / (np.exp(epsilon) + 1), rtol=1e-5)


@pytest.mark.parametrize("kind", CONTEXTS)
@pytest.mark.parametrize("theta", [0.1, 0.9])
def test_any_theta_keeps_the_contract(theta: float, kind: str) -> None:
    mechanism = ContextMechanism(context(kind, 1.0), "general", unary_family(theta))
    checks.check_audit(mechanism)
    checks.check_tight(mechanism)
    checks.check_unbiased(mechanism)
    checks.check_variance(mechanism)


@pytest.mark.parametrize("theta", [0.0, 1.0, -1.0, float("nan"), "½"])
def test_theta_out_of_range_is_refused(theta: Any) -> None:
    with pytest.raises(CaldpError, match="theta must be a number in"):
        unary_family(theta)


class Floored(RapporOracles):
    """d₁ one coin lower: rounded to the side that is not private."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        self._stray = self._stray - np.uint64(1)


class Uncovered(OueOracles):
    """λ one coin lower than what covers the hidden ones."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        self.cover_threshold = self.cover_threshold - np.minimum(self.cover_threshold, np.uint64(1))


class OneDrawForAll(RapporOracles):
    """Right sums of their own, but all bits move together."""

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        cells = super().sample_tally(counts, base, rng)
        shift = cells[0] - (self.theta[0] * counts[0] + self.d1[0] * (counts.sum() - counts[0]))
        cells[1 : counts.size] += round(shift)
        return cells


class NextBit(OueOracles):
    """The own bit is the neighbour's."""

    def privatize(self, rank: Ints, words: WordSource) -> Any:
        last = (self._starts + self._sizes - 1)[self._block[rank]]
        following = np.where(rank == last, self._starts[self._block[rank]], rank + 1)
        return super().privatize(following, words)


class BitNeverCleared(RapporOracles):
    """The own bit is set, and never cleared, where the noise says 1: it is 1 too often."""

    def privatize(self, rank: Ints, words: WordSource) -> Any:
        one, two = super().privatize(rank, words), self.privatize_base(self._block[rank], words)
        one["bits"] |= two["bits"]
        return one


class BlindToCompany(RapporOracles):
    """Every report of the block is taken for noise, the ones in the clear too."""

    def estimate(self, cells: Ints, block_counts: Ints, n: int) -> Floats:
        both = np.concatenate([cells[: self._block.size], block_counts])
        return super().estimate(both, block_counts, n)


@pytest.mark.parametrize(
    ("right", "wrong", "kind", "check"),
    [
        (RapporOracles, Floored, "plain", checks.check_audit),
        (OueOracles, Uncovered, BOTH, checks.check_audit),
        (RapporOracles, OneDrawForAll, "plain", checks.check_sample_tally),
        (OueOracles, NextBit, BOTH, checks.check_privatize),
        (RapporOracles, BitNeverCleared, "plain", checks.check_privatize),
        (RapporOracles, BlindToCompany, BOTH, checks.check_unbiased),
    ],
)
def test_slips_are_caught(right: Any, wrong: Any, kind: str, check: Any) -> None:
    check(ContextMechanism(context(kind, 1.0), "right", right))
    with pytest.raises(AssertionError):
        check(ContextMechanism(context(kind, 1.0), "wrong", wrong))


def test_reports_that_cannot_be_are_refused() -> None:
    mechanism = catalogue.in_context(context("block without sensitive symbols", 1.0), "rappor")
    good = mechanism.privatize(np.zeros(5, np.int64), np.random.default_rng(4))
    assert mechanism.tally(good).n == 5
    sizes, m = mechanism.sizes, mechanism.policy.m
    hiding, bare = int(np.argmax(sizes)), int(np.argmin(sizes))
    assert sizes[bare] == 0
    for place, bits, words in [
        (hiding, 1 << int(sizes[hiding]), "beyond a block's last"),
        (bare, 0, "nothing is hidden"),
        (m, 1, "hold nothing else"),
        (m + mechanism.clear_symbols.size, 0, "sources of reports"),
    ]:
        bad = good.copy()
        bad[2] = (place, (bits,))
        with pytest.raises(CaldpError, match=words):
            mechanism.tally(bad)
    with pytest.raises(CaldpError, match="records that this mechanism makes"):
        mechanism.tally(good["source"])


@pytest.mark.parametrize("family", [OueOracles, SubsetSelectionOracles, LocalHashingOracles])
def test_more_reports_than_memory_holds_are_refused_before_they_are_made(family: Family) -> None:
    oracles = family(np.array([43_750]), np.array([1.0]))
    people = REPORTS_MAX_BYTES // oracles.dtype.itemsize + 1
    # One block number for all, which takes no memory.
    block = np.broadcast_to(np.zeros(1, np.int64), (people,))
    with pytest.raises(CaldpError, match="take fewer people at a time"):
        oracles.privatize_base(block, seeded_words(np.random.default_rng(5)))


def test_what_is_too_much_to_be_listed_is_refused() -> None:
    mechanism = catalogue.in_context(Context.plain(43_750, 1.0), "oue")
    with pytest.raises(CaldpError, match="may have at most 200,000 entries"):
        mechanism.exact_channel()
    with pytest.raises(CaldpError, match="At most 16,777,216 different reports"):
        mechanism.every_report()


@pytest.mark.parametrize(
    ("family", "known"),
    [("oue", 3.684), ("rappor", 3.918), ("hadamard", 4.683), ("randomized-response", 347.6)],
)
def test_known_errors_at_1024_values(family: str, known: float) -> None:
    """n·E‖p̂ − p‖²/k, the mean over symbols of n·Var(p̂_x), k = 1024, ε = 1, p uniform.

    For rare symbols these are 4e^ε/(e^ε−1)² (OUE), e^{ε/2}/(e^{ε/2}−1)² (RAPPOR),
    ((e^ε+1)/(e^ε−1))² (HR) and (k−2+e^ε)/(e^ε−1)² (k-RR; here 347.1, p = 1/k adds the rest).
    The simulated mean of 200 runs × 1024 nearly independent squares has a relative deviation of
    √(2/204,800) = 0.31 %, so 2 % is 6.4 of them (1e-10). A coin for 1.05·ε errs at least 8 %
    less, which 60 runs know to 0.57 %: 10 of them beyond the limit.
    """
    k, n, runs = 1024, 1_000_000, 200
    mechanism, p = catalogue.in_context(Context.plain(k, 1.0), family), np.full(k, 1 / k)
    assert abs(n * mechanism.variance(p, n).mean() / known - 1) < 0.001
    rng = np.random.default_rng(6)
    errors = [
        mechanism.estimate(mechanism.sample_tally(rng.multinomial(n, p), rng)) - p
        for _ in range(runs)
    ]
    simulated = n * float(np.mean(np.square(errors)))
    assert abs(simulated / known - 1) < 0.02
    bolder = catalogue.in_context(Context.plain(k, 1.05), family)
    wrong = [
        bolder.estimate(bolder.sample_tally(rng.multinomial(n, p), rng)) - p for _ in range(60)
    ]
    assert abs(n * float(np.mean(np.square(wrong))) / known - 1) > 0.02


@pytest.mark.parametrize("family", ["rappor", "oue"])
def test_reports_one_by_one_have_the_known_error(family: str) -> None:
    """The same figure from real reports: 30 runs of 20,000 people, 1024 values.

    √(2/30,720) = 0.81 %: 5 % is 6.2 deviations (6e-10).
    """
    k, n = 1024, 20_000
    mechanism, p = catalogue.in_context(Context.plain(k, 1.0), family), np.full(k, 1 / k)
    rng = np.random.default_rng(7)
    errors = [
        mechanism.estimate(mechanism.tally(mechanism.privatize(rng.integers(0, k, n), rng))) - p
        for _ in range(30)
    ]
    awaited = float(mechanism.variance(p, n).mean())
    assert abs(float(np.mean(np.square(errors))) / awaited - 1) < 0.05


def test_oue_has_the_least_variance_for_rare_symbols() -> None:
    policy, p = Context.plain(50, 1.0), np.eye(50)[0]
    at = {
        theta: ContextMechanism(policy, "general", unary_family(theta)).variance(p, 1)[1]
        for theta in (0.3, 0.4, 0.45, 0.55, 0.6, 0.7)
    }
    assert catalogue.in_context(policy, "oue").variance(p, 1)[1] < min(at.values())


def test_the_audit_sees_both_at_the_ends_of_epsilon() -> None:
    for family in ("rappor", "oue"):
        for epsilon in (0.001, 20.0):
            assert exact_audit(catalogue.in_context(context(BOTH, epsilon), family)).holds
