"""What bounds how far a fitted distribution is from the maximum of its likelihood."""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Ints, sums_by
from caldp_core.estimation.composite_likelihood import (
    CompositeLikelihood,
    fit_supports,
    ratio,
)
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.maximum_likelihood import (
    GAIN_NATS,
    ROUNDS_MAX,
    ReportLikelihood,
    _start,
    ascend,
)
from caldp_core.mechanisms.capabilities import SupportTally, channel_products, support_tally


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted distribution, and a certificate of how close to the maximum it is.

    `p`: (k,) shares that sum to 1. `likelihood`: mean log-likelihood of a report, in nats.
    `rounds`: iterations that it took. `gap`: upper bound of maximum − `likelihood`, in nats per
    person.
    """

    p: Floats
    likelihood: float
    rounds: int
    gap: float


def likelihood_gap(slopes: Floats, blocks: Ints, shares: Floats) -> float:
    """Σ_j share_j·(largest slope in block j) − 1: no p has a likelihood higher by more than this.

    By concavity. `slopes`: (k,) derivatives of the mean log-likelihood; `blocks`: (k,) labels;
    `shares`: (m,) observed shares of the blocks, which the best p keeps.
    """
    highest = np.zeros(shares.size)
    np.maximum.at(highest, blocks, slopes)
    return max(float(shares @ highest) - 1.0, 0.0)


class SlopedLikelihood(CompositeLikelihood):
    """The composite likelihood as a function of p."""

    def __init__(self, evidence: Evidence, supports: SupportTally) -> None:
        super().__init__(evidence, supports)
        self.sent_share: Floats = supports.sent / evidence.n

    def slopes(self, p: Floats) -> tuple[float, Floats]:
        """Mean log-likelihood of a report, and its (k,) derivatives; `p`: (k,) shares."""
        prob, noise, counts, block = self.prob, self.noise, self.counts, self.counts.block
        weight = (self.sent_share / np.maximum(counts.sizes, 1))[block]
        hidden, clear = p[self.hidden], p[self.clear]
        mass, rest = (
            sums_by(block, hidden, noise.size),
            sums_by(self.clear_block, clear, noise.size),
        )
        floor = prob.other * mass + prob.base * noise * rest
        includes = prob.gain[block] * hidden + floor[block]
        excludes = (mass + noise * rest)[block] - includes
        open_share = (1.0 - noise)[self.clear_block]
        value = weight @ (
            scipy.special.xlogy(counts.hit, includes) + scipy.special.xlogy(counts.missed, excludes)
        )
        value += scipy.special.xlogy(self.named, open_share * clear).sum()
        hit = weight * ratio(counts.hit, includes)
        missed = weight * ratio(counts.missed, excludes)
        hits, misses = sums_by(block, hit, noise.size), sums_by(block, missed, noise.size)
        result = np.empty(p.size)
        every = prob.other * hits + (1.0 - prob.other) * misses
        result[self.hidden] = prob.gain[block] * (hit - missed) + every[block]
        base = noise * (prob.base * hits + (1.0 - prob.base) * misses)
        result[self.clear] = base[self.clear_block] + ratio(self.named, clear)
        return float(value), result


def fit(evidence: Evidence, rounds: int = ROUNDS_MAX, gain_nats: float = GAIN_NATS) -> Fit:
    """What `maximum_likelihood` finds, with its certificate."""
    counted = support_tally(evidence.mechanism, evidence.tally)
    if counted is None:
        products, n = channel_products(evidence.mechanism), evidence.n
        assert products is not None
        observed = ReportLikelihood(products, evidence.tally.counts / n, n)
        p, done = ascend(observed, _start(evidence), evidence.progress, rounds, gain_nats)
        value, slopes = observed.slopes(p)
    else:
        told: list[float] = []
        p = fit_supports(replace(evidence, progress=told.append), counted)
        value, slopes = SlopedLikelihood(evidence, counted).slopes(p)
        done = len(told)
    return Fit(p, value, done, likelihood_gap(slopes, evidence.blocks, evidence.block_shares))
