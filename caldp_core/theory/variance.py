"""The exact variance of the unbiased estimate where the people are known."""

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.mechanisms import Mechanism


def variance_given_people(mechanism: Mechanism, p: Floats, n: int) -> Floats:
    """(k,) exact variance of the unbiased estimate over the coins alone, the people held fixed.

    Var = E[Var(· | people)] + Var(E[· | people]), and the second is the sampling error
    p_x(1−p_x)/n. `p`: (k,) shares of these people.
    """
    sampling = p * (1.0 - p) / n
    return np.maximum(mechanism.variance(p, n) - sampling, 0.0)
