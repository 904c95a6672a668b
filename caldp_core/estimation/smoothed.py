"""The estimator "smoothed": maximum likelihood that is smoothed after every round (EMS).

Silverman, Jones, Wilson, Nychka 1990; for reports on a scale Li, Wang, Lopuhaä-Zwakenberg, Škorić,
Li 2020, section 5.5: EM alone fits the noise, and binomial weights (1, 2, 1)/4 between its rounds
draw each share towards those beside it.
"""

from typing import Final

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats
from caldp_core.domain.answers import Domain
from caldp_core.estimation.em import ReportLikelihood
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms.capabilities import channel_products
from caldp_core.privacy.context import Context

_ROUNDS: Final = 10_000
_GAIN_NATS: Final = 1e-3
"""Change of the log-likelihood of all reports together below which a round is the last."""


def smoothed_likelihood(evidence: Evidence) -> Floats:
    """(k,) shares ≥ 0 that sum to 1, for values in the order in which the domain lists them.

    Nothing is smoothed across borders of blocks, nor with values that are not hidden. Raises
    `CaldpError` on maps, for reports that are sets of values, and what `evidence.progress` raises.
    """
    products = channel_products(evidence.mechanism)
    if products is None or (evidence.domain and not isinstance(evidence.domain, Domain)):
        raise CaldpError(
            "Smoothed maximum likelihood is for values in an order and for methods that count each "
            "possible report, such as the square wave; use the estimator 'simplex' instead."
        )
    observed = ReportLikelihood(products, evidence.tally.counts / evidence.n, evidence.n)
    sizes = np.bincount(evidence.blocks, minlength=evidence.block_shares.size)
    p = (evidence.block_shares / sizes)[evidence.blocks]
    beside, before = _are_neighbours(evidence), -np.inf
    for number in range(_ROUNDS):
        value, slopes = observed.slopes(p)
        if abs(value - before) * evidence.n < _GAIN_NATS:
            break
        p, before = _smooth(p * slopes, beside), value
        evidence.progress((number + 1) / _ROUNDS)
    return p


def _are_neighbours(evidence: Evidence) -> Bools:
    """(k − 1,) whether a value and the next one hide each other."""
    policy, blocks = evidence.mechanism.policy, evidence.blocks
    hidden = policy.hidden() if isinstance(policy, Context) else np.ones(blocks.size, np.bool_)
    return np.asarray(hidden[:-1] & hidden[1:] & (blocks[:-1] == blocks[1:]))


def _smooth(p: Floats, beside: Bools) -> Floats:
    """(k,) shares after a quarter of each went to either side, where `beside` allows it."""
    flow = np.where(beside, 0.25 * np.diff(p), 0.0)
    result = p.copy()
    result[:-1] += flow
    result[1:] -= flow
    return np.asarray(result / result.sum())
