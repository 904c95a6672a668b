"""EM for any known channel: against an optimiser, and for mechanisms of other rooms."""

import numpy as np
import pytest

from caldp_core.basics.types import Floats
from caldp_core.estimation.maximum_likelihood import ReportLikelihood, squarem_step
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.mechanisms.direct.geometric_axis import GridGeometricMechanism
from caldp_core.mechanisms.structures import DenseProducts
from caldp_core.privacy.distance import GridMetric
from caldp_core.privacy.matrix import BinaryPolicy
from tests.contract.checks import channel_of, check_progress
from tests.histograms import fit_histogram
from tests.slsqp import least_on_simplex


def channel(seed: int, k: int, outputs: int) -> Floats:
    return np.random.default_rng(seed).dirichlet(np.full(outputs, 0.6), k)


@pytest.mark.parametrize(("k", "outputs"), [(2, 2), (4, 9), (6, 5)])
@pytest.mark.parametrize("seed", range(4))
def test_it_is_what_an_optimiser_finds(k: int, outputs: int, seed: int) -> None:
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


def test_no_round_lowers_the_likelihood() -> None:
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


def test_progress_is_told_and_may_cancel() -> None:
    known, counts = DenseProducts(channel(2, 4, 6)), np.array([5, 4, 3, 2, 1, 9])
    assert check_progress(lambda progress: fit_histogram(known, counts, progress))[0] > 0
