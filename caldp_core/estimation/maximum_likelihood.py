"""Maximum likelihood over all distributions, by what a mechanism's tally counts, and smoothed.

Where the tally is the histogram of the reports, EM finds the maximum (`em.py`). Where reports are
sets of symbols, it says how many include each symbol, but not which were included together, and a
composite likelihood is maximised (`composite_likelihood.py`).

"smoothed" smooths after every round of EM (EMS: Silverman, Jones, Wilson, Nychka 1990; for reports
on a scale Li, Wang, Lopuhaä-Zwakenberg, Škorić, Li 2020, section 5.5): EM alone fits the noise, and
binomial weights (1, 2, 1)/4 draw each share towards those beside it.
"""

from typing import Final

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats
from caldp_core.domain.answers import Domain
from caldp_core.estimation.composite_likelihood import fit_supports
from caldp_core.estimation.em import (
    GAIN_NATS,
    ROUNDS_MAX,
    ReportLikelihood,
    ascend,
)
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms.capabilities import channel_products, support_tally
from caldp_core.privacy.context import Context

_EVEN_SHARE: Final = 0.1
"""Share of EM's start that is spread evenly: EM never brings back an entry that is 0."""


def maximum_likelihood(evidence: Evidence) -> Floats:
    """(k,) distribution under which this tally is the least surprising.

    Raises `CaldpError` for a mechanism of neither kind, and whatever `evidence.progress` raises.
    """
    supports = support_tally(evidence.mechanism, evidence.tally)
    if supports is not None:
        return fit_supports(evidence, supports)
    products = channel_products(evidence.mechanism)
    if products is None:
        raise CaldpError(
            "Maximum likelihood needs a tally that counts each possible report, or the reports "
            "that include each symbol; that of this mechanism does neither: use the estimator "
            "'simplex' instead."
        )
    observed = ReportLikelihood(products, evidence.tally.counts / evidence.n, evidence.n)
    return ascend(observed, _start(evidence), evidence.progress, ROUNDS_MAX, GAIN_NATS)[0]


def _start(evidence: Evidence) -> Floats:
    """The projection, mixed with even shares of each block: all positive where people are."""
    sizes = np.bincount(evidence.blocks, minlength=evidence.block_shares.size)
    even = (evidence.block_shares / sizes)[evidence.blocks]
    start = (1.0 - _EVEN_SHARE) * evidence.plausible + _EVEN_SHARE * even
    return np.asarray(start / start.sum())


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
