"""Likely shares of yes: their coverage, added up exactly over all counts of reports."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from caldp_core.basics.errors import CaldpError
from caldp_core.estimation.intervals import share_quantiles
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.privacy.matrix import BinaryPolicy

N = 150
SHARES = np.linspace(0.05, 0.5, 10)
ENDS = np.array([0.025, 0.975])
POLICIES = [(1.0, 1.0), (3.0, 1.0), (math.inf, 1.0), (0.5, 4.0), (math.inf, math.inf)]


def coverage(policy: tuple[float, float], decoded_as: tuple[float, float], share: float) -> float:
    """Exact chance that the 95 % range holds `share`; reports may be decoded as another's."""
    sends, decodes = (BinaryMechanism(BinaryPolicy(*each)) for each in (policy, decoded_as))
    counts = np.arange(N + 1)
    weights = binom.pmf(counts, N, sends.products.apply(np.array([1 - share, share]))[1])
    inside = 0.0
    for count, weight in zip(counts, weights, strict=True):
        unbiased = decodes.products.inverse(np.array([N - count, count]) / N)
        low, high = share_quantiles(decodes.products, unbiased, N, ENDS)
        inside += weight * (low <= share <= high)
    return inside


def on_average(policy: tuple[float, float], decoded_as: tuple[float, float]) -> float:
    """Over many shares: at any one, whole counts make the chance jump around its average."""
    return float(np.mean([coverage(policy, decoded_as, share) for share in SHARES]))


@pytest.mark.parametrize("policy", POLICIES)
def test_the_range_holds_the_truth_in_about_95_of_100_surveys(policy: tuple[float, float]) -> None:
    assert 0.94 <= on_average(policy, policy) <= 0.965


def test_a_range_by_another_mechanism_does_not() -> None:
    assert on_average((math.inf, 1.0), (math.inf, 1.3)) < 0.9
    assert on_average((1.0, 1.0), (1.5, 1.5)) < 0.9


def test_the_middle_is_the_estimate_and_levels_ascend() -> None:
    mechanism = BinaryMechanism(BinaryPolicy(3.0, 1.0))
    unbiased = np.array([0.7, 0.3])
    levels = (np.arange(50) + 0.5) / 50
    shares = share_quantiles(mechanism.products, unbiased, 10**8, levels)
    assert (np.diff(shares) > 0).all()
    assert shares.mean() == pytest.approx(0.3, abs=1e-5)
    spread = math.sqrt(mechanism.variance(unbiased, 10**8)[1])
    assert shares.std() == pytest.approx(spread, rel=0.03)


def test_nothing_to_learn_is_an_error() -> None:
    with pytest.raises(CaldpError, match="both answers send the same reports"):
        share_quantiles(
            BinaryMechanism(BinaryPolicy(0.0, 1.0)).products, np.array([0.5, 0.5]), 10, ENDS
        )
