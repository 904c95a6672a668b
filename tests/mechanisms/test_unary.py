"""The unary family and ULDP's uRAP as published: thresholds, slips, known errors, gains.

Coins drawn 64 at a time, bit by bit.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.stats import chi2

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import N_MAX, REPORTS_MAX_BYTES
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Floats, Ints, Reports, Seed, Words, WordSource
from caldp_core.mechanisms import ContextMechanism, Tally, catalogue
from caldp_core.mechanisms.base import Family
from caldp_core.mechanisms.oracles.local_hashing import LocalHashingOracles
from caldp_core.mechanisms.oracles.subset_selection import SubsetSelectionOracles
from caldp_core.mechanisms.oracles.supports import random_lanes, unpack_bits
from caldp_core.mechanisms.oracles.unary import (
    OueOracles,
    PublishedUrapMechanism,
    RapporOracles,
    unary_family,
    unary_thresholds,
)
from caldp_core.mechanisms.randomness import COIN_BITS, COIN_ONE, seeded_words
from caldp_core.privacy.context import Context
from tests.channels import exact_audit
from tests.contract import checks
from tests.contract.checks import CONTEXTS, EPSILONS, context, many_symbols, naming
from tests.stats import SIGNIFICANCE
from tests.strategies import thinned

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


def test_known_errors_at_1024_values() -> None:
    """n·E‖p̂ − p‖²/k, the mean over symbols of n·Var(p̂_x), k = 1024, ε = 1, p uniform.

    For rare symbols these are 4e^ε/(e^ε−1)² (OUE), e^{ε/2}/(e^{ε/2}−1)² (RAPPOR),
    ((e^ε+1)/(e^ε−1))² (HR) and (k−2+e^ε)/(e^ε−1)² (k-RR; here 347.1, p = 1/k adds the rest).
    """
    known = {"rappor": 3.918, "oue": 3.684, "hadamard": 4.683, "randomized-response": 347.6}
    for family, figure in known.items():
        mechanism = catalogue.in_context(Context.plain(1024, 1.0), family)
        variance = mechanism.variance(np.full(1024, 1 / 1024), 1).mean()
        assert variance == pytest.approx(figure, rel=1e-3), family


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


def lanes_of(numbers: list[int]) -> WordSource:
    """Words that give 64 lanes these 48-bit numbers, from the highest bit down, a bit a call."""
    place = iter(range(COIN_BITS - 1, -1, -1))

    def words(n: int) -> Words:
        assert n == 1
        bit = next(place)
        return np.array([sum((u >> bit & 1) << lane for lane, u in enumerate(numbers))], np.uint64)

    return words


@pytest.mark.parametrize(
    "threshold",
    [
        0,
        1,
        255,
        256,
        1 << 40,
        (1 << 40) + 1,
        1 << 47,
        COIN_ONE - 1,
        0xB3_5A01_77F0_00,
        0x123456789ABC,
    ],
)
def test_a_lane_is_one_if_its_number_is_below_the_threshold(threshold: int) -> None:
    rng = np.random.default_rng(1)
    near = [threshold + d for d in (-257, -256, -2, -1, 0, 1, 2, 256, 257)]
    numbers = [u for u in near if 0 <= u < COIN_ONE]
    # Numbers that leave the threshold at each bit, so that every round decides some lane.
    numbers += [threshold ^ (1 << place) for place in range(COIN_BITS)]
    numbers += rng.integers(0, COIN_ONE, 64 - len(numbers)).tolist()
    drawn = int(random_lanes(1, threshold, lanes_of(numbers))[0])
    assert [drawn >> lane & 1 for lane in range(64)] == [int(u < threshold) for u in numbers]


def test_lanes_are_independent_coins() -> None:
    """Four lanes of each of two neighbouring words have the law of eight coins (χ² on 255).

    Words that are left out of a round must come back to their own place. A coin off by 0.003 of
    0.27 adds 8·1,000,000·0.003²/(0.27·0.73) = 365 to a mean of 255; the limit is 378, and the
    deviation of the sum √(2·255 + 4·365) = 44: power 1 − 2e-8.
    """
    threshold, words = round(0.27 * COIN_ONE), 2_000_000
    drawn = random_lanes(words, threshold, seeded_words(np.random.default_rng(2))).reshape(-1, 2)
    code = (drawn[:, 0] & np.uint64(15)) | (drawn[:, 1] >> np.uint64(60) << np.uint64(4))
    observed = np.bincount(code.astype(np.int64), minlength=256)
    ones = np.bitwise_count(np.arange(256)).astype(np.float64)

    def statistic(chance: float) -> float:
        expected = words / 2 * chance**ones * (1 - chance) ** (8 - ones)
        return float(((observed - expected) ** 2 / expected).sum())

    limit = float(chi2.isf(SIGNIFICANCE, 255))
    assert statistic(threshold / COIN_ONE) <= limit
    assert statistic(0.273) > limit


THETAS = [RapporOracles, OueOracles, unary_family(0.8)]


@pytest.mark.parametrize(("kind", "family"), thinned(CONTEXTS, THETAS, one_in=1, of=3))
@pytest.mark.slow
def test_exact_promises(kind: str, family: Any) -> None:
    for epsilon in EPSILONS:
        mechanism = PublishedUrapMechanism(context(kind, epsilon), family)
        with naming(f"ε = {epsilon}"):
            checks.check_audit(mechanism)
            checks.check_tight(mechanism)
            checks.check_unbiased(mechanism)
            checks.check_variance(mechanism)


@pytest.mark.parametrize("kind", CONTEXTS)
def test_reports_and_tallies_follow_the_channel(kind: str) -> None:
    mechanism = PublishedUrapMechanism(context(kind, 1.0))
    checks.check_privatize(mechanism)
    checks.check_sample_tally(mechanism)


def test_sampled_tallies_have_the_law_of_reports() -> None:
    policy, shares = many_symbols(k=150)
    checks.check_one_law(PublishedUrapMechanism(policy), shares)


@pytest.mark.parametrize("theta", [0.5, 0.8])
def test_the_channel_is_definition_4(theta: float) -> None:
    """Bits of A: θ or d₁; an x outside sets its own with 1 − d₂, and no one else does.

    Written out from ULDP's words, over all rows of k bits, and held to ours report by report.
    """
    flags, epsilon = np.array([0, 1, 1, 0, 1], dtype=np.bool_), 1.0
    mechanism = PublishedUrapMechanism(Context.high_low(flags, epsilon), unary_family(theta))
    power = np.exp(epsilon)
    d1, d2 = theta / ((1 - theta) * power + theta), ((1 - theta) * power + theta) / power
    inside, outside = np.flatnonzero(flags), np.flatnonzero(~flags)

    def definition(x: int, y: Ints) -> float:
        chance = np.where(flags, d1, 0.0)
        chance[x] = theta if flags[x] else 1 - d2
        return float(np.where(y == 1, chance, 1 - chance).prod())

    channel = checks.channel_of(mechanism)
    for column, report in enumerate(mechanism.every_report()):
        y = np.zeros(5, np.int64)
        y[inside] = unpack_bits(report["bits"][None])[0, : inside.size]
        if report["source"]:
            y[outside[report["source"] - 1]] = 1
        for x in range(5):
            assert abs(channel[x, column] - definition(x, y)) < 1e-12
    assert mechanism.outputs == 3 * 2**3


def of_both(kind: str, epsilon: float) -> tuple[PublishedUrapMechanism, ContextMechanism]:
    policy = context(kind, epsilon)
    return PublishedUrapMechanism(policy), ContextMechanism(policy, "rappor", RapporOracles)


@pytest.mark.parametrize("kind", CONTEXTS)
@pytest.mark.slow
def test_the_mixture_gains_what_the_formula_says(kind: str) -> None:
    for epsilon in EPSILONS:
        with naming(f"ε = {epsilon}"):
            check_gain(kind, epsilon)


def check_gain(kind: str, epsilon: float) -> None:
    """(1/n)(1−λ)·p(B)·d₁(1−d₁)/(θ−d₁)², here as RAPPOR's e^{ε/2}/(e^{ε/2}−1)² and d₂ = e^{−ε/2}.

    Both variances come from the two exact channels, which know nothing of the formula.
    """
    published, mixture = of_both(kind, epsilon)
    p = np.random.default_rng(1).dirichlet(np.ones(published.k))
    square = [
        p @ checks.channel_of(mechanism) @ checks.single_estimates(mechanism) ** 2
        for mechanism in (published, mixture)
    ]
    policy = published.policy
    half = np.exp(policy.epsilon / 2)
    named = np.bincount(policy.blocks, p * ~policy.hidden(), minlength=policy.m)
    of_block = (1 - 1 / half) * named * half / (half - 1) ** 2
    gain = np.where(policy.hidden(), of_block[policy.blocks], 0.0)
    rounding = 1e-9 * max(1.0, float(square[0].max()))
    np.testing.assert_allclose(square[0] - square[1], gain, rtol=1e-7, atol=rounding)
    np.testing.assert_allclose(published.gain_of_mixture(p, 1), gain, rtol=1e-7, atol=1e-12)
    difference = published.variance(p, 7) - mixture.variance(p, 7)
    np.testing.assert_allclose(difference, gain / 7, rtol=1e-7, atol=rounding)


class DropsNoise(PublishedUrapMechanism):
    """Reports in the clear without noise, as the mixture has them, but estimated as published."""

    def _reports(self, x: Ints, words: WordSource) -> Reports:
        reports = super()._reports(x, words)
        reports["bits"][reports["source"] >= self.policy.m] = 0
        return reports


class DropsNoiseInTally(PublishedUrapMechanism):
    """The same slip in the population simulation."""

    def sample_tally(self, counts: ArrayLike, rng: Seed) -> Tally:
        tally = super().sample_tally(counts, rng)
        cells, clear = self._parts(tally)
        sums = cells.size - self.policy.m
        named = np.bincount(self._clear_block, clear, minlength=self.policy.m)
        noise = named * self.oracles.d1
        blocks = self.policy.blocks[self.hidden_symbols]
        cells = cells.copy()
        cells[:sums] -= np.round(noise[blocks]).astype(np.int64)
        return Tally(np.concatenate([cells, clear]), tally.n, tally.fingerprint)


class ForgetsTheGain(PublishedUrapMechanism):
    """The mixture's variance for the published law."""

    def gain_of_mixture(self, p: Floats, n: int) -> Floats:
        return np.zeros(self.k)


class ForgetsCompany(PublishedUrapMechanism):
    """Who is not hidden always sets the own bit: d₂ = 0."""

    def __init__(self, policy: Context) -> None:
        super().__init__(policy)
        self.oracles.cover_threshold = np.zeros_like(self.oracles.cover_threshold)
        self.clear_share = 1.0 - self.oracles.cover_threshold / COIN_ONE


@pytest.mark.parametrize(
    ("wrong", "check"),
    [
        (DropsNoise, checks.check_privatize),
        (DropsNoiseInTally, checks.check_sample_tally),
        (ForgetsTheGain, checks.check_variance),
        (ForgetsCompany, checks.check_audit),
    ],
)
def test_slips_in_urap_are_caught(wrong: Any, check: Any) -> None:
    check(PublishedUrapMechanism(context(BOTH, 1.0)))
    with pytest.raises(AssertionError):
        check(wrong(context(BOTH, 1.0)))


@pytest.mark.parametrize("kind", CONTEXTS)
def test_people_are_counted_at_any_number(kind: str) -> None:
    mechanism = PublishedUrapMechanism(context(kind, 1.0))
    rng = np.random.default_rng(3)
    people = rng.multinomial(N_MAX, rng.dirichlet(np.ones(mechanism.k)))
    tally = mechanism.sample_tally(people, rng)
    blocks = np.bincount(mechanism.policy.blocks, people, minlength=mechanism.policy.m)
    np.testing.assert_array_equal(mechanism.block_counts(tally), blocks)
    x = np.arange(100) % mechanism.k
    sent = mechanism.tally(mechanism.privatize(x, rng)) + mechanism.tally(
        mechanism.client_report(0)
    )
    assert mechanism.block_counts(sent).sum() == sent.n == 101
    with pytest.raises(CaldpError, match="at most 1,000,000,000,000 people"):
        mechanism.sample_tally(people + 1, rng)
