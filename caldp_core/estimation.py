"""What may be done to the unbiased estimate: post-processing costs no privacy (CALDP Prop. 1).

Room: estimators after the unbiased one. All but "none" are biased, and pages say which is shown.
Each takes the unbiased estimate (k,), block labels (k,) and the blocks' exact shares (m,).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from caldp_core.errors import CaldpError
from caldp_core.types import Floats, Ints

PostProcess: TypeAlias = Callable[[Floats, Ints, Floats], Floats]
_NORM_SUB_ROUNDS: Final = 200


def unprocessed(estimate: Floats, blocks: Ints, block_shares: Floats) -> Floats:
    """The unbiased estimate itself; entries may be negative and need not sum to 1."""
    del blocks, block_shares
    return estimate


def clip_renormalise(estimate: Floats, blocks: Ints, block_shares: Floats) -> Floats:
    """max(p̂, 0), divided by its sum; uniform if nothing is left."""
    del blocks, block_shares
    kept = np.maximum(estimate, 0.0)
    total = kept.sum()
    return kept / total if total > 0 else np.full_like(kept, 1.0 / kept.size)


def norm_sub(estimate: Floats, blocks: Ints, block_shares: Floats) -> Floats:
    """Clip at 0 and shift the positive entries evenly until the sum is 1.

    Wang et al. 2020, "Locally differentially private frequency estimation with consistency".
    Where the positive entries sum to 1 or more, as they nearly always do, their iteration ends
    at the Euclidean projection on the simplex; where not, it lifts the positive entries only.
    """
    del blocks, block_shares
    current = estimate
    for _ in range(_NORM_SUB_ROUNDS):
        current = np.maximum(current, 0.0)
        positive = current > 0
        if not positive.any():
            return simplex_projection(estimate)
        shift = (1.0 - current.sum()) / positive.sum()
        current = np.where(positive, current + shift, 0.0)
        if (current >= 0).all():
            break
    return np.maximum(current, 0.0)


def simplex(estimate: Floats, blocks: Ints, block_shares: Floats) -> Floats:
    """The nearest distribution in Euclidean distance."""
    del blocks, block_shares
    return simplex_projection(estimate)


def simplex_per_block(estimate: Floats, blocks: Ints, block_shares: Floats) -> Floats:
    """In each block, the nearest non-negative shares that sum to the block's observed share."""
    return np.maximum(estimate - block_thresholds(estimate, blocks, block_shares)[blocks], 0.0)


def simplex_projection(estimate: Floats) -> Floats:
    """(k,) Euclidean projection on the probability simplex (Held, Wolfe, Crowder 1974)."""
    everything = np.zeros(estimate.size, np.int64)
    threshold = block_thresholds(estimate, everything, np.ones(1))[0]
    return np.asarray(np.maximum(estimate - threshold, 0.0))


def block_thresholds(estimate: Floats, blocks: Ints, totals: Floats) -> Floats:
    """(m,) τ_j with Σ_{x in block j} max(p̂_x − τ_j, 0) = totals_j, all blocks in one sort.

    `estimate`, `blocks`: (k,); `totals`: (m,) ≥ 0. With the block's values in falling order and
    their running sums c_i, τ = (c_r − total)/r for the last r with value_r > (c_r − total)/r.
    """
    order = np.lexsort((-estimate, blocks)) if totals.size > 1 else np.argsort(-estimate)
    values, block = estimate[order], blocks[order]
    sizes = np.bincount(blocks, minlength=totals.size)
    first = np.cumsum(sizes) - sizes
    sums = np.cumsum(values)
    before = np.where(first > 0, sums[first - 1], 0.0)
    rank = np.arange(values.size) - first[block] + 1
    candidates = (sums - before[block] - totals[block]) / rank
    holds = values > candidates
    last = np.bincount(block, weights=holds, minlength=totals.size).astype(np.int64)
    # A block with total 0 may keep nothing: then its largest value is the threshold.
    thresholds = candidates[first + np.maximum(last, 1) - 1]
    return np.asarray(np.where(last > 0, thresholds, values[first]))


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
