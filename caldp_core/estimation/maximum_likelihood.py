"""Maximum likelihood in the simplex, for every family in every context.

Room: estimation. Where the tally is the histogram of the reports, the likelihood is theirs, and EM
climbs it (`em.py`). Where reports include symbols (`mechanisms/inclusion.py`), the tally knows how
many include each symbol but not which do so together; the likelihood is then the composite one of
each symbol's inclusions by itself, and its maximum is found directly (`composite_likelihood.py`).
"""

from typing import Final, Protocol, runtime_checkable

import numpy as np

from caldp_core.basics.arrays import sums_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.estimation.composite_likelihood import fit_supports
from caldp_core.estimation.em import GAIN_NATS, ROUNDS_MAX, Fit, Observed, ascend, gap_of
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms import ContextMechanism
from caldp_core.mechanisms.oracles.supports import SupportOracles

_EVEN: Final = 0.1
"""Share of EM's start that is spread evenly: EM never brings back an entry that is 0."""


@runtime_checkable
class ChannelProducts(Protocol):
    """Oracles whose tally is the histogram of its reports, with products by its channel Q."""

    def expected(self, p: Floats, base: Floats) -> Floats:
        """Q p: (s,) hidden shares and (m,) shares of base reports → (cells,) law of the cells."""
        ...

    def pull(self, weights: Floats) -> tuple[Floats, Floats]:
        """Qᵀ w: (cells,) weights → (s,) mean over a hidden symbol's reports, and (m,) base's."""
        ...


class ContextProducts:
    """`KnownChannel` of a family in a context: its oracles, then the reports in the clear."""

    def __init__(self, mechanism: ContextMechanism, oracles: ChannelProducts) -> None:
        self._oracles = oracles
        self._hidden, self._clear = mechanism.hidden_symbols, mechanism.clear_symbols
        self._block, self._m = mechanism.policy.blocks[self._clear], mechanism.policy.m
        self._open = mechanism.clear_share
        self._k, self._cells = mechanism.k, mechanism.oracles.tally_size

    def expected(self, p: Floats) -> Floats:
        """(k,) shares → (cells + clear,) law of the reports."""
        clear = p[self._clear]
        base = (1.0 - self._open) * sums_by(self._block, clear, self._m)
        cells = self._oracles.expected(p[self._hidden], base)
        return np.concatenate([cells, self._open[self._block] * clear])

    def pull(self, weights: Floats) -> Floats:
        """(cells + clear,) weights → (k,) their mean over each symbol's reports."""
        result = np.empty(self._k)
        result[self._hidden], base = self._oracles.pull(weights[: self._cells])
        share = self._open[self._block]
        result[self._clear] = share * weights[self._cells :] + (1.0 - share) * base[self._block]
        return result


def maximum_likelihood(evidence: Evidence) -> Floats:
    """(k,) distribution under which this tally is the least surprising; raises as `fit` does."""
    return fit(evidence).p


def fit(evidence: Evidence, rounds: int = ROUNDS_MAX, gain_nats: float = GAIN_NATS) -> Fit:
    """The fit and its certificate. `rounds`, `gain_nats`: where EM stops, see `em.ascend`.

    Raises `CaldpError` for a family of neither kind, and whatever `evidence.progress` raises.
    """
    oracles = evidence.mechanism.oracles
    if isinstance(oracles, SupportOracles):
        return fit_supports(evidence, oracles)
    if not isinstance(oracles, ChannelProducts):
        raise CaldpError(
            "Maximum likelihood needs a tally that counts each possible report, or the reports "
            f"that include each symbol; that of {evidence.mechanism.name} does neither: use the "
            "estimator 'simplex' instead."
        )
    products, n = ContextProducts(evidence.mechanism, oracles), evidence.n
    observed = Observed(products, evidence.tally.counts / n, n)
    p, done = ascend(observed, _start(evidence), evidence.progress, rounds, gain_nats)
    value, slopes = observed.slopes(p)
    return Fit(p, value, done, gap_of(slopes, evidence.blocks, evidence.block_shares))


def _start(evidence: Evidence) -> Floats:
    """The projection, mixed with even shares of each block: all positive where people are."""
    sizes = np.bincount(evidence.blocks, minlength=evidence.block_shares.size)
    even = (evidence.block_shares / sizes)[evidence.blocks]
    start = (1.0 - _EVEN) * evidence.plausible + _EVEN * even
    return np.asarray(start / start.sum())
