"""Designs for the largest error: no value's variance shall be larger than it must be.

The least Σ ω_x·n·Var(p̂_x) over channels is concave in the weights ω, and its slope there is the
variance of each value. So for weights that sum to 1 no channel's largest variance is below that
least sum, and where all weighted values have one variance none is better. Weights are raised where
the variance is large until it is so.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats, Progress, no_progress
from caldp_core.mechanisms.designed.certificate import relative_gap
from caldp_core.mechanisms.designed.design import Design, design
from caldp_core.privacy.context import PrivacyMatrix

_ROUNDS: Final = 16
_GAP: Final = 2e-3
"""Relative: largest variance and bound that are so close end the search."""
_RAISED: Final = 1.5
"""Power of the variance by which a weight is raised: it then falls by about its root."""
_WEIGHT_MIN: Final = 1e-4
"""Of the largest weight; a value whose variance does not matter still has one."""


@dataclass(frozen=True, eq=False)
class EvenDesign:
    """A design whose largest n·Var(p̂_x) is `largest`; no channel that keeps E is below `bound`."""

    design: Design
    largest: float
    bound: float

    @property
    def gap(self) -> float:
        """How far, at most, `largest` is above any mechanism's, relative."""
        return relative_gap(self.largest, self.bound)


def design_for_largest(policy: PrivacyMatrix, progress: Progress = no_progress) -> EvenDesign:
    """Find a channel with the least largest n·Var(p̂_x) under `policy`, for even people.

    Up to 16 designs, each with other weights; see `design` for the rest. Raises `CaldpError` as
    it does.
    """
    weights = np.full(policy.k, 1.0 / policy.k)
    best: EvenDesign | None = None
    for step in range(_ROUNDS):
        candidate = design(policy, None, weights, _piece(progress, step))
        each = variances(candidate)
        bound = max(candidate.bound, 0.0 if best is None else best.bound)
        if best is None or each.max() < best.largest:
            best = EvenDesign(candidate, float(each.max()), bound)
        best = EvenDesign(best.design, best.largest, bound)
        if best.gap < _GAP:
            break
        raised = weights * (each / each.mean()) ** _RAISED
        raised = np.maximum(raised, _WEIGHT_MIN * raised.max())
        weights = raised / raised.sum()
    assert best is not None  # of the first round
    return best


def variances(design: Design) -> Floats:
    """(k,) n·Var(p̂_x) of the best linear unbiased estimate where people are like the prior.

    Values that the policy makes one have that of their sum, each.
    """
    rows = design.channel.floats()
    same = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
    first = np.unique(same, return_index=True)[1]
    prior = np.bincount(same, design.prior)
    channel = rows[first]
    information = (channel / (prior @ channel)) @ channel.T
    each = np.linalg.inv(information).diagonal() - prior**2
    return np.asarray(each[same])


def _piece(progress: Progress, done: int) -> Progress:
    return lambda share: progress((done + share) / _ROUNDS)
