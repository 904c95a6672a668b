"""Roots of many falling functions at once: Newton's method kept inside of brackets.

Room: the ground floor of estimation; knows arrays only.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.types import Floats

Curve: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]
"""(m,) places, one a function → (m,) values and (m,) slopes, which may be rough or infinite."""

ROUNDS_MAX: Final = 100
_ULPS: Final = 4 * float(np.finfo(np.float64).eps)


def falling_root(curve: Curve, low: Floats, high: Floats, start: Floats, enough: Floats) -> Floats:
    """(m,) where each function is within `enough` of 0, or as near as floats come to its root.

    Each falls from ≥ 0 at `low` to ≤ 0 at `high`. A step that leaves the bracket, or is more than
    half of the last one, is replaced by bisection (Press et al., Numerical Recipes, §9.4).
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
