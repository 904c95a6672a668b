"""Maximum likelihood for a known channel, by accelerated EM.

EM for a known channel is the iterative Bayesian technique (Agrawal and Aggarwal 2001; ULDP §2.5): p
← p ∘ Q(counts/(pQ))/n never lowers the likelihood and keeps p in the simplex. It converges slowly
where reports say little, so each round extrapolates from two EM steps: SQUAREM (Varadhan and Roland
2008, scheme S3). Where that would lower the likelihood, the two plain EM steps are kept.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats, Progress
from caldp_core.mechanisms.channel_products import ChannelProducts

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
