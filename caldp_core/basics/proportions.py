"""Confidence limits of a share from a count: Clopper and Pearson 1934.

Exact for a binomial count, whatever the share: each limit is missed with probability `tail` at
most.
"""

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Ints


def clopper_pearson_lower(hits: Ints | Floats, n: int, tail: float) -> Floats:
    """The least p at which `hits` of n or more have probability `tail`; 0 for no hits.

    `hits`: any shape, in [0, n]; `tail`: in (0, 1).
    """
    some = np.where(hits > 0, hits, 1.0)
    return np.where(hits > 0, scipy.special.betaincinv(some, n - some + 1.0, tail), 0.0)


def clopper_pearson_upper(hits: Ints | Floats, n: int, tail: float) -> Floats:
    """The greatest p at which `hits` of n or fewer have probability `tail`; 1 for n hits."""
    missing = n - hits
    share = scipy.special.betainccinv(hits + 1.0, np.where(missing > 0, missing, 1.0), tail)
    return np.where(missing > 0, share, 1.0)
