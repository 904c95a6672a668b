"""EM and composite likelihood against exact channels, an optimiser, and their certificates."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

import caldp_core.estimation.maximum_likelihood as composite
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints
from caldp_core.estimation.estimators import simplex
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.maximum_likelihood import (
    ReportLikelihood,
    SupportProfile,
    maximum_likelihood,
    squarem_step,
)
from caldp_core.estimation.projection import simplex_projection
from caldp_core.mechanisms import FAMILIES, ContextMechanism, Tally, catalogue
from caldp_core.mechanisms.capabilities import DenseProducts, channel_products, support_tally
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.mechanisms.direct.planar import GridGeometricMechanism
from caldp_core.mechanisms.oracles import supports
from caldp_core.mechanisms.oracles.unary import OueOracles
from caldp_core.privacy.context import Context
from caldp_core.privacy.distance import GridMetric
from caldp_core.privacy.matrix import BinaryPolicy
from tests.contract.checks import (
    CONTEXTS,
    EPSILONS,
    channel_of,
    check_progress,
    context,
    design_of,
    naming,
)
from tests.estimation.optimisers import (
    Components,
    Fit,
    SlopedLikelihood,
    fit,
    fit_histogram,
    least_on_simplex,
    likelihood_gap,
)
from tests.strategies import thinned

CODED = ("hadamard", "randomized-response")


def evidence_of(kind: str, epsilon: float, family: str, n: int = 3000) -> Evidence:
    mechanism = catalogue.in_context(context(kind, epsilon), family)
    rng = np.random.default_rng(8)
    people = rng.multinomial(n, rng.dirichlet(np.full(mechanism.k, 0.5)))
    return Evidence.of(mechanism, mechanism.sample_tally(people, rng))


def likelihood_of(evidence: Evidence) -> ReportLikelihood:
    products = channel_products(evidence.mechanism)
    assert products is not None
    return ReportLikelihood(products, evidence.tally.counts / evidence.n, evidence.n)


@pytest.mark.parametrize("family", CODED)
@pytest.mark.parametrize("kind", CONTEXTS)
def test_products_are_those_of_the_channel(kind: str, family: str) -> None:
    for epsilon in EPSILONS:
        with naming(f"ε = {epsilon}"):
            check_products(kind, epsilon, family)


def check_products(kind: str, epsilon: float, family: str) -> None:
    evidence = evidence_of(kind, epsilon, family)
    channel = channel_of(evidence.mechanism)
    p = np.random.default_rng(9).dirichlet(np.ones(evidence.mechanism.k))
    likelihood = likelihood_of(evidence)
    law = p @ channel
    np.testing.assert_allclose(likelihood.products.apply(p), law, rtol=1e-9, atol=1e-15)
    frequencies = evidence.tally.counts / evidence.n
    value, slopes = likelihood.slopes(p)
    assert value == pytest.approx(
        frequencies[frequencies > 0] @ np.log(law[frequencies > 0]), rel=1e-9
    )
    np.testing.assert_allclose(slopes, channel @ (frequencies / law), rtol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize(("family", "kind"), thinned(CODED, CONTEXTS, one_in=3, of=2))
def test_the_gap_certifies_the_maximum(kind: str, family: str) -> None:
    for epsilon in EPSILONS:
        with naming(f"ε = {epsilon}"):
            check_gap(kind, epsilon, family)


def check_gap(kind: str, epsilon: float, family: str) -> None:
    evidence = evidence_of(kind, epsilon, family)
    ours = fit(evidence)
    assert ours.p.min() >= 0
    assert ours.p.sum() == pytest.approx(1, abs=1e-9)
    blocks = np.bincount(evidence.blocks, weights=ours.p)
    np.testing.assert_allclose(blocks, evidence.block_shares, atol=1e-9)
    # Nothing else that we can think of is above the certified limit.
    likelihood = likelihood_of(evidence)
    rng = np.random.default_rng(10)
    for other in (evidence.plausible, *rng.dirichlet(np.full(evidence.mechanism.k, 0.3), 20)):
        mixed = 0.5 * ours.p + 0.5 * other
        assert likelihood.slopes(mixed)[0] <= ours.likelihood + ours.gap + 1e-12
    # Where it stops by default, what is left to gain on so few symbols tells no two apart.
    best = fit(evidence, rounds=3000, gain_nats=1e-9)
    assert best.likelihood + best.gap >= ours.likelihood - 1e-12
    assert best.gap * evidence.n < 0.01
    assert (best.likelihood - ours.likelihood) * evidence.n < 0.5


def test_it_knows_who_is_likely_where_the_unbiased_estimate_is_off() -> None:
    # A report in the clear says that its sender holds nothing hidden; only the likelihood heeds it.
    k = 200
    p = 1.0 / np.arange(1, k + 1)
    p /= p.sum()
    mechanism = catalogue.in_context(Context.high_low(np.arange(k) % 3 > 0, 1.0), "hadamard")
    rng = np.random.default_rng(11)
    ours, theirs = [], []
    for _ in range(40):
        evidence = Evidence.of(mechanism, mechanism.sample_tally(rng.multinomial(20_000, p), rng))
        ours.append(np.square(maximum_likelihood(evidence) - p).sum())
        theirs.append(np.square(simplex(evidence) - p).sum())
    # 40 pairs, of which most must favour it: 1e-6 under a fair coin is 35.
    assert np.count_nonzero(np.less(ours, theirs)) >= 35


def test_a_family_of_neither_kind_is_told_what_to_use() -> None:
    mechanism = catalogue.in_context(Context.plain(4, 1.0), "hadamard")
    evidence = Evidence.of(
        mechanism, mechanism.sample_tally(np.full(4, 9), np.random.default_rng(0))
    )
    # Stands for a mechanism whose tally is neither a histogram nor counts supports.
    mechanism.channel_products = lambda: None  # type: ignore[method-assign]
    with pytest.raises(CaldpError, match="use the estimator 'simplex'"):
        maximum_likelihood(evidence)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_a_likelihood(family: str) -> None:
    evidence = evidence_of("blocks and sensitive set", 1.0, family)
    mechanism = evidence.mechanism
    is_histogram = evidence.tally.counts.size == mechanism.outputs
    assert (channel_products(mechanism) is not None) == is_histogram
    assert (support_tally(mechanism, evidence.tally) is None) == is_histogram
    p = maximum_likelihood(evidence)
    blocks = np.bincount(evidence.blocks, weights=p)
    np.testing.assert_allclose(blocks, evidence.block_shares, atol=1e-9)


def test_progress_is_told_and_may_cancel() -> None:
    evidence = evidence_of("plain", 0.5, "hadamard")
    shares = check_progress(
        lambda progress: maximum_likelihood(replace(evidence, progress=progress))
    )
    assert shares[0] > 0


def channel(seed: int, k: int, outputs: int) -> Floats:
    return np.random.default_rng(seed).dirichlet(np.full(outputs, 0.6), k)


@pytest.mark.parametrize(("k", "outputs"), [(2, 2), (4, 9), (6, 5)])
@pytest.mark.parametrize("seed", range(4))
def test_em_it_is_what_an_optimiser_finds(k: int, outputs: int, seed: int) -> None:
    rows = channel(seed, k, outputs)
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(500, rng.dirichlet(np.full(k, 0.5)) @ rows)
    frequencies = counts / counts.sum()
    some = frequencies > 0

    def loss(p: Floats) -> float:
        return -float(frequencies[some] @ np.log(np.maximum(p @ rows[:, some], 1e-12)))

    found = least_on_simplex(loss, k)
    ours = fit_histogram(DenseProducts(rows), counts, rounds=5000, gain_nats=1e-9)
    assert ours.p.min() >= 0
    assert ours.p.sum() == pytest.approx(1, abs=1e-9)
    assert ours.likelihood == pytest.approx(-loss(ours.p), abs=1e-12)
    assert -found.fun - 1e-12 <= ours.likelihood + ours.gap
    assert -found.fun >= ours.likelihood - 1e-8
    assert ours.gap * counts.sum() < 0.01
    # Must fail: a tenth of even shares costs more than the certificate allows.
    assert -loss(0.9 * ours.p + 0.1 / k) < ours.likelihood - ours.gap


def test_em_no_round_lowers_the_likelihood() -> None:
    rows = channel(1, 5, 7)
    observed = ReportLikelihood(DenseProducts(rows), np.full(7, 1 / 7), 700)
    p, values = np.full(5, 0.2), []
    for _ in range(60):
        value, p = squarem_step(observed, p)
        values.append(value)
    assert values[-1] > values[0]
    assert (np.diff(values) >= -1e-12).all()


def test_two_symbols_are_fitted_as_by_hand() -> None:
    # The likelihood of one bit is highest at the unbiased estimate, or at the end that is nearer.
    mechanism = BinaryMechanism(BinaryPolicy(1.0, 2.0))
    known = DenseProducts(channel_of(mechanism))
    inside = mechanism.sample_tally(np.array([300, 700]), np.random.default_rng(5))
    ours = fit_histogram(known, inside.counts, gain_nats=1e-12, rounds=5000)
    np.testing.assert_allclose(ours.p, mechanism.estimate(inside), atol=1e-5)
    outside = mechanism.tally(np.zeros(50, np.int64))
    ours = fit_histogram(known, outside.counts, gain_nats=1e-12, rounds=5000)
    np.testing.assert_allclose(ours.p, [1, 0], atol=1e-5)


def test_a_map_is_fitted_by_its_products() -> None:
    mechanism = GridGeometricMechanism(GridMetric(8, 11, 0.7, 0.9))
    rng = np.random.default_rng(6)
    p = rng.dirichlet(np.full(mechanism.k, 0.1))
    tally = mechanism.sample_tally(rng.multinomial(20_000, p), rng)
    ours = fit_histogram(mechanism.products, tally.counts, rounds=1000, gain_nats=1e-6)
    dense = DenseProducts(channel_of(mechanism))
    written_out = fit_histogram(dense, tally.counts, rounds=1000, gain_nats=1e-6)
    np.testing.assert_allclose(ours.p, written_out.p, atol=1e-4)
    assert ours.gap * tally.n < 0.5
    unbiased = mechanism.estimate(tally)
    assert np.abs(ours.p - p).sum() < np.abs(unbiased - p).sum()


SETS = ("rappor", "oue", "subset-selection", "local-hashing", "galois")
NOT_ALONE = [kind for kind in CONTEXTS if kind != "k = 1"]
NATS = 1e-11
"""Per person: far below what tells two distributions apart, and above rounding."""


@cache
def components(kind: str, epsilon: float, family: str) -> tuple[ContextMechanism, Components]:
    mechanism = catalogue.in_context(context(kind, epsilon), family)
    return mechanism, Components.of(mechanism)


def composite_evidence_of(mechanism: ContextMechanism, n: int = 3000, seed: int = 8) -> Evidence:
    rng = np.random.default_rng(seed)
    people = rng.multinomial(n, rng.dirichlet(np.full(mechanism.k, 0.5)))
    return Evidence.of(mechanism, mechanism.sample_tally(people, rng))


def best_by_slsqp(parts: Components, counts: Floats, n: int) -> tuple[Floats, float]:
    found = least_on_simplex(
        lambda p: -parts.value(p, counts) / n,
        parts.laws.shape[0],
        lambda p: -parts.slopes(p, counts) / n,
        floor=1e-9,
    )
    return found.x, -float(found.fun)


def assert_is_best(ours: Fit, parts: Components, counts: Floats, n: int) -> None:
    """No more is left than the certificate allows, as computed from the channel."""
    found, theirs = best_by_slsqp(parts, counts, n)
    assert parts.value(ours.p, counts) / n == pytest.approx(ours.likelihood, abs=1e-9)
    assert ours.likelihood >= theirs - NATS
    # The optimiser got as far as it can, or else the line above would say little.
    assert theirs >= ours.likelihood - 1e-6
    away = 0.98 * ours.p + 0.02 * np.roll(found, 1)
    assert parts.value(away, counts) / n < ours.likelihood


def test_the_families_are_those_whose_reports_include_symbols() -> None:
    oracles = {name: catalogue.in_context(Context.plain(4, 1.0), name).oracles for name in FAMILIES}
    assert {
        name for name, oracles in oracles.items() if isinstance(oracles, supports.SupportOracles)
    } == set(SETS)


@pytest.mark.parametrize(("family", "kind"), thinned(SETS, NOT_ALONE, one_in=3, of=2))
def test_composite_it_is_what_an_optimiser_finds(kind: str, family: str) -> None:
    for epsilon in (0.5, 1.0, 4.0):
        mechanism, parts = components(kind, epsilon, family)
        evidence = composite_evidence_of(mechanism)
        if kind == "nothing sensitive":
            np.testing.assert_allclose(fit(evidence).p, evidence.unbiased, atol=1e-12)
            continue
        counts = parts.counts(mechanism, evidence.tally.counts)
        with naming(f"ε = {epsilon}"):
            assert_is_best(fit(evidence), parts, counts, evidence.n)


@pytest.mark.parametrize(("family", "kind"), thinned(SETS, CONTEXTS, one_in=3, of=2))
def test_composite_the_gap_certifies_the_maximum(kind: str, family: str) -> None:
    for epsilon, n in product(EPSILONS, (1, 30, 3000, 10**9)):
        mechanism = catalogue.in_context(context(kind, epsilon), family)
        evidence = composite_evidence_of(mechanism, min(n, mechanism.oracles.n_max))
        ours = fit(evidence)
        assert ours.gap <= NATS
        assert ours.rounds <= 40, "Newton's steps do not work"
        assert ours.p.min() >= 0
        blocks = np.bincount(evidence.blocks, ours.p, evidence.block_shares.size)
        np.testing.assert_allclose(blocks, evidence.block_shares, atol=1e-12)


@pytest.mark.parametrize("family", SETS)
def test_the_certificate_is_right_away_from_the_maximum(family: str) -> None:
    mechanism, parts = components("blocks and sensitive set", 1.0, family)
    evidence = composite_evidence_of(mechanism)
    counted = support_tally(mechanism, evidence.tally)
    assert counted is not None
    likelihood = SlopedLikelihood(evidence, counted)
    counts = parts.counts(mechanism, evidence.tally.counts) / evidence.n
    best, rng = fit(evidence), np.random.default_rng(3)
    for p in rng.dirichlet(np.ones(mechanism.k), 20):
        value, slopes = likelihood.slopes(p)
        assert value == pytest.approx(parts.value(p, counts), abs=1e-12)
        np.testing.assert_allclose(slopes, parts.slopes(p, counts), rtol=1e-9)
        assert best.likelihood - value <= likelihood_gap(
            slopes, evidence.blocks, evidence.block_shares
        )


class FloorUpsideDown(SupportProfile):
    def _floor(self, hidden: Floats) -> Floats:
        return -super()._floor(hidden)


class NobodyElse(SupportProfile):
    def _sent(self, hidden: Floats) -> Floats:
        return np.maximum(hidden, 1e-12)


class SharesOfExcessOnly(SupportProfile):
    def shares(self, hidden: Floats) -> Floats:
        return np.repeat(hidden / self._counts.sizes, self._counts.sizes)


@pytest.mark.parametrize("wrong", [FloorUpsideDown, NobodyElse, SharesOfExcessOnly])
@pytest.mark.parametrize("family", SETS)
def test_a_wrong_solver_is_found(
    family: str, wrong: type[SupportProfile], monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism, parts = components("sensitive set", 1.0, family)
    evidence = composite_evidence_of(mechanism)
    right = fit(evidence)
    monkeypatch.setattr(composite, "SupportProfile", wrong)
    ours = fit(evidence)
    counts = parts.counts(mechanism, evidence.tally.counts)
    assert ours.gap > 1e-5
    assert parts.value(ours.p, counts) / evidence.n < right.likelihood - 1e-6
    with pytest.raises(AssertionError):
        assert_is_best(ours, parts, counts, evidence.n)


@pytest.mark.parametrize("family", SETS)
def test_the_second_derivative_is_that_of_the_first(family: str) -> None:
    mechanism = catalogue.in_context(context("blocks and sensitive set", 1.0), family)
    evidence = composite_evidence_of(mechanism)
    counted = support_tally(mechanism, evidence.tally)
    assert counted is not None
    likelihood = composite.CompositeLikelihood(evidence, counted)
    profile = SupportProfile(likelihood.counts, counted.probabilities, likelihood.noise)
    at, step = np.full(mechanism.policy.m, 0.4), 1e-6
    _, second = profile.slope(at)
    rise = (profile.slope(at + step)[0] - profile.slope(at - step)[0]) / (2 * step)
    mixed = mechanism.sizes > 0
    assert mixed.sum() == 3
    np.testing.assert_allclose(second[mixed], rise[mixed], rtol=1e-5)


@pytest.mark.parametrize("family", SETS)
@pytest.mark.parametrize("kind", ["plain", "sensitive set", "blocks and sensitive set"])
def test_it_meets_the_unbiased_estimate_inside_the_simplex(kind: str, family: str) -> None:
    mechanism = catalogue.in_context(context(kind, 1.0), family)
    n, rng = 10**9, np.random.default_rng(2)
    p = np.full(mechanism.k, 1 / mechanism.k)
    evidence = Evidence.of(mechanism, mechanism.sample_tally(rng.multinomial(n, p), rng))
    assert evidence.unbiased.min() > 0
    # At most 11 values: 6 standard errors are exceeded once in 10^7 cases.
    limit = 6 * np.sqrt(mechanism.variance(p, n))
    ours = maximum_likelihood(evidence)
    assert (np.abs(ours - evidence.unbiased) <= limit).all()
    if family == "subset-selection":
        np.testing.assert_allclose(ours, evidence.unbiased, rtol=1e-9)
    # Must fail: reports taken for those of ε = 1.1. At even shares all is even whatever ε is, but
    # not where some are in the clear; the plain case is left to those above.
    if kind != "plain":
        other = catalogue.in_context(context(kind, 1.1), family)
        if other.oracles.tally_size == mechanism.oracles.tally_size:
            tally = replace(evidence.tally, fingerprint=other.fingerprint)
            wrong = maximum_likelihood(Evidence.of(other, tally))
            assert (np.abs(wrong - evidence.unbiased) > limit).any()


@pytest.mark.parametrize("family", SETS)
def test_the_nearest_shares_beside_those_in_the_clear_are_as_near(family: str) -> None:
    # Who is in the clear holds nothing hidden: what keeps that is as good as the likelihood.
    k = 200
    p = 1.0 / np.arange(1, k + 1)
    p /= p.sum()
    mechanism = catalogue.in_context(Context.high_low(np.arange(k) % 3 > 0, 1.0), family)
    rng = np.random.default_rng(11)
    ours: list[float] = []
    projected: list[float] = []
    shifted: list[float] = []
    for _ in range(24):
        evidence = Evidence.of(mechanism, mechanism.sample_tally(rng.multinomial(20_000, p), rng))
        for errors, method in (
            (ours, maximum_likelihood),
            (projected, simplex),
            (shifted, lambda evidence: simplex_projection(evidence.unbiased)),
        ):
            errors.append(float(np.abs(method(evidence) - p).sum()))
    assert np.mean(projected) == pytest.approx(np.mean(ours), rel=5e-3)
    # Must fail: one shift for all. 24 pairs, of which 23 must favour likelihood: 1.5e-6 under a
    # fair coin. The means are 0.29 and 0.39 with a spread of 0.01, so that it always does.
    assert np.count_nonzero(np.less(ours, shifted)) >= 23


def oracles_without_cover(sizes: Ints, epsilon: Floats) -> OueOracles:
    """λ = 0: nobody but the hidden sends reports from the oracle."""
    oracles = OueOracles(sizes, epsilon)
    oracles.cover_threshold = np.zeros_like(oracles.cover_threshold)
    oracles._share = oracles.cover_threshold / 2.0**48
    return oracles


@pytest.mark.parametrize("n", [1, 5, 3000])
def test_reports_that_only_hidden_symbols_send(n: int) -> None:
    mechanism = ContextMechanism(
        context("blocks and sensitive set", 1.0), "oue", oracles_without_cover
    )
    evidence = composite_evidence_of(mechanism, n)
    ours = fit(evidence)
    assert ours.gap <= 1e-9
    blocks = mechanism.policy.blocks
    hidden = (
        mechanism.oracles.block_counts(evidence.tally.counts[: mechanism.oracles.tally_size]) / n
    )
    found = np.bincount(
        blocks[mechanism.hidden_symbols], ours.p[mechanism.hidden_symbols], mechanism.policy.m
    )
    np.testing.assert_allclose(found, hidden, atol=1e-9)
    if n == 3000:
        parts = Components.of(mechanism)
        assert_is_best(ours, parts, parts.counts(mechanism, evidence.tally.counts), n)


@pytest.mark.parametrize("sensitive", [1.0, 0.3])
def test_full_size(sensitive: float) -> None:
    k, n = 43_750, 3_670_000
    rng = np.random.default_rng(14)
    p = rng.dirichlet(np.full(k, 0.05))
    cells = np.arange(k)
    labels = (cells // 250 // 7) * 25 + cells % 250 // 10 if sensitive < 1 else np.zeros(k, int)
    mechanism = catalogue.in_context(Context.of(labels, rng.random(k) < sensitive, 1.0), "oue")
    ours = fit(Evidence.of(mechanism, mechanism.sample_tally(rng.multinomial(n, p), rng)))
    # A symbol's inclusions count 1/s, so this is s times what any other shares could gain.
    assert ours.gap * n * int(mechanism.sizes.max()) < 0.01
    assert ours.p.sum() == pytest.approx(1, abs=1e-9)


EVEN: Floats = np.full(6, 1 / 6)
HEAVY: Floats = np.array([0.75, 0.05, 0.05, 0.05, 0.05, 0.05])
LOSSES = {
    # Percent more variance than with the full likelihood: even shares, three quarters in one.
    ("rappor", 0.5): (0.7, 2.9),
    ("rappor", 1.0): (2.7, 11),
    ("rappor", 2.0): (9.0, 35),
    ("oue", 0.5): (0.7, 2.7),
    ("oue", 1.0): (2.5, 9.2),
    ("oue", 2.0): (6.1, 21),
    ("subset-selection", 0.5): (0, 1.9),
    ("subset-selection", 1.0): (0, 7.3),
    ("subset-selection", 2.0): (0, 0),
    ("local-hashing", 0.5): (0.6, 2.6),
    ("local-hashing", 1.0): (2.5, 10),
    ("local-hashing", 2.0): (4.3, 22),
    ("galois", 0.5): (0.3, 2.6),
    ("galois", 1.0): (0, 0),
    ("galois", 2.0): (0, 0),
}

NEXT_TO_NOTHING = ("subset-selection", "galois")
"""Families whose unprocessed estimate loses little in so small a domain."""


def losses(context: Context, family: str, p: Floats) -> tuple[float, float]:
    """Percent more total variance: of the composite, and of the unprocessed estimate."""
    mechanism = catalogue.in_context(context, family)
    full, ours = Components.of(mechanism).covariances(p)
    least = np.linalg.eigvalsh(ours - full).min()
    assert least >= -1e-9 * np.trace(full), "no estimate beats the full likelihood in the limit"
    unbiased = float(mechanism.variance(p, 1).sum())
    return 100 * (np.trace(ours) / np.trace(full) - 1), 100 * (unbiased / np.trace(full) - 1)


@pytest.mark.parametrize(("family", "epsilon"), LOSSES)
def test_the_loss_against_the_full_likelihood_is_what_is_said(family: str, epsilon: float) -> None:
    half = Context.high_low(np.arange(6) % 2 == 0, epsilon)
    for p, claim in zip((EVEN, HEAVY), LOSSES[family, epsilon], strict=True):
        loss, unprocessed = losses(Context.plain(6, epsilon), family, p)
        assert loss >= -1e-6
        assert loss == pytest.approx(claim, abs=0.06 if claim < 10 else 0.6)
        assert loss <= unprocessed + 1e-6
        if family not in NEXT_TO_NOTHING:
            assert 20 < unprocessed < 60
        most = 28 if family == "local-hashing" else claim
        assert losses(half, family, p)[0] <= most + 1e-6


@pytest.mark.parametrize("family", sorted({family for family, _ in LOSSES}))
def test_the_large_sample_formula_is_that_of_the_estimate(family: str) -> None:
    """The sandwich against the fit's own influence function, so that the losses are this code's."""
    mechanism = catalogue.in_context(Context.high_low(np.arange(6) % 2 == 0, 1.0), family)
    p = np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
    parts, design = Components.of(mechanism), design_of(mechanism)
    law, n, more = p @ parts.channel, 10**13, 10**7

    def fit_counts(counts: Ints, people: int) -> Floats:
        tally = Tally(counts, people, mechanism.fingerprint)
        return maximum_likelihood(Evidence.of(mechanism, tally))

    usual = np.rint(n * (law @ design)).astype(np.int64)
    at = fit_counts(usual, n)
    np.testing.assert_allclose(at, p, rtol=1e-9)
    moved = np.array([fit_counts(usual + more * row, n + more) - at for row in design]) * (n / more)
    _, ours = parts.covariances(p)
    np.testing.assert_allclose((moved.T * law) @ moved, ours, rtol=1e-3, atol=1e-4)
    if family not in NEXT_TO_NOTHING:
        assert mechanism.variance(p, 1).sum() > 1.2 * np.trace(ours)
