"""Maximum likelihood over all distributions, by what a mechanism's tally counts.

Where the tally is the histogram of the reports, EM finds the maximum (`em.py`). Where reports are
sets of symbols (`mechanisms/oracles/supports.py`), the tally says how many include each symbol, but
not which symbols were included together. Then a composite likelihood is maximised, which looks at
one symbol at a time (`composite_likelihood.py`).
"""

from typing import Final

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.estimation.composite_likelihood import fit_supports
from caldp_core.estimation.em import (
    GAIN_NATS,
    ROUNDS_MAX,
    Fit,
    ReportLikelihood,
    ascend,
    likelihood_gap,
)
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms.capabilities import channel_products, support_tally

_EVEN_SHARE: Final = 0.1
"""Share of EM's start that is spread evenly: EM never brings back an entry that is 0."""


def maximum_likelihood(evidence: Evidence) -> Floats:
    """(k,) distribution under which this tally is the least surprising; raises as `fit` does."""
    return fit(evidence).p


def fit(evidence: Evidence, rounds: int = ROUNDS_MAX, gain_nats: float = GAIN_NATS) -> Fit:
    """The fit and its certificate. `rounds`, `gain_nats`: where EM stops, see `em.ascend`.

    Raises `CaldpError` for a mechanism of neither kind, and whatever `evidence.progress` raises.
    """
    supports = support_tally(evidence.mechanism, evidence.tally)
    if supports is not None:
        return fit_supports(evidence, supports)
    products, n = channel_products(evidence.mechanism), evidence.n
    if products is None:
        raise CaldpError(
            "Maximum likelihood needs a tally that counts each possible report, or the reports "
            "that include each symbol; that of this mechanism does neither: use the estimator "
            "'simplex' instead."
        )
    observed = ReportLikelihood(products, evidence.tally.counts / n, n)
    p, done = ascend(observed, _start(evidence), evidence.progress, rounds, gain_nats)
    value, slopes = observed.slopes(p)
    return Fit(p, value, done, likelihood_gap(slopes, evidence.blocks, evidence.block_shares))


def _start(evidence: Evidence) -> Floats:
    """The projection, mixed with even shares of each block: all positive where people are."""
    sizes = np.bincount(evidence.blocks, minlength=evidence.block_shares.size)
    even = (evidence.block_shares / sizes)[evidence.blocks]
    start = (1.0 - _EVEN_SHARE) * evidence.plausible + _EVEN_SHARE * even
    return np.asarray(start / start.sum())
