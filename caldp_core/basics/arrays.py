"""Small array helpers that several rooms share."""

import numpy as np

from caldp_core.basics.types import Floats, Ints


def sums_by(block: Ints, values: Floats, m: int) -> Floats:
    """(m,) sums of (k,) values over the symbols of each block; `block`: (k,) labels in [0, m)."""
    if m == 1:  # one bin for all would be waited for at every value
        return np.array([values.sum()], dtype=np.float64)
    return np.asarray(np.bincount(block, weights=values, minlength=m), dtype=np.float64)


def counts_by(block: Ints, counts: Ints, m: int) -> Ints:
    """The same for whole numbers; exact while the sums stay below 2^53."""
    return sums_by(block, counts.astype(np.float64), m).astype(np.int64)
