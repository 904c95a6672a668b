"""ULDP's uRAP as published: the same contract as everything, and what the mixture gains over it."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.stats import chi2

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats, Ints, Reports, Seed, WordSource
from caldp_core.mechanisms import ContextMechanism, Tally
from caldp_core.mechanisms.direct.published_urap import PublishedUrapMechanism
from caldp_core.mechanisms.oracles.supports import unpack_bits
from caldp_core.mechanisms.oracles.unary import OueOracles, RapporOracles, unary_family
from caldp_core.mechanisms.randomness import COIN_ONE
from caldp_core.privacy.context import Context
from tests.contract import checks
from tests.contract.checks import naming
from tests.contract.contexts import CONTEXTS, EPSILONS, context, many_symbols
from tests.products import thinned
from tests.stats import SIGNIFICANCE

BOTH = "blocks and sensitive set"
THETAS = [RapporOracles, OueOracles, unary_family(0.8)]


@pytest.mark.parametrize(("kind", "family"), thinned(CONTEXTS, THETAS, one_in=1, of=3))
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


@pytest.mark.thorough
@pytest.mark.parametrize("kind", CONTEXTS)
def test_many_tallies_follow_the_channel(kind: str) -> None:
    mechanism = PublishedUrapMechanism(context(kind, 1.0))
    checks.check_sample_tally(mechanism, checks.REPEATS_THOROUGH)


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


def test_the_gain_is_seen_in_simulation() -> None:
    """200 sensitive of 1000 symbols, most people outside; mean squared error over the 200.

    Errors over 100 runs × 200 nearly independent symbols have the mean square σ² to a relative
    deviation of √(2/20,000) = 1 %; the limits are χ²'s at SIGNIFICANCE, about 5 %. The gain is
    28 % of the published variance, so neither passes for the other.
    """
    flags, n, runs = np.arange(1000) < 200, 100_000, 100
    policy = Context.high_low(flags, 1.0)
    p = np.where(flags, 0.3 / 200, 0.7 / 800)
    both = PublishedUrapMechanism(policy), ContextMechanism(policy, "rappor", RapporOracles)
    rng = np.random.default_rng(2)
    tails = np.array([1 - SIGNIFICANCE / 4, SIGNIFICANCE / 4])
    limits = np.asarray(chi2.isf(tails, runs * 200)) / (runs * 200)

    def ratio(mechanism: ContextMechanism, by: ContextMechanism) -> float:
        tallies = [mechanism.sample_tally(rng.multinomial(n, p), rng) for _ in range(runs)]
        errors = np.stack([(mechanism.estimate(tally) - p)[flags] for tally in tallies])
        return float((errors**2 / by.variance(p, n)[flags]).mean())

    for own, other in (both, both[::-1]):
        assert limits[0] < ratio(own, own) < limits[1]
        assert not limits[0] < ratio(own, other) < limits[1]


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
def test_slips_are_caught(wrong: Any, check: Any) -> None:
    check(PublishedUrapMechanism(context(BOTH, 1.0)))
    with pytest.raises(AssertionError):
        check(wrong(context(BOTH, 1.0)))


def test_tallies_of_other_laws_are_refused() -> None:
    published, mixture = of_both(BOTH, 1.0)
    tally = published.tally(published.every_report()[:1])
    for other in (
        mixture,
        PublishedUrapMechanism(context(BOTH, 1.0), OueOracles),
        of_both(BOTH, 1.1)[0],
    ):
        with pytest.raises(CaldpError, match="another mechanism"):
            other.estimate(tally)


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


def test_exact_rows_need_no_rounding() -> None:
    rows = PublishedUrapMechanism(context(BOTH, 1.0)).exact_channel()
    assert all(isinstance(q, Fraction) for row in rows for q in row)
