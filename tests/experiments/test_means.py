"""The mean of numbers: its interval's width is what simulated surveys show."""

import numpy as np
import pytest

from caldp_core.experiments.questions import mean_of, plain_mechanism_maker
from caldp_core.privacy.distance import GridMetric
from caldp_core.scenarios.scenario import Best
from tests.stats import SIGNIFICANCE, assert_mean

VALUES = np.linspace(20.0, 75.0, 12)
P = np.exp(-0.5 * np.square((np.arange(12) - 4) / 2.5))
P /= P.sum()
N, SURVEYS = 2000, 400


@pytest.mark.parametrize(
    "mechanism", [plain_mechanism_maker(12)(1.0), Best().make(GridMetric(1, 12, 0.5, 0.5))]
)
def test_a_mean_is_right_and_off_by_what_its_interval_says(mechanism) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(7)
    found = []
    for _ in range(SURVEYS):
        tally = mechanism.sample_tally(rng.multinomial(N, P), rng)
        found.append(mean_of(mechanism, P, mechanism.estimate(tally), N, VALUES))
    estimates = np.array([[each.estimate] for each in found])
    deviation = np.array([found[0].high - found[0].low]) / (2 * 1.959964)
    truth = np.array([P @ VALUES])
    assert found[0].truth == pytest.approx(truth[0])
    assert_mean(estimates, truth, deviation, SIGNIFICANCE / 4)
    squares = np.square(estimates - truth)
    spread = np.sqrt(2) * deviation**2  # of a normal law's square
    assert_mean(squares, deviation**2, spread, SIGNIFICANCE / 4)
    sampling = (P @ np.square(VALUES) - truth**2) / N
    with pytest.raises(AssertionError):  # without the noise
        assert_mean(squares, sampling, np.sqrt(2) * sampling, SIGNIFICANCE)
