"""Do sampled tallies have the law of independent reports? For reports that are symbols."""

import numpy as np

from caldp_core.basics.types import Ints
from caldp_core.mechanisms.written_out import SymbolReports
from tests.contract import checks
from tests.stats import SIGNIFICANCE, assert_mean


def check_sampled(
    mechanism: SymbolReports, drawn_by: SymbolReports, people: Ints, cases: int, draws: int = 1000
) -> None:
    """Mean and full covariance of tallies that `drawn_by` samples are those of `mechanism`.

    People c send mean Σ c_x Q_x and covariance Σ c_x (diag Q_x − Q_x Q_xᵀ). By 1,000 draws the
    mean of a cell is known to 1/32 of its spread. `cases`: tests that share the significance.
    """
    channel = checks.channel_of(mechanism)
    mean = people @ channel
    covariance = np.diag(mean) - (channel.T * people) @ channel
    rng = np.random.default_rng(3)
    counts = np.stack([drawn_by.sample_tally(people, rng).counts for _ in range(draws)])
    assert (counts.sum(axis=1) == people.sum()).all()
    spread = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    assert_mean(counts.astype(np.float64), mean, spread, SIGNIFICANCE / cases)
    upper = np.triu_indices(mechanism.k)
    deviation = counts - mean
    products = deviation[:, upper[0]] * deviation[:, upper[1]]
    assert_mean(products, covariance[upper], products.std(axis=0), SIGNIFICANCE / cases)
