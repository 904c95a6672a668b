"""What may be done to the unbiased estimate: post-processing costs no privacy (CALDP Prop. 1).

Room: estimators after the unbiased one. All but "none" are biased, and pages say which is shown.
Each takes the `Evidence` of one run and gives (k,) shares.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from caldp_core.errors import CaldpError
from caldp_core.evidence import Evidence
from caldp_core.projection import block_thresholds, simplex_projection
from caldp_core.types import Floats

__all__ = [
    "ESTIMATORS",
    "EstimatorEntry",
    "PostProcess",
    "block_thresholds",
    "clip_renormalise",
    "estimator",
    "norm_sub",
    "simplex",
    "simplex_per_block",
    "simplex_projection",
    "unprocessed",
]

PostProcess: TypeAlias = Callable[[Evidence], Floats]
_NORM_SUB_ROUNDS: Final = 200


def unprocessed(evidence: Evidence) -> Floats:
    """The unbiased estimate itself; entries may be negative and need not sum to 1."""
    return evidence.unbiased


def clip_renormalise(evidence: Evidence) -> Floats:
    """max(p̂, 0), divided by its sum; uniform if nothing is left."""
    kept = np.maximum(evidence.unbiased, 0.0)
    total = kept.sum()
    return kept / total if total > 0 else np.full_like(kept, 1.0 / kept.size)


def norm_sub(evidence: Evidence) -> Floats:
    """Clip at 0 and shift the positive entries evenly until the sum is 1.

    Wang et al. 2020, "Locally differentially private frequency estimation with consistency".
    Where the positive entries sum to 1 or more, as they nearly always do, their iteration ends
    at the Euclidean projection on the simplex; where not, it lifts the positive entries only.
    """
    current = evidence.unbiased
    for _ in range(_NORM_SUB_ROUNDS):
        current = np.maximum(current, 0.0)
        positive = current > 0
        if not positive.any():
            return simplex_projection(evidence.unbiased)
        shift = (1.0 - current.sum()) / positive.sum()
        current = np.where(positive, current + shift, 0.0)
        if (current >= 0).all():
            break
    return np.maximum(current, 0.0)


def simplex(evidence: Evidence) -> Floats:
    """The nearest distribution in Euclidean distance."""
    return simplex_projection(evidence.unbiased)


def simplex_per_block(evidence: Evidence) -> Floats:
    """In each block, the nearest non-negative shares that sum to the block's observed share."""
    return evidence.plausible


@dataclass(frozen=True)
class EstimatorEntry:
    """An estimator for readers: `title` and one `sentence` on what it does."""

    name: str
    title: str
    sentence: str
    apply: PostProcess


_ENTRIES: Final = (
    EstimatorEntry(
        "simplex",
        "Nearest distribution (simplex projection)",
        "the closest set of shares that are not negative and sum to 1; slightly biased",
        simplex,
    ),
    EstimatorEntry(
        "simplex-per-block",
        "Nearest distribution, block by block",
        "the closest shares that are not negative and keep each block's observed total; "
        "slightly biased",
        simplex_per_block,
    ),
    EstimatorEntry(
        "norm-sub",
        "Norm-sub",
        "negative shares set to 0 and the others shifted evenly until they sum to 1; "
        "slightly biased",
        norm_sub,
    ),
    EstimatorEntry(
        "clip",
        "Clip and renormalise",
        "negative shares set to 0 and the rest divided by their sum; biased towards even",
        clip_renormalise,
    ),
    EstimatorEntry(
        "none",
        "Unbiased, unprocessed",
        "right on average, but single shares may be negative",
        unprocessed,
    ),
)
ESTIMATORS: Final = {entry.name: entry for entry in _ENTRIES}


def estimator(name: str) -> EstimatorEntry:
    """The named estimator; raises `CaldpError` for an unknown name."""
    if name not in ESTIMATORS:
        raise CaldpError(f"estimator must be one of {', '.join(ESTIMATORS)}, got {name!r}.")
    return ESTIMATORS[name]
