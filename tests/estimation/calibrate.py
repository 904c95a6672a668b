"""A posterior mean after Calibrate (Jia and Gong, INFOCOM 2019), to compare with.

Shares are taken to follow one power law, whatever lies around them: the exponent is the one that
fits the estimates best. Calibrate fits its prior by other means.
"""

from typing import Final

import numpy as np
from scipy.special import logsumexp

from caldp_core.basics.types import Floats
from caldp_core.estimation.evidence import Evidence

_EXPONENTS: Final = np.linspace(0.5, 3.0, 11)
_CHUNK: Final = 4096


def calibrate(evidence: Evidence) -> Floats:
    """(k,) posterior means divided by their sum."""
    deviation = np.maximum(evidence.deviation, 1e-15)
    # No share of people is smaller than one of them, but for those that are 0.
    shares = np.concatenate([[0.0], np.geomspace(1.0 / evidence.n, 1.0, 160)])
    choices = [_prior(shares, exponent, evidence.unbiased.size) for exponent in _EXPONENTS]
    sample = np.random.default_rng(0).permutation(evidence.unbiased.size)[:_CHUNK]
    law = _log_law(evidence.unbiased[sample], deviation[sample], shares)
    prior = max(choices, key=lambda log: float(logsumexp(law + log, axis=1).sum()))
    k = evidence.unbiased.size
    means = np.empty(k)
    for at in np.array_split(np.arange(k), -(-k // _CHUNK)):
        law = _log_law(evidence.unbiased[at], deviation[at], shares)
        means[at] = _mean(law + prior, shares)
    return np.asarray(means / means.sum())


def _prior(shares: Floats, exponent: float, k: int) -> Floats:
    """(u,) log-probabilities: a power law above 0, and so many zeros that the mean is 1/k."""
    steps = np.gradient(shares[1:])
    above = shares[1:] ** -exponent * steps
    above /= above.sum()
    inhabited = min(1.0, 1.0 / k / float(above @ shares[1:]))
    both = np.concatenate([[1.0 - inhabited], inhabited * above])
    return np.asarray(np.log(np.maximum(both, 1e-300)))


def _log_law(estimate: Floats, deviation: Floats, shares: Floats) -> Floats:
    return np.asarray(-0.5 * ((estimate[:, None] - shares) / deviation[:, None]) ** 2)


def _mean(log: Floats, shares: Floats) -> Floats:
    weights = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(weights @ shares / weights.sum(axis=1))
