"""Maximum likelihood over all distributions, by what a mechanism's tally counts, and smoothed.

Where the tally is the histogram of the reports, EM finds the maximum, the iterative Bayesian
technique (Agrawal and Aggarwal 2001; ULDP §2.5): p ← p ∘ Q(counts/(pQ))/n never lowers the
likelihood. Each round extrapolates from two such steps: SQUAREM (Varadhan and Roland 2008, scheme
S3), unless that lowers it. Where reports are sets of symbols a composite likelihood is maximised
(`composite_likelihood.py`).

"smoothed" smooths after every round of EM (EMS: Silverman, Jones, Wilson, Nychka 1990; for reports
on a scale Li, Wang, Lopuhaä-Zwakenberg, Škorić, Li 2020, section 5.5): EM alone fits the noise, and
binomial weights (1, 2, 1)/4 draw each share towards those beside it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Progress
from caldp_core.domain.answers import Domain
from caldp_core.estimation.composite_likelihood import fit_supports
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms.capabilities import channel_products, support_tally
from caldp_core.mechanisms.structures import ChannelProducts
from caldp_core.privacy.context import Context

ROUNDS_MAX: Final = 300
GAIN_NATS: Final = 0.01
"""EM stops once a round raises the log-likelihood of all reports together by less than this. Many
slow rounds could still add up: at k = 43,750 and 3.7 million people 3 nats remain, which change the
total variation by 1 %."""
_GAIN_LEAST: Final = 1e-13
"""Nats per person; smaller gains are rounding errors."""
_TINY: Final = 1e-300


@dataclass(frozen=True, eq=False)
class ReportLikelihood:
    """The log-likelihood of n reports as a function of p.

    `products`: with the channel. `report_shares`: (outputs,) shares of the reports.
    """

    products: ChannelProducts
    report_shares: Floats
    n: int

    def slopes(self, p: Floats) -> tuple[float, Floats]:
        """Mean log-likelihood of a report, and its (k,) derivatives Q(`report_shares`/(pQ))."""
        sent = self.report_shares > 0
        law = np.maximum(self.products.apply(p), _TINY)
        likelihood = float((self.report_shares[sent] * np.log(law[sent])).sum())
        return likelihood, self.products.apply_transpose(self.report_shares / law)


def ascend(
    observed: ReportLikelihood, start: Floats, progress: Progress, rounds: int, gain_nats: float
) -> tuple[Floats, int]:
    """Iterate until a round gains less than `gain_nats` in all; (k,) p and the number of rounds.

    `start`: (k,) shares, positive wherever the result may be: EM never leaves 0. `rounds`: their
    maximum. A round takes three products with the channel each way.
    """
    least = max(gain_nats / observed.n, _GAIN_LEAST)
    p, before = start, -np.inf
    for number in range(rounds):
        value, after = squarem_step(observed, p)
        progress((number + 1) / rounds)
        if value - before < least:
            break
        p, before = after, value
    return p, number + 1


def squarem_step(observed: ReportLikelihood, p: Floats) -> tuple[float, Floats]:
    """Mean log-likelihood at p, and the next p: one round of SQUAREM, which never lowers it."""
    at_p, slopes = observed.slopes(p)
    one = p * slopes
    at_one, slopes = observed.slopes(one)
    two = one * slopes
    r, v = one - p, two - 2.0 * one + p
    length = float(np.sqrt((r @ r) / max(float(v @ v), _TINY)))
    if length <= 1.0:
        return at_p, two
    far = p + 2.0 * length * r + length**2 * v
    # An entry may shrink a hundredfold but not to 0: EM could not raise it again.
    far = np.maximum(far, 0.01 * two)
    far /= far.sum()
    at_far, slopes = observed.slopes(far)
    return at_p, far * slopes if at_far >= at_one else two


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
