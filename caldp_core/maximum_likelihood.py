"""Maximum likelihood in the simplex, by EM with the family's fast products.

Room: estimation. EM for a known channel is the iterative Bayesian technique (Agrawal and Aggarwal
2001; ULDP §2.5): p ← p ∘ Qᵀ(counts/(Qp))/n never lowers the likelihood and keeps p in the simplex.
It is slow where reports say little, so every second step is extrapolated: SQUAREM (Varadhan and
Roland 2008, scheme S3), given up for a plain EM step wherever it would lower the likelihood.
"""

from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

import numpy as np

from caldp_core.arrays import sums_by
from caldp_core.errors import CaldpError
from caldp_core.evidence import Evidence
from caldp_core.mechanisms import ContextMechanism
from caldp_core.types import Floats

ROUNDS_MAX: Final = 300
GAIN_NATS: Final = 0.01
"""Stop once a round raises the whole log-likelihood by less. Slow rounds may add up: at k = 43,750
and 3.7 million people 3 nats are then left, which move the total variation by 1 %; `Fit.gap`
bounds what is."""
_GAIN_LEAST: Final = 1e-13
"""Nats per person: below it, rounding decides."""
_EVEN: Final = 0.1
"""Share of the start that is spread evenly: EM never brings back an entry that is 0."""
_TINY: Final = 1e-300


@runtime_checkable
class ChannelProducts(Protocol):
    """A bank whose tally is the histogram of its reports, with products by its channel Q."""

    def expected(self, p: Floats, base: Floats) -> Floats:
        """Q p: (s,) hidden shares and (m,) shares of base reports → (cells,) law of the cells."""
        ...

    def pull(self, weights: Floats) -> tuple[Floats, Floats]:
        """Qᵀ w: (cells,) weights → (s,) mean over a hidden symbol's reports, and (m,) base's."""
        ...


@dataclass(frozen=True, eq=False)
class Fit:
    """Where EM stopped: (k,) `p` in the simplex and its log-likelihood.

    `likelihood`: mean log-likelihood of a report, in nats. `rounds`: of three channel products
    each. `gap`: the maximum exceeds `likelihood` by no more than this, in nats per person.
    """

    p: Floats
    likelihood: float
    rounds: int
    gap: float


class _Likelihood:
    """The reports of a mechanism as a function of p."""

    def __init__(self, evidence: Evidence, bank: ChannelProducts) -> None:
        mechanism = evidence.mechanism
        self._bank = bank
        self._hidden, self._clear = mechanism.hidden_symbols, mechanism.clear_symbols
        self._block, self._m = mechanism.policy.blocks[self._clear], mechanism.policy.m
        self._open = mechanism.clear_share
        self._seen = evidence.tally.counts / evidence.n
        self._cells = mechanism.bank.cells

    def law(self, p: Floats) -> Floats:
        """(cells + clear,) Q p: the probability of each report."""
        clear = p[self._clear]
        base = (1.0 - self._open) * sums_by(self._block, clear, self._m)
        cells = self._bank.expected(p[self._hidden], base)
        return np.concatenate([cells, self._open[self._block] * clear])

    def slopes(self, p: Floats) -> tuple[float, Floats]:
        """Mean log-likelihood of a report, and its (k,) derivatives Qᵀ(seen/(Qp))."""
        some = self._seen > 0
        law = np.maximum(self.law(p), _TINY)
        likelihood = float((self._seen[some] * np.log(law[some])).sum())
        ratio = self._seen / law
        result = np.empty(p.size)
        result[self._hidden], base = self._bank.pull(ratio[: self._cells])
        share = self._open[self._block]
        result[self._clear] = share * ratio[self._cells :] + (1.0 - share) * base[self._block]
        return likelihood, result


def has_likelihood(mechanism: ContextMechanism) -> bool:
    """Whether the mechanism's tally is the histogram of its reports, so that EM can run."""
    return isinstance(mechanism.bank, ChannelProducts)


def maximum_likelihood(evidence: Evidence) -> Floats:
    """(k,) distribution under which these reports are the least surprising.

    Raises `CaldpError` for families whose tally is not the histogram of their reports.
    """
    return fit(evidence).p


def fit(evidence: Evidence, rounds: int = ROUNDS_MAX, gain_nats: float = GAIN_NATS) -> Fit:
    """Run EM until a round gains less than `gain_nats` in all, at most `rounds` rounds.

    Raises `CaldpError` as `maximum_likelihood` does, and whatever `evidence.progress` raises.
    """
    bank = evidence.mechanism.bank
    if not isinstance(bank, ChannelProducts):
        raise CaldpError(
            "Maximum likelihood needs a tally that counts each possible report, which that of "
            f"{evidence.mechanism.name} does not; use the estimator 'simplex' instead."
        )
    likelihood = _Likelihood(evidence, bank)
    least = max(gain_nats / evidence.n, _GAIN_LEAST)
    p, before = _start(evidence), -np.inf
    for number in range(rounds):
        value, after = _round(likelihood, p)
        evidence.progress((number + 1) / rounds)
        if value - before < least:
            break
        p, before = after, value
    value, slopes = likelihood.slopes(p)
    return Fit(p, value, number + 1, _gap(evidence, slopes))


def _start(evidence: Evidence) -> Floats:
    """The projection, mixed with even shares of each block: all positive where people are."""
    sizes = np.bincount(evidence.blocks, minlength=evidence.block_shares.size)
    even = (evidence.block_shares / sizes)[evidence.blocks]
    start = (1.0 - _EVEN) * evidence.plausible + _EVEN * even
    return np.asarray(start / start.sum())


def _round(likelihood: _Likelihood, p: Floats) -> tuple[float, Floats]:
    """Likelihood at p, and a point where it is at least as large: one round of SQUAREM."""
    at_p, slopes = likelihood.slopes(p)
    one = p * slopes
    at_one, slopes = likelihood.slopes(one)
    two = one * slopes
    r, v = one - p, two - 2.0 * one + p
    length = float(np.sqrt((r @ r) / max(float(v @ v), _TINY)))
    if length <= 1.0:
        return at_p, two
    far = p + 2.0 * length * r + length**2 * v
    # An entry may shrink a hundredfold but not to 0, from where it could not return.
    far = np.maximum(far, 0.01 * two)
    far /= far.sum()
    at_far, slopes = likelihood.slopes(far)
    return at_p, far * slopes if at_far >= at_one else two


def _gap(evidence: Evidence, slopes: Floats) -> float:
    """Σ_j share_j·max slope − 1: by concavity, what any other p could still gain.

    The best p gives each block its observed share, which is exact.
    """
    highest = np.zeros(evidence.block_shares.size)
    np.maximum.at(highest, evidence.blocks, slopes)
    return max(float(evidence.block_shares @ highest) - 1.0, 0.0)
