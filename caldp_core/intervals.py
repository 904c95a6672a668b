"""Confidence intervals of single shares, from exact laws and variances.

Room: estimation. They belong to the *unbiased* estimate; a post-processed one has a bias that no
interval here knows. They speak of the distribution that the people were drawn from; for the share
among the very people who reported they are wider than needed.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, ndtri

from caldp_core.errors import check_number
from caldp_core.evidence import Evidence
from caldp_core.types import Floats


@dataclass(frozen=True, eq=False)
class Intervals:
    """(k,) `low` ≤ `high`, shares in [0, 1]; `level`: chance that one of them holds its share."""

    low: Floats
    high: Floats
    level: float


def intervals(evidence: Evidence, level: float = 0.95) -> Intervals:
    """One interval a symbol, each of which holds its true share with probability `level`.

    Hidden symbols: p̂ ± z·σ̂ with the exact variance at the plug-in, cut to [0, 1]; the normal
    approximation needs some tens of reports of each kind that a symbol sends. Symbols that are
    not hidden: exact (Clopper and Pearson 1934) from the binomial number of reports in the clear.
    `level`: in [0.5, 1 − 10^-12]; raises `CaldpError` otherwise.
    """
    level = check_number("level", level, 0.5, 1.0 - 1e-12)
    z = -float(ndtri(0.5 * (1.0 - level)))
    half = z * evidence.deviation
    low = np.clip(evidence.unbiased - half, 0.0, 1.0)
    high = np.clip(evidence.unbiased + half, 0.0, 1.0)
    clear = evidence.mechanism.clear_symbols
    low[clear], high[clear] = _in_the_clear(evidence, 0.5 * (1.0 - level))
    return Intervals(low, high, level)


def simultaneous(evidence: Evidence, level: float = 0.95) -> Intervals:
    """Intervals that *all* hold with probability `level`: Bonferroni's correction for k symbols."""
    level = check_number("level", level, 0.5, 1.0 - 1e-12)
    each = intervals(evidence, min(1.0 - (1.0 - level) / evidence.unbiased.size, 1.0 - 1e-12))
    return Intervals(each.low, each.high, level)


def _in_the_clear(evidence: Evidence, tail: float) -> tuple[Floats, Floats]:
    """Limits from count ~ Binomial(n, share·p), with `tail` beyond each of them."""
    mechanism = evidence.mechanism
    count = evidence.tally.counts[mechanism.bank.cells :].astype(np.float64)
    share = mechanism.clear_share[mechanism.policy.blocks[mechanism.clear_symbols]]
    missing = evidence.n - count
    # The quantiles' first argument must be positive: their limits at none and at all are known.
    low = np.where(count > 0, betaincinv(np.maximum(count, 1.0), missing + 1.0, tail), 0.0)
    upper = betaincinv(count + 1.0, np.maximum(missing, 1.0), 1.0 - tail)
    high = np.where(missing > 0, upper, 1.0)
    return low / share, np.minimum(high / share, 1.0)
