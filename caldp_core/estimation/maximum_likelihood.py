"""Maximum likelihood over all distributions, and maximum composite likelihood of sets.

Where the tally is the histogram of the reports, EM finds the maximum, the iterative Bayesian
technique (Agrawal and Aggarwal 2001; ULDP §2.5): p ← p ∘ Q(counts/(pQ))/n never lowers the
likelihood. Each round extrapolates from two such steps: SQUAREM (Varadhan and Roland 2008, scheme
S3), unless that lowers it. Where reports are sets of symbols a composite likelihood is maximised.

"smoothed" smooths after every round of EM (EMS: Silverman, Jones, Wilson, Nychka 1990; for reports
on a scale Li, Wang, Lopuhaä-Zwakenberg, Škorić, Li 2020, section 5.5): EM alone fits the noise, and
binomial weights (1, 2, 1)/4 draw each share towards those beside it.

The tally of a family whose reports are sets (`mechanisms/oracles/supports.py`) has three parts: the
number N_j of reports from block j's oracle, for each hidden symbol x the number c_x of these that
include x, and for each other symbol z the number u_z of reports that name z in the clear. It does
not say which symbols were included in the same report, so the full likelihood is unknown.

docs/derivations.md, “Maximum composite likelihood”, has the derivation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Ints, Progress, counts_by, sums_by
from caldp_core.domain.domains import Domain
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms import capabilities
from caldp_core.mechanisms.oracles.supports import SupportProbabilities
from caldp_core.privacy.context import Context

Curve: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]
"""(m,) arguments, one for each function → (m,) values and (m,) derivatives.

Derivatives may be approximate or infinite: they only decide how fast the root is found."""

COMPOSITE_ROUNDS_MAX: Final = 100
_ULPS: Final = 4 * float(np.finfo(np.float64).eps)


def falling_root(curve: Curve, low: Floats, high: Floats, start: Floats, enough: Floats) -> Floats:
    """(m,) roots: each function is within `enough` of 0 there, or the root is right to rounding.

    `low`, `high`: (m,) brackets; each function decreases from ≥ 0 at `low` to ≤ 0 at `high`.
    `start`: (m,) first guesses. A Newton step that leaves the bracket, or is more than half as
    long as the step before, is replaced by a bisection (Press et al., Numerical Recipes, §9.4).
    """
    x, step = np.clip(start, low, high), high - low
    done = step <= 0
    for _ in range(COMPOSITE_ROUNDS_MAX):
        value, slope = curve(x)
        low, high = np.where(value > 0, x, low), np.where(value > 0, high, x)
        with np.errstate(all="ignore"):
            newton = -value / slope
        # Where the slope is steep, a value above `enough` may be no more than rounding.
        small = np.isfinite(slope) & (np.abs(newton) <= _ULPS * np.abs(x))
        good = (x + newton > low) & (x + newton < high) & (2.0 * np.abs(newton) <= step)
        move = np.where(good, newton, 0.5 * (low + high) - x)
        done |= (np.abs(value) <= enough) | small | (np.abs(move) <= _ULPS * np.abs(x))
        if done.all():
            break
        x, step = np.where(done, x, x + move), np.abs(move)
    return x


_TINY: Final = 1e-300


@dataclass(frozen=True, eq=False)
class SupportCounts:
    """The observed counts of a tally, as shares.

    `block`: (s,) block of each hidden symbol, in ascending order. `sizes`: (m,) hidden symbols per
    block. `hit`, `missed`: (s,) f and g, the shares of the block's oracle reports that include the
    symbol and that do not; both 0 in a block without such reports. `oracle`: (m,) share of the
    block's reports that came from its oracle; `clear`: (m,) share of those in the clear; both 0 in
    a block without people.
    """

    block: Ints
    sizes: Ints
    hit: Floats
    missed: Floats
    oracle: Floats
    clear: Floats


class SupportProfile:
    """The profile likelihood: the highest one of each block as a function of its hidden share H.

    `counts`: of the tally, as shares; `prob`: what reports include; `noise`: (m,) λ.
    """

    def __init__(self, counts: SupportCounts, prob: SupportProbabilities, noise: Floats) -> None:
        self._counts, self._prob, self._noise = counts, prob, noise
        # dt/dH and dκ/dH.
        self._widen, self._lift = 1.0 - noise, prob.other - prob.base * noise
        self._most, self._fewest = np.zeros(noise.size), np.minimum(counts.sizes, 1.0)
        np.maximum.at(self._most, counts.block, counts.hit)
        np.minimum.at(self._fewest, counts.block, counts.missed)

    def shares(self, hidden: Floats) -> Floats:
        """(m,) H → (s,) the best shares p_x of the hidden symbols, which sum to H."""
        counts, block = self._counts, self._counts.block
        _, a, active = self._solved(hidden)
        excess = np.where(active, a - self._floor(hidden)[block], 0.0)
        total = sums_by(block, excess, hidden.size)
        # Where all shares are below rounding, the symbols included most often get all of H.
        last = counts.hit == self._most[block]
        excess = np.where(total[block] > 0, excess, last)
        total = sums_by(block, excess, hidden.size)
        return np.asarray(hidden[block] * excess / np.maximum(total, _TINY)[block])

    def slope(self, hidden: Floats) -> tuple[Floats, Floats]:
        """(m,) H → (m,) first and (m,) second derivative of a report's mean log-likelihood.

        The first is −∞ at H = 1 where there were reports in the clear.
        """
        mu, a, active = self._solved(hidden)
        scale = self._counts.oracle / np.maximum(self._counts.sizes, 1) / self._sent(hidden)
        clear = ratio(self._counts.clear, 1.0 - hidden)
        with np.errstate(all="ignore"):
            first = scale * self._rise(mu, a) - clear
            bend = scale / self._sent(hidden) * self._bend(a, active)
            return first, bend - ratio(clear, 1.0 - hidden)

    def _rise(self, mu: Floats, a: Floats) -> Floats:
        """(m,) t times the derivative by H of the sum over symbols.

        H enters through Σ p_x = H (with multiplier μ), through κ and through t.
        """
        counts, block = self._counts, self._counts.block
        hit = sums_by(block, ratio(counts.hit, a), mu.size)
        missed = sums_by(block, ratio(counts.missed, 1.0 - a), mu.size)
        return self._prob.gain * mu + self._lift * hit + (self._widen - self._lift) * missed

    def _bend(self, a: Floats, active: Bools) -> Floats:
        """(m,) t² times the derivative of `_rise`; `turn` is that of μ, `moved` that of each A."""
        counts, block, m = self._counts, self._counts.block, self._noise.size
        hit, missed = ratio(ratio(counts.hit, a), a), ratio(ratio(counts.missed, 1.0 - a), 1.0 - a)
        loose = np.where(active, 1.0 / (hit + missed), 0.0)
        turn = self._widen * sums_by(block, missed * loose, m) - self._prob.gain
        turn = (turn - self._lift * sums_by(block, active.astype(np.float64), m)) / sums_by(
            block, loose, m
        )
        moved = (missed * self._widen[block] - turn[block]) * loose
        moved = np.where(active, moved, self._lift[block])
        left = np.asarray(missed * (self._widen[block] - moved))
        bend = self._prob.gain * turn - self._lift * sums_by(block, hit * moved, m)
        return np.asarray(bend - (self._widen - self._lift) * sums_by(block, left, m))

    def _sent(self, hidden: Floats) -> Floats:
        # (m,) t
        return np.maximum(hidden + self._noise * (1.0 - hidden), _TINY)

    def _floor(self, hidden: Floats) -> Floats:
        # (m,) κ/t: probability that an oracle report includes a symbol that nobody has.
        floor = self._prob.other * hidden + self._prob.base * self._noise * (1.0 - hidden)
        return np.asarray(floor / self._sent(hidden))

    def _solved(self, hidden: Floats) -> tuple[Floats, Floats, Bools]:
        """(m,) μ, (s,) a, and (s,) whether p_x is positive."""
        counts, block = self._counts, self._counts.block
        floor, reach = self._floor(hidden), self._prob.gain * hidden / self._sent(hidden)

        def excess(mu: Floats) -> tuple[Floats, Floats]:
            a = _inclusion(counts.hit, counts.missed, mu[block])
            active = a > floor[block]
            total = sums_by(block, np.where(active, a - floor[block], 0.0), mu.size)
            bend = ratio(ratio(counts.hit, a), a)
            bend += ratio(ratio(counts.missed, 1.0 - a), 1.0 - a)
            with np.errstate(divide="ignore"):
                fall = np.where(active, 1.0 / bend, 0.0)
            return total - reach, -sums_by(block, fall, mu.size)

        # The largest p_x is at most H and at least H/s.
        low = _score(self._most, self._fewest, floor + reach)
        high = _score(self._most, self._fewest, floor + reach / np.maximum(counts.sizes, 1))
        enough = _ULPS * (counts.sizes * floor + reach)
        mu = falling_root(excess, low, high, 0.5 * (low + high), enough)
        a = _inclusion(counts.hit, counts.missed, mu[block])
        return mu, np.maximum(a, floor[block]), a > floor[block]


def _inclusion(hit: Floats, missed: Floats, mu: Floats) -> Floats:
    """The a with f/a − g/(1 − a) = μ, where f + g = 1, without cancellation."""
    middle = 1.0 + mu
    square = np.where(
        mu > 0, (1.0 - mu) ** 2 + 4.0 * mu * missed, middle**2 - 4.0 * np.minimum(mu, 0.0) * hit
    )
    root = np.sqrt(square)
    with np.errstate(all="ignore"):
        below = 2.0 * hit / (middle + root)
        above = (root - middle) / (-2.0 * mu)
    return np.where(middle > 0, below, above)


def _score(hit: Floats, missed: Floats, a: Floats) -> Floats:
    return ratio(hit, a) - ratio(missed, 1.0 - a)


def ratio(part: Floats, whole: Floats) -> Floats:
    """part/whole, and 0 where the part is 0."""
    with np.errstate(divide="ignore"):
        return np.divide(part, whole, out=np.zeros_like(part), where=part > 0)


_DERIVATIVE_TOLERANCE: Final = 1e-13
"""The search for a block's hidden share stops at this derivative, in nats per person."""
_HIDDEN_SHARE_MIN: Final = 1e-12
"""Least hidden share that is tried in blocks where only hidden symbols send oracle reports."""


class CompositeLikelihood:
    """The counts of one tally that its composite likelihood depends on."""

    def __init__(self, evidence: Evidence, supports: capabilities.SupportTally) -> None:
        partition, n = capabilities.symbol_partition_of(evidence.mechanism), evidence.n
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


def fit_supports(evidence: Evidence, supports: capabilities.SupportTally) -> Floats:
    """(k,) the maximum of the composite likelihood; raises what `evidence.progress` raises."""
    likelihood = CompositeLikelihood(evidence, supports)
    profile = SupportProfile(likelihood.counts, supports.probabilities, likelihood.noise)
    hidden = _hidden_shares(likelihood, profile, evidence.progress)
    p = np.empty(evidence.blocks.size)
    p[likelihood.hidden] = profile.shares(hidden)
    p[likelihood.clear] = _clear_shares(likelihood, 1.0 - hidden)
    return p * evidence.block_shares[evidence.blocks]


def _hidden_shares(
    likelihood: CompositeLikelihood, profile: SupportProfile, progress: Progress
) -> Floats:
    """(m,) the best hidden share H of each block."""
    counts, noise = likelihood.counts, likelihood.noise
    others = np.bincount(likelihood.clear_block, minlength=noise.size) > 0
    rounds = 0

    def slope(hidden: Floats) -> tuple[Floats, Floats]:
        nonlocal rounds
        rounds += 1
        progress(rounds / (COMPOSITE_ROUNDS_MAX + 2))
        return profile.slope(hidden)

    sent = counts.oracle > 0
    least = np.where(noise > 0, 0.0, _HIDDEN_SHARE_MIN)
    low = np.where(sent, np.where(others, least, 1.0), 0.0)
    high = np.where(sent, 1.0, 0.0)
    start = 1.0 - counts.clear / np.maximum(1.0 - noise, _HIDDEN_SHARE_MIN)
    low = np.where(slope(high)[0] >= 0, high, low)
    high = np.where(slope(low)[0] <= 0, low, high)
    return falling_root(slope, low, high, start, np.full(noise.size, _DERIVATIVE_TOLERANCE))


def _clear_shares(likelihood: CompositeLikelihood, total: Floats) -> Floats:
    """(clear,) each block's total, in proportion to its reports in the clear; even without any.

    `total`: (m,) shares of the symbols that are not hidden.
    """
    block, m = likelihood.clear_block, total.size
    nobody = sums_by(block, likelihood.named, m) == 0
    parts = np.where(nobody[block], 1.0, likelihood.named)
    return np.asarray((total / np.maximum(sums_by(block, parts, m), _TINY))[block] * parts)


EM_ROUNDS_MAX: Final = 300
GAIN_NATS: Final = 0.01
"""EM stops once a round raises the log-likelihood of all reports together by less than this. Many
slow rounds could still add up: at k = 43,750 and 3.7 million people 3 nats remain, which change the
total variation by 1 %."""
_GAIN_LEAST: Final = 1e-13
"""Nats per person; smaller gains are rounding errors."""


@dataclass(frozen=True, eq=False)
class ReportLikelihood:
    """The log-likelihood of n reports as a function of p.

    `products`: with the channel. `report_shares`: (outputs,) shares of the reports.
    """

    products: capabilities.ChannelProducts
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
    supports = capabilities.support_tally(evidence.mechanism, evidence.tally)
    if supports is not None:
        return fit_supports(evidence, supports)
    products = capabilities.channel_products(evidence.mechanism)
    if products is None:
        raise CaldpError(
            "Maximum likelihood needs a tally that counts each possible report, or the reports "
            "that include each symbol; that of this mechanism does neither: use the estimator "
            "'simplex' instead."
        )
    observed = ReportLikelihood(products, evidence.tally.counts / evidence.n, evidence.n)
    return ascend(observed, _start(evidence), evidence.progress, EM_ROUNDS_MAX, GAIN_NATS)[0]


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
    products = capabilities.channel_products(evidence.mechanism)
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
