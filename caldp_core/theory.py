"""Exact errors of the unbiased estimate, and how many people an accuracy takes.

Room: formulas, each with its source. `expected_error.py` beside it turns the exact variances into
expected total variation.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from caldp_core.limits import N_MAX
from caldp_core.mechanisms import ContextMechanism
from caldp_core.types import Floats

N_SEARCH_MAX: Final = 1000 * N_MAX


def variance_given_people(mechanism: ContextMechanism, p: Floats, n: int) -> Floats:
    """(k,) exact variance of the unbiased estimate over the coins alone, the people held fixed.

    Var = E[Var(· | people)] + Var(E[· | people]), and the second is the sampling error
    p_x(1−p_x)/n. `p`: (k,) shares of these people.
    """
    sampling = p * (1.0 - p) / n
    return np.maximum(mechanism.variance(p, n) - sampling, 0.0)


def people_needed(error_at: Callable[[int], float], target: float) -> int | None:
    """Least n (to 0.1 %) with error_at(n) ≤ target; None if 10^15 people do not suffice.

    `error_at` must not rise with n.
    """
    if error_at(N_SEARCH_MAX) > target:
        return None
    low, high = 0.0, float(np.log(N_SEARCH_MAX))
    while high - low > 1e-3:
        middle = 0.5 * (low + high)
        if error_at(max(1, round(float(np.exp(middle))))) > target:
            low = middle
        else:
            high = middle
    return max(1, round(float(np.exp(high))))
