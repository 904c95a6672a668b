"""Maximum composite likelihood, for families whose reports are sets of symbols.

The tally of such a family (`mechanisms/oracles/supports.py`) has three parts: the number N_j of
reports from block j's oracle, for each hidden symbol x the number c_x of these that include x, and
for each other symbol z the number u_z of reports that name z in the clear. It does not say which
symbols were included in the same report, so the full likelihood is unknown.

Look instead at one hidden symbol x of block j, and at nothing of a report but its source and
whether it includes x. Let H be the share of people whose symbol is hidden, C that of the block's
other people, t = H + λC the probability of an oracle report, and A_x = (a − r)p_x + rH + uλC that
of one which includes x. The log-likelihood of what was observed is

    c_x·log A_x + (N − c_x)·log(t − A_x) + Σ_z u_z·log((1 − λ)p_z),

which is concave in p. The composite likelihood (Lindsay 1988; Varin, Reid, Firth 2011) is its mean
over the block's s hidden symbols, summed over blocks. Its expectation is highest at the true p,
though its curvature is not the estimate's precision; and the mean is the largest weight of the
inclusions for which it is surely concave. Its maximum keeps each block's observed share. It is
found exactly: by a search for H, and for given H in closed form (`composite_profile.py`). For
subset selection it is the unbiased estimate wherever that has no negative share.

What it costs not to know which symbols were included together: by how much the total variance in
large samples exceeds that of the full likelihood. Plain LDP, k = 6; the first number for even
shares, the second where three quarters of all people have one symbol:

    ε      RAPPOR         OUE            subset selection   local hashing
    0.5    +0.7 … 2.9 %   +0.7 … 2.7 %   0 … 1.9 %          +0.6 … 2.6 %
    1      +2.7 … 11 %    +2.5 … 9.2 %   0 … 7.3 %          +2.5 … 10 %
    2      +9.0 … 35 %    +6.1 … 21 %    0                  +4.3 … 22 %

With half of the symbols sensitive it costs less for RAPPOR and OUE, and at most 28 % for local
hashing. In the same cases the unprocessed estimate costs 20 to 60 %, except for subset selection,
where the two estimates are equal. Galois response loses 0.3 to 2.6 % at ε = 0.5 and nothing from
ε = 1 on, where a report names one of so few symbols.
"""

from typing import Final

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Progress, counts_by, sums_by
from caldp_core.estimation.bracketed_newton import ROUNDS_MAX, falling_root
from caldp_core.estimation.composite_profile import SupportCounts, SupportProfile, ratio
from caldp_core.estimation.em import Fit, likelihood_gap
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms.capabilities import SupportTally, symbol_partition_of

_DERIVATIVE_TOLERANCE: Final = 1e-13
"""The search for a block's hidden share stops at this derivative, in nats per person."""
_TINY: Final = 1e-300
_HIDDEN_SHARE_MIN: Final = 1e-12
"""Least hidden share that is tried in blocks where only hidden symbols send oracle reports."""


class CompositeLikelihood:
    """The composite likelihood of one tally as a function of p, and the counts it depends on."""

    def __init__(self, evidence: Evidence, supports: SupportTally) -> None:
        partition, n = symbol_partition_of(evidence.mechanism), evidence.n
        self.hidden, self.clear = partition.hidden, partition.clear
        self.clear_block = evidence.blocks[self.clear]
        self.prob, self.noise = supports.probabilities, 1.0 - partition.clear_share
        self.named = supports.named / n
        sent, included = supports.sent, supports.included
        block = evidence.blocks[self.hidden]
        reports = np.maximum(sent, 1)[block]
        clear = counts_by(self.clear_block, supports.named, sent.size)
        people = np.maximum(sent + clear, 1)
        self.counts = SupportCounts(
            block=block,
            sizes=partition.sizes,
            hit=included / reports,
            missed=(sent[block] - included) / reports,
            oracle=sent / people,
            clear=clear / people,
        )
        self._weight = (sent / (n * np.maximum(partition.sizes, 1)))[block]

    def slopes(self, p: Floats) -> tuple[float, Floats]:
        """Mean log-likelihood of a report, and its (k,) derivatives; `p`: (k,) shares."""
        prob, noise, counts, block = self.prob, self.noise, self.counts, self.counts.block
        hidden, clear = p[self.hidden], p[self.clear]
        mass, rest = (
            sums_by(block, hidden, noise.size),
            sums_by(self.clear_block, clear, noise.size),
        )
        floor = prob.other * mass + prob.base * noise * rest
        includes = prob.gain[block] * hidden + floor[block]
        excludes = (mass + noise * rest)[block] - includes
        open_share = (1.0 - noise)[self.clear_block]
        value = self._weight @ (
            scipy.special.xlogy(counts.hit, includes) + scipy.special.xlogy(counts.missed, excludes)
        )
        value += scipy.special.xlogy(self.named, open_share * clear).sum()
        hit = self._weight * ratio(counts.hit, includes)
        missed = self._weight * ratio(counts.missed, excludes)
        hits, misses = sums_by(block, hit, noise.size), sums_by(block, missed, noise.size)
        result = np.empty(p.size)
        every = prob.other * hits + (1.0 - prob.other) * misses
        result[self.hidden] = prob.gain[block] * (hit - missed) + every[block]
        base = noise * (prob.base * hits + (1.0 - prob.base) * misses)
        result[self.clear] = base[self.clear_block] + ratio(self.named, clear)
        return float(value), result


def fit_supports(evidence: Evidence, supports: SupportTally) -> Fit:
    """The maximum of the composite likelihood; raises what `evidence.progress` raises."""
    likelihood = CompositeLikelihood(evidence, supports)
    counts = likelihood.counts
    profile = SupportProfile(counts, supports.probabilities, likelihood.noise)
    hidden, rounds = _hidden_shares(likelihood, profile, evidence.progress)
    p = np.empty(evidence.blocks.size)
    p[likelihood.hidden] = profile.shares(hidden)
    p[likelihood.clear] = _clear_shares(likelihood, 1.0 - hidden)
    p *= evidence.block_shares[evidence.blocks]
    value, slopes = likelihood.slopes(p)
    return Fit(p, value, rounds, likelihood_gap(slopes, evidence.blocks, evidence.block_shares))


def _hidden_shares(
    likelihood: CompositeLikelihood, profile: SupportProfile, progress: Progress
) -> tuple[Floats, int]:
    """(m,) the best hidden share H of each block, and how many evaluations it took."""
    counts, noise = likelihood.counts, likelihood.noise
    others = np.bincount(likelihood.clear_block, minlength=noise.size) > 0
    rounds = 0

    def slope(hidden: Floats) -> tuple[Floats, Floats]:
        nonlocal rounds
        rounds += 1
        progress(rounds / (ROUNDS_MAX + 2))
        return profile.slope(hidden)

    sent = counts.oracle > 0
    least = np.where(noise > 0, 0.0, _HIDDEN_SHARE_MIN)
    low = np.where(sent, np.where(others, least, 1.0), 0.0)
    high = np.where(sent, 1.0, 0.0)
    start = 1.0 - counts.clear / np.maximum(1.0 - noise, _HIDDEN_SHARE_MIN)
    low = np.where(slope(high)[0] >= 0, high, low)
    high = np.where(slope(low)[0] <= 0, low, high)
    roots = falling_root(slope, low, high, start, np.full(noise.size, _DERIVATIVE_TOLERANCE))
    return roots, rounds


def _clear_shares(likelihood: CompositeLikelihood, total: Floats) -> Floats:
    """(clear,) each block's total, in proportion to its reports in the clear; even without any.

    `total`: (m,) shares of the symbols that are not hidden.
    """
    block, m = likelihood.clear_block, total.size
    nobody = sums_by(block, likelihood.named, m) == 0
    parts = np.where(nobody[block], 1.0, likelihood.named)
    return np.asarray((total / np.maximum(sums_by(block, parts, m), _TINY))[block] * parts)
