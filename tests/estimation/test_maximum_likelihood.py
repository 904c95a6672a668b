"""EM for families in contexts, against the exact channel, an optimiser, and its own certificate."""

from dataclasses import replace

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.estimation.estimators import simplex
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.maximum_likelihood import (
    ReportLikelihood,
    maximum_likelihood,
    squarem_step,
)
from caldp_core.mechanisms import FAMILIES, catalogue
from caldp_core.mechanisms.capabilities import channel_products, support_tally
from caldp_core.mechanisms.personalised import PersonalisedMechanism
from caldp_core.privacy.context import Context
from tests.contract.checks import channel_of, check_progress, naming
from tests.contract.contexts import CONTEXTS, EPSILONS, context
from tests.estimation.certificates import fit
from tests.histograms import channel_inverse
from tests.products import thinned
from tests.slsqp import least_on_simplex

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


@pytest.mark.parametrize("family", CODED)
@pytest.mark.parametrize("kind", ["plain", "sensitive set", "blocks and sensitive set"])
def test_it_is_what_an_optimiser_finds(kind: str, family: str) -> None:
    evidence = evidence_of(kind, 1.0, family)
    channel, frequencies = channel_of(evidence.mechanism), evidence.tally.counts / evidence.n
    some, k = frequencies > 0, evidence.mechanism.k

    def loss(p: Floats) -> float:
        return -float(frequencies[some] @ np.log(np.maximum(p @ channel[:, some], 1e-12)))

    found = least_on_simplex(loss, k)
    assert found.success
    ours = fit(evidence, rounds=5000, gain_nats=1e-9)
    assert -loss(ours.p) == pytest.approx(ours.likelihood, abs=1e-12)
    assert ours.likelihood >= -found.fun - 1e-9
    assert ours.likelihood - ours.gap <= -found.fun + 1e-9
    np.testing.assert_allclose(ours.p, found.x, rtol=0, atol=5e-3)
    # Must fail: a little of something else costs more than the certificate and rounding allow.
    away = 0.9 * ours.p + 0.1 / k
    assert -loss(away) < ours.likelihood - ours.gap - 1e-6


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


@pytest.mark.parametrize("family", CODED)
def test_no_round_lowers_the_likelihood(family: str) -> None:
    evidence = evidence_of("blocks and sensitive set", 0.5, family)
    likelihood = likelihood_of(evidence)
    p = np.full(evidence.mechanism.k, 1 / evidence.mechanism.k)
    values = []
    for _ in range(60):
        value, p = squarem_step(likelihood, p)
        values.append(value)
    assert values[-1] > values[0]
    assert (np.diff(values) >= -1e-12).all()


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


@pytest.mark.parametrize("kind", ["plain", "sensitive set", "blocks"])
def test_the_inverse_channel_is_the_unbiased_estimate_of_randomized_response(kind: str) -> None:
    evidence = evidence_of(kind, 1.0, "randomized-response")
    inverse = channel_inverse(channel_of(evidence.mechanism), evidence.tally.counts)
    np.testing.assert_allclose(inverse, evidence.unbiased, rtol=0, atol=1e-9)
    other = channel_of(catalogue.in_context(context(kind, 1.1), "randomized-response"))
    wrong = channel_inverse(other, evidence.tally.counts)
    assert np.abs(wrong - evidence.unbiased).max() > 1e-3


@pytest.mark.parametrize("kind", ["plain", "sensitive set", "blocks"])
def test_the_inverse_of_any_exact_law_is_its_origin(kind: str) -> None:
    channel = channel_of(catalogue.in_context(context(kind, 1.0), "hadamard"))
    p = np.random.default_rng(12).dirichlet(np.ones(channel.shape[0]))
    np.testing.assert_allclose(channel_inverse(channel, p @ channel), p, atol=1e-9)


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


@pytest.mark.parametrize("family", ["hadamard", "oue"])
def test_tags_of_the_personalised_mechanism_are_fitted_like_symbols(family: str) -> None:
    mechanism = PersonalisedMechanism(np.arange(8) < 3, 1, 1.0, family, FAMILIES[family].family)
    shares = np.array([0.2, 0.05, 0.05, 0.3, 0.1, 0.1, 0.05, 0.05, 0.1])
    tally = mechanism.sample_tally((shares * 10**7).astype(np.int64), np.random.default_rng(4))
    background = np.where(np.arange(8) == 5, 1.0, 0.0)[None, :]
    p = mechanism.expected_estimate(
        maximum_likelihood(Evidence.of(mechanism.common, tally)), background
    )
    assert p.min() >= 0
    assert p.sum() == pytest.approx(1, abs=1e-9)
    # Standard errors are at most 0.0006. The tag has 0.1, which must be found at its background.
    np.testing.assert_allclose(p, mechanism.expected_estimate(shares, background), atol=0.004)


def test_progress_is_told_and_may_cancel() -> None:
    evidence = evidence_of("plain", 0.5, "hadamard")
    shares = check_progress(
        lambda progress: maximum_likelihood(replace(evidence, progress=progress))
    )
    assert shares[0] > 0
