"""Statistical tests with a named significance.

Every test that uses these is seeded, so its verdict never changes from run to run; the
significance says how surprising a right implementation would have to be to fail, and each test
reckons how surely a wrong one does.
"""

from typing import Final

import numpy as np
import pytest
from scipy.stats import chi2, ks_2samp, kurtosis, norm

from caldp_core.basics.types import Floats, Ints

NUMPY: Final = "2.4."
"""The version whose draws documents and tutorials show; others draw differently from one seed."""
SAME_DRAWS: Final = pytest.mark.skipif(
    not np.__version__.startswith(NUMPY), reason=f"Documents show what NumPy {NUMPY}x draws."
)
SIGNIFICANCE: Final = 1e-6
"""Chance that a whole family of tests fails for right code; divide by its size (Bonferroni)."""
_LEAST_EXPECTED: Final = 25.0


def chi_square(observed: Ints, expected: Floats) -> tuple[float, int]:
    """(statistic, degrees of freedom) of one multinomial; cells that expect < 25 are pooled.

    Raises `AssertionError` where something was observed that has probability 0.
    """
    assert not observed[expected == 0].any(), "an impossible outcome was observed"
    small = expected < _LEAST_EXPECTED
    counts = np.append(observed[~small], observed[small].sum()).astype(np.float64)
    awaited = np.append(expected[~small], expected[small].sum())
    if awaited[-1] < _LEAST_EXPECTED and awaited.size > 1:
        least = int(np.argmin(awaited[:-1]))
        counts[least] += counts[-1]
        awaited[least] += awaited[-1]
        counts, awaited = counts[:-1], awaited[:-1]
    return float((np.square(counts - awaited) / awaited).sum()), awaited.size - 1


def assert_fits(observed: Ints, expected: Floats, significance: float) -> None:
    """`observed` counts, one row per multinomial, have the `expected` ones: a joint chi-square."""
    pairs = [
        chi_square(counts, awaited)
        for counts, awaited in zip(np.atleast_2d(observed), np.atleast_2d(expected), strict=True)
    ]
    statistic, freedom = (sum(parts) for parts in zip(*pairs, strict=True))
    if freedom:
        p_value = float(chi2.sf(statistic, freedom))
        assert p_value >= significance, f"χ² = {statistic:.1f} on {freedom}: p = {p_value:.2e}"


def assert_mean(samples: Floats, mean: Floats, spread: Floats, significance: float) -> None:
    """`samples` (repeats, …) have this mean; `spread`: standard deviation of one sample.

    Cells with spread 0 must meet their mean to rounding.
    """
    error = np.abs(samples.mean(axis=0) - mean)
    sure = spread <= 0
    rounding = 1e-9 * np.maximum(np.abs(mean), 1.0)
    assert (error[sure] <= rounding[sure]).all(), "a certain number varies"
    if not sure.all():
        z = float((error[~sure] / spread[~sure]).max()) * np.sqrt(samples.shape[0])
        limit = float(norm.isf(significance / 2 / (~sure).sum()))
        assert z <= limit, f"z = {z:.2f} above {limit:.2f}"


def assert_same_law(one: Floats, other: Floats, significance: float) -> None:
    """Columns of `one` and `other` (repeats, columns) have one law each.

    Two-sample Kolmogorov–Smirnov, and a comparison of variances (their logarithm has variance
    (kurtosis − 1)/repeats), where Kolmogorov–Smirnov is weak.
    """
    each = significance / (2 * one.shape[1])
    z = np.abs(np.log(one.var(axis=0) / other.var(axis=0)))
    z /= np.sqrt((kurtosis(one) + kurtosis(other) + 4) / one.shape[0])
    assert z.max() <= norm.isf(each / 2), f"variances differ: z = {z.max():.2f}"
    for column in range(one.shape[1]):
        p_value = float(ks_2samp(one[:, column], other[:, column], method="asymp").pvalue)
        assert p_value >= each, f"column {column}: p = {p_value:.2e}"
