"""Euclidean projections on the probability simplex, whole or block by block.

Works on arrays and knows nothing of mechanisms.
"""

import numpy as np

from caldp_core.basics.types import Floats, Ints


def simplex_projection(estimate: Floats, total: float = 1.0) -> Floats:
    """(k,) the shares ≥ 0 of a sum `total` nearest to a (k,) estimate in Euclidean distance.

    Source: Held, Wolfe, Crowder 1974.
    """
    everything = np.zeros(estimate.size, np.int64)
    threshold = block_thresholds(estimate, everything, np.array([total]))[0]
    return np.asarray(np.maximum(estimate - threshold, 0.0))


def block_thresholds(estimate: Floats, blocks: Ints, totals: Floats) -> Floats:
    """(m,) thresholds τ_j with Σ_{x in block j} max(p̂_x − τ_j, 0) = totals_j.

    `estimate`: (k,) shares; `blocks`: (k,) labels in [0, m); `totals`: (m,) ≥ 0. Sort a block's
    estimates from large to small and let c_r be the sum of the first r: then τ = (c_r − total)/r
    for the last r whose estimate is above (c_r − total)/r. One sort serves all blocks.
    """
    order = np.argsort(-estimate)
    if totals.size > 1:  # few labels in a small type are sorted by counting
        labels = blocks[order].astype(np.min_scalar_type(totals.size))
        order = order[np.argsort(labels, kind="stable")]
    values, block = estimate[order], blocks[order]
    sizes = np.bincount(blocks, minlength=totals.size)
    first = np.cumsum(sizes) - sizes
    sums = np.cumsum(values)
    before = np.where(first > 0, sums[first - 1], 0.0)
    rank = np.arange(values.size) - first[block] + 1
    candidates = (sums - before[block] - totals[block]) / rank
    holds = values > candidates
    last = np.bincount(block, weights=holds, minlength=totals.size).astype(np.int64)
    # Where the total is 0 no estimate may stay positive: the largest one is the threshold.
    thresholds = candidates[first + np.maximum(last, 1) - 1]
    return np.asarray(np.where(last > 0, thresholds, values[first]))
