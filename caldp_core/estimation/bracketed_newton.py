"""Roots of many decreasing functions at once, by Newton's method with bisection as a safeguard.

Works on arrays and knows nothing of mechanisms.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.types import Floats

Curve: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]
"""(m,) arguments, one for each function → (m,) values and (m,) derivatives.

Derivatives may be approximate or infinite: they only decide how fast the root is found."""

ROUNDS_MAX: Final = 100
_ULPS: Final = 4 * float(np.finfo(np.float64).eps)


def falling_root(curve: Curve, low: Floats, high: Floats, start: Floats, enough: Floats) -> Floats:
    """(m,) roots: each function is within `enough` of 0 there, or the root is right to rounding.

    `low`, `high`: (m,) brackets; each function decreases from ≥ 0 at `low` to ≤ 0 at `high`.
    `start`: (m,) first guesses. A Newton step that leaves the bracket, or is more than half as
    long as the step before, is replaced by a bisection (Press et al., Numerical Recipes, §9.4).
    """
    x, step = np.clip(start, low, high), high - low
    done = step <= 0
    for _ in range(ROUNDS_MAX):
        value, slope = curve(x)
        low, high = np.where(value > 0, x, low), np.where(value > 0, high, x)
        with np.errstate(all="ignore"):
            newton = -value / slope
        # Where the slope is steep, a value above `enough` may be no more than rounding.
        small = np.isfinite(slope) & (np.abs(newton) <= _ULPS * np.abs(x))
        good = (x + newton > low) & (x + newton < high) & (2.0 * np.abs(newton) <= step)
        move = np.where(good, newton, 0.5 * (low + high) - x)
        done |= (np.abs(value) <= enough) | small | (np.abs(move) <= _ULPS * np.abs(x))
        if done.all():
            break
        x, step = np.where(done, x, x + move), np.abs(move)
    return x
