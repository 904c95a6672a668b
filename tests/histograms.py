"""Shares from histograms of reports: EM from even shares, and least squares on a channel."""

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.types import Floats, Ints, Progress, no_progress
from caldp_core.estimation.maximum_likelihood import GAIN_NATS, ROUNDS_MAX, ReportLikelihood, ascend
from caldp_core.mechanisms.structures import ChannelProducts
from tests.estimation.certificates import Fit, likelihood_gap


def fit_histogram(
    products: ChannelProducts,
    counts: Ints,
    progress: Progress = no_progress,
    rounds: int = ROUNDS_MAX,
    gain_nats: float = GAIN_NATS,
) -> Fit:
    """Maximum likelihood without blocks; `counts`: (outputs,) reports of each kind."""
    n, k = int(counts.sum()), products.apply_transpose(np.ones(counts.size)).size
    observed = ReportLikelihood(products, counts / n, n)
    p, done = ascend(observed, np.full(k, 1.0 / k), progress, rounds, gain_nats)
    value, slopes = observed.slopes(p)
    return Fit(p, value, done, likelihood_gap(slopes, np.zeros(k, np.int64), np.ones(1)))


def channel_inverse(channel: Floats, histogram: ArrayLike) -> Floats:
    """(k,) the p nearest to solving Qᵀp = histogram/n: the empirical estimate of ULDP (3).

    `channel`: (k, outputs) probabilities of full rank; `histogram`: (outputs,) counts of reports.
    Unbiased for every such channel, and the only unbiased one if outputs = k.
    """
    counts = np.asarray(histogram, np.float64)
    p, _, rank, _ = np.linalg.lstsq(channel.T, counts / counts.sum())
    assert int(rank) == channel.shape[0]
    return np.asarray(p)
