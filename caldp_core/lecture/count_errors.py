"""How far a count of random bits is off in 95 of 100 draws, the people held fixed.

Exact, by the law of the number of flipped bits; of very many, a normal takes its place.
"""

import math
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Ints

_NORMAL_FROM: Final = 1e4
"""Variance of the number of flipped bits from which it counts as normal."""


def half_width(errors: Floats | Ints, chances: Floats, level: float = 0.95) -> float:
    """Smallest w with P(|error| ≤ w) ≥ `level`; (m,) `errors` with their `chances`, sum 1."""
    sizes = np.abs(errors)
    order = np.argsort(sizes, kind="stable")
    enough = np.searchsorted(np.cumsum(chances[order]), level - 1e-12)
    return float(sizes[order[min(int(enough), order.size - 1)]])


def local_half_width(no: int, yes: int, flip: float) -> float:
    """The 95 % half-width of the estimated number of yes, in people.

    `no`, `yes`: people with each answer; `flip`: chance in [0, ½) that a bit is the other one.
    """
    slope = 1.0 - 2.0 * flip
    variance = (no + yes) * flip * (1.0 - flip)
    if variance > _NORMAL_FROM:
        return float(scipy.special.ndtri(0.975) * math.sqrt(variance) / slope)
    (gained, up), (lost, down) = _flipped(no, flip), _flipped(yes, flip)
    moved = gained[0] - lost[-1] + np.arange(gained.size + lost.size - 1)
    errors = (moved - flip * (no - yes)) / slope
    return half_width(errors, np.convolve(up, down[::-1]))


def _flipped(n: int, flip: float) -> tuple[Ints, Floats]:
    """Numbers of flipped bits that are likely at all, ascending, with their binomial chances."""
    reach = 12.0 * math.sqrt(n * flip * (1.0 - flip)) + 40.0
    few, many = math.floor(n * flip - reach), math.ceil(n * flip + reach)
    k = np.arange(max(0, few), min(n, many) + 1)
    logs = scipy.special.gammaln(n + 1) - scipy.special.gammaln([k + 1, n - k + 1]).sum(axis=0)
    chances = np.exp(logs + scipy.special.xlogy(k, flip) + scipy.special.xlog1py(n - k, -flip))
    return k, chances / chances.sum()
