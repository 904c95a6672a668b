"""Small array helpers that several rooms share."""

import numpy as np

from caldp_core.basics.types import Floats, Ints


def sums_by(block: Ints, values: Floats, m: int) -> Floats:
    """(m,) sums of (k,) values over the symbols of each block; `block`: (k,) labels in [0, m)."""
    if m == 1:  # bincount is slow with one bin: each addition waits for the last
        return np.array([values.sum()], dtype=np.float64)
    return np.asarray(np.bincount(block, weights=values, minlength=m), dtype=np.float64)


def counts_by(block: Ints, counts: Ints, m: int) -> Ints:
    """(m,) int64 sums of (k,) whole `counts` over each block; exact while they stay below 2^53."""
    return sums_by(block, counts.astype(np.float64), m).astype(np.int64)
